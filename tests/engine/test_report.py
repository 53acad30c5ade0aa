"""What a job's trials say, with every denominator in sight."""

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import harbor
from assay.dialects.harbor.outcome_line import outcome_of
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.report.report import JobReport, Success, report_job
from assay.evidence.run import COUNTED, State
from assay.stats.means import Bounds
from assay.stats.passes import Estimate
from tests.builders import HARBOR_JOBS, within, write_lock, write_trial
from tests.sampling import examples


def report(folder: Path, **question: Any) -> JobReport:
    with within(60):
        return report_job(harbor.read_job(folder), JobQuestion(**question))


def counted(states: Mapping[State, int]) -> dict[str, int]:
    return {state.value: count for state, count in states.items() if count}


def test_a_job_that_harbor_wrote() -> None:
    found = report(HARBOR_JOBS / "j1")
    assert (found.job, found.profile, found.finished) == ("j1", "harbor-0.13.1", True)
    assert counted(found.states) == {"passed": 2, "partial": 2, "failed": 2, "scored": 2, "unusable": 6}
    [group] = found.groups
    assert (group.key, group.tasks, group.success) == ("oracle__ds", 7, Success("reward", 1.0))
    # Two runs each got 1, 0.7 and 0, and six nothing usable. The two with several rewards have no score.
    assert group.n == 12
    assert group.mean == pytest.approx(3.4 / 12)
    bounds = found.bounds["oracle__ds"].bounds
    assert isinstance(bounds, Bounds)
    assert (bounds.low, bounds.high) == pytest.approx((3.4 / 12, 9.4 / 12))
    assert (bounds.broken, bounds.uncontrolled) == (0, 6)
    assert [(one.key, one.mean, one.n) for one in group.keys] == [
        ("correct", 1, 2),
        ("speed", 0.25, 2),
        ("reward", pytest.approx(3.4 / 6), 6),
    ]
    assert group.harbor.metrics == [
        {"correct": 0.14285714285714285, "reward": 0.24285714285714285, "speed": 0.03571428571428571}
    ]
    assert [(t.reason, t.what, len(t.trials), t.state, t.cause) for t in found.troubles] == [
        ("no_deciding_key", "", 2, "scored", None),
        ("harbor_reward_missing", "RewardFileNotFoundError", 2, "unusable", None),
        ("harbor_reward_parse_error", "ValidationError", 2, "unusable", None),
        ("harbor_verifier_timeout_error", "VerifierTimeoutError", 2, "unusable", None),
    ]


@pytest.mark.statement("harbor.scored-and-errored")
def test_scored_though_errored() -> None:
    found = report(HARBOR_JOBS / "j4")
    assert counted(found.states) == {"passed": 1}
    assert [(t.reason, t.state) for t in found.troubles] == [("harbor_agent_timeout_error", "passed")]


def write_attempts(job: Path, **attempts: str) -> None:
    """Attempts at each task: 1 and 0 are rewards, x is a trial without any, which counts as 0."""
    for task, marks in attempts.items():
        for i, mark in enumerate(marks):
            fields: dict[str, Any] = {} if mark == "x" else {"rewards": {"reward": int(mark)}}
            write_trial(job, f"{task}__{i}", **fields)


def test_estimates_beside_harbors(tmp_path: Path) -> None:
    write_attempts(tmp_path, easy="1111", hard="0x10", once="1")
    [group] = report(tmp_path).groups
    assert group.harbor.pass_at_k == {}
    assert group.pass_at_k == [
        Estimate(1, 0.75, tasks=3, tasks_with_too_few_attempts=0),
        Estimate(2, 0.75, tasks=2, tasks_with_too_few_attempts=1),
        Estimate(4, 1.0, tasks=2, tasks_with_too_few_attempts=1),
    ]
    assert [(one.k, one.value) for one in group.pass_hat_k] == [(1, 0.75), (2, 0.5), (4, 0.5)]
    assert (group.mean, group.n) == (6 / 9, 9)


def test_k_of_ones_own_choice(tmp_path: Path) -> None:
    write_attempts(tmp_path, a="110")
    [group] = report(tmp_path, k=(3, 1, 3, 9)).groups
    assert [(one.k, one.value) for one in group.pass_at_k] == [(1, 0.6666666666666667), (3, 1.0), (9, None)]


@pytest.mark.parametrize(("threshold", "value"), [(1.0, 0.25), (0.5, 0.5), (0.25, 0.75), (-1, 1.0), (1.1, 0.0)])
def test_a_threshold_of_ones_own_choice(tmp_path: Path, threshold: float, value: float) -> None:
    for i, reward in enumerate((1, 0.5, 0.25, 0)):
        write_trial(tmp_path, f"t{i}__1", rewards={"reward": reward})
    [group] = report(tmp_path, threshold=threshold).groups
    assert group.pass_at_k[0].value == value
    assert group.mean == 0.4375


def test_nan_is_no_success(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": None}, files={"verifier/reward.txt": "nan"})
    [group] = report(tmp_path, threshold=-math.inf).groups
    assert group.pass_at_k[0].value == 0.0


@pytest.mark.parametrize(
    ("rewards", "key", "expected", "scores"),
    [
        ([{"reward": 1, "speed": 0}, {"speed": 1, "size": 0}], None, "reward", [1, None]),
        ([{"reward": 1, "speed": 0}, {"speed": 1}], "speed", "speed", [0, 1]),
        ([{"speed": 1}], None, "speed", [1]),
        ([{"": 1}], None, "", [1]),
        ([{"": 1, "a": 0}], "", "", [1]),
        ([{"a": 1, "b": 1}], None, None, [None]),
        # A run that doesn't have what was asked for counts as 0, and so does one that has nothing.
        ([{"a": 1}, {"b": 1}], "b", "b", [0, 1]),
        ([{}], None, "reward", [0]),
    ],
)
def test_the_reward_that_decides(
    tmp_path: Path,
    rewards: list[dict[str, float]],
    key: str | None,
    expected: str | None,
    scores: list[float | None],
) -> None:
    for i, reward in enumerate(rewards):
        write_trial(tmp_path, f"t{i}__1", rewards=reward)
    found = report(tmp_path, key=key)
    [group] = found.groups
    assert (None if group.success is None else group.success.key) == expected
    assert [run.score for run in found.runs] == scores
    known = [score for score in scores if score is not None]
    assert (group.n, group.mean) == (len(known), sum(known) / len(known) if known else None)
    assert bool(group.pass_at_k) == (expected is not None)


def test_each_group_has_its_own_numbers(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1}, model="big")
    write_trial(tmp_path, "t__2", rewards={"reward": 0}, model="small")
    write_trial(tmp_path, "t__3", model="small", exception="CancelledError")
    found = report(tmp_path)
    assert [(group.key, group.mean) for group in found.groups] == [
        ("solver__big__ds", 1.0),
        ("solver__small__ds", 0.0),
    ]
    assert [counted(group.states) for group in found.groups] == [{"passed": 1}, {"failed": 1, "cancelled": 1}]
    assert counted(found.states) == {"passed": 1, "failed": 1, "cancelled": 1}


def test_the_same_troubles_stand_together(tmp_path: Path) -> None:
    write_trial(tmp_path, "a__1", exception="RuntimeError", message="connection refused")
    write_trial(tmp_path, "a__2", exception="RuntimeError", message="something else")
    write_trial(tmp_path, "a__3", exception="RuntimeError", rewards={"reward": 1})
    write_trial(tmp_path, "a__4", exception="RuntimeError", message="connection reset")
    write_trial(tmp_path, "a__5")
    write_trial(tmp_path, "a__6", rewards=None)
    (tmp_path / "a__7").mkdir()
    found = [(t.reason, t.what, [_folder(name) for name in t.trials], t.state) for t in report(tmp_path).troubles]
    assert found == [
        ("harbor_broker_connection_failed", "RuntimeError", ["a__1", "a__4"], "unusable"),
        ("harbor_trial_failed", "RuntimeError", ["a__2"], "unusable"),
        ("harbor_trial_failed", "RuntimeError", ["a__3"], "passed"),
        ("harbor_reward_missing", "no verifier result and no error", ["a__5"], "unusable"),
        ("harbor_reward_missing", "a result without rewards", ["a__6"], "unusable"),
        ("harbor_trial_result_missing", "no result.json", ["a__7"], "running"),
    ]


def _folder(name: str) -> str:
    return name.partition("#")[0]


@pytest.mark.parametrize(
    ("record", "finished"),
    [
        (None, None),
        ('{"finished_at": "2026-01-01T00:00:00"}', True),
        ('{"finished_at": null}', False),
        ("{}", False),
        ("not json", None),
        ("[]", None),
        ('{"finished_at": 7}', None),
        ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}", None),
    ],
)
def test_whether_the_job_finished(tmp_path: Path, record: str | None, finished: bool | None) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    if record is not None:
        (tmp_path / "result.json").write_text(record)
    assert report(tmp_path).finished is finished


def test_a_reward_that_no_float_can_hold_is_no_crash(tmp_path: Path) -> None:
    """Harbor itself ends with an OverflowError here; a report names the trial instead."""
    write_trial(tmp_path, "fine__1", rewards={"reward": 1})
    write_trial(tmp_path, "huge__1", rewards={"reward": 10**400})
    found = report(tmp_path)
    assert counted(found.states) == {"passed": 1, "broken": 1}
    assert "huge__1" in [name for trouble in found.troubles for name in trouble.trials]


# Ways in which a trial can be found, each with the state that it comes to.
def _raw(data: bytes) -> Callable[[Path, str], object]:
    def write(job: Path, name: str) -> None:
        (job / name).mkdir()
        (job / name / "result.json").write_bytes(data)

    return write


def _trial(**fields: Any) -> Callable[[Path, str], object]:
    return lambda job, name: write_trial(job, name, **fields)


def _unverified(job: Path, name: str) -> None:
    task, agent = {"path": None, "name": name.partition("__")[0]}, {"name": "solver"}
    write_trial(job, name, config={"task": task, "agent": agent, "verifier": {"disable": True}})


def _special(make: Callable[[Path], object]) -> Callable[[Path, str], object]:
    def write(job: Path, name: str) -> None:
        (job / name).mkdir()
        make(job / name / "result.json")

    return write


TRIALS: dict[str, tuple[Callable[[Path, str], object], str]] = {
    "passed": (_trial(rewards={"reward": 1}), "passed"),
    "failed": (_trial(rewards={"reward": 0.0}), "failed"),
    "two rewards": (_trial(rewards={"reward": 0.5, "speed": 2}), "partial"),
    "out of range": (_trial(rewards={"reward": 2}), "unusable"),
    "no keys": (_trial(rewards={}), "unusable"),
    "NaN": (_trial(rewards={"reward": None}, files={"verifier/reward.txt": "nan"}), "unusable"),
    "timed out but scored": (_trial(rewards={"reward": 1}, exception="AgentTimeoutError"), "passed"),
    "cancelled but scored": (_trial(rewards={"reward": 1}, exception="CancelledError"), "cancelled"),
    "errored": (_trial(exception="RuntimeError"), "unusable"),
    "errored, null rewards": (_trial(rewards=None, exception="RuntimeError"), "unusable"),
    "never started": (_trial(exception="EnvironmentStartTimeoutError"), "broken"),
    "cancelled": (_trial(exception="CancelledError"), "cancelled"),
    "no reward, no error": (_trial(), "unusable"),
    "null rewards": (_trial(rewards=None), "unusable"),
    "not verified by choice": (_unverified, "not_judged"),
    "no result": (_special(lambda _path: None), "running"),
    "dangling link": (_special(lambda path: path.symlink_to("nowhere")), "running"),
    "half written": (_raw(b'{"task_name": "t"'), "broken"),
    "empty": (_raw(b""), "broken"),
    "not numbers": (_trial(rewards={"reward": "high"}), "broken"),
    "lost": (_trial(rewards={"reward": None}), "unusable"),
    "pipe": (_special(os.mkfifo), "broken"),
    "folder": (_special(lambda path: path.mkdir()), "broken"),
    "link": (_special(lambda path: path.symlink_to("/etc/passwd")), "broken"),
}
UNREADABLE = list(TRIALS)[-9:]
ERRORED = ("timed out but scored", "cancelled but scored", "errored", "errored, null rewards", "never started")
REWARDED = list(TRIALS)[:8]
REASONS = harbor.REASON_CODES | {
    "reward_not_finite",
    "reward_out_of_range",
    "no_deciding_key",
    "verification_disabled",
}


@examples(80)
@given(kinds=st.lists(st.sampled_from(sorted(TRIALS)), min_size=1, max_size=12), never_started=st.integers(0, 2))
def test_counts_always_add_up(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], never_started: int
) -> None:
    job = tmp_path_factory.mktemp("job")
    for i, kind in enumerate(kinds):
        TRIALS[kind][0](job, f"t{i % 3}__{i}")
    planned = [(f"t{i % 3}", "solver") for i in range(len(kinds))] + [("never", "solver")] * never_started
    write_lock(job, planned)
    (job / "notes.txt").write_text("foreign")
    (job / "plots").mkdir()

    found = report(job)

    expected = Counter(TRIALS[kind][1] for kind in kinds)
    expected["pending"] += never_started
    total = len(kinds) + never_started
    assert counted(found.states) == +expected
    assert len(found.runs) == sum(found.states.values()) == total
    readable = [kind for kind in kinds if kind not in UNREADABLE]
    errored = sum(kind in (*ERRORED, "cancelled") for kind in kinds)
    # A result of which only the reward is lost tells which group it is of.
    placed = len(readable) + sum(kind == "lost" for kind in kinds)
    assert found.harbor.n_completed_trials == len(readable)
    assert sum(sum(one.states.values()) for one in found.groups) == placed
    assert found.harbor.n_errored_trials == errored
    assert found.harbor.n_cancelled_trials == expected["cancelled"]
    assert found.harbor.n_pending_trials == total - len(readable)
    for group in found.groups:
        assert group.harbor.n_trials == sum(kind in REWARDED for kind in kinds)
        assert group.harbor.n_errors == errored
        assert group.n == sum(expected[state] for state in COUNTED)
        assert group.n == 0 or group.mean == (expected["passed"] + expected["partial"] / 2) / group.n
    # Whoever has no usable reward is named, once, with a reason of the set.
    usable = ("passed", "partial", "failed")
    named = [name for trouble in found.troubles if trouble.state not in usable for name in trouble.trials]
    assert len(named) == len(set(named)) == total - sum(expected[state] for state in usable)
    assert {trouble.reason for trouble in found.troubles} <= REASONS
    # The outcome of the text that harbor would write agrees.
    text = harbor.job_text(harbor.JobResult("i", "s", None, None, total, found.harbor))
    outcome = outcome_of(text.encode())
    assert "NaN" in kinds or (outcome.total, outcome.status) == (total, "failed" if errored else "completed")
    assert json.loads(text)["stats"]["n_completed_trials"] == len(readable)
