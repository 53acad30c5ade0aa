"""The trials of a job as runs, each with what it came to. Harbor's words end here."""

import math
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from assay.core.errors import MeasurementError
from assay.dialects.harbor.job_stats import CANCELLED
from assay.dialects.harbor.reasons import blame, failure_cause, reason_of_exception
from assay.dialects.harbor.rewards import Rewards, Strategy
from assay.dialects.harbor.trial import Seconds, Trial
from assay.engine.jobs.job import Job, Problem
from assay.engine.jobs.spool import Lazy
from assay.engine.jobs.trial_additions import History, gate_facts, strategy_of, with_latest
from assay.evidence.run import Cause, Facts, Gates, Run, State, decide

if TYPE_CHECKING:
    # Importing pydantic takes longer than reporting on a job that has no gradings.
    from assay.dialects.evaluation.models import Annotation, ValidityCheck

BROKE: Final = MeasurementError.__name__
REWARD: Final = "reward"
FORFEITS: Final = ("reward_for_unparseable_output", "reward_for_schema_violation")
_BLAMED: Final = {cause.value: cause for cause in Cause}
_RUN_STATUS: Final = {"cancelled": "cancelled", "sandbox_failed": "failed", "harbor_failed": "failed"}


@dataclass(frozen=True, slots=True)
class ReadJob:
    """A job with what was added to its trials, under the name by which it was asked for.

    ``runs`` are given if they are known already.
    """

    path: str
    job: Job
    histories: Sequence[History] = ()
    runs: Sequence[Run] | None = None


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """Report options beyond harbor's numbers. With ``key`` None, the data decide on the key.

    ``by`` asks for a row for each "task" or "trial".
    """

    key: str | None = None
    threshold: float = 1.0
    k: tuple[int, ...] = ()
    grading: str = "first"
    by: str | None = None


USUAL: Final = JobQuestion()


def chosen_key(keys: Collection[str], question: JobQuestion) -> str | None:
    """The key asked for, "reward", or the only key. None if there are several and none was asked for."""
    if question.key is not None:
        return question.key if question.key in keys else None
    if REWARD in keys:
        return REWARD
    return next(iter(keys)) if len(keys) == 1 else None


def runs_of(
    job: Job,
    histories: Iterable[History],
    question: JobQuestion = USUAL,
    *,
    name: str | None = None,
    prefix: str = "",
) -> Sequence[Run]:
    """The runs of a job in its order, then those that have no result. ``prefix`` begins their ids.

    Those of many trials are made again with each pass over them.
    """
    beside = {one.trial: one for one in histories}
    called = name or job.name
    trials = with_latest(job.trials, beside.values()) if question.grading == "latest" else job.trials
    decided = TasksWithReward(trials)

    def runs() -> Iterator[Run]:
        for trial in trials:
            yield run_of_trial(called, trial, beside.get(trial.name), question, prefix, decided)
        yield from runs_without_result(job, called, prefix)

    return list(runs()) if isinstance(trials, list) else Lazy(runs, job.n_total)


class TasksWithReward(Container[str]):
    """The tasks for which ``reward`` decides, because a run of theirs has it. Few jobs need to know."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self._trials = trials

    @cached_property
    def _tasks(self) -> frozenset[str]:
        return frozenset(trial.task for trial in self._trials if trial.rewards and REWARD in trial.rewards)

    def __contains__(self, task: object) -> bool:
        return task in self._tasks


def run_of_trial(
    job: str,
    trial: Trial,
    history: History | None,
    question: JobQuestion = USUAL,
    prefix: str = "",
    decided: Container[str] = (),
) -> Run:
    """A trial as a run. ``history`` was added to it later; ``decided`` are tasks of which ``reward`` decides."""
    gates = None if history is None else history.gates
    decision = decide(trial_facts(trial, history, question, decided), question.threshold)
    exception = first_exception(trial)
    reason = decision.reason
    if reason is None and exception is not None:
        reason = reason_of_exception(exception, trial.exception_message)
    beside = _beside(gates, exception, decision.state)
    usage = trial.usage
    return Run(
        id=f"{prefix}{trial.name}",
        job=job,
        name=trial.name,
        task=trial.task,
        agent=trial.agent,
        model=trial.model,
        dataset=trial.dataset,
        kind="coding" if gates is not None and gates.run_status is not None else "trial",
        state=decision.state,
        score=decision.score,
        reason=reason,
        cause=decision.cause,
        checks=beside.checks,
        judge=beside.judge,
        run_status=beside.run_status,
        run_metrics_passed=beside.run_metrics_passed,
        validity=_validity(trial, history, question.grading),
        failure_mode=beside.failure_mode,
        suspicion=beside.suspicion,
        exception_type=exception,
        detail=exception or (why_unrewarded(trial) if trial.rewards is None else None),
        rewards=trial.rewards,
        duration_sec=None if trial.seconds is None else trial.seconds.total,
        cost_usd=None if usage is None else usage.cost_usd,
        tokens=_tokens(trial),
        started_at=trial.started_at,
        finished_at=trial.finished_at,
        phases=_phases(trial.seconds),
        began_at=moment_of(trial.started_at),
        reviewers=0 if history is None else len(history.annotations),
        gates_disagree=beside.disagree,
        reviewer_disagrees=history is not None and reviewer_disagrees(history.annotations, decision.state),
        axes=_axes(trial.rewards),
        metadata=_metadata(trial, history) if history is not None or trial.steps else {},
    )


def trial_facts(
    trial: Trial, history: History | None, question: JobQuestion = USUAL, decided: Container[str] = ()
) -> Facts:
    """A trial's facts: its gates, its grading, or the rewards and the exception in its result."""
    if trial.exception_type == CANCELLED:
        return Facts(ended=State.CANCELLED, reason="harbor_cancelled_error")
    again = history is not None and question.grading == "latest" and history.graded_again()
    if trial.exception_type == BROKE and not again:
        return Facts(unusable=True, reason="measurement_broken", cause=Cause.MACHINE)
    if history is not None and history.gates is not None and history.gates.run_status is not None:
        return gate_facts(history.gates)
    if history is not None and history.gradings:
        return _graded_facts(trial, history, question)
    if question.key is None and trial.rewards and REWARD not in trial.rewards and trial.task in decided:
        return Facts(unusable=True, reason="reward_key_missing")
    return _recorded_facts(trial, question)


def _graded_facts(trial: Trial, history: History, question: JobQuestion) -> Facts:
    from assay.engine.jobs.read_result import whole_result  # noqa: PLC0415 - see TYPE_CHECKING above

    final = history.whole(question.grading) is None and strategy_of(trial, history.first()) is Strategy.FINAL
    ingested = whole_result(history, question.grading, final=final)
    if ingested is None:
        return _recorded_facts(trial, question)
    validity, reason = ingested.result.validity, ingested.reason_code
    rewards = trial.rewards or {}
    if not validity.output_parseable:
        return Facts(unusable=True, reason=reason or "output_unparseable", cause=Cause.AGENT)
    if question.key not in (None, REWARD):
        return _reward_facts(rewards, question)
    if reason in FORFEITS:
        return Facts(unusable=True, reason=reason, cause=Cause.AGENT)
    if validity.verifier_completed:
        return Facts(reward=ingested.result.reward)
    cause = _shown_cause(history, question.grading)
    if reason == "reward_key_missing" and len(rewards) + len(trial.lost) > 1 and cause is not Cause.AGENT:
        return Facts(several=True, reason="no_deciding_key")
    return Facts(unusable=True, reason=reason or "reward_missing", cause=cause)


def _shown_cause(history: History, used: str) -> Cause | None:
    """The cause, as a control showed it; of several steps, those whose verifier didn't complete tell."""
    whole = history.whole(used)
    steps = history.used(used)
    of_steps = [one for one in steps if not one.result.validity.verifier_completed]
    causes = {None if one.cause is None else _BLAMED[one.cause] for one in of_steps or ([whole] if whole else [])}
    # One step that the agent spoilt is enough for its 0; a step that nobody looked into leaves it open.
    return next((one for one in (Cause.AGENT, None, Cause.VERIFIER, Cause.MACHINE) if one in causes), None)


def _recorded_facts(trial: Trial, question: JobQuestion) -> Facts:
    """Facts from a foreign trial's result. No control was run, so only what is seen is to blame."""
    if trial.rewards:
        return _reward_facts(trial.rewards, question)
    if trial.exception_type is not None:
        reason = reason_of_exception(trial.exception_type, trial.exception_message)
        return Facts(unusable=True, reason=reason, cause=_BLAMED.get(blame(trial.exception_type) or ""))
    if trial.disabled:
        return Facts(reason="verification_disabled")
    return Facts(unusable=True, reason="harbor_reward_missing")


def _reward_facts(rewards: Rewards, question: JobQuestion) -> Facts:
    """A reward that decides by itself must be from 0 to 1. A measure asked for by name may be any number."""
    key = chosen_key(rewards, question)
    if key is None:
        asked = question.key is not None
        return Facts(unusable=True, reason="reward_key_missing") if asked else _SEVERAL
    value = as_float(rewards[key])
    if not math.isfinite(value):
        return Facts(unusable=True, reason="reward_not_finite")
    if not 0 <= value <= 1 and question.key in (None, REWARD):
        return Facts(unusable=True, reason="reward_out_of_range")
    return Facts(reward=value)


_SEVERAL: Final = Facts(several=True, reason="no_deciding_key")


def as_float(reward: float) -> float:
    """An int may be too large for a float; the reward itself is kept as it is."""
    try:
        return float(reward)
    except OverflowError:
        return math.inf if reward > 0 else -math.inf


def first_exception(trial: Trial) -> str | None:
    """The trial's own exception, or the first of a step."""
    return trial.exception_type or next(iter(trial.step_exceptions), None)


def why_unrewarded(trial: Trial) -> str:
    """Why a trial without an error has no reward."""
    if trial.disabled:
        return "verification was disabled"
    return "a result without rewards" if trial.verified else "no verifier result and no error"


_VERIFIERS: Final = {State.PASSED: "PASS", State.PARTIAL: "FAIL", State.FAILED: "FAIL", State.UNUSABLE: "FAIL"}


def _beside(gates: Gates | None, exception: str | None, state: State) -> Gates:
    """The gates as they are shown. Without scorers, the verifier stands where they do."""
    if gates is not None and gates.run_status is not None:
        return gates
    status = _RUN_STATUS.get(failure_cause(exception) if exception is not None else "", "completed")
    return _plain_gates(_VERIFIERS.get(state), None if gates is None else gates.judge, status, gates)


@lru_cache(maxsize=256)
def _plain_gates(checks: str | None, judge: str | None, status: str, gates: Gates | None) -> Gates:
    told = gates or Gates()
    return Gates(checks, judge, status, failure_mode=told.failure_mode, suspicion=told.suspicion)


def _validity(trial: Trial, history: History | None, used: str) -> str:
    """By the grading that decides. Without one, a reward says that the verifier came to its end."""
    shown = [] if history is None else history.used(used)
    if not shown:
        return "not_completed" if trial.rewards is None else "valid"
    return joint_validity([one.result.validity for one in shown])


def joint_validity(checks: "Sequence[ValidityCheck]") -> str:
    """The validity of all steps together, in one word."""
    if not all(one.output_parseable for one in checks):
        return "unparseable"
    if not all(one.verifier_completed for one in checks):
        return "not_completed"
    return "valid" if all(one.schema_valid for one in checks) else "schema_invalid"


def reviewer_disagrees(annotations: "Sequence[Annotation]", state: State) -> bool:
    """Whether a reviewer disagrees with a run, by the last judgment of each."""
    return bool(annotations) and disagree(
        {one.reviewer_id: one.judgment.value for one in annotations}.values(), state
    )


def disagree(judgments: Iterable[str], state: State) -> bool:
    """Whether somebody passes a run that failed, fails one that passed, or reviewers differ among themselves."""
    said = set(judgments) - {"defer"}
    verdict = verdict_of(state)
    return len(said) > 1 or (verdict is not None and bool(said) and said != {verdict})


def verdict_of(state: State) -> str | None:
    """The verdict to agree with: pass or fail. A run that came to neither has none."""
    return {State.PASSED: "pass", State.FAILED: "fail", State.UNUSABLE: "fail"}.get(state)


def _tokens(trial: Trial) -> int | None:
    usage = trial.usage
    if usage is None or (usage.n_input_tokens is None and usage.n_output_tokens is None):
        return None
    return (usage.n_input_tokens or 0) + (usage.n_output_tokens or 0)


def _phases(known: Seconds | None) -> dict[str, float]:
    """The times of agent and verifier, and what is left of the whole: the preparation."""
    if known is None or known.total is None or (known.agent is None and known.verifier is None):
        return {}
    found = {"agent": known.agent or 0.0, "verifier": known.verifier or 0.0}
    return {"setup": max(0.0, known.total - sum(found.values())), **found}


def _axes(rewards: Rewards | None) -> dict[str, float]:
    """Several rewards are shown one by one; a single one is the score."""
    several = rewards if rewards is not None and len(rewards) > 1 else {}
    return {name: as_float(one) for name, one in several.items()}


def _metadata(trial: Trial, history: History | None) -> dict[str, Any]:
    """Tags that were added are found by their category: ``metadata=tag.wrong_unit=human``."""
    found: dict[str, Any] = {}
    if trial.steps:
        found["steps"] = len(trial.steps)
    for added in [] if history is None else history.tags:
        found[f"tag.{added.tag.category}"] = added.tag.source.value
    return found


def moment_of(written: str | None) -> datetime | None:
    """A time as a run wrote it, in UTC, which it also is without a zone; None for what is no time."""
    try:
        found = None if written is None else datetime.fromisoformat(written)
        return found if found is None else (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def runs_without_result(job: Job, name: str, prefix: str = "") -> Iterator[Run]:
    """Trials without a result. While the job may go on, they wait or work; afterwards, the machine lost them."""
    for number, problem in enumerate(job.problems):
        decision = decide(_problem_facts(problem))
        read = problem.read
        # A planned trial without a folder has no name of its own.
        own = f"{problem.trial}#{number}" if problem.unstarted else problem.trial
        yield Run(
            id=f"{prefix}{own}",
            job=name,
            name=own,
            task=problem.task if read is None else read.task,
            agent="" if read is None else read.agent,
            model=None if read is None else read.model,
            dataset="" if read is None else read.dataset,
            **msgspec.structs.asdict(decision),
            run_status=decision.state if decision.state is not State.BROKEN else "failed",
            validity="not_completed",
            detail=problem.detail,
        )


def _problem_facts(problem: Problem) -> Facts:
    if problem.missing and not problem.over:
        return Facts(ended=State.RUNNING if problem.began else State.PENDING, reason=problem.reason_code)
    if problem.read is not None:
        return Facts(unusable=True, reason="reward_not_finite")
    return Facts(unusable=True, reason=problem.reason_code, cause=Cause.MACHINE)
