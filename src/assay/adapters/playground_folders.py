"""The local folders that stand in for a playground's servers."""

import os
import shutil
from datetime import UTC, datetime, timedelta
from typing import Final

from assay.adapters.files.folder import LocalFolder

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
        return 0 if source is None else _copied(LocalFolder(source), target, at)


def _copied(source: LocalFolder, target: str, at: datetime) -> int:
    count, moment = 0, (at - EPOCH) // timedelta(microseconds=1) * 1000
    for found in source.files():
        count += 1
        path = os.path.join(target, *found.path.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as written:
            written.writelines(source.chunks(found.path))
        os.utime(path, ns=(moment, moment))
    return count
