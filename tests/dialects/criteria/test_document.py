"""The criteria document, sentence by sentence: dispatch, scoring, axes, verdicts and evidence."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import MeasurementError
from assay.dialects.criteria.models import Completion, Criterion, Verdict, verdict_of
from tests.checks.criteria.fake_state import FakeState, row
from tests.completing import complete


def criterion(score: float, weight: float = 1, axis: str | None = None) -> Criterion:
    """One that comes out with this score, 0, 0.5 or 1, on the state below."""
    rules = [{"path": "yes", "expected": 1}, {"path": "yes", "expected": 1 if score == 1 else 2}]
    if score == 0:
        rules = rules[1:]
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": rules}
    return Criterion(label=f"{score} of {axis}", assertion=assertion, weight=weight, axis=axis)


EXAMPLE = """{
  "verdict": "partial",
  "score": 0.66,
  "axes": {
    "correctness": { "score": 1.0, "weight": 2 },
    "safety": { "score": 0.0, "weight": 1 }
  }
}"""
STATE = FakeState(rows=[row("r", "k", {"yes": 1})])


def completed(*criteria: Criterion) -> Completion:
    return complete(criteria, {}, STATE)


@pytest.mark.statement("criteria.weighted-mean")
def test_the_task_score_is_a_weighted_mean() -> None:
    assert completed(criterion(1, 2), criterion(0, 1)).score == 2 / 3
    assert completed(criterion(1, 1), criterion(0.5, 3)).score == 0.625


@pytest.mark.statement("criteria.verdict-pass", "criteria.verdict-partial", "criteria.verdict-fail")
@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (1.0, "pass"),
        (0.9, "pass"),
        (0.8999999999999999, "partial"),
        (0.5, "partial"),
        (5e-324, "partial"),
        (0.0, "fail"),
        (None, "fail"),
    ],
)
def test_verdicts_look_at_the_raw_score(score: float | None, verdict: str) -> None:
    assert verdict_of(score) is Verdict(verdict)


@pytest.mark.statement("criteria.exact-mean")
@pytest.mark.parametrize(
    ("weights", "passed", "score", "verdict"),
    [
        ((0.7, 0.2, 0.1), 2, 0.9, "pass"),
        ((0.1,) * 10, 9, 0.9, "pass"),
        ((0.1, 0.2, 0.6, 0.1), 3, 0.9, "pass"),
        ((1, 1, 1), 2, 0.6666666666666666, "partial"),
        ((0.45, 0.4499999999, 0.1000000001), 2, 0.8999999999, "partial"),
    ],
)
def test_the_mean_is_exact(weights: tuple[float, ...], passed: int, score: float, verdict: str) -> None:
    """Weights are the decimals that were written; the mean is rounded to a float once."""
    answer = completed(*(criterion(number < passed, weight) for number, weight in enumerate(weights)))
    assert (answer.verdict, answer.axes["__default__"].score) == (Verdict(verdict), answer.score)
    assert answer.score == pytest.approx(score, abs=1e-11)
    assert verdict == "partial" or answer.score == score


def test_shares_of_rules_are_fractions() -> None:
    """A third of three criteria, each with a third of its rules, and so on: nothing is rounded on the way."""
    rules = [{"path": "yes", "expected": 1, "weight": one} for one in (0.7, 0.2)]
    rules.append({"path": "yes", "expected": 2, "weight": 0.1})
    assertion = {"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": rules}
    answer = completed(*(Criterion(label=str(n), assertion=assertion, weight=0.1) for n in range(3)))
    assert [run.score for run in answer.criterion_runs] == [0.9] * 3
    assert (answer.score, answer.axes["__default__"].weight) == (0.9, 0.3)


CRITERION_RUN = (
    "id", "task_run_id", "criterion_id", "label", "assert", "axis", "weight",
    "score", "passed", "status", "details", "evidence", "created_at",
)  # fmt: skip


@pytest.mark.statement("criteria.criterion-run-fields")
def test_a_criterion_run_on_the_wire() -> None:
    asked = criterion(1, 2, "safety").model_copy(update={"id": "c7"})
    run, odd = completed(asked, Criterion(label="odd", assertion={"assert": 5})).answer()["criterion_runs"]
    assert tuple(run) == tuple(odd) == CRITERION_RUN
    assert run == {
        "id": "1",
        "task_run_id": "task-run-1",
        "criterion_id": "c7",
        "label": "1 of safety",
        "assert": "portal-state-match",
        "axis": "safety",
        "weight": 2,
        "score": 1.0,
        "passed": True,
        "status": "completed",
        "details": "r: 2 of 2 fields as expected",
        "evidence": run["evidence"],
        "created_at": "2026-03-01T12:00:00Z",
    }
    assert (odd["assert"], odd["axis"], odd["criterion_id"], odd["status"]) == (None, None, None, "failed")


@pytest.mark.statement("criteria.scored-elides")
def test_a_scored_run_tells_nothing_that_it_is_graded_by() -> None:
    [run] = completed(criterion(1)).answer(scored=True)["criterion_runs"]
    assert tuple(run) == tuple(key for key in CRITERION_RUN if key not in ("details", "evidence"))


def test_a_completion_reads_its_own_json() -> None:
    answer = completed(criterion(1, 2, "safety"), criterion(0.5))
    assert Completion.model_validate(json.loads(answer.model_dump_json())) == answer
    assert json.loads(answer.model_dump_json()) == answer.answer()


@pytest.mark.statement("criteria.verdict-fail")
def test_no_criteria_is_a_fail() -> None:
    answer = completed()
    assert (answer.verdict, answer.score, answer.axes) == (Verdict.FAIL, 0.0, {})


def test_a_total_weight_of_zero_is_a_fail() -> None:
    answer = completed(criterion(1, 0))
    assert (answer.verdict, answer.score) == (Verdict.FAIL, 0.0)


@pytest.mark.statement("criteria.axis-answer")
def test_the_example_of_the_document() -> None:
    """The document abbreviates 2/3 as 0.66; on the wire it is not rounded."""
    answer = completed(criterion(1, 2, "correctness"), criterion(0, 1, "safety"))
    said = answer.model_dump(mode="json", exclude={"criterion_runs"})
    example = EXAMPLE.replace("0.66,", "0.6666666666666666,")
    assert json.dumps(said) == json.dumps(json.loads(example))


@pytest.mark.statement("criteria.axis-groups")
def test_an_axis_has_the_same_weighted_mean() -> None:
    answer = completed(criterion(1, 3, "safety"), criterion(0, 1, "safety"), criterion(0.5, 5, "efficiency"))
    axes = {name: (axis.score, axis.weight) for name, axis in answer.axes.items()}
    assert axes == {"safety": (0.75, 4), "efficiency": (0.5, 5)}


@pytest.mark.statement("criteria.axis-default")
@pytest.mark.parametrize("axis", [None, "__default__"])
def test_criteria_without_an_axis_are_collapsed(axis: str | None) -> None:
    answer = completed(criterion(1, axis=axis), criterion(0), criterion(1, 1, "safety"))
    axes = {name: (axis.score, axis.weight) for name, axis in answer.axes.items()}
    assert axes == {"__default__": (0.5, 2), "safety": (1.0, 1)}


@pytest.mark.parametrize(
    ("weights", "verdict"),
    [((9, 1), "pass"), ((0.9, 0.1), "pass"), ((8.999, 1.001), "partial"), ((1, 9), "partial"), ((0, 1), "fail")],
)
def test_the_verdict_of_a_run(weights: tuple[float, float], verdict: str) -> None:
    assert completed(criterion(1, weights[0]), criterion(0, weights[1])).verdict is Verdict(verdict)


@pytest.mark.statement("criteria.criterion-runs", "criteria.score-range")
def test_every_criterion_has_its_run_in_order() -> None:
    runs = completed(criterion(1, 2, "a"), criterion(0.5), criterion(0)).criterion_runs
    assert [(run.label, run.axis, run.weight, run.score, run.passed) for run in runs] == [
        ("1 of a", "a", 2, 1.0, True),
        ("0.5 of None", None, 1, 0.5, False),
        ("0 of None", None, 1, 0.0, False),
    ]


@pytest.mark.statement("criteria.unsupported")
def test_an_assertion_that_does_not_parse_is_a_failed_criterion_that_says_so() -> None:
    answer = completed(Criterion(label="odd", assertion={"assert": "portal-state-mach"}), criterion(1))
    odd = answer.criterion_runs[0]
    assert (odd.score, odd.passed) == (0.0, False)
    assert odd.details.startswith("unsupported assertion: assert must be one of")
    assert answer.score == 0.5


@pytest.mark.statement("criteria.source-down")
def test_a_source_that_is_down_is_not_a_zero() -> None:
    class Down(FakeState):
        def state_rows(self, resource: str) -> list[Any]:
            raise MeasurementError(f"{resource} can't be reached")

    with pytest.raises(MeasurementError, match="can't be reached"):
        complete([criterion(1)], {}, Down())


def test_a_check_that_breaks_is_not_a_zero_either() -> None:
    class Broken(FakeState):
        def state_rows(self, resource: str) -> list[Any]:  # noqa: ARG002
            raise KeyError("a value of the playground")

    with pytest.raises(MeasurementError, match=r"^the check of criterion '.*' broke \(KeyError\)") as caught:
        complete([criterion(1)], {}, Broken())
    assert "a value of" not in str(caught.value)


@pytest.mark.statement("criteria.score-range")
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 0.5, 1]), st.floats(0, 1e6), st.sampled_from([None, "a", "b"])), max_size=6
    )
)
def test_a_score_lies_within_those_of_its_criteria(made: list[tuple[float, float, str | None]]) -> None:
    answer = completed(*(criterion(*one) for one in made))
    scores = [run.score for run in answer.criterion_runs if run.weight] or [0.0]
    assert min(scores) <= answer.score <= max(scores)
    for axis in answer.axes.values():
        assert 0 <= axis.score <= 1
