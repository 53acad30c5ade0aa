"""What an earlier run left in a job's folder: whether it was the same job, and what of it is finished.

A trial is finished when its result.json is there. An unfinished one is removed: it is run again from the start.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.adapters.atomic_write import remove_unfinished
from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.trees import remove_tree
from assay.core.errors import InputError
from assay.dialects.harbor.plan import Slot, in_planned_order
from assay.dialects.harbor.trial import Trial
from assay.engine.job import read_job
from assay.engine.job_run import Planned

# How a job is run, and not what it is: these may differ when it is taken up.
_CHANGING = ("n_concurrent_trials", "quiet", "debug")


@dataclass(frozen=True, slots=True)
class Identity:
    """What a job keeps over all its runs."""

    id: str
    started_at: datetime
    n_retries: int


def began(folder: str, config: Mapping[str, Any]) -> bool:
    """Whether the job was begun. Raises ``InputError`` where it was another job."""
    path = f"{folder}/config.json"
    if not os.path.exists(path):
        trial = next((name for name in DiskJobFolder(folder).folders() if _finished(folder, name)), None)
        if trial is not None:
            raise InputError(f"{folder} holds {trial} but no config.json, so the job can't be taken up")
        return False
    if _lasting(_object(path)) != _lasting(config):
        raise InputError(f"the job {folder} exists already with another configuration")
    return True


def check_tasks(folder: str, planned: Sequence[Planned]) -> None:
    """A task that was changed since is another task, and its attempts do not belong together."""
    path = f"{folder}/lock.json"
    if not os.path.exists(path):
        return
    before = dict(_digests(_object(path)))
    for one in planned:
        digest = f"sha256:{one.task.checksum}"
        if before.get(one.task.path, digest) != digest:
            raise InputError(f"the task {one.task.path} was changed since the job began; use another job name")


def identity_of(folder: str) -> Identity | None:
    """Who the job was. None where its result can't be read: it is then a new job with old trials."""
    try:
        with open(f"{folder}/result.json") as file:
            before = json.load(file)
        started_at = datetime.fromisoformat(before["started_at"]).astimezone()
        return Identity(str(before["id"]), started_at, int(before["stats"]["n_retries"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def take_finished(folder: str, planned: Sequence[Planned], slots: Sequence[Slot]) -> dict[int, Trial]:
    """The finished trials by their planned position. The unfinished ones are removed."""
    remove_unfinished(folder)
    _remove_unfinished_trials(folder)
    before = DiskJobFolder(folder)
    if not any(_finished(folder, name) for name in before.folders()):
        return {}
    job = read_job(before)
    bad = next((problem for problem in job.problems if not problem.missing), None)
    if bad is not None:
        raise InputError(f"{folder}/{bad.trial} can't be read, so the job can't be taken up: {bad.detail}")
    found = in_planned_order(job.trials, slots)
    trials = iter(found.trials)
    unfilled = list(found.unfilled)
    positions: dict[int, Trial] = {}
    for one, place in zip(planned, slots, strict=True):
        if place in unfilled:
            unfilled.remove(place)
        else:
            positions[one.position] = next(trials)
    surplus = next(trials, None)
    if surplus is not None:
        raise InputError(f"{folder} holds more trials than the job has, so it can't be taken up: {surplus.name}")
    return positions


def _remove_unfinished_trials(folder: str) -> None:
    before = DiskJobFolder(folder)
    for name in before.folders():
        if not _finished(folder, name) and before.began(name):
            remove_tree(f"{folder}/{name}")


def _finished(folder: str, trial: str) -> bool:
    return os.path.exists(f"{folder}/{trial}/result.json")


def _lasting(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in _CHANGING}


def _digests(lock: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The path and the digest of each task, as lock.json has them."""
    trials = lock.get("trials")
    for trial in trials if isinstance(trials, list) else ():
        match trial:
            case {"task": {"path": str(path), "digest": str(digest)}}:
                yield path, digest


def _object(path: str) -> dict[str, Any]:
    """A JSON object of an earlier run. Raises ``InputError``."""
    try:
        with open(path) as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} can't be read, so the job can't be taken up: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path} is not an object, so the job can't be taken up")
    return found
