"""Bring runs from folders into the store: trials of jobs, and coding runs that were scored."""

import gzip
import io
import os
import tarfile
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from assay.adapters.jobs.results_folder import JOB_FILES
from assay.adapters.jobs.run_store import REPORT, RUN, kept_record
from assay.adapters.jobs.trial_evidence import FolderEvidence, kept_evidence
from assay.adapters.machine.record_files import parse_record
from assay.adapters.machine.safe_read import is_file, names_in, read_below, read_file
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import pack_tree
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.explorer.blobs import BlobStore
from assay.engine.explorer.imported_runs import Imported, ImportStore, Kept, import_job
from assay.engine.jobs.job import Job
from assay.engine.jobs.trial_additions import History
from assay.engine.ports import MARK
from assay.engine.service.coding_rows import run_of_report
from assay.engine.service.jobs import Jobs
from assay.evidence.files import Content

LIMIT: Final = 256 * 2**20
# What a report and an audit read of a trial, and the folders of numbered records beside it.
_TRIAL_FILES = ("result.json", "config.json", "lock.json")
_REWARDS = ("reward.json", "reward.txt")
_RECORDS = ("gradings", "annotations", "tags", "scores", "judgements")
_LARGEST = 16 * 2**20


class Read(Protocol):
    """A job as it was read, with what was added to its trials."""

    @property
    def job(self) -> Job: ...

    @property
    def histories(self) -> Sequence[History]: ...


def is_scored(path: str) -> bool:
    """Whether a path is a report, the folder of a scored run, or a folder of such folders."""
    return is_file(path) or bool(_run_folders(path))


class Importing:
    """Imports for one organisation."""

    def __init__(self, store: ImportStore, blobs: BlobStore, organisation: str, jobs: Jobs | None = None) -> None:
        self._store = store
        self._blobs = blobs
        self._organisation = organisation
        self._jobs = jobs

    def job(self, path: str, read: Read, name: str | None) -> tuple[str, Imported]:
        """The trials of a job, or of several in a folder. Returns the name of the job, and what was added."""
        source = FolderEvidence([path, *_folders(path)], self._blobs)
        done = import_job(self._store, self._organisation, read.job, read.histories, name, source)
        called = name or read.job.name
        if self._jobs is not None and _is_job(path):
            self._jobs.put(self._organisation, called, packed_records(path))
        return called, done

    def reports(self, path: str, name: str | None) -> tuple[str, Imported]:
        """Coding runs that were scored."""
        whole = os.path.abspath(path)
        several = os.path.isdir(path) and not _is_kept_run(path)
        job = name or os.path.basename(whole if several else os.path.dirname(whole))
        with self._blobs.batch() as kept:
            found = [self._run(one, job, kept) for one in _run_folders(path) or [path]]
        return job, self._store.add_runs(self._organisation, found)

    def _run(self, path: str, job: str, kept: BlobStore) -> Kept:
        name = os.path.splitext(os.path.basename(os.path.abspath(path)))[0]
        if os.path.isfile(path):
            return run_of_report(_report(path), job, name)
        report = _report(f"{path}/{REPORT}")
        gates, evidence = kept_evidence(path, report, kept)
        return run_of_report(report, job, name, gates, evidence, kept_record(path))


def _is_job(path: str) -> bool:
    return any(is_file(f"{path}/{name}") for name in JOB_FILES)


def _report(path: str) -> ScorersReport:
    found = read_file(path, LIMIT)
    if not isinstance(found, Content):
        raise InputError(f"{path} can't be read as the report of 'assay score --json'")
    return parse_record(found.data, ScorersReport, path)


def _is_kept_run(path: str) -> bool:
    return is_file(f"{path}/{RUN}") and is_file(f"{path}/{REPORT}")


def _run_folders(path: str) -> list[str]:
    if _is_kept_run(path):
        return [path]
    return [f"{path}/{name}" for name in names_in(path) if _is_kept_run(f"{path}/{name}")]


def _folders(path: str) -> Iterator[str]:
    """Folders of jobs in a folder that is no job itself."""
    if is_file(f"{path}/lock.json"):
        return iter(())
    return (f"{path}/{name}" for name in names_in(path) if is_file(f"{path}/{name}/lock.json"))


def packed_job(path: str) -> tuple[str, bytes]:
    """The name of a job and its archive. Raises ``InputError`` for anything but a whole job folder."""
    if not _is_job(path):
        raise InputError(f"with --server, JOB must be a folder with {' or '.join(JOB_FILES)}, got {path}")
    with temporary_folder(0o700) as place:
        archive = f"{place}/job.tar.gz"
        kept = pack_tree(path, archive)
        if kept.too_much:
            raise InputError(f"{path} must be smaller to be sent: it has too many files, or too large ones")
        with open(archive, "rb") as file:
            return os.path.basename(os.path.abspath(path)), file.read()


def packed_records(path: str) -> Iterator[bytes]:
    """An archive of what reports and audits read of a job: results, reward files and records, but no logs."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as zipped,
        tarfile.open(fileobj=zipped, mode="w|") as archive,
    ):
        for parts in _record_paths(path):
            file = read_below(path, parts, _LARGEST)
            if isinstance(file, Content):
                entry = tarfile.TarInfo("/".join(parts))
                entry.size = len(file.data)
                archive.addfile(entry, io.BytesIO(file.data))
                yield packed.getvalue()
                packed.seek(packed.truncate(0))
                # It would remember every file.
                archive.members.clear()  # type: ignore[attr-defined]
    yield packed.getvalue()


def _record_paths(path: str) -> Iterator[tuple[str, ...]]:
    yield from ((name,) for name in (*JOB_FILES, MARK))
    for trial in names_in(path):
        yield from ((trial, name) for name in _TRIAL_FILES)
        yield from ((trial, "verifier", name) for name in _REWARDS)
        yield from (
            (trial, "steps", step, "verifier", n) for step in names_in(f"{path}/{trial}/steps") for n in _REWARDS
        )
        yield from (
            (trial, kind, name) for kind in _RECORDS for name in names_in(f"{path}/{trial}/{kind}", ".json")
        )
