"""The local folder of a prepared state."""

import os
from collections.abc import Sequence

from assay.core.errors import InputError
from assay.engine.prepared_state import Entry


class LocalState:
    """Fulfils ``StateFolder``."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def path(self, name: str = "") -> str:
        return os.path.join(self._folder, name) if name else self._folder

    def entries(self) -> Sequence[Entry]:
        try:
            found = sorted(os.scandir(self._folder), key=lambda entry: entry.name)
        except OSError as error:
            raise InputError(f"{self._folder} can't be read: {error.strerror}") from error
        return [Entry(entry.name, entry.is_dir()) for entry in found]

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
