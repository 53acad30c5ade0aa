"""The trials of a job as lines of the explorer: what their records say of each gate, and their state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
from assay.engine.job import Job
from assay.engine.page_source import RunLine
from assay.engine.service.imported_runs import ImportedRun, runs_of

if TYPE_CHECKING:
    from assay.dialects.evaluation.models import Annotation

_ENDS = {None: "completed", "CancelledError": "cancelled", "AgentTimeoutError": "timed_out"}
PASSED = 1.0


@dataclass(frozen=True, slots=True)
class Gates:
    """What the newest scoring of a run says of the three gates."""

    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    failure_mode: str | None = None
    score: float | None = None
    disagree: bool = False


def trial_lines(
    job: Job, histories: Iterable[History], prefix: str, gates: Mapping[str, Gates], name: str
) -> list[RunLine]:
    """A line for each trial and each one that can't be counted. ``prefix`` stands before the ids."""
    trials = {trial.name: trial for trial in job.trials}
    beside = {one.trial: one for one in histories}
    return [
        _line(run, prefix, trials.get(run.name), beside.get(run.name), gates.get(run.name, Gates()))
        for run in runs_of(job, (), name)
    ]


def _line(run: ImportedRun, prefix: str, trial: Trial | None, history: History | None, gates: Gates) -> RunLine:
    usage = None if trial is None else trial.usage
    counted = [] if usage is None else [usage.n_input_tokens, usage.n_output_tokens]
    verdict = verdict_of(run.score)
    line = RunLine(
        id=f"{prefix}{run.name}",
        job=run.job,
        name=run.name,
        task=run.task,
        agent=run.agent,
        model=run.model,
        dataset=run.dataset,
        kind="trial" if gates.checks is None else "coding",
        status=run.status,
        verdict=verdict,
        checks=gates.checks,
        judge=gates.judge or (None if history is None else history.judge),
        run_status=gates.run_status or (None if trial is None else _ENDS.get(run.exception_type, "failed")),
        run_metrics_passed=gates.run_metrics_passed,
        failure_mode=gates.failure_mode,
        reason_code=run.reason_code,
        exception_type=run.exception_type,
        score=run.score,
        duration_sec=None if trial is None or trial.seconds is None else trial.seconds.total,
        cost_usd=run.cost_usd,
        tokens=sum(one or 0 for one in counted) if any(one is not None for one in counted) else None,
        began_at=_moment(run.started_at),
        gates_disagree=gates.disagree,
        measurement_broken=run.score is None and (trial is None or not trial.rewards),
        rewards=None if trial is None else trial.rewards,
    )
    return line if history is None else _with_history(line, history)


def _with_history(line: RunLine, history: History) -> RunLine:
    first = history.first()
    return replace(
        line,
        validity=_validity(first) if first else None,
        reviewers=len(history.annotations),
        reviewer_disagrees=disagrees(history.annotations, line.verdict),
    )


def _validity(gradings: Sequence[Any]) -> str:
    checks = [one.result.validity for one in gradings]
    if not all(one.verifier_completed for one in checks):
        return "not_completed"
    if not all(one.output_parseable for one in checks):
        return "unparseable"
    return "valid" if all(one.schema_valid for one in checks) else "schema_invalid"


def disagrees(annotations: "Sequence[Annotation]", verdict: str | None) -> bool:
    """Whether a reviewer says something else than the verdict."""
    said = {one.judgment.value for one in annotations} - {"defer"}
    return bool(said) and said != {"pass" if verdict == "pass" else "fail"}


def verdict_of(score: float | None) -> str | None:
    """As the service says it: 1 or more is a pass, more than 0 is partial."""
    if score is None:
        return None
    return "pass" if score >= PASSED else "partial" if score > 0 else "fail"


def _moment(written: str | None) -> datetime | None:
    try:
        found = None if written is None else datetime.fromisoformat(written)
    except ValueError:
        return None
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)
