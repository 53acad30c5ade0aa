"""Runs as lines of the explorer: the trials of a job in a folder, with what their scorings say."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
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


def trial_lines(
    job: Job, histories: Iterable[History], prefix: str, gates: Mapping[str, Gates], name: str
) -> list[RunLine]:
    """A line for each trial and each one that can't be counted. ``prefix`` stands before the ids."""
    beside = {one.trial: one for one in histories}
    rewards = {trial.name: trial.rewards for trial in job.trials}
    return [
        _with_history(
            replace(line_of(run, f"{prefix}{run.name}", gates.get(run.name)), rewards=rewards.get(run.name)),
            beside.get(run.name),
        )
        for run in runs_of(job, beside.values(), name)
    ]


def line_of(run: ImportedRun, identity: str, gates: Gates | None = None) -> RunLine:
    """A run that is imported, or could be."""
    values: dict[str, Any] = {one: getattr(run, one) for one in _NAMES if hasattr(run, one)}
    line = RunLine(id=identity, **values, began_at=_moment(run.started_at))
    if gates is None:
        return line
    return replace(
        line,
        kind="coding",
        checks=gates.checks,
        judge=gates.judge,
        run_status=gates.run_status,
        run_metrics_passed=gates.run_metrics_passed,
        failure_mode=gates.failure_mode,
        gates_disagree=gates.disagree,
    )


def line_of_row(values: Mapping[str, Any]) -> RunLine:
    """A run as the store shows it."""
    known = {name: values[name] for name in _NAMES if name in values}
    return RunLine(id=values["id"], rewards=values["rewards"], **known)


def _with_history(line: RunLine, history: History | None) -> RunLine:
    if history is None or not history.annotations:
        return line
    disagree = disagrees(history.annotations, line.verdict)
    return replace(line, reviewers=len(history.annotations), reviewer_disagrees=disagree)


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
