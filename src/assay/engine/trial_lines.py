"""Runs as lines of the explorer: the trials of a job in a folder, with what their scorings say."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.engine.history import History
from assay.engine.job import Job
from assay.engine.page_source import RunLine
from assay.engine.service.imported_runs import ImportedRun, runs_of
from assay.engine.service.run_evidence import Gates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.dialects.evaluation.models import Annotation

_NAMES = frozenset(one.name for one in fields(RunLine)) - {"id", "rewards"}
_SHARED = tuple(_NAMES & set(ImportedRun.__struct_fields__))


def trial_lines(
    job: Job, histories: Iterable[History], prefix: str, gates: Mapping[str, Gates], name: str
) -> list[RunLine]:
    """A line for each trial and each one that can't be counted. ``prefix`` stands before the ids."""
    beside = {one.trial: one for one in histories}
    rewards = {trial.name: trial.rewards for trial in job.trials}
    return [
        line_of(
            run,
            f"{prefix}{run.name}",
            rewards=rewards.get(run.name),
            **_of_gates(gates.get(run.name)),
            **_of_reviews(beside.get(run.name), run.verdict),
        )
        for run in runs_of(job, beside.values(), name)
    ]


def line_of(run: ImportedRun, identity: str, **more: Any) -> RunLine:
    """A run that is imported, or could be. ``more`` replaces what it says itself."""
    values: dict[str, Any] = {one: getattr(run, one) for one in _SHARED}
    return RunLine(**{**values, "id": identity, "began_at": _moment(run.started_at), **more})


def _of_gates(gates: Gates | None) -> dict[str, Any]:
    if gates is None:
        return {}
    return {
        "kind": "coding",
        "checks": gates.checks,
        "judge": gates.judge,
        "run_status": gates.run_status,
        "run_metrics_passed": gates.run_metrics_passed,
        "failure_mode": gates.failure_mode,
        "gates_disagree": gates.disagree,
    }


def _of_reviews(history: History | None, verdict: str | None) -> dict[str, Any]:
    if history is None or not history.annotations:
        return {}
    return {
        "reviewers": len(history.annotations),
        "reviewer_disagrees": disagrees(history.annotations, verdict),
    }


def line_of_row(values: Mapping[str, Any]) -> RunLine:
    """A run as the store shows it."""
    known = {name: values[name] for name in _NAMES if name in values}
    return RunLine(id=values["id"], rewards=values["rewards"], **known)


def disagrees(annotations: "Sequence[Annotation]", verdict: str | None) -> bool:
    """Whether a reviewer says something else than the verdict."""
    said = {one.judgment.value for one in annotations} - {"defer"}
    return bool(said) and said != {"pass" if verdict == "pass" else "fail"}


def _moment(written: str | None) -> datetime | None:
    try:
        found = None if written is None else datetime.fromisoformat(written)
    except ValueError:
        return None
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)
