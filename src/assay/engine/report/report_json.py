"""The report of a job as plain values, for the command line's JSON and for the service."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import msgspec

from assay.dialects.harbor.trial import NO_SECONDS, Trial, Usage
from assay.engine.jobs.trial_additions import Regrade
from assay.engine.report.evaluation_report import RaterAgreement
from assay.engine.report.intervals import GroupBounds, GroupIntervals, GroupNoise, MixedTask
from assay.engine.report.report import GroupReport, JobReport
from assay.engine.report.rows_report import TaskReportRow
from assay.engine.report.run_groups import group_of
from assay.evidence.run import Run, State
from assay.stats.agreement import Agreement
from assay.stats.interval import CantSay, Interval
from assay.stats.passes import Estimate, PassRate

ROW: Final = (
    "state",
    "score",
    "reason",
    "cause",
    "detail",
    "checks",
    "judge",
    "run_status",
    "rewards",
    "validity",
)
"""What is said of every run, beside its name, task and group."""


def job_json(report: JobReport) -> dict[str, Any]:
    harbor = report.harbor
    return {
        "job": report.job,
        "profile": report.profile,
        "finished": report.finished,
        "counts": counts_json(report.states),
        "harbor": {
            "n_completed_trials": harbor.n_completed_trials,
            "n_errored_trials": harbor.n_errored_trials,
            "n_cancelled_trials": harbor.n_cancelled_trials,
            "n_input_tokens": harbor.usage.n_input_tokens,
            "n_cache_tokens": harbor.usage.n_cache_tokens,
            "n_output_tokens": harbor.usage.n_output_tokens,
            "cost_usd": harbor.usage.cost_usd,
        },
        "evals": {
            group.key: _group(group)
            | {"intervals": intervals_json(group.intervals, report.bounds.get(group.key), group.pass_at_k)}
            | {"noise": noise_json(report.noise.get(group.key))}
            for group in report.groups
        },
        "troubles": [asdict(trouble) for trouble in report.troubles],
        "evaluation": None if report.evaluation is None else asdict(report.evaluation),
        "agreement": agreement_json(report.agreement),
        "notes": report.notes,
    } | _parts(report)


def _parts(report: JobReport) -> dict[str, Any]:
    """Parts that harbor doesn't always have, or that were asked for."""
    parts: dict[str, Any] = {"harbor_version": report.harbor_version}
    if report.usage is not None:
        parts["seconds_per_trial"] = msgspec.structs.asdict(report.usage.mean)
        parts["model_usage"] = models_as_json(report.usage.by_model)
    if report.regrades:
        parts["regrades"] = regrades_as_json(report.regrades)
    if report.by == "trial":
        parts["trials"] = [_run_json(run, report.trials.get(run.name)) for run in report.runs]
    if report.by == "task":
        parts["tasks"] = [_task_json(row) for row in report.task_rows]
    return parts


def _group(group: GroupReport) -> dict[str, Any]:
    return {
        "harbor": {
            "n_trials": group.harbor.n_trials,
            "n_errors": group.harbor.n_errors,
            "metrics": group.harbor.metrics,
            "pass_at_k": {str(k): value for k, value in group.harbor.pass_at_k.items()},
        },
        "counts": counts_json(group.states),
        "tasks": group.tasks,
        "success": None if group.success is None else asdict(group.success),
        "mean": group.mean,
        "n": group.n,
        "keys": [asdict(one) for one in group.keys],
        "gates": None if group.gates is None else asdict(group.gates),
        "pass_at_k": [asdict(estimate) for estimate in group.pass_at_k],
        "pass_hat_k": [asdict(estimate) for estimate in group.pass_hat_k],
    }


def counts_json(states: Mapping[State, int]) -> dict[str, int]:
    """The partition of some runs, and how many they are."""
    return {"total": sum(states.values()), **{state.value: count for state, count in states.items()}}


def noise_json(found: GroupNoise | None) -> dict[str, Any] | None:
    """All about the noise of a group; None if nothing was repeated."""
    if found is None:
        return None
    parts = found.parts
    return {
        "variance": None if isinstance(parts, CantSay) else asdict(parts) | {"total": parts.total},
        "reason": parts.reason if isinstance(parts, CantSay) else None,
        "with_a_steady_verifier": interval_json(found.steady),
        "runs_graded_again": found.runs_graded_again,
        "flaky_verifiers": [
            {"task": one.name, "changed": one.changed, "looks": one.looks, "rate": one.rate}
            | interval_json(one.interval)
            for one in found.verifiers
        ],
        "flaky_tasks": [with_interval(one, "task", "successes", "attempts") for one in found.tasks],
    }


def agreement_json(found: Sequence[RaterAgreement]) -> list[dict[str, Any]]:
    return [
        {
            "between": one.between,
            "measures": [with_interval(each, "measure", "value", "items") for each in one.measures],
        }
        for one in found
    ]


def regrades_as_json(regrades: Sequence[Regrade]) -> list[dict[str, Any]]:
    return [asdict(one) | {"changed": one.changed} for one in regrades]


def _run_json(run: Run, trial: Trial | None) -> dict[str, Any]:
    return {
        "trial": run.name,
        "task": run.task,
        "group": group_of(run) or None,
        **{name: getattr(run, name) for name in ROW},
        "usage": None if trial is None or trial.usage is None else usage_as_json(trial.usage),
        "seconds": msgspec.structs.asdict((trial and trial.seconds) or NO_SECONDS),
        "model_usage": None if trial is None else models_as_json(trial.model_usage),
    }


def _task_json(row: TaskReportRow) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in row.__slots__}
    return {
        name: msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value
        for name, value in values.items()
    }


def usage_as_json(usage: Usage) -> dict[str, Any]:
    return msgspec.structs.asdict(usage)


def models_as_json(models: Mapping[str, Usage] | None) -> dict[str, Any] | None:
    return None if models is None else {name: usage_as_json(usage) for name, usage in models.items()}


def interval_json(found: Interval | CantSay) -> dict[str, Any]:
    """An interval, or ends of null with the reason."""
    if isinstance(found, CantSay):
        return dict.fromkeys(("low", "high", "level", "method")) | asdict(found)
    return asdict(found) | {"reason": None}


def with_interval(found: MixedTask | Agreement | PassRate, *names: str) -> dict[str, Any]:
    """These fields of a number, with its interval."""
    return {name: getattr(found, name) for name in names} | interval_json(found.interval)


def intervals_json(
    found: GroupIntervals | None, bounds: GroupBounds | None, asked: Sequence[Estimate]
) -> dict[str, Any] | None:
    """All intervals of a group, with every k that a task has attempts for; None if no run has a score."""
    if found is None:
        return None
    return {
        "mean": interval_json(found.mean.interval)
        | {"standard_error": found.mean.standard_error, "tasks": found.mean.tasks, "n": found.mean.n},
        "pass_at_k": [*map(_rate, found.passes.at), *_too_few(asked)],
        "pass_hat_k": [*map(_rate, found.passes.hat), *_too_few(asked)],
        "bounds": None if bounds is None else _bounds(bounds),
    }


def _rate(rate: PassRate) -> dict[str, Any]:
    return with_interval(rate, "k", "value", "tasks", "tasks_with_too_few_attempts")


def _too_few(asked: Sequence[Estimate]) -> Iterator[dict[str, Any]]:
    """The requested k for which no task has enough attempts."""
    for one in asked:
        if one.value is None:
            yield asdict(replace(one, tasks=0)) | interval_json(CantSay(f"no task has {one.k} attempts"))


def _bounds(found: GroupBounds) -> dict[str, Any]:
    bounds, unplaced = found.bounds, {"unplaced": found.unplaced}
    if isinstance(bounds, CantSay):
        return dict.fromkeys(("low", "high", "broken", "uncontrolled")) | unplaced | asdict(bounds)
    return asdict(bounds) | unplaced | {"reason": None}
