"""What came after a trial's result: gradings and verdicts, read from a folder, and the newest rewards in place."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.annotations import annotate, write_grading
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.dialects.evaluation.models import ErrorSource, Grading, Judgment
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.trial_additions import History, read_histories, with_latest
from tests.builders import write_lock, write_trial
from tests.dialects.evaluation.gradings import grading


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job with two trials; nobody graded them again yet."""
    folder = tmp_path / "job"
    for name in ("a__1", "b__2"):
        write_trial(folder, name, rewards={"reward": 0.0})
    write_lock(folder, [("a", "solver"), ("b", "solver")])
    return folder


def trial(name: str = "a__1", **fields: Any) -> Trial:
    return Trial(name=name, task="a", agent="solver", **fields)


def read(job: Path) -> list[History]:
    return read_histories(DiskJobFolder(job), [trial("a__1"), trial("b__2")])


def history(job: Path, *gradings: Grading) -> History:
    """The history of a trial with these gradings, as it is read from disk."""
    for one in gradings:
        write_grading(str(job / "a__1"), one)
    return read(job)[0]


def test_a_job_without_records_has_no_histories(job: Path) -> None:
    assert read(job) == []


def test_only_trials_with_records_have_a_history(job: Path) -> None:
    write_grading(str(job / "b__2"), grading(1, 0.5))
    assert [(one.trial, len(one.gradings), one.annotations) for one in read(job)] == [("b__2", 1, [])]


def test_what_a_report_needs_of_a_grading(job: Path) -> None:
    record = grading(1, None, tags=(("time-out", "mechanical"),), rewards={"reward": None}, method="range of 2")
    found = history(job, record).gradings[0]
    assert (found.number, found.step, found.reason_code) == (1, None, "reward_missing")
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, False)
    tags = [(tag.category, tag.source) for tag in found.result.error_taxonomy or ()]
    assert tags == [("time-out", ErrorSource.MECHANICAL)]
    assert (found.rewards, found.exception_type) == ({"reward": None}, "RewardFileNotFoundError")


def test_what_a_report_needs_of_a_verdict(job: Path) -> None:
    annotate(job / "a__1", reviewer_id="r1", judgment=Judgment.FAIL, categories=["x"], notes="n")
    found = read(job)[0].annotations[0]
    assert (found.reviewer_id, found.judgment, found.categories, found.notes) == ("r1", Judgment.FAIL, ["x"], "n")


@pytest.mark.parametrize(
    ("fields", "flaky"),
    [
        ({"flaky": True}, True),
        ({"flaky": False, "span": (0.0, 1.0)}, False),
        ({"flaky": False}, False),
        # A record of the first version doesn't say; the range of its rewards does.
        ({"schema_version": 1}, False),
        ({"schema_version": 1, "span": (1.0, 1.0)}, False),
        ({"schema_version": 1, "span": (0.0, 1.0)}, True),
    ],
)
def test_a_flaky_grading_says_so(job: Path, fields: dict[str, Any], flaky: bool) -> None:
    assert history(job, grading(**fields)).gradings[0].is_flaky is flaky


@pytest.mark.parametrize("kind", ["gradings", "annotations"])
@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"number": "1"}'])
def test_a_record_that_can_not_be_read_is_an_input_error(job: Path, kind: str, content: str) -> None:
    write_grading(str(job / "b__2"), grading())
    (job / "a__1" / kind).mkdir()
    (job / "a__1" / kind / "0001.json").write_text(content)
    with pytest.raises(InputError, match=rf"a__1/{kind}/0001\.json"):
        read(job)


def test_a_whole_number_beyond_every_float_is_no_crash(job: Path) -> None:
    """Harbor takes such a number, and the grading's record holds it."""
    found = history(job, grading(1), grading(2, rewards={"reward": 10**400}))
    assert [one.number for one in found.gradings] == [1, 2]


def test_the_first_and_the_newest_of_each_step_in_the_order_of_the_steps(job: Path) -> None:
    found = history(
        job,
        grading(1, 0.1, step="one"),
        grading(2, 0.2, step="two"),
        grading(3, 0.3, step="one"),
        grading(4, 0.4, step="two"),
        grading(5, 0.5, step="one"),
    )
    assert [(one.step, one.number) for one in found.first()] == [("one", 1), ("two", 2)]
    assert [(one.step, one.number) for one in found.latest()] == [("one", 5), ("two", 4)]


# --- The newest rewards in place of a trial's own ---


def latest(job: Path, own: Trial, *gradings: Grading) -> Trial:
    return with_latest([own], [history(job, *gradings)])[0]


def test_a_trial_that_was_graded_once_is_as_it_was(job: Path) -> None:
    """Its first grading is the run's own, and harbor's numbers are the record."""
    own = trial(rewards={"reward": 0.25}, verified=True)
    assert latest(job, own, grading(1, 0.5)) is own


def test_a_trial_without_a_history_is_as_it_was(job: Path) -> None:
    own = trial("b__2", rewards={"reward": 0.25}, verified=True)
    assert with_latest([own], [history(job, grading(1), grading(2))]) == [own]


@pytest.mark.parametrize(
    ("rewards", "expected", "verified"),
    [
        ({"reward": 0.5}, {"reward": 0.5}, True),
        ({"a": 1, "b": 0}, {"a": 1, "b": 0}, True),
        ({}, {}, True),
        ({"reward": None}, {}, True),
        (None, None, False),
    ],
)
def test_the_newest_rewards_take_the_place_of_the_old(
    job: Path, rewards: Mapping[str, float | None] | None, expected: Mapping[str, float] | None, verified: bool
) -> None:
    own = trial(rewards={"reward": 0.0}, verified=True)
    found = latest(job, own, grading(1, 0.0), grading(2, 1.0, rewards=rewards))
    assert (found.rewards, found.verified) == (expected, verified)


def test_what_nan_was_lost_is_the_newest_gradings(job: Path) -> None:
    """JSON has no NaN; a key is lost where the newest rewards lost it."""
    own = trial(rewards={}, verified=True, lost=("reward",))
    assert latest(job, own, grading(1, rewards={"reward": None}), grading(2)).lost == ()


def test_a_key_that_the_newest_grading_lost_is_named(job: Path) -> None:
    own = trial(rewards={"reward": 1.0}, verified=True)
    assert latest(job, own, grading(1), grading(2, rewards={"reward": None})).lost == ("reward",)


@pytest.mark.parametrize(
    ("own_rewards", "own_exception", "first", "second", "expected"),
    [
        # The verifier's error is gone with its new answer.
        (None, "RewardFileNotFoundError", grading(1, None), grading(2, 1.0), None),
        # Its new error is the trial's.
        ({"reward": 1.0}, None, grading(1, 1.0), grading(2, None), "RewardFileNotFoundError"),
        # The agent's stays, whatever the verifier says.
        ({"reward": 1.0}, "AgentTimeoutError", grading(1, 1.0), grading(2, 0.5), "AgentTimeoutError"),
        (None, "AgentTimeoutError", grading(1, None), grading(2, 1.0), "AgentTimeoutError"),
    ],
)
def test_what_becomes_of_an_exception(
    job: Path,
    own_rewards: dict[str, float] | None,
    own_exception: str | None,
    first: Grading,
    second: Grading,
    expected: str | None,
) -> None:
    own = trial(rewards=own_rewards, verified=own_rewards is not None, exception_type=own_exception)
    assert latest(job, own, first, second).exception_type == expected


@pytest.mark.parametrize(
    ("recorded", "expected"), [({"reward": 0.5}, {"reward": 0.75}), ({"reward": 0.0}, {"reward": 0.5})]
)
def test_steps_are_combined_by_the_strategy_that_gave_the_record(
    job: Path, recorded: dict[str, float], expected: dict[str, float]
) -> None:
    """The first gradings are 1 and 0: a mean of 0.5, or a last step of 0."""
    own = trial(rewards=recorded, verified=True, steps=("one", "two"))
    found = latest(job, own, grading(1, 1.0, step="one"), grading(2, 0.0, step="two"), grading(3, 0.5, step="two"))
    assert found.rewards == expected


def test_a_step_that_was_not_graded_again_keeps_its_first_grading(job: Path) -> None:
    own = trial(rewards={"reward": 0.5}, verified=True, steps=("one", "two"))
    found = latest(job, own, grading(1, 1.0, step="one"), grading(2, 0.0, step="two"), grading(3, 0.0, step="one"))
    assert (found.rewards, found.verified) == ({"reward": 0.0}, True)


def test_steps_without_any_rewards(job: Path) -> None:
    own = trial(rewards={"reward": 1.0}, verified=True, steps=("one",))
    found = latest(job, own, grading(1, 1.0, step="one"), grading(2, None, step="one"))
    assert (found.rewards, found.verified) == (None, False)


def test_records_of_a_newer_assay_with_further_fields_can_be_read(job: Path) -> None:
    record = json.loads(grading().model_dump_json()) | {"colour": "blue"}
    write_grading(str(job / "b__2"), grading())
    (job / "a__1" / "gradings").mkdir()
    (job / "a__1" / "gradings" / "0001.json").write_text(json.dumps(record))
    assert len(read(job)) == 2
