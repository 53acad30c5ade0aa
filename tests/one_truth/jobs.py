"""Jobs on disk with everything in them that can come of a run, written as harbor and Assay write them."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

from assay.adapters.jobs.annotations import ANNOTATIONS, write_grading
from assay.adapters.jobs.run_scoring import write_scored
from assay.adapters.jobs.run_store import LocalCases
from assay.adapters.machine.numbered_files import append_numbered
from assay.dialects.evaluation.models import Annotation
from assay.dialects.harbor.reasons import BEYOND_THE_AGENT
from assay.dialects.scorers.report import (
    Judge,
    JudgePrompt,
    JudgeSampling,
    JudgeState,
    JudgeVerdict,
    JudgeVotes,
    Opinion,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
)
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import Scoring
from assay.evidence.coding_run import RunStatus
from tests.builders import trial_record, write_config
from tests.dialects.evaluation.gradings import grading

AT: Final = datetime(2026, 1, 2, tzinfo=UTC)
NO_RESULT: Final = "no verifier result"
"""Instead of rewards: the verifier came to no result at all."""


@dataclass(frozen=True)
class Graded:
    """One grading. ``reward`` None is a verifier that didn't complete, for a ``reason``.

    It is of a ``step``, or it sums up the gradings of ``steps``.
    """

    reward: float | None
    parseable: bool = True
    reason: str | None = None
    cause: str | None = None
    step: str | None = None
    steps: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Scored:
    """One scoring: pairs of a verdict and whether it is required; without rows it is a ledger run."""

    rows: tuple[tuple[str, bool], ...] = ()
    judge: str = "NOT APPLICABLE"
    status: str = "completed"


@dataclass(frozen=True)
class Attempt:
    """The folder of one trial. ``text`` is that of a result.json that isn't one; "" leaves it out."""

    rewards: Any = NO_RESULT
    exception: str | None = None
    task: str = "t0"
    agent: str = "solver"
    text: str | None = None
    files: bool = True
    disabled: bool = False
    steps: tuple[str | None, ...] = ()
    gradings: tuple[Graded, ...] = ()
    reviews: tuple[str, ...] = ()
    scored: tuple[Scored, ...] = ()
    judged: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobPlan:
    """A job. ``planned`` trials of it never began."""

    attempts: tuple[Attempt, ...]
    planned: int = 0
    finished: bool = True

    def named(self) -> list[tuple[str, Attempt]]:
        return [(f"{one.task}__run{number:04}", one) for number, one in enumerate(self.attempts)]


def write_job(folder: Path, plan: JobPlan) -> Path:
    """The folder of the job."""
    folder.mkdir(parents=True)
    slots = [(one.task, one.agent) for one in plan.attempts] + [("t0", "solver")] * plan.planned
    lock = [{"task": {"name": task}, "agent": {"name": agent}} for task, agent in slots]
    (folder / "lock.json").write_text(json.dumps({"schema_version": 1, "trials": lock}))
    write_config(folder)
    for number, (name, one) in enumerate(plan.named()):
        _write_attempt(folder / name, name, one, f"2026-01-01T00:00:{number:02}Z")
    record = {"started_at": "2026-01-01T00:00:00", "finished_at": "2026-01-01T01:00:00" if plan.finished else None}
    (folder / "result.json").write_text(json.dumps({"id": "1", **record, "n_total_trials": len(slots)}))
    return folder


def _write_attempt(folder: Path, name: str, one: Attempt, started: str) -> None:
    (folder / "verifier").mkdir(parents=True)
    text = _result(name, one, started) if one.text is None else one.text
    if text:
        (folder / "result.json").write_text(text)
    if one.files and isinstance(one.rewards, dict):
        (folder / "verifier" / "reward.json").write_text(json.dumps(one.rewards))
    for number, graded in enumerate(one.gradings, start=1):
        known: dict[str, Any] = {"cause": graded.cause, "steps": graded.steps and list(graded.steps)}
        known |= {} if graded.reason is None else {"reason_code": graded.reason}
        record = grading(number, graded.reward, parseable=graded.parseable, step=graded.step, **known)
        write_grading(str(folder), record)
    for number, review in enumerate(one.reviews):
        said = {"reviewer_id": f"r{number}", "timestamp": AT, "judgment": review}
        append_numbered(str(folder), ANNOTATIONS, Annotation.model_validate(said).model_dump_json())
    for number, scored in enumerate(one.scored, start=1):
        write_scored(str(folder), _scoring(number, scored), None)
    for state in one.judged:
        LocalCases().keep(str(folder), verdict(state))


def _result(name: str, one: Attempt, started: str) -> str:
    fields: dict[str, Any] = {"task": one.task, "agent": one.agent, "started_at": started}
    if one.rewards != NO_RESULT:
        fields["rewards"] = one.rewards
    if one.exception is not None:
        fields["exception"] = one.exception
    record = trial_record(name, **fields)
    record["config"]["verifier"] = {"disable": one.disabled}
    if one.steps:
        record["step_results"] = [
            {"step_name": f"s{number}", "exception_info": raised and {"exception_type": raised}}
            for number, raised in enumerate(one.steps)
        ]
    return json.dumps(_as_harbor_writes(record))


def _as_harbor_writes(value: Any) -> Any:
    """NaN and infinity are null in a result; only the verifier's own file has them."""
    if isinstance(value, dict):
        return {key: _as_harbor_writes(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def verdict(state: str) -> JudgeVerdict:
    """What a judge said."""
    counts = JudgeVotes(
        passes=int(state == "PASS"),
        fails=int(state == "FAIL"),
        unparseable=int(state == "unparseable"),
        agreement=1.0,
    )
    return JudgeVerdict(
        opinion=Opinion.model_validate({"state": state, "failure_mode": "lazy" if state == "FAIL" else None}),
        models=["m"],
        answers=[],
        votes=counts,
        prompt=JudgePrompt(name="verdict-1", sha256="", question_sha256="", canary=False),
        sampling=JudgeSampling(temperature=0, max_tokens=None, seed=None, samples=1),
        scored_at=AT,
    )


def _scoring(number: int, one: Scored) -> Scoring:
    rows = [
        Row(
            name=f"check{at}",
            type="no_new_skips",
            required=required,
            verdict=RowVerdict(word),
            score={"PASS": 1.0, "FAIL": 0.0}.get(word),
            detail="",
        )
        for at, (word, required) in enumerate(one.rows)
    ]
    asked = one.judge in ("PASS", "FAIL", "unparseable")
    report = ScorersReport(
        overall=_overall(rows) if rows else None,
        scorers=rows,
        judge=Judge(state=JudgeState(one.judge), verdict=verdict(one.judge) if asked else None),
        run=StatusGate(status=RunStatus(one.status)),
        provenance=Provenance(engine="0", scenario_sha256="0" * 64),
    )
    return Scoring(number=number, task="t", scenario=Scenario(scorers=[]), scored_at=AT, report=report)


def _overall(rows: Sequence[Row]) -> Overall:
    if any(row.hard_failure for row in rows):
        return Overall(verdict=OverallVerdict.FAIL, score=0)
    passed = any(row.required and row.verdict is RowVerdict.PASS for row in rows)
    return Overall(verdict=OverallVerdict.PASS if passed else OverallVerdict.NOT_APPLICABLE, score=None)


VALUES: Final = (0, 1, 0.0, 1.0, 0.5, 0.1, 1 / 3, -0.0, 1e-320, 1.5, -1, math.nan, math.inf, -math.inf, 10**300)
EXCEPTIONS: Final = (
    *("AgentTimeoutError", "VerifierTimeoutError", "EnvironmentStartTimeoutError", "CancelledError"),
    *("SomethingNewError", "ValidationError", "MeasurementError", "RewardFileNotFoundError"),
    *("NonZeroAgentExitCodeError", "ApiRateLimitError"),
)
_values: Final = st.sampled_from((*VALUES, True, False))
rewards: Final = st.one_of(
    st.builds(lambda value: {"reward": value}, _values),
    st.builds(lambda value: {"reward": value}, st.floats(0, 1)),
    st.builds(lambda value: {"score": value}, _values),
    st.builds(lambda first, second: {"correct": first, "speed": second}, _values, _values),
    st.builds(lambda first, second: {"reward": first, "speed": second}, _values, _values),
    st.sampled_from(({}, None, NO_RESULT)),
)
REASONS: Final = (
    *("reward_missing", "reward_malformed", "reward_out_of_range", "reward_boolean", "reward_not_finite"),
    *("reward_key_missing", "reward_before_time_out", None),
)
CAUSES: Final = (None, "agent", "verifier", "machine")
_graded: Final = st.one_of(
    st.builds(Graded, st.sampled_from((0.0, 0.5, 1.0)), cause=st.sampled_from((None, "agent"))),
    st.builds(Graded, st.none(), st.booleans(), st.sampled_from(REASONS), st.sampled_from(CAUSES)),
    st.builds(
        Graded,
        st.just(0.0),
        st.just(False),
        st.sampled_from((None, "reward_for_unparseable_output")),
        st.sampled_from(CAUSES),
    ),
)
_rows: Final = st.lists(
    st.tuples(st.sampled_from(("PASS", "FAIL", "N/A", "ERROR")), st.booleans()), max_size=3
).map(tuple)
_states: Final = st.sampled_from(("PASS", "FAIL", "unparseable", "PENDING", "NOT APPLICABLE"))
_scored: Final = st.builds(
    Scored, _rows, _states, st.sampled_from(("completed", "completed", "failed", "cancelled"))
)
_judged: Final = st.lists(st.sampled_from(("PASS", "FAIL", "unparseable")), max_size=2).map(tuple)
_reviews: Final = st.lists(st.sampled_from(("pass", "fail", "defer")), max_size=2).map(tuple)
_exceptions: Final = st.one_of(st.none(), st.sampled_from(EXCEPTIONS))
_texts: Final = st.sampled_from(("", "{", "[]", '{"task_name": 1}', "null", '{"trial_name": "x"}'))

_plain: Final = st.builds(
    Attempt, rewards, _exceptions, files=st.booleans(), disabled=st.booleans(), reviews=_reviews, judged=_judged
)
_graded_ones: Final = st.builds(
    Attempt,
    rewards,
    _exceptions,
    gradings=st.lists(_graded, min_size=1, max_size=2).map(tuple),
    reviews=_reviews,
)
_stepped: Final = st.builds(
    Attempt, rewards, _exceptions, steps=st.lists(_exceptions, min_size=1, max_size=2).map(tuple)
)
_graded_steps: Final = st.builds(
    lambda rewards, first, second, whole: Attempt(
        rewards,
        steps=(None, None),
        gradings=(
            replace(first, step="s0"),
            replace(second, step="s1"),
            *(() if whole is None else (replace(whole, steps=(1, 2)),)),
        ),
    ),
    rewards,
    _graded,
    _graded,
    st.one_of(st.none(), _graded),
)
_coded: Final = st.builds(
    Attempt,
    st.sampled_from((NO_RESULT, {"score": 1.0}, {"reward": 0.0})),
    _exceptions,
    scored=st.lists(_scored, min_size=1, max_size=2).map(tuple),
    judged=_judged,
    reviews=_reviews,
)
_lost: Final = st.builds(Attempt, text=_texts)
attempts: Final = st.builds(
    lambda one, task, agent: replace(one, task=task, agent=agent),
    st.one_of(_plain, _graded_ones, _stepped, _graded_steps, _coded, _lost),
    st.sampled_from(("t0", "t1", "t2")),
    st.sampled_from(("solver", "solver", "solver", "other")),
)
plans: Final = st.builds(
    JobPlan, st.lists(attempts, min_size=1, max_size=6).map(tuple), st.integers(0, 2), st.booleans()
)

_agents_own: Final = tuple(one for one in EXCEPTIONS if one not in BEYOND_THE_AGENT and one != "CancelledError")
spoilt: Final = st.one_of(
    st.just(Attempt({"reward": math.nan}, files=False)),
    st.builds(
        lambda value: Attempt({"reward": value}),
        st.sampled_from((1.5, -1, math.nan, math.inf, -math.inf, 10**300)),
    ),
    st.builds(Attempt, st.sampled_from((NO_RESULT, None, {})), st.sampled_from(_agents_own)),
    st.just(Attempt(None)),
    st.builds(
        lambda rewards, graded: Attempt(rewards, gradings=(graded,)),
        st.sampled_from(({"reward": 1.0}, {"score": 1}, NO_RESULT)),
        st.one_of(
            st.builds(
                Graded, st.none(), st.booleans(), st.sampled_from(REASONS), st.sampled_from((None, "agent"))
            ),
            st.just(Graded(0.0, parseable=False, reason="reward_for_unparseable_output", cause="machine")),
        ),
    ),
)
"""Runs without a usable answer that an agent can bring about."""
