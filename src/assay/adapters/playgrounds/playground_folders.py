"""The local folders that stand in for a playground's servers, and the files of a prepared state."""

import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from assay.adapters.sources.files.folder import LocalFolder
from assay.core.errors import InputError
from assay.engine.criteria.load_playground import FolderEntry

EPOCH: Final = datetime.fromtimestamp(0, UTC)


class LocalFolders:
    """Fulfils ``Folders`` for a playground file."""

    def __init__(self, playground_file: str) -> None:
        self.root = os.path.dirname(os.path.abspath(playground_file))

    def resolved(self, path: str) -> str:
        return os.path.realpath(path)

    def is_filled(self, path: str) -> bool:
        return os.path.isdir(path) and bool(os.listdir(path))

    def fill(self, target: str, source: str | None, at: datetime) -> int:
        """Links are not followed."""
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target, exist_ok=True)
        return 0 if source is None else _copy_files(LocalFolder(source), target, at)


def _copy_files(source: LocalFolder, target: str, at: datetime) -> int:
    count, moment = 0, (at - EPOCH) // timedelta(microseconds=1) * 1000
    for found in source.files():
        count += 1
        path = os.path.join(target, *found.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as written:
            written.writelines(source.chunks(found.path))
        os.utime(path, ns=(moment, moment))
    return count


class LocalState:
    """Fulfils ``StateFolder``."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def path(self, name: str = "") -> str:
        return os.path.join(self._folder, name) if name else self._folder

    def entries(self) -> Sequence[FolderEntry]:
        try:
            found = sorted(os.scandir(self._folder), key=lambda entry: entry.name)
        except OSError as error:
            raise InputError(f"{self._folder} can't be read: {error.strerror}") from error
        return [FolderEntry(entry.name, entry.is_dir()) for entry in found]

    def files(self, folder: str = "") -> Sequence[str]:
        path = self.path(folder)
        if not os.path.isdir(path):
            return []
        names = [name for name in sorted(os.listdir(path)) if not name.startswith(".")]
        return [name for name in names if os.path.isfile(os.path.join(path, name))]

    def read(self, name: str, what: str) -> bytes:
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except (OSError, ValueError) as error:
            raise InputError(f"{what} can't be read: {getattr(error, 'strerror', None) or error}") from error
