"""What a job's trials say, with every denominator in sight."""

import json
import math
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import harbor
from assay.dialects.harbor.outcome_line import outcome_of
from assay.engine.report import Denominators, JobReport, Question, Success, report_job
from assay.stats.attempts import Estimate
from tests.builders import HARBOR_JOBS, within, write_lock, write_trial


def report(folder: Path, **question: Any) -> JobReport:
    with within(60):
        return report_job(harbor.read_job(folder), Question(**question))


def test_a_job_that_harbor_wrote() -> None:
    found = report(HARBOR_JOBS / "j1")
    assert (found.job, found.profile, found.finished) == ("j1", "harbor-0.13.1", True)
    assert found.counts == Denominators(scored=8, errored=6)
    [group] = found.groups
    assert (group.key, group.tasks, group.success) == ("oracle__ds", 7, Success("reward", 1.0))
    assert group.n_averaged == 6
    assert group.mean_of_scored == pytest.approx(3.4 / 6)
    assert group.harbor.metrics == [
        {"correct": 0.14285714285714285, "reward": 0.24285714285714285, "speed": 0.03571428571428571}
    ]
    assert [(t.reason_code, t.what, len(t.trials), t.unscored) for t in found.troubles] == [
        ("harbor_reward_missing", "RewardFileNotFoundError", 2, True),
        ("harbor_reward_parse_error", "ValidationError", 2, True),
        ("harbor_verifier_timeout_error", "VerifierTimeoutError", 2, True),
    ]


@pytest.mark.statement("harbor.scored-and-errored")
def test_scored_though_errored() -> None:
    found = report(HARBOR_JOBS / "j4")
    assert found.counts == Denominators(scored_though_errored=1)
    assert [(t.reason_code, t.unscored) for t in found.troubles] == [("harbor_agent_timeout_error", False)]


def write_attempts(job: Path, **attempts: str) -> None:
    """Attempts at each task: 1 and 0 are rewards, x is a trial without any."""
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
    assert (group.mean_of_scored, group.n_averaged) == (0.75, 8)


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


def test_nan_is_no_success(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": None}, files={"verifier/reward.txt": "nan"})
    [group] = report(tmp_path, threshold=-math.inf).groups
    assert group.pass_at_k[0].value == 0.0


@pytest.mark.parametrize(
    ("rewards", "key", "expected", "n_averaged"),
    [
        ([{"reward": 1, "speed": 0}, {"speed": 1}], None, "reward", 1),
        ([{"reward": 1, "speed": 0}, {"speed": 1}], "speed", "speed", 2),
        ([{"speed": 1}], None, "speed", 1),
        ([{"": 1}], None, "", 1),
        ([{"": 1, "a": 0}], "", "", 1),
        ([{"a": 1, "b": 1}], None, None, 0),
        ([{"a": 1}], "b", None, 0),
        ([{}], None, None, 0),
    ],
)
def test_the_reward_that_decides(
    tmp_path: Path, rewards: list[dict[str, float]], key: str | None, expected: str | None, n_averaged: int
) -> None:
    for i, reward in enumerate(rewards):
        write_trial(tmp_path, f"t{i}__1", rewards=reward)
    [group] = report(tmp_path, key=key).groups
    assert (None if group.success is None else group.success.key) == expected
    assert group.n_averaged == n_averaged
    assert (group.mean_of_scored is None) == (n_averaged == 0)
    assert bool(group.pass_at_k) == (expected is not None)


def test_each_group_has_its_own_numbers(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1}, model="big")
    write_trial(tmp_path, "t__2", rewards={"reward": 0}, model="small")
    write_trial(tmp_path, "t__3", model="small", exception="CancelledError")
    found = report(tmp_path)
    assert [(group.key, group.mean_of_scored) for group in found.groups] == [
        ("solver__big__ds", 1.0),
        ("solver__small__ds", 0.0),
    ]
    assert [group.counts.total for group in found.groups] == [1, 2]
    assert found.counts == Denominators(scored=2, cancelled=1)


def test_the_same_troubles_stand_together(tmp_path: Path) -> None:
    write_trial(tmp_path, "a__1", exception="RuntimeError", message="connection refused")
    write_trial(tmp_path, "a__2", exception="RuntimeError", message="something else")
    write_trial(tmp_path, "a__3", exception="RuntimeError", rewards={"reward": 1})
    write_trial(tmp_path, "a__4", exception="RuntimeError", message="connection reset")
    write_trial(tmp_path, "a__5")
    write_trial(tmp_path, "a__6", rewards=None)
    (tmp_path / "a__7").mkdir()
    assert [(t.reason_code, t.what, t.trials, t.unscored) for t in report(tmp_path).troubles] == [
        ("harbor_broker_connection_failed", "RuntimeError", ["a__1", "a__4"], True),
        ("harbor_trial_failed", "RuntimeError", ["a__2"], True),
        ("harbor_trial_failed", "RuntimeError", ["a__3"], False),
        ("harbor_reward_missing", "no verifier result and no error", ["a__5"], True),
        ("harbor_reward_missing", "a result without rewards", ["a__6"], True),
        ("harbor_trial_result_missing", "no result.json", ["a__7"], True),
    ]


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
    assert found.counts.total == 2
    assert "huge__1" in [name for trouble in found.troubles for name in trouble.trials]


# States in which a trial can be found, each with the count that it belongs to and with what harbor counts.
def _raw(data: bytes) -> Callable[[Path, str], object]:
    def write(job: Path, name: str) -> None:
        (job / name).mkdir()
        (job / name / "result.json").write_bytes(data)

    return write


def _trial(**fields: Any) -> Callable[[Path, str], object]:
    return lambda job, name: write_trial(job, name, **fields)


def _special(make: Callable[[Path], object]) -> Callable[[Path, str], object]:
    def write(job: Path, name: str) -> None:
        (job / name).mkdir()
        make(job / name / "result.json")

    return write


STATES: dict[str, tuple[Callable[[Path, str], object], str]] = {
    "passed": (_trial(rewards={"reward": 1}), "scored"),
    "failed": (_trial(rewards={"reward": 0.0}), "scored"),
    "two rewards": (_trial(rewards={"reward": 0.5, "speed": 2}), "scored"),
    "no keys": (_trial(rewards={}), "scored"),
    "NaN": (_trial(rewards={"reward": None}, files={"verifier/reward.txt": "nan"}), "scored"),
    "timed out but scored": (
        _trial(rewards={"reward": 1}, exception="AgentTimeoutError"),
        "scored_though_errored",
    ),
    "cancelled but scored": (_trial(rewards={"reward": 1}, exception="CancelledError"), "scored_though_errored"),
    "errored": (_trial(exception="RuntimeError"), "errored"),
    "errored, null rewards": (_trial(rewards=None, exception="RuntimeError"), "errored"),
    "cancelled": (_trial(exception="CancelledError"), "cancelled"),
    "no reward, no error": (_trial(), "missing"),
    "null rewards": (_trial(rewards=None), "missing"),
    "no result": (_special(lambda _path: None), "missing"),
    "dangling link": (_special(lambda path: path.symlink_to("nowhere")), "missing"),
    "half written": (_raw(b'{"task_name": "t"'), "invalid"),
    "empty": (_raw(b""), "invalid"),
    "not numbers": (_trial(rewards={"reward": "high"}), "invalid"),
    "lost": (_trial(rewards={"reward": None}), "invalid"),
    "pipe": (_special(os.mkfifo), "invalid"),
    "folder": (_special(lambda path: path.mkdir()), "invalid"),
    "link": (_special(lambda path: path.symlink_to("/etc/passwd")), "invalid"),
}
READABLE = {"scored", "scored_though_errored", "errored", "cancelled"}


def _counts_as_a_trial(state: str) -> bool:
    return STATES[state][1] in READABLE or state in ("no reward, no error", "null rewards")


@settings(max_examples=80)
@given(states=st.lists(st.sampled_from(sorted(STATES)), min_size=1, max_size=12), never_started=st.integers(0, 2))
def test_counts_always_add_up(
    tmp_path_factory: pytest.TempPathFactory, states: list[str], never_started: int
) -> None:
    job = tmp_path_factory.mktemp("job")
    for i, state in enumerate(states):
        STATES[state][0](job, f"t{i % 3}__{i}")
    planned = [(f"t{i % 3}", "solver") for i in range(len(states))] + [("never", "solver")] * never_started
    write_lock(job, planned)
    (job / "notes.txt").write_text("foreign")
    (job / "plots").mkdir()

    found = report(job)

    expected = Counter(STATES[state][1] for state in states)
    expected["missing"] += never_started
    assert {name: count for name, count in asdict(found.counts).items() if count} == +expected
    assert found.counts.total == len(states) + never_started
    readable = [state for state in states if _counts_as_a_trial(state)]
    errored = expected["errored"] + expected["scored_though_errored"] + expected["cancelled"]
    assert found.harbor.n_completed_trials == len(readable) == sum(group.counts.total for group in found.groups)
    assert found.harbor.n_errored_trials == errored
    assert found.harbor.n_cancelled_trials == states.count("cancelled") + states.count("cancelled but scored")
    assert found.harbor.n_pending_trials == found.counts.total - len(readable)
    for group in found.groups:
        assert group.harbor.n_trials == group.counts.scored + group.counts.scored_though_errored
        assert group.harbor.n_errors == errored
    # Whoever has no reward is named, once, with a reason of the set.
    unscored = [name for trouble in found.troubles if trouble.unscored for name in trouble.trials]
    assert len(unscored) == found.counts.total - expected["scored"] - expected["scored_though_errored"]
    assert {trouble.reason_code for trouble in found.troubles} <= harbor.REASON_CODES
    # The outcome of the text that harbor would write agrees.
    text = harbor.job_text(harbor.JobResult("i", "s", None, None, found.counts.total, found.harbor))
    outcome = outcome_of(text.encode())
    assert "NaN" in states or (outcome.total, outcome.status) == (
        found.counts.total,
        "failed" if errored else "completed",
    )
    assert json.loads(text)["stats"]["n_completed_trials"] == len(readable)
