"""Resume a job: whether an earlier run left the same job, and which of its trials are finished.

A trial is finished when it has its result.json. An unfinished one is removed and run again from the start.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from assay.core.errors import InputError
from assay.dialects.harbor.plan import Slot, in_planned_order
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import read_job
from assay.engine.machine import Host
from assay.engine.ports import DEFAULT_RULES, MARK, GradingRules, recorded_rules
from assay.engine.run.ports import JobStore, Planned
from assay.engine.run.trial_result import JobFiles

# Settings of how a job is run, which may differ when it is resumed.
_CHANGING = ("n_concurrent_trials", "quiet", "debug")


@dataclass(frozen=True, slots=True)
class Resumed:
    """A job that is about to run: what all its runs share, and its finished trials by planned position."""

    id: str
    started_at: datetime
    n_retries: int = 0
    finished: Mapping[int, Trial] = field(default_factory=dict)


def begin_or_resume(store: JobStore, files: JobFiles, planned: Sequence[Planned], host: Host) -> Resumed:
    """Start the job, or resume it where an earlier run stopped. Raises ``InputError`` if that was another job."""
    config = files.job_config()
    rules = planned[0].task.rules if planned else DEFAULT_RULES
    if not _was_begun(store, config, rules):
        if rules != DEFAULT_RULES:
            store.write_json(MARK, rules.as_json())
        store.write_json("config.json", config)
        resumed = Resumed(host.new_id(), host.now())
    else:
        _check_tasks(store, planned)
        finished = _take_finished(store, planned, [files.slot(one) for one in planned])
        resumed = _identity(store, finished) or Resumed(host.new_id(), host.now(), 0, finished)
    store.write_json("lock.json", files.job_lock(planned, resumed.started_at))
    store.log(f"{len(planned)} trials, {len(resumed.finished)} of them already finished")
    return resumed


def _was_begun(store: JobStore, config: Mapping[str, Any], rules: GradingRules) -> bool:
    """Whether the job was started before. Raises ``InputError`` if another job was started in its folder."""
    before = store.read_json("config.json")
    if before is None:
        trial = next((name for name in store.read().folders() if store.is_finished(name)), None)
        if trial is not None:
            raise InputError(f"{store.folder} can't be resumed: it has the trial {trial} but no config.json")
        return False
    if _lasting(before) != _lasting(config) or recorded_rules(store.read().file(MARK)) != rules:
        raise InputError(
            f"{store.folder} belongs to a job with other options; pass the same options to resume it, or choose "
            "another --job-name"
        )
    return True


def _check_tasks(store: JobStore, planned: Sequence[Planned]) -> None:
    """Refuse a task that changed since the job started: its old and new attempts don't belong together."""
    before = dict(_digests(store.read_json("lock.json") or {}))
    for one in planned:
        digest = f"sha256:{one.task.harbor_checksums.package}"
        # Jobs of earlier versions have a checksum of ours there.
        if before.get(one.task.path, digest) not in (digest, f"sha256:{one.task.checksum}"):
            raise _changed_task_error(one)


def _identity(store: JobStore, finished: Mapping[int, Trial]) -> Resumed | None:
    """The id and start of the job; None if its result can't be read. Then it is a new job with old trials."""
    try:
        before = store.read_json("result.json") or {}
        started_at = datetime.fromisoformat(before["started_at"]).astimezone()
        return Resumed(str(before["id"]), started_at, int(before["stats"]["n_retries"]), finished)
    except (InputError, ValueError, KeyError, TypeError):
        return None


def _take_finished(store: JobStore, planned: Sequence[Planned], slots: Sequence[Slot]) -> dict[int, Trial]:
    """The finished trials by their planned position. The unfinished ones are removed."""
    store.remove_unfinished()
    before = store.read()
    if not any(store.is_finished(name) for name in before.folders()):
        return {}
    job = read_job(before)
    bad = next((problem for problem in job.problems if not problem.missing), None)
    if bad is not None:
        raise InputError(f"{store.folder} can't be resumed: {bad.trial} can't be read: {bad.detail}")
    found = in_planned_order(job.trials, slots)
    trials = iter(found.trials)
    unfilled = list(found.unfilled)
    positions: dict[int, Trial] = {}
    for one, place in zip(planned, slots, strict=True):
        if place in unfilled:
            unfilled.remove(place)
        else:
            positions[one.position] = _same_task(one, next(trials))
    surplus = next(trials, None)
    if surplus is not None:
        raise InputError(
            f"{store.folder} can't be resumed: it has more trials than the job plans, such as {surplus.name}"
        )
    return positions


def _same_task(planned: Planned, trial: Trial) -> Trial:
    """The trial, if it attempted the task as it is now. lock.json covers only the files of a published task."""
    known = (planned.task.harbor_checksums.tree, planned.task.checksum)
    if trial.task_checksum is not None and trial.task_checksum not in known:
        raise _changed_task_error(planned)
    return trial


def _changed_task_error(planned: Planned) -> InputError:
    return InputError(
        f"the task {planned.task.path} changed since the job started; choose another --job-name for the"
        " changed task"
    )


def _lasting(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in _CHANGING}


def _digests(lock: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The path and the digest of each task in lock.json."""
    trials = lock.get("trials")
    for trial in trials if isinstance(trials, list) else ():
        match trial:
            case {"task": {"path": str(path), "digest": str(digest)}}:
                yield path, digest
