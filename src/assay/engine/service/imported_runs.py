"""Trials of a job as runs of the service. What is imported twice is there once.

The rewards are kept as text, exactly as Python writes them, so that a report on what comes back has the same bits.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, Final, Protocol

import msgspec

from assay.dialects.harbor.reasons import reason_of_exception
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
from assay.engine.job import Job, Problem
from assay.engine.report import Question, chosen_key
from assay.engine.rows_report import cause_of
from assay.engine.service.blobs import RunFile
from assay.engine.service.run_evidence import NO_EVIDENCE, Evidence, EvidenceSource, Gates

# How many runs are added in one transaction.
AT_ONCE: Final = 1000


class ImportedRun(msgspec.Struct, frozen=True):
    """A run as the explorer keeps it. ``status`` is scored, unscored, errored (with or without a reward), unusable
    or cancelled.

    ``score`` is the reward that reports show: the key ``reward``, or the only key. ``kind`` is trial, coding or
    task_run; ``run_fields`` says what the other fields mean. ``text`` is searched for words, and not kept.
    ``content`` is the hash of what the run was read from, if its result is more than these fields.
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
    gradings: Sequence[Mapping[str, Any]] = ()
    annotations: Sequence[Mapping[str, Any]] = ()
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
    axes: Mapping[str, float] = msgspec.field(default_factory=dict)
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict)
    files: Sequence[RunFile] = ()
    text: str = ""
    content: str | None = None

    @property
    def digest(self) -> str:
        """The hash of the trial itself, without what was added to it later."""
        parts = list(_digested(self))
        parts += [] if self.content is None else [self.content]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_digested: Final = attrgetter(
    *("job", "name", "task", "agent", "model", "dataset", "status", "rewards", "reason_code", "exception_type"),
    *("cost_usd", "started_at", "finished_at"),
)


@dataclass(frozen=True, slots=True)
class Imported:
    """How many runs are new, were there already, and replaced one that had no result before."""

    added: int
    known: int
    replaced: int

    def plus(self, other: "Imported") -> "Imported":
        return Imported(self.added + other.added, self.known + other.known, self.replaced + other.replaced)


class ImportStore(Protocol):
    """Where imported runs are kept."""

    def add_runs(self, organisation: str, runs: Iterable[ImportedRun]) -> Imported:
        """All or none. Raises ``ConflictError`` for a run that was imported with another result.

        Of a run that is known already, what is shown beside its result is brought up to date.
        """
        ...

    def has_job(self, organisation: str, job: str) -> bool:
        """Whether there are runs of a job."""
        ...

    def refuse_changed(self, organisation: str, job: str, runs: Iterable[ImportedRun]) -> None:
        """Raises ``ConflictError`` if one of the runs of a job was imported with another result."""
        ...


def import_job(
    store: ImportStore,
    organisation: str,
    job: Job,
    histories: Iterable[History],
    name: str | None = None,
    source: EvidenceSource = NO_EVIDENCE,
) -> Imported:
    """Add the trials of a job, with their gradings and annotations. ``name`` is another name for the job.

    ``source`` keeps the files of trials, and says what else is known of them. Files are kept before the runs that
    have them, a few hundred at a time, so that nobody else who writes has to wait long. Raises ``ConflictError``
    before anything is added if a run was imported with another result.
    """
    known = list(histories)
    called = name or job.name
    if store.has_job(organisation, called):
        store.refuse_changed(organisation, called, runs_of(job, known, called))
    done = Imported(0, 0, 0)
    trials = iter(job.trials)
    beside = {one.trial: one for one in known}
    while some := list(islice(trials, AT_ONCE)):
        with source.batch() as find:
            runs = [_run(called, trial, beside.get(trial.name), find(trial.name)) for trial in some]
        done = done.plus(store.add_runs(organisation, runs))
    return done.plus(store.add_runs(organisation, _problems(job, called)))


def runs_of(job: Job, histories: Iterable[History], name: str) -> Iterator[ImportedRun]:
    """The runs of a job, by their results alone."""
    beside = {one.trial: one for one in histories}
    for trial in job.trials:
        yield _run(name, trial, beside.get(trial.name), Evidence())
    yield from _problems(job, name)


def _problems(job: Job, name: str) -> Iterator[ImportedRun]:
    for number, problem in enumerate(job.problems):
        yield _unusable(name, problem, number)


def _run(job: str, trial: Trial, history: History | None, evidence: Evidence) -> ImportedRun:
    rewards = trial.rewards
    key = None if rewards is None else chosen_key(rewards, _QUESTION)
    score = None if rewards is None or key is None else _as_float(rewards[key])
    exception = trial.exception_type
    reason = None if exception is None else reason_of_exception(exception, trial.exception_message)
    verdict = None if score is None else "pass" if score >= 1 else "fail"
    gates = _gates(evidence, history, verdict)
    cause = cause_of(trial)
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
        kind="coding" if evidence.scored_as_coding else "trial",
        verdict=verdict,
        checks=gates.checks if evidence.scored_as_coding else None,
        judge=gates.judge,
        run_status=gates.run_status or _RUN_STATUS.get(cause or "", "completed"),
        run_metrics_passed=gates.run_metrics_passed,
        validity=_validity(trial, history),
        failure_mode=gates.failure_mode,
        duration_sec=None if trial.seconds is None else trial.seconds.total,
        tokens=_tokens(trial),
        measurement_broken=score is None and cause in _BROKEN,
        gates_disagree=gates.disagree,
        axes=_axes(rewards),
        metadata=_metadata(trial, history),
        files=evidence.files,
        text=evidence.text,
    )


_QUESTION: Final = Question()
_RUN_STATUS: Final = {"cancelled": "cancelled", "sandbox_failed": "failed", "harbor_failed": "failed"}
# Causes that say nothing about the agent.
_BROKEN: Final = ("sandbox_failed", "model_provider_failed", "harbor_failed", "verifier_failed")


def _as_float(reward: float) -> float:
    """An int may be too large for a float; the reward itself is kept as it is."""
    try:
        return float(reward)
    except OverflowError:
        return math.inf if reward > 0 else -math.inf


def _axes(rewards: Rewards | None) -> dict[str, float]:
    """Several rewards are shown one by one; a single one is the score."""
    several = rewards if rewards is not None and len(rewards) > 1 else {}
    return {name: _as_float(one) for name, one in several.items()}


def _gates(evidence: Evidence, history: History | None, verdict: str | None) -> Gates:
    """Those of a coding run. For others, the verifier stands where scorers do."""
    if evidence.gates is not None and evidence.scored_as_coding:
        return evidence.gates
    verifier = None if verdict is None else verdict.upper()
    if evidence.gates is not None:
        return replace(evidence.gates, checks=verifier)
    return _plain_gates(verifier, None if history is None else history.judge)


@lru_cache(maxsize=64)
def _plain_gates(checks: str | None, judge: Any) -> Gates:
    return Gates(checks=checks, judge=judge)


def _validity(trial: Trial, history: History | None) -> str:
    """By the first grading, as the score is. Without one, a reward says that the verifier came to its end."""
    if trial.rewards is None:
        return "not_completed"
    first = history.first() if history is not None else []
    if not first:
        return "valid"
    found = [one.result.validity for one in first]
    if not all(one.verifier_completed for one in found):
        return "not_completed"
    if not all(one.output_parseable for one in found):
        return "unparseable"
    return "valid" if all(one.schema_valid for one in found) else "schema_invalid"


def _tokens(trial: Trial) -> int | None:
    usage = trial.usage
    if usage is None or (usage.n_input_tokens is None and usage.n_output_tokens is None):
        return None
    return (usage.n_input_tokens or 0) + (usage.n_output_tokens or 0)


def _metadata(trial: Trial, history: History | None) -> dict[str, Any]:
    """Tags that were added are found by their category: ``metadata=tag.wrong_unit=human``."""
    found: dict[str, Any] = {}
    if trial.steps:
        found["steps"] = len(trial.steps)
    for added in [] if history is None else history.tags:
        found[f"tag.{added.tag.category}"] = added.tag.source.value
    return found


def _unusable(job: str, problem: Problem, number: int) -> ImportedRun:
    """A planned trial without a folder has no name of its own."""
    name = f"{problem.trial}#{number}" if problem.missing else problem.trial
    return ImportedRun(
        *(job, name, problem.trial, "", None, "", "unusable", None, None, problem.reason_code, None, None),
        started_at=None,
        finished_at=None,
        validity="not_completed",
        measurement_broken=True,
    )
