"""The folder of one trial: written step by step while it runs, and read to grade it again.

A trial with a result.json is finished, so that file is written last.

Turn the record that an agent keeps of itself into harbor's format, beside it.

The agent wrote the record, so it is read without following a link and up to a limit.
"""

import fcntl
import json
import os
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assay.adapters.jobs.annotations import last_grading, write_grading
from assay.adapters.jobs.job_folder import DiskJobFolder, read_gates
from assay.adapters.machine.atomic_write import remove_unfinished, write_durably, write_text
from assay.adapters.machine.safe_read import entries_of, is_file, is_folder, is_there, read_below
from assay.adapters.machine.tree_walk import file_checksum
from assay.adapters.machine.trees import clear_the_way, remove_tree
from assay.adapters.sandbox import hide
from assay.adapters.tasks.workbench import ARCHIVE, MANIFEST, PARTIAL_ARCHIVE
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor import wire
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.run.grading_record import Before
from assay.engine.run.ports import Agent, Bench
from assay.engine.run.trial_record import STDERR_LOG, STDOUT_LOG
from assay.engine.sandbox import Ran
from assay.evidence.coding_run import Printed
from assay.evidence.files import Content
from assay.evidence.run import Gates

NAME = "trajectory.json"
LIMIT = 64 * 2**20
_NOT_APART = Printed(b"[stderr is not apart: the sandbox gives one stream for both]\n")


class DiskTrial:
    """The folder of one trial: written while it runs, and read to grade it again. ``path`` is as it was given."""

    def __init__(self, path: str) -> None:
        self.path = path
        around = os.path.dirname(os.path.abspath(path))
        while not os.path.isdir(around):  # The run is in a pack.
            around = os.path.dirname(around)
        hide(around)

    def keep_agent(
        self, step: str | None, bench: Bench, artifacts: Sequence[ArtifactConfig], ran: Ran | None, log: str
    ) -> str:
        folder = self._of(step)
        os.makedirs(folder, exist_ok=True)
        manifest = bench.keep_agent(folder, artifacts)
        clear_the_way(f"{folder}/artifacts/{MANIFEST}")
        write_text(f"{folder}/artifacts/{MANIFEST}", json.dumps(manifest, indent=2))
        if ran is not None:
            _write_output(f"{folder}/agent/{log}", Printed(ran.output, ran.output_cut))
            for name, printed in zip((STDOUT_LOG, STDERR_LOG), ran.apart or (None, _NOT_APART), strict=True):
                _write_output(f"{folder}/agent/{name}", printed)
        return file_checksum(bench.keep_workspace(folder))

    def tell_trajectory(self, step: str | None, agent: Agent) -> None:
        if agent.trajectory is not None:
            tell_trajectory(f"{self._of(step)}/agent", agent)

    def keep_verifier(self, step: str | None, bench: Bench, ran: Ran | None) -> None:
        folder = self._of(step)
        os.makedirs(folder, exist_ok=True)
        bench.keep_verifier(folder)
        if ran is not None:
            _write_output(f"{folder}/verifier/test-stdout.txt", Printed(ran.output, ran.output_cut))

    def finish(self, log: Sequence[str], failure: str | None, result: Mapping[str, Any]) -> None:
        write_text(f"{self.path}/trial.log", "".join(f"{line}\n" for line in log))
        if failure is not None:
            write_text(f"{self.path}/exception.txt", f"{failure}\n")
        write_durably(f"{self.path}/result.json", wire.encode(result))

    def task_path(self) -> str:
        try:
            file = read_below(self.path, ("config.json",), LIMIT)
            return str(json.loads(file.data if isinstance(file, Content) else b"")["task"]["path"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{self.path}/config.json must name the task in task.path, but it doesn't") from error

    def archive(self, step: str | None) -> str:
        return f"{self._of(step)}/{ARCHIVE}"

    def workspace(self, step: str | None) -> str | None:
        archive = self.archive(step)
        return file_checksum(archive) if is_there(archive) else None

    def kept_in_part(self, step: str | None) -> bool:
        return is_there(f"{self._of(step)}/{PARTIAL_ARCHIVE}")

    def collect(self, step: str | None, sources: Sequence[str]) -> None:
        from assay.adapters.jobs.kept_artifacts import keep_as_workspace  # noqa: PLC0415 - few runs are harbor's own

        keep_as_workspace(self._of(step), sources)

    def restore(self, step: str | None, bench: Bench) -> None:
        try:
            if os.path.isdir(self.path):
                bench.restore(self._of(step))
                return
            from assay.adapters.jobs.packing import on_disk  # noqa: PLC0415 - few runs are in a pack

            with on_disk(self._of(step)) as folder:
                bench.restore(folder)
        except (OSError, ValueError, EOFError, tarfile.TarError, zlib.error) as error:
            raise InputError(f"{self.archive(step)} can't be unpacked: {error}") from error

    def gates(self) -> Gates | None:
        return read_gates(self.path)

    def gradings(self) -> Before:
        return last_grading(self.path)

    def add_grading(self, grading: Grading) -> None:
        write_grading(self.path, grading)

    def _of(self, step: str | None) -> str:
        return self.path if step is None else f"{self.path}/steps/{step}"


def find_trials(paths: list[str]) -> list[str]:
    """The trial folders at the given paths: each path is a trial, or a job folder with trials."""
    found: list[str] = []
    for path in paths:
        if not is_folder(path):
            raise InputError(f"the folder {path} doesn't exist")
        if is_folder(f"{path}/verifier") or is_folder(f"{path}/steps"):
            found.append(path)
        else:
            found += _trials_of_job(path)
    return found


def _trials_of_job(path: str) -> list[str]:
    names = sorted(name for name, _ in entries_of(path) if is_file(f"{path}/{name}/result.json"))
    if not names:
        raise InputError(f"{path} must be a trial or a job with finished trials, but it is neither")
    # Newer versions of harbor give each trial a lock of its own, too.
    is_job = any(is_file(f"{path}/{name}") for name in ("lock.json", "result.json", "config.json"))
    if not is_job and any(is_file(f"{path}/{name}/lock.json") for name in names):
        raise InputError(f"{path} is a folder of jobs; pass one of them, such as {os.path.join(path, names[0])}")
    return [os.path.join(path, name) for name in names]


def _write_output(path: str, printed: Printed | None) -> None:
    """Write the tail of a command's output. None leaves no file there, whatever the agent left."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    clear_the_way(path)
    if printed is not None:
        with open(path, "wb") as file:
            file.write((b"[the beginning was cut off]\n" if printed.cut else b"") + printed.data)


def tell_trajectory(folder: str, agent: Agent) -> None:
    """Write trajectory.json into the folder of an agent's kept logs, unless there is one already."""
    from assay.formats.trajectories.atif import atif_of  # noqa: PLC0415
    from assay.formats.trajectories.messages import read_trajectory  # noqa: PLC0415 - few agents keep a record

    target = f"{folder}/{NAME}"
    if agent.trajectory is None or os.path.lexists(target) or not os.path.isdir(folder):
        return
    found = read_below(folder, agent.trajectory.split("/"), LIMIT)
    if not isinstance(found, Content) or not found.data.strip():
        return
    told = read_trajectory(found.data, agent.trajectory, lambda _name: None)
    if told.steps:
        written = atif_of(told, agent.name, agent.version, agent.model)
        write_text(target, json.dumps(written, indent=2, ensure_ascii=False) + "\n")


class DiskJobStore:
    """The folder of one job. While it is open, nobody else can open it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        hide(folder, os.path.dirname(os.path.abspath(folder)))
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

    def new_trial(self, name: str, config: Mapping[str, Any]) -> DiskTrial:
        os.makedirs(f"{self.folder}/{name}")
        self.write_json(f"{name}/config.json", config)
        return DiskTrial(os.path.abspath(f"{self.folder}/{name}"))

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
        fcntl.flock(self._lock, fcntl.LOCK_UN)
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


class SharedJobStore(DiskJobStore):
    """The folder of a job that another process has open, and runs: for those who work for it elsewhere."""

    def _only_one(self) -> int:
        return os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
