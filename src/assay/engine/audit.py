"""Derive a job's result.json again from its trial folders and compare it with the recorded one, field by field."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.engine.audit_rewards import audit_rewards
from assay.engine.finding import Finding, Standing
from assay.engine.job import Job, Problem
from assay.engine.ports import JobFolder
from assay.formats.counting import counted


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings on a job. ``identical`` is true if the file has exactly the bytes that harbor would write."""

    job: str
    findings: list[Finding]
    identical: bool
    finished: bool
    notes: list[str]

    @property
    def consistent(self) -> bool:
        """Whether the record follows from the trials."""
        return all(finding.standing is not Standing.DIFFERS for finding in self.findings)


# Fields that can't be derived from the trials, and one more while the job is running.
_TAKEN = ("id", "started_at", "updated_at", "finished_at", "stats.n_retries")
_TAKEN_WHILE_RUNNING = (*_TAKEN, "stats.n_running_trials")


def audit_job(folder: JobFolder, job: Job) -> Audit:
    """Derive the job's result from its trials and compare it with the record."""
    recorded = _recorded(job)
    known = _as_of(recorded, job)
    text = job_text(_derive(known, recorded))
    finished = recorded.get("finished_at") is not None
    taken = {*(_TAKEN if finished else _TAKEN_WHILE_RUNNING)}
    if not job.metrics.complete:
        taken |= {*_metric_fields(recorded)}
    findings = list(_compare(dict(_fields(recorded)), dict(_fields(_loads(text))), taken))
    return Audit(
        job=job.name,
        findings=findings + audit_rewards(folder, job.trials),
        identical=job.recorded == text.encode(errors="surrogatepass"),
        finished=finished,
        notes=known.notes,
    )


def _recorded(job: Job) -> dict[str, Any]:
    if job.recorded is None:
        raise InputError(f"{job.name} must have a result.json to audit, but it has none")
    try:
        result = _loads(job.recorded.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"the result.json of {job.name} must be JSON: {error}") from error
    if not isinstance(result, dict) or not isinstance(result.get("stats"), dict):
        raise InputError(f"the result.json of {job.name} must be the result of a job, but it has no stats")
    return result


def _as_of(recorded: dict[str, Any], job: Job) -> Job:
    """An unfinished job as it was when its record was written. Trials that ended later are no difference."""
    spoken_of = _names_in(recorded)
    behind = [trial for trial in job.trials if trial.name not in spoken_of]
    known = len(job.trials) - len(behind)
    if (
        recorded.get("finished_at") is not None
        or not behind
        or _int(recorded["stats"], "n_completed_trials") != known
    ):
        return job
    later = [Problem(trial.name, "harbor_trial_result_missing", "ended later") for trial in behind]
    return replace(
        job,
        trials=[trial for trial in job.trials if trial.name in spoken_of],
        problems=[*job.problems, *later],
        notes=[*job.notes, f"{counted(len(behind), 'trial')} ended after the record was written"],
    )


def _names_in(recorded: dict[str, Any]) -> set[str]:
    """The trials that a record names."""
    named: set[str] = set()
    for field, value in _fields(recorded):
        if field.endswith((".reward_stats", ".exception_stats")):
            named |= set(_texts(value))
    return named


def _texts(value: Any) -> Iterator[str]:
    """All strings in lists, however deeply nested in objects."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def _loads(text: str) -> Any:
    """Parse JSON. Lists under a repeated key are joined, because harbor writes one "nan" key for each NaN."""
    return json.loads(text, object_pairs_hook=_merged)


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in pairs:
        both_lists = isinstance(merged.get(key), list) and isinstance(value, list)
        merged[key] = merged[key] + value if both_lists else value
    return merged


def _derive(job: Job, recorded: dict[str, Any]) -> JobResult:
    """The job's result as it follows from the trials; fields that can't be derived are taken from the record."""
    said = recorded["stats"]
    stats = job_stats(job.trials, job.metrics.by_dataset, n_total=job.n_total, n_retries=_int(said, "n_retries"))
    stats.n_running_trials = _int(said, "n_running_trials") if recorded.get("finished_at") is None else 0
    stats.n_pending_trials = max(stats.n_pending_trials - stats.n_running_trials, 0)
    if recorded.get("finished_at") is None:
        # While a job runs, harbor writes no pass@k.
        for group in stats.evals.values():
            group.pass_at_k = {}
    return JobResult(
        id=str(recorded.get("id")),
        started_at=str(recorded.get("started_at")),
        updated_at=recorded.get("updated_at"),
        finished_at=recorded.get("finished_at"),
        n_total_trials=job.n_total,
        stats=stats,
    )


def _int(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    return value if type(value) is int else 0


def _fields(result: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields to compare: those of the job, of its statistics and of each group."""
    for name, value in result.items():
        if name != "stats" or not isinstance(value, dict):
            yield name, value
            continue
        for field, part in value.items():
            if field != "evals" or not isinstance(part, dict):
                yield f"stats.{field}", part
                continue
            for key, group in part.items():
                if not isinstance(group, dict) or not group:
                    yield f"stats.evals.{key}", group
                    continue
                for inner, found in group.items():
                    yield f"stats.evals.{key}.{inner}", found


def _metric_fields(result: dict[str, Any]) -> list[str]:
    return [name for name, _ in _fields(result) if name.startswith("stats.evals.") and name.endswith(".metrics")]


def _compare(recorded: dict[str, Any], derived: dict[str, Any], taken: set[str]) -> Iterator[Finding]:
    """One finding per field, in the order of the file. A field on only one side counts as different."""
    for name in dict.fromkeys([*derived, *recorded]):
        one, other = recorded.get(name), derived.get(name)
        if name in taken:
            yield Finding(name, Standing.TAKEN, one)
        elif name not in recorded or name not in derived:
            yield Finding(name, Standing.DIFFERS, one, other)
        else:
            yield Finding(name, _standing(one, other), one, other)


def _standing(one: Any, other: Any) -> Standing:
    if _canonical(one) == _canonical(other):
        return Standing.SAME
    return Standing.SAME_BUT_FOR_ORDER if _alike(one, other) else Standing.DIFFERS


def _canonical(value: Any) -> str:
    """The same text only for equal values of the same type: 1, 1.0 and true are different."""
    return json.dumps(value, sort_keys=True)


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
