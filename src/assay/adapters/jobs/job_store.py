"""The folder of a job while it runs, in harbor's layout. A kill at any moment loses no finished trial."""

import fcntl
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.jobs.trial_folder import DiskTrialFolder
from assay.adapters.machine.atomic_write import remove_unfinished, write_text
from assay.adapters.machine.trees import remove_tree
from assay.core.errors import InputError
from assay.dialects.harbor import wire


class DiskJobStore:
    """The folder of one job. While it is open, nobody else can open it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self._lock = self._only_one()

    def read(self) -> DiskJobFolder:
        return DiskJobFolder(self.folder)

    def read_json(self, name: str) -> dict[str, Any] | None:
        path = f"{self.folder}/{name}"
        try:
            with open(path) as file:
                found = json.load(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{self.folder} can't be resumed: {path} can't be read: {error}") from error
        if not isinstance(found, dict):
            what = type(found).__name__
            raise InputError(f"{self.folder} can't be resumed: {path} must be a JSON object, got {what}")
        return found

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        write_text(f"{self.folder}/{name}", wire.encode(value))

    def write_result(self, text: str) -> None:
        write_text(f"{self.folder}/result.json", text)

    def is_finished(self, trial: str) -> bool:
        return os.path.exists(f"{self.folder}/{trial}/result.json")

    def remove_unfinished(self) -> None:
        remove_unfinished(self.folder)
        before = self.read()
        for name in before.folders():
            if not self.is_finished(name) and before.began(name):
                remove_tree(f"{self.folder}/{name}")

    def new_trial(self, name: str, config: Mapping[str, Any]) -> DiskTrialFolder:
        os.makedirs(f"{self.folder}/{name}")
        self.write_json(f"{name}/config.json", config)
        return DiskTrialFolder(f"{self.folder}/{name}")

    def discard_trial(self, name: str) -> None:
        remove_tree(f"{self.folder}/{name}")

    def log(self, text: str) -> None:
        """Written at once and whole, so that threads don't mix their lines."""
        line = f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {text}\n"
        fd = os.open(f"{self.folder}/job.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(fd, line.encode(errors="backslashreplace"))
        finally:
            os.close(fd)

    def close(self) -> None:
        os.close(self._lock)

    def __enter__(self) -> "DiskJobStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _only_one(self) -> int:
        """A lock on the folder, so that two runs don't work on one job."""
        fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(fd)
            raise InputError(f"the job {self.folder} is already running; wait for it or stop it") from error
        return fd
