"""Trials of a job as runs of the service. What is imported twice is there once.

The rewards are kept as text, exactly as Python writes them, so that a report on what comes back has the same bits.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.dialects.harbor.reasons import reason_of_exception
from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
from assay.engine.job import Job, Problem
from assay.engine.report import Question, chosen_key
from assay.engine.service.blobs import RunFile


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A run as the explorer keeps it. ``status`` is scored, unscored, errored (with or without a reward), unusable
    or cancelled.

    ``score`` is the reward that reports show: the key ``reward``, or the only key. ``kind`` is trial, coding or
    task_run; ``run_fields`` says what the other fields mean. ``text`` is searched for words, and not kept.
    """

    job: str
    name: str
    task: str
    agent: str
    model: str | None
    dataset: str
    status: str
    rewards: str | None
    score: float | None
    reason_code: str | None
    exception_type: str | None
    cost_usd: float | None
    started_at: str | None
    finished_at: str | None
    gradings: Sequence[Mapping[str, Any]] = field(default=())
    annotations: Sequence[Mapping[str, Any]] = field(default=())
    kind: str = "trial"
    verdict: str | None = None
    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    validity: str | None = None
    failure_mode: str | None = None
    duration_sec: float | None = None
    tokens: int | None = None
    measurement_broken: bool = False
    gates_disagree: bool = False
    axes: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[RunFile] = field(default=())
    text: str = ""

    @property
    def digest(self) -> str:
        """The hash of the trial itself, without what was added to it later."""
        parts = [getattr(self, name) for name in _DIGESTED]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_DIGESTED = (
    *("job", "name", "task", "agent", "model", "dataset", "status", "rewards", "reason_code", "exception_type"),
    *("cost_usd", "started_at", "finished_at"),
)


@dataclass(frozen=True, slots=True)
class Imported:
    """How many runs are new, were there already, and replaced one that had no result before."""

    added: int
    known: int
    replaced: int


class ImportStore(Protocol):
    """Where imported runs are kept."""

    def add_runs(self, organisation: str, runs: Iterable[ImportedRun]) -> Imported:
        """All or none. Raises ``ConflictError`` for a run that was imported with another result."""
        ...


def import_job(
    store: ImportStore, organisation: str, job: Job, histories: Iterable[History], name: str | None = None
) -> Imported:
    """Add the trials of a job, with their gradings and annotations. ``name`` is another name for the job."""
    return store.add_runs(organisation, runs_of(job, histories, name or job.name))


def runs_of(job: Job, histories: Iterable[History], name: str) -> Iterator[ImportedRun]:
    beside = {one.trial: one for one in histories}
    for trial in job.trials:
        yield _run(name, trial, beside.get(trial.name))
    for number, problem in enumerate(job.problems):
        yield _unusable(name, problem, number)


def _run(job: str, trial: Trial, history: History | None) -> ImportedRun:
    rewards = trial.rewards
    key = None if rewards is None else chosen_key(rewards, Question())
    score = None if rewards is None or key is None else float(rewards[key])
    exception = trial.exception_type
    reason = None if exception is None else reason_of_exception(exception, trial.exception_message)
    return ImportedRun(
        job=job,
        name=trial.name,
        task=trial.task,
        agent=trial.agent,
        model=trial.model,
        dataset=trial.dataset,
        status="errored" if exception is not None else "scored" if rewards is not None else "unscored",
        rewards=None if rewards is None else json.dumps(rewards),
        score=score,
        reason_code=reason,
        exception_type=exception,
        cost_usd=None if trial.usage is None else trial.usage.cost_usd,
        started_at=trial.started_at,
        finished_at=trial.finished_at,
        gradings=[] if history is None else [one.model_dump(mode="json") for one in history.gradings],
        annotations=[] if history is None else [one.model_dump(mode="json") for one in history.annotations],
    )


def _unusable(job: str, problem: Problem, number: int) -> ImportedRun:
    """A planned trial without a folder has no name of its own."""
    name = f"{problem.trial}#{number}" if problem.missing else problem.trial
    return ImportedRun(
        job, name, problem.trial, "", None, "", "unusable", None, None, problem.reason_code, None, None, None, None
    )
