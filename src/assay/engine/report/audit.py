"""Derive a job's result.json again from its trial folders and compare it with the recorded one, field by field."""

import hashlib
import json
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text, job_texts
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, whole_record
from assay.engine.jobs.job_metrics import fields_of, load_record, whole_number
from assay.engine.ports import JobFolder
from assay.engine.report.audit_rewards import (
    USAGE,
    AuditFinding,
    Standing,
    as_number,
    as_of,
    audit_rewards,
    has_gone,
    in_order_of_end,
    without_leftovers,
)
from assay.evidence.files import Content
from assay.formats.json_items import read_items


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings on a job. ``identical`` is true if the file has exactly the bytes that harbor would write."""

    job: str
    findings: list[AuditFinding]
    identical: bool
    finished: bool
    notes: list[str]
    version: str | None = None

    @property
    def differing(self) -> list[AuditFinding]:
        """The findings that the trials contradict."""
        return [finding for finding in self.findings if finding.standing is Standing.DIFFERS]

    @property
    def consistent(self) -> bool:
        """Whether the record follows from the trials."""
        return not self.differing


# Fields that can't be derived from the trials, and one more while the job is running.
_TAKEN = ("id", "started_at", "updated_at", "finished_at", "stats.n_retries")
_RUNNING = "stats.n_running_trials"
_COST = "stats.cost_usd"
_CANCELLED = "stats.n_cancelled_trials"


def audit_job(folder: JobFolder, job: Job) -> Audit:
    """Derive the job's result from its trials and compare it with the record."""
    data = whole_record(folder, job.recorded)
    if data is None:
        raise InputError(f"{job.name} must have a result.json to audit, but it has none")
    recorded = _load_recorded(data, job)
    finished = recorded.get("finished_at") is not None
    known = job if finished else as_of(recorded, job)
    orders = [known.trials] if finished else [known.trials, in_order_of_end(known.trials)]
    attempts = [_compare_with(recorded, data, job, replace(known, trials=trials)) for trials in orders]
    best = min(attempts, key=_differences)
    return Audit(
        job=job.name,
        findings=[
            *best.findings,
            *audit_rewards(folder, job.trials, job.version.profile),
            *audit_locks(folder, job.trials),
        ],
        identical=best.identical,
        finished=finished,
        notes=[*known.notes, *best.notes],
        version=job.version.title,
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    findings: list[AuditFinding]
    identical: bool
    notes: list[str]


def _differences(comparison: _Comparison) -> tuple[bool, int]:
    return not comparison.identical, sum(one.standing is Standing.DIFFERS for one in comparison.findings)


def _compare_with(recorded: dict[str, Any], data: bytes, job: Job, known: Job) -> _Comparison:
    """Compare the record with the result that follows from the known trials, in their order."""
    derived = _derive(known, recorded)
    identical = _is_text(data, job_texts(derived, job.version))
    finished = recorded.get("finished_at") is not None
    one = dict(fields_of(recorded if finished else without_leftovers(recorded)))
    other = dict(fields_of(recorded if identical else load_record(job_text(derived, job.version))))
    notes: list[str] = []
    taken = {*_TAKEN, *_taken_metrics(job, one)}
    if not finished:
        taken |= set(_taken_while_running(recorded, job, known, one, other))
    if _cost_may_be_nan(known.trials, one, other):
        taken.add(_COST)
        notes.append("the cost is null in the record, so that of a trial was NaN: files can't hold it")
    return _Comparison(list(_compare(one, other, taken)), identical, notes)


def _is_text(recorded: bytes, texts: Iterable[str]) -> bool:
    place = 0
    for text in texts:
        data = text.encode(errors="surrogatepass")
        if not recorded.startswith(data, place):
            return False
        place += len(data)
    return place == len(recorded)


def _load_recorded(data: bytes, job: Job) -> dict[str, Any]:
    try:
        result = load_record(data.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"the result.json of {job.name} must be JSON: {error}") from error
    if not isinstance(result, dict) or not isinstance(result.get("stats"), dict):
        raise InputError(f"the result.json of {job.name} must be the result of a job, but it has no stats")
    return result


def _derive(job: Job, recorded: dict[str, Any]) -> JobResult:
    """The job's result as it follows from the trials; fields that can't be derived are taken from the record."""
    said = recorded["stats"]
    finished = recorded.get("finished_at") is not None
    n_total = job.n_total if finished else max(job.n_total, _unplanned_total(job, recorded))
    stats = job_stats(
        job.trials,
        job.metrics.by_dataset,
        n_total=n_total,
        n_retries=whole_number(said, "n_retries"),
        running=not finished,
    )
    if not job.version.has_pass_at_k:
        for group in stats.evals.values():
            group.pass_at_k = {}
    stats.n_running_trials = 0 if finished else whole_number(said, "n_running_trials")
    stats.n_pending_trials = max(stats.n_pending_trials - stats.n_running_trials, 0)
    return JobResult(
        id=str(recorded.get("id")),
        started_at=str(recorded.get("started_at")),
        updated_at=recorded.get("updated_at"),
        finished_at=recorded.get("finished_at"),
        n_total_trials=n_total,
        stats=stats,
    )


def _unplanned_total(job: Job, recorded: Mapping[str, Any]) -> int:
    """Without lock.json, only the record tells how many trials never began."""
    return 0 if job.n_planned else whole_number(recorded, "n_total_trials")


def _taken_metrics(job: Job, recorded: Mapping[str, Any]) -> Iterator[str]:
    """The metrics that can't be computed here: all those of a missing script, and those of a registry."""
    for name in recorded:
        if name.startswith("stats.evals.") and name.endswith(".metrics"):
            group = name.removeprefix("stats.evals.").removesuffix(".metrics")
            if not job.metrics.complete or group in job.metrics.taken:
                yield name


def _taken_while_running(
    recorded: dict[str, Any], job: Job, known: Job, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[str]:
    """Fields taken as recorded if a job didn't finish, besides the usual ones."""
    yield _RUNNING
    said, derived = one.get(_CANCELLED), other.get(_CANCELLED)
    if type(said) is int and type(derived) is int and derived <= said <= known.n_total:
        # A trial counts as cancelled from the request on, however it ends.
        yield _CANCELLED
    if _unplanned_total(job, recorded) > known.n_total:
        yield "n_total_trials"
    retried = whole_number(recorded["stats"], "n_retries") > 0
    for field in USAGE:
        if has_gone(job, known) or (retried and _may_be_left(one.get(field), other.get(field))):
            yield field
    for name, value in one.items():
        if name.endswith(".metrics") and value == []:
            # A job that was resumed has its metrics when the first trial has ended.
            yield name


def _may_be_left(said: Any, derived: Any) -> bool:
    """Whether a usage may be left over from a retry: 0 instead of none, or less after a cost of NaN."""
    if derived is None:
        return type(said) in (int, float) and said == 0
    return type(said) is float and type(derived) is float and 0 <= said < derived


def _cost_may_be_nan(trials: Sequence[Trial], one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    unknown = any(trial.usage is None or trial.usage.cost_usd is None for trial in trials)
    return unknown and _COST in one and one[_COST] is None and other.get(_COST) is not None


def _compare(recorded: dict[str, Any], derived: dict[str, Any], taken: set[str]) -> Iterator[AuditFinding]:
    """One finding per field, in the order of the file. A field on only one side counts as different."""
    for name in dict.fromkeys([*derived, *recorded]):
        one, other = recorded.get(name), derived.get(name)
        if name in taken:
            yield AuditFinding(name, Standing.TAKEN, one)
        elif name not in recorded or name not in derived:
            yield AuditFinding(name, Standing.DIFFERS, one, other)
        else:
            yield AuditFinding(name, _standing(name, one, other), one, other)


def _standing(name: str, one: Any, other: Any) -> Standing:
    if one is other or _canonical(one) == _canonical(other):
        return Standing.SAME
    if name.endswith(".reward_stats"):
        one, other = _by_value(one), _by_value(other)
    return Standing.SAME_BUT_FOR_ORDER if _alike(one, other) else Standing.DIFFERS


def _canonical(value: Any) -> str:
    """The same text only for equal values of the same type: 1, 1.0 and true are different."""
    return json.dumps(value, sort_keys=True)


def _by_value(stats: Any) -> Any:
    """Buckets of rewards under their value: 1 and 1.0 share one, which has the name of the first that was seen."""
    if not isinstance(stats, dict):
        return stats
    return {
        key: _rename_buckets(buckets) if isinstance(buckets, dict) else buckets for key, buckets in stats.items()
    }


def _rename_buckets(buckets: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: as_number(name) for name in buckets}
    names = {name: name if number is None else repr(float(number)) for name, number in numbers.items()}
    return (
        {names[name]: value for name, value in buckets.items()}
        if len(set(names.values())) == len(names)
        else buckets
    )


def _alike(one: Any, other: Any) -> bool:
    """Whether two values differ only in ways that another order of the same trials explains."""
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        if all(isinstance(item, str) for item in [*one, *other]):
            return sorted(one) == sorted(other)
        return len(one) == len(other) and all(map(_alike, one, other))
    if type(one) is float and type(other) is float:
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)
    return type(one) is type(other) and bool(one == other)


def audit_locks(folder: JobFolder, trials: Iterable[Trial]) -> list[AuditFinding]:
    """One finding for each trial whose lock isn't in the job's, and one for all others, if trials have locks."""
    planned: Container[int] | None = None
    strange: list[str] = []
    found = 0
    for trial in trials:
        file = folder.trial_lock(trial.name)
        if not isinstance(file, Content):
            continue
        planned = planned if found else _planned_entries(folder)
        if planned is None:
            return []
        found += 1
        if _digest(_loads(file.data)) not in planned:
            strange.append(trial.name)
    if not found:
        return []
    kept = f"{found - len(strange)} are in the job's lock.json"
    return [
        AuditFinding("trial locks", Standing.SAME, kept, kept),
        *(
            AuditFinding(f"trial {name} lock.json", Standing.DIFFERS, "not in the job's lock.json")
            for name in strange
        ),
    ]


def _planned_entries(folder: JobFolder) -> Container[int] | None:
    """Digests of the entries of the job's lock.json, which may be large; None if it has none."""
    found: set[int] = set()
    source = folder.source("lock.json")
    if source is not None and read_items(source, "trials", lambda item: found.add(_digest(_loads(item)))):
        return found
    file = folder.file("lock.json")
    match _loads(file.data) if isinstance(file, Content) else None:
        case {"trials": list(trials)}:
            return {_digest(trial) for trial in trials}
    return None


def _digest(entry: Any) -> int:
    """Of an entry as it is compared: with its keys in order."""
    return int.from_bytes(
        hashlib.blake2b(_canonical(entry).encode(errors="surrogatepass"), digest_size=12).digest()
    )


def _loads(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
