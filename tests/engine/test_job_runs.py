"""The evaluation of a job in one line: mean, valid, unusable, broken; trials and steps are never mixed."""

from typing import Any

import pytest
from assay.engine.evaluation_summary import EvaluationSummary, evaluate_trials, summarize

from assay.dialects.evaluation.grading import Grading
from assay.dialects.harbor.trial import Trial
from assay.engine.history import History
from tests.dialects.evaluation.gradings import grading

MISSING = None


def trial(name: str, **fields: Any) -> Trial:
    return Trial(name=name, task="a", agent="solver", **fields)


def summed(graded: dict[str, list[Grading]], used: str = "first", **fields: Any) -> EvaluationSummary:
    trials = [trial(name, **fields.get(name, {})) for name in graded]
    histories = [History(name, records, []) for name, records in graded.items() if records]
    found = summarize(graded, evaluate_trials(trials, histories, used), fields.get("threshold", 1.0))
    assert found is not None
    return found


@pytest.mark.statement("evaluation.flags-in-reports", "evaluation.missing-reward")
def test_three_things_are_told_apart() -> None:
    found = summed(
        {
            "right": [grading(1, 1.0)],
            "wrong": [grading(1, 0.0)],
            "unusable": [grading(1, 0.0, parseable=False, schema_valid=False)],
            "broken": [grading(1, MISSING)],
        }
    )
    assert (found.valid, found.unusable, found.broken, found.ungraded, found.total) == (2, 1, 1, 0, 4)
    assert (found.mean, found.n_averaged, found.passed) == (1 / 3, 3, 1)
    assert found.mean_of_all == 0.25


def test_unusable_output_is_unusable_even_if_the_verifier_broke_on_it() -> None:
    found = summed({"a": [grading(1, MISSING, parseable=False, schema_valid=False)]})
    assert (found.unusable, found.broken, found.mean) == (1, 0, 0.0)


def test_without_a_measurement_there_is_no_mean() -> None:
    found = summed({"a": [grading(1, MISSING)]})
    assert (found.mean, found.n_averaged, found.mean_of_all) == (None, 0, 0.0)


def test_a_trial_whose_measurement_broke_has_no_grading_and_is_broken() -> None:
    graded = {"a": [grading(1, 1.0)], "b": [], "c": [grading(1, 1.0, step="one")], "d": []}
    broken = {"exception_type": "MeasurementError"}
    found = summed(graded, b=broken, c=broken)
    assert (found.valid, found.broken, found.ungraded) == (1, 2, 1)


@pytest.mark.parametrize(("used", "mean"), [("first", 0.75), ("latest", 1.0)])
def test_a_trial_with_steps_counts_once(used: str, mean: float) -> None:
    records = [
        grading(1, 1.0, step="one"),
        grading(2, 0.5, step="two"),
        grading(3, 0.75, steps=[1, 2]),
        grading(4, 1.0, step="two"),
        grading(5, 1.0, steps=[1, 4]),
    ]
    found = summed({"a": records}, used)
    assert (found.total, found.valid, found.mean) == (1, 1, mean)


@pytest.mark.parametrize(("rewards", "mean"), [({"reward": 0.75}, 0.75), ({"reward": 0.5}, 0.5)])
def test_steps_of_an_older_record_are_summed_up_as_the_trials_rewards_were(
    rewards: dict[str, float], mean: float
) -> None:
    """Mean or final: what leads to the recorded rewards."""
    records = [grading(1, 1.0, step="one"), grading(2, 0.5, step="two")]
    assert summed({"a": records}, a={"rewards": rewards}).mean == mean


@pytest.mark.parametrize(("used", "mean"), [("first", 0.75), ("latest", 1.0)])
def test_the_first_gradings_of_steps_are_not_summed_up_by_a_later_record(used: str, mean: float) -> None:
    """A trial from before there was a grading of the whole, which was graded again since."""
    records = [
        grading(1, 1.0, step="one"),
        grading(2, 0.5, step="two"),
        grading(3, 1.0, step="one"),
        grading(4, 1.0, step="two"),
        grading(5, 1.0, steps=[3, 4]),
    ]
    assert summed({"a": records}, used, a={"rewards": {"reward": 0.75}}).mean == mean


def test_a_job_without_gradings_has_no_evaluation() -> None:
    assert summarize(["a"], evaluate_trials([trial("a")], [], "first"), 1.0) is None
