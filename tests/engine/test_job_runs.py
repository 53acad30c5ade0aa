"""The trials of a job as runs: what each came to, with its score, its reason and its cause."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.job_config import ConfiguredMetrics, metrics_for
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, Problem
from assay.engine.jobs.job_runs import USUAL, JobQuestion, run_of_trial, runs_of
from assay.engine.jobs.trial_additions import History
from assay.engine.report.report import report_job
from assay.engine.report.run_groups import gather
from assay.evidence.run import Gates, Run
from tests.dialects.evaluation.gradings import grading

MISSING = None


def trial(name: str = "a__1", **fields: Any) -> Trial:
    return Trial(name=name, task="a", agent="solver", verified="rewards" in fields, **fields)


def came_to(run: Run) -> tuple[str, float | None, str | None, str | None]:
    return run.state.value, run.score, run.reason, run.cause


def decided(
    recorded: Trial, history: History | None = None, question: JobQuestion = USUAL
) -> tuple[str, float | None, str | None, str | None]:
    return came_to(run_of_trial("job", recorded, history, question))


def rewarded(**rewards: float) -> dict[str, Any]:
    return {"rewards": rewards}


def failed(exception: str, **more: Any) -> dict[str, Any]:
    return {"exception_type": exception, **more}


# Nobody graded these trials with a control: what can't be used counts as 0, and its cause is what its type tells.
RECORDED = [
    (rewarded(reward=1), ("passed", 1.0, None, None)),
    (rewarded(reward=0.5), ("partial", 0.5, None, None)),
    (rewarded(reward=0), ("failed", 0.0, None, None)),
    (rewarded(only=1), ("passed", 1.0, None, None)),
    (rewarded(reward=1, speed=7), ("passed", 1.0, None, None)),
    (rewarded(speed=7, size=1), ("scored", None, "no_deciding_key", None)),
    # Every bad kind of reward.
    (rewarded(), ("unusable", 0.0, "harbor_reward_missing", None)),
    ({"rewards": None}, ("unusable", 0.0, "harbor_reward_missing", None)),
    ({}, ("unusable", 0.0, "harbor_reward_missing", None)),
    (rewarded(reward=math.nan), ("unusable", 0.0, "reward_not_finite", None)),
    (rewarded(reward=math.inf), ("unusable", 0.0, "reward_not_finite", None)),
    (rewarded(reward=-math.inf), ("unusable", 0.0, "reward_not_finite", None)),
    (rewarded(reward=10**400), ("unusable", 0.0, "reward_not_finite", None)),
    (rewarded(reward=1.0000001), ("unusable", 0.0, "reward_out_of_range", None)),
    (rewarded(reward=-0.5), ("unusable", 0.0, "reward_out_of_range", None)),
    (rewarded(only=2), ("unusable", 0.0, "reward_out_of_range", None)),
    (failed("RewardFileNotFoundError"), ("unusable", 0.0, "harbor_reward_missing", None)),
    (failed("RewardFileEmptyError"), ("unusable", 0.0, "harbor_reward_empty", None)),
    (failed("VerifierOutputParseError"), ("unusable", 0.0, "harbor_reward_parse_error", None)),
    (failed("VerifierTimeoutError"), ("unusable", 0.0, "harbor_verifier_timeout_error", None)),
    (failed("WhoKnowsError"), ("unusable", 0.0, "harbor_trial_failed", None)),
    # The agent's own.
    (failed("AgentTimeoutError"), ("unusable", 0.0, "harbor_agent_timeout_error", "agent")),
    (failed("NonZeroAgentExitCodeError"), ("unusable", 0.0, "harbor_trial_failed", "agent")),
    (failed("AgentSafetyRefusalError"), ("unusable", 0.0, "harbor_trial_failed", "agent")),
    (
        failed("AgentTimeoutError", rewards={"reward": 1}),
        ("passed", 1.0, "harbor_agent_timeout_error", None),
    ),
    # Before the agent could do anything.
    (
        failed("EnvironmentStartTimeoutError"),
        ("broken", None, "harbor_environment_start_timeout_error", "machine"),
    ),
    (failed("SandboxBuildFailedError"), ("broken", None, "harbor_trial_failed", "machine")),
    (failed("MeasurementError"), ("broken", None, "measurement_broken", "machine")),
    # Somebody ended it, or chose not to verify it.
    (failed("CancelledError"), ("cancelled", None, "harbor_cancelled_error", None)),
    (failed("CancelledError", rewards={"reward": 1}), ("cancelled", None, "harbor_cancelled_error", None)),
    ({"disabled": True}, ("not_judged", None, "verification_disabled", None)),
]


@pytest.mark.parametrize(("fields", "expected"), RECORDED)
def test_a_trial_that_was_not_graded(fields: dict[str, Any], expected: tuple[Any, ...]) -> None:
    assert decided(trial(**fields)) == expected


@pytest.mark.parametrize(
    ("rewards", "key", "expected"),
    [
        ({"reward": 1, "speed": 0.5}, "speed", ("partial", 0.5, None, None)),
        # A measure that is asked for by name may be any number.
        ({"reward": 0, "speed": 7}, "speed", ("passed", 7.0, None, None)),
        ({"speed": -1}, "speed", ("failed", -1.0, None, None)),
        ({"speed": math.nan}, "speed", ("unusable", 0.0, "reward_not_finite", None)),
        ({"reward": 2}, "reward", ("unusable", 0.0, "reward_out_of_range", None)),
        ({"reward": 1}, "speed", ("unusable", 0.0, "reward_key_missing", None)),
    ],
)
def test_a_reward_that_was_asked_for(rewards: dict[str, float], key: str, expected: tuple[Any, ...]) -> None:
    assert decided(trial(rewards=rewards), question=JobQuestion(key=key)) == expected
    graded = History("a__1", [grading(1, 1.0)], [])
    of_evaluation = ("passed", 1.0, None, None)
    assert decided(trial(rewards=rewards), graded, JobQuestion(key=key)) == (
        of_evaluation if key == "reward" else expected
    )


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([grading(1, 1.0)], ("passed", 1.0, None, None)),
        ([grading(1, 0.25)], ("partial", 0.25, None, None)),
        ([grading(1, 0.0)], ("failed", 0.0, None, None)),
        ([grading(1, 1.0, schema_valid=False)], ("passed", 1.0, None, None)),
        # An output that can't be parsed is the agent's, even if the verifier broke on it.
        ([grading(1, 0.0, parseable=False)], ("unusable", 0.0, "output_unparseable", "agent")),
        ([grading(1, MISSING, parseable=False)], ("unusable", 0.0, "reward_missing", "agent")),
        # Without a usable reward, a control shows whose fault it is; without one, nobody knows.
        ([grading(1, MISSING)], ("unusable", 0.0, "reward_missing", None)),
        ([grading(1, MISSING, cause="agent")], ("unusable", 0.0, "reward_missing", "agent")),
        ([grading(1, MISSING, cause="verifier")], ("broken", None, "reward_missing", "verifier")),
        ([grading(1, MISSING, cause="machine")], ("broken", None, "reward_missing", "machine")),
        (
            [grading(1, MISSING, reason_code="reward_out_of_range", cause="verifier")],
            ("broken", None, "reward_out_of_range", "verifier"),
        ),
    ],
)
@pytest.mark.statement("evaluation.flags-in-reports", "evaluation.missing-reward")
def test_a_trial_that_was_graded(records: list[Grading], expected: tuple[Any, ...]) -> None:
    assert decided(trial(), History("a__1", records, [])) == expected


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        (("verifier", None), ("broken", None, "verifier")),
        (("machine", "verifier"), ("broken", None, "verifier")),
        (("verifier", "agent"), ("unusable", 0.0, "agent")),
    ],
)
def test_one_step_that_the_agent_spoilt_is_enough(
    causes: tuple[str | None, ...], expected: tuple[str, float | None, str | None]
) -> None:
    """A step with a cause has no reward; one without has."""
    records = [
        grading(number, 1.0 if cause is None else MISSING, step=f"step {number}", cause=cause)
        for number, cause in enumerate(causes, start=1)
    ]
    state, score, _, cause = decided(trial(), History("a__1", records, []))
    assert (state, score, cause) == expected


def test_several_rewards_stay_several_though_they_were_graded() -> None:
    records = [grading(1, MISSING, reason_code="reward_key_missing")]
    recorded = trial(rewards={"speed": 0.5, "size": 1})
    assert decided(recorded, History("a__1", records, [])) == ("scored", None, "no_deciding_key", None)


def test_a_measurement_that_broke_is_broken_until_it_is_graded_again() -> None:
    broke = trial(exception_type="MeasurementError")
    once = History("a__1", [grading(1, 1.0, step="one")], [])
    assert decided(broke, once) == ("broken", None, "measurement_broken", "machine")
    again = History("a__1", [grading(1, MISSING), grading(2, 1.0)], [])
    assert decided(broke, again, JobQuestion(grading="first"))[0] == "broken"
    assert decided(broke, again, JobQuestion(grading="latest"))[:2] == ("passed", 1.0)


GATED = [
    (Gates("PASS", "FAIL", "completed"), ("passed", 1.0, None, None)),
    (Gates("FAIL", "PASS", "completed", failed=("lint", "tests")), ("failed", 0.0, "lint, tests", None)),
    (
        Gates("FAIL", None, "completed", failed=("lint",), broken=True),
        ("broken", None, "scorer broke: lint", "machine"),
    ),
    (Gates("N/A", "PASS", "completed"), ("passed", 1.0, None, None)),
    (Gates("PASS", None, "failed"), ("broken", None, "run_failed", "machine")),
    (Gates("PASS", None, "cancelled"), ("cancelled", None, None, None)),
    (Gates(None, None, "pending"), ("pending", None, None, None)),
    (Gates(None, None, "running"), ("running", None, None, None)),
    # A ledger run has no scorers: the judge decides, if there is one.
    (Gates(None, "PASS", "completed"), ("passed", 1.0, None, None)),
    (Gates(None, "FAIL", "completed", failure_mode="wrong_total"), ("failed", 0.0, "wrong_total", None)),
    (Gates(None, "PENDING", "completed"), ("not_judged", None, "no_judge", None)),
    (Gates(None, "unparseable", "completed"), ("not_judged", None, "no_judge", None)),
]


@pytest.mark.parametrize(("gates", "expected"), GATED)
def test_a_coding_run(gates: Gates, expected: tuple[Any, ...]) -> None:
    """Its gates decide, and no reward beside them."""
    for rewards in (None, {"reward": 0.25}):
        run = run_of_trial("job", trial(rewards=rewards), History("a__1", [], [], gates=gates))
        assert came_to(run) == expected
        assert (run.kind, run.checks, run.judge, run.run_status) == (
            "coding",
            gates.checks,
            gates.judge,
            gates.run_status,
        )
        assert run.gates_disagree is gates.disagree


def test_a_judge_of_a_trial_decides_nothing() -> None:
    run = run_of_trial("job", trial(rewards={"reward": 1}), History("a__1", [], [], gates=Gates(judge="FAIL")))
    assert (*came_to(run), run.kind) == ("passed", 1.0, None, None, "trial")
    assert (run.checks, run.judge, run.run_status, run.gates_disagree) == ("PASS", "FAIL", "completed", True)


MISSING_RESULT = "harbor_trial_result_missing"
MALFORMED = "harbor_trial_result_malformed"


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (Problem("a__1", MISSING_RESULT, "x"), ("pending", None, MISSING_RESULT, None)),
        (Problem("a__1", MISSING_RESULT, "x", began=True), ("running", None, MISSING_RESULT, None)),
        (Problem("a__1", MISSING_RESULT, "x", over=True), ("broken", None, MISSING_RESULT, "machine")),
        (Problem("a__1", MISSING_RESULT, "x", began=True, over=True), ("broken", None, MISSING_RESULT, "machine")),
        (Problem("a__1", MALFORMED, "x"), ("broken", None, MALFORMED, "machine")),
        (Problem("a__1", MALFORMED, "x", over=True), ("broken", None, MALFORMED, "machine")),
    ],
)
def test_a_trial_without_a_result(problem: Problem, expected: tuple[Any, ...]) -> None:
    [run] = runs_of(_job([], [problem]), [])
    assert came_to(run) == expected
    # One that was only planned has the name of its task.
    assert (run.task, run.detail, run.validity) == ("a__1" if problem.unstarted else "a", "x", "not_completed")


def test_runs_without_a_result_come_last() -> None:
    runs = runs_of(_job([trial("a__1"), trial("a__2")], [Problem("b__1", MALFORMED, "x")]), [], prefix="job/")
    assert [run.id for run in runs] == ["job/a__1", "job/a__2", "job/b__1"]


def _job(trials: list[Trial], problems: list[Problem]) -> Job:
    return Job("job", trials, problems, ConfiguredMetrics(metrics_for(["adhoc"])), None, [])


# A whole job: what its gradings say together.
def summed(graded: dict[str, list[Grading]], used: str = "first", **fields: Any) -> Sequence[Run]:
    trials = [trial(name, **fields.get(name, {})) for name in graded]
    histories = [History(name, records, []) for name, records in graded.items() if records]
    return runs_of(_job(trials, []), histories, JobQuestion(grading=used))


@pytest.mark.statement("evaluation.flags-in-reports", "evaluation.missing-reward")
def test_wrong_unusable_and_broken_are_told_apart() -> None:
    graded = {
        "right": [grading(1, 1.0)],
        "wrong": [grading(1, 0.0)],
        "unusable": [grading(1, 0.0, parseable=False, schema_valid=False)],
        "broken": [grading(1, MISSING, cause="verifier")],
    }
    runs = summed(graded)
    counts = {state.value: count for state, count in gather(runs).states.items() if count}
    assert counts == {"passed": 1, "failed": 1, "unusable": 1, "broken": 1}
    found = report_job(_job([trial(name) for name in graded], []), runs=runs)
    assert [(group.mean, group.n) for group in found.groups] == [(1 / 3, 3)]
    # The broken one could have got anything: 1 of 4, or 2 of 4.
    bounds: Any = found.bounds["solver__adhoc"].bounds
    assert (bounds.low, bounds.high, bounds.broken, bounds.uncontrolled) == (0.25, 0.5, 1, 0)


def test_without_a_measurement_there_is_no_mean() -> None:
    runs = summed({"a": [grading(1, MISSING, cause="machine")]})
    [group] = report_job(_job([trial("a")], []), runs=runs).groups
    assert (group.mean, group.n, group.intervals) == (None, 0, None)


@pytest.mark.parametrize(("used", "score"), [("first", 0.75), ("latest", 1.0)])
def test_a_trial_with_steps_counts_once(used: str, score: float) -> None:
    records = [
        grading(1, 1.0, step="one"),
        grading(2, 0.5, step="two"),
        grading(3, 0.75, steps=[1, 2]),
        grading(4, 1.0, step="two"),
        grading(5, 1.0, steps=[1, 4]),
    ]
    assert [run.score for run in summed({"a": records}, used)] == [score]


@pytest.mark.parametrize(("rewards", "score"), [({"reward": 0.75}, 0.75), ({"reward": 0.5}, 0.5)])
def test_steps_of_an_older_record_are_summed_up_as_the_trials_rewards_were(
    rewards: dict[str, float], score: float
) -> None:
    """Mean or final: what leads to the recorded rewards."""
    records = [grading(1, 1.0, step="one"), grading(2, 0.5, step="two")]
    assert [run.score for run in summed({"a": records}, a={"rewards": rewards})] == [score]


@pytest.mark.parametrize(("used", "score"), [("first", 0.75), ("latest", 1.0)])
def test_the_first_gradings_of_steps_are_not_summed_up_by_a_later_record(used: str, score: float) -> None:
    """A trial from before there was a grading of the whole, which was graded again since."""
    records = [
        grading(1, 1.0, step="one"),
        grading(2, 0.5, step="two"),
        grading(3, 1.0, step="one"),
        grading(4, 1.0, step="two"),
        grading(5, 1.0, steps=[3, 4]),
    ]
    assert [run.score for run in summed({"a": records}, used, a={"rewards": {"reward": 0.75}})] == [score]


def test_what_is_shown_beside_the_decision() -> None:
    recorded = trial(
        rewards={"reward": 0.5, "speed": 2},
        started_at="2026-01-01T00:00:00Z",
        finished_at="2026-01-01T00:00:10Z",
        steps=("one", "two"),
    )
    run = run_of_trial("job", recorded, None, prefix="job/")
    assert (run.id, run.job, run.kind, run.validity) == ("job/a__1", "job", "trial", "valid")
    assert (run.axes, run.metadata, run.reviewers) == ({"reward": 0.5, "speed": 2.0}, {"steps": 2}, 0)
    assert run.began_at is not None
    assert run.began_at.isoformat() == "2026-01-01T00:00:00+00:00"
