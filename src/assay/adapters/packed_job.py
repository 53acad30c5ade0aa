"""A job folder as an archive: all of it, to be sent to a service, or its records alone, to be kept by one."""

import io
import os
import tarfile
from collections.abc import Iterator

from assay.adapters.results_folder import JOB_FILES
from assay.adapters.safe_read import read_below
from assay.adapters.scratch import temporary_folder
from assay.adapters.trees import pack_tree
from assay.core.errors import InputError
from assay.engine.grading_rules import MARK
from assay.evidence.files import Content

# What a report and an audit read of a trial, and the folders of numbered records beside it.
_TRIAL_FILES = ("result.json", "config.json", "lock.json")
_REWARDS = ("reward.json", "reward.txt")
_RECORDS = ("gradings", "annotations", "tags", "scores", "judgements")
_LARGEST = 16 * 2**20


def packed_job(path: str) -> tuple[str, bytes]:
    """The name of a job and its archive. Raises ``InputError`` for anything but a whole job folder."""
    if not any(os.path.isfile(f"{path}/{name}") for name in JOB_FILES):
        raise InputError(f"with --server, JOB must be a folder with {' or '.join(JOB_FILES)}, got {path}")
    with temporary_folder(0o700) as place:
        archive = f"{place}/job.tar.gz"
        kept = pack_tree(path, archive)
        if kept.too_much:
            raise InputError(f"{path} must be smaller to be sent: it has too many files, or too large ones")
        with open(archive, "rb") as file:
            return os.path.basename(os.path.abspath(path)), file.read()


def packed_records(path: str) -> bytes:
    """An archive of what reports and audits read of a job: results, reward files and records, but no logs."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for parts in _record_paths(path):
            file = read_below(path, parts, _LARGEST)
            if isinstance(file, Content):
                entry = tarfile.TarInfo("/".join(parts))
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
    return packed.getvalue()


def _record_paths(path: str) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in (*JOB_FILES, MARK))
    for trial in _names(path):
        yield from ((trial, name) for name in _TRIAL_FILES)
        yield from ((trial, "verifier", name) for name in _REWARDS)
        yield from (
            (trial, "steps", step, "verifier", n) for step in _names(f"{path}/{trial}/steps") for n in _REWARDS
        )
        yield from ((trial, kind, name) for kind in _RECORDS for name in _names(f"{path}/{trial}/{kind}", ".json"))


def _names(folder: str, ending: str | None = None) -> list[str]:
    """The folders in a folder, or its files with this ending. No link is followed."""
    try:
        with os.scandir(folder) as entries:
            found = [one.name for one in entries if one.is_dir(follow_symlinks=False) == (ending is None)]
    except OSError:
        return []
    return sorted(name for name in found if ending is None or name.endswith(ending))
