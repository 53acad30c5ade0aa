"""Verify again from what an agent left, without the agent: a new grading beside the old ones."""

import contextlib
import json
import os
import tarfile
import threading
import zlib

from assay.adapters.checksums import file_checksum
from assay.adapters.gradings import last_grading, write_grading
from assay.adapters.images import prepare
from assay.adapters.numbered_files import NumberTakenError
from assay.adapters.shelf import Shelf
from assay.adapters.task_folder import load_task
from assay.adapters.trees import MAX_BYTES, MAX_FILES
from assay.adapters.workbench import ARCHIVE, PARTIAL_ARCHIVE, Workbench
from assay.core.errors import InputError
from assay.dialects.evaluation.grading import Grading
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.grading_record import Before, grading_of
from assay.engine.task import Step, Task
from assay.engine.trial_run import Site, Verified, verify

AROUND = 2


class Regrader:
    """Grades trials again. ``tasks_dir`` is where tasks are looked for, if not where the trial says.

    At most ``concurrent`` verifiers run at a time, however many threads call; with ``threads`` of them, what comes
    before and after a verifier is done while others run.
    """

    def __init__(self, site: Site, tasks_dir: str | None = None, concurrent: int = 1) -> None:
        self._site = site
        self._tasks_dir = tasks_dir
        self._shelf = Shelf()
        self._lock = threading.Lock()
        self._tasks: dict[str, Task] = {}
        self._verifying = threading.BoundedSemaphore(concurrent)
        self.threads = concurrent + AROUND

    def grade(self, trial_dir: str) -> list[Grading]:
        """Verify every step of a trial again and keep the gradings."""
        task = self.task_of(trial_dir)
        steps = [step for step in task.steps if os.path.exists(f"{_folder(trial_dir, step)}/{ARCHIVE}")]
        if not steps:
            raise InputError(f"{trial_dir} has no {ARCHIVE}: {_why_not_kept(trial_dir, task)}")
        return [self._grade(trial_dir, task, step) for step in steps]

    def task_of(self, trial_dir: str) -> Task:
        """The task that a trial was an attempt at."""
        try:
            with open(f"{trial_dir}/config.json") as file:
                path = str(json.load(file)["task"]["path"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{trial_dir}/config.json does not say which task it was") from error
        if self._tasks_dir is not None:
            path = os.path.join(self._tasks_dir, os.path.basename(path.rstrip("/")))
        if not os.path.exists(f"{path}/{FILE_NAME}"):
            raise InputError(f"the task {path} of {trial_dir} is not there; say with --tasks where it is")
        with self._lock:
            if path not in self._tasks:
                self._tasks[path] = prepare(load_task(path), self._site, no_image=True)
            return self._tasks[path]

    def close(self) -> None:
        self._shelf.close()

    def _grade(self, trial_dir: str, task: Task, step: Step) -> Grading:
        folder = _folder(trial_dir, step)
        archive = file_checksum(f"{folder}/{ARCHIVE}")
        _check_archive(folder, archive, step.name, last_grading(trial_dir))
        bench = Workbench(task.environment, self._shelf, self._site.sandbox)
        try:
            _restore(bench, folder)
            with self._verifying:
                verified = verify(self._site, bench, task, step)
        finally:
            bench.close()
        return self._keep(trial_dir, task, step, verified, archive)

    def _keep(self, trial_dir: str, task: Task, step: Step, verified: Verified, archive: str) -> Grading:
        """Behind the newest grading, which may be that of somebody who grades at the same time."""
        while True:
            grading = grading_of(
                verified,
                task=task,
                step=step.name,
                isolation=self._site.sandbox.isolation,
                before=last_grading(trial_dir),
                checksums={"tests": self._shelf.checksum(*step.tests), "workspace": archive},
            )
            with contextlib.suppress(NumberTakenError):
                write_grading(trial_dir, grading)
                return grading


def find_trials(paths: list[str]) -> list[str]:
    """The trial folders that are named: each a trial, or the trials in a job folder."""
    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            raise InputError(f"there is no folder {path}")
        if os.path.isdir(f"{path}/verifier") or os.path.isdir(f"{path}/steps"):
            found.append(path)
            continue
        names = sorted(name for name in os.listdir(path) if os.path.isfile(f"{path}/{name}/result.json"))
        if not names:
            raise InputError(f"{path} is neither a trial nor a job with finished trials")
        if any(os.path.isfile(f"{path}/{name}/lock.json") for name in names):
            raise InputError(
                f"{path} is a folder of jobs; name one of them, such as {os.path.join(path, names[0])}"
            )
        found += [os.path.join(path, name) for name in names]
    return found


def _folder(trial_dir: str, step: Step) -> str:
    return trial_dir if step.name is None else f"{trial_dir}/steps/{step.name}"


def _why_not_kept(trial_dir: str, task: Task) -> str:
    if any(os.path.exists(f"{_folder(trial_dir, step)}/{PARTIAL_ARCHIVE}") for step in task.steps):
        most = f"{MAX_FILES} files or {MAX_BYTES // 2**30} GiB"
        return f"what the agent left was too much to keep ({most}), and a part of it would be graded wrongly"
    return "what the agent left was not kept"


def _check_archive(folder: str, checksum: str, step: str | None, before: Before) -> None:
    """What is graded again must be what was graded."""
    known = [one.provenance.hashes.workspace for one in before.gradings if one.step == step]
    if any(one is not None and one != checksum for one in known):
        raise InputError(f"{folder}/{ARCHIVE} is not what was graded before: its hash is another")


def _restore(bench: Workbench, folder: str) -> None:
    try:
        bench.restore(folder)
    except (OSError, ValueError, EOFError, tarfile.TarError, zlib.error) as error:
        raise InputError(f"{folder}/{ARCHIVE} can't be unpacked: {error}") from error
