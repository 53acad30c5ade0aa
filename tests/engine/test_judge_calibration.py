"""A judge against people."""

from typing import Any

import pytest

from assay.core.errors import InputError
from assay.dialects.scorers.calibration_record import CalibrationRecord, LabelLine, Measure
from assay.dialects.scorers.report import JudgeVerdict
from assay.judge.calibration import Readiness, calibrate
from tests.judge.cases import FAIL, RUN, said
from tests.judge.scripted_model import ScriptedModel
from tests.judge.verdicts import AT, run_judge, verdict_of

PASSED, FAILED = verdict_of(said()), verdict_of(said(FAIL))


def verdicts(states: str) -> dict[str, JudgeVerdict]:
    """A verdict for each letter: P, F, or U for unparseable."""
    of = {"P": PASSED, "F": FAILED, "U": verdict_of("prose")}
    return {str(number): of[state] for number, state in enumerate(states)}


def labels(annotator: str, states: str) -> list[LabelLine]:
    """A label for each letter: P, F, or D for defer; a blank is none."""
    return [label(at, annotator, one) for at, one in enumerate(states) if one != " "]


def label(at: int, annotator: str, state: str, **more: Any) -> LabelLine:
    said: dict[str, Any] = {"P": "PASS", "F": "FAIL", "D": "defer"}
    return LabelLine(run=str(at), annotator=annotator, verdict=said[state], **more)


def measure(record: CalibrationRecord, name: str) -> Measure:
    return next(one for one in record.measures if one.name == name)


# 40 runs of which people pass 24. The judge passes 22 of these, and 3 of the others.
HUMAN = "P" * 24 + "F" * 16
JUDGE = "P" * 22 + "FF" + "PPP" + "F" * 13


def test_confusion_agreement_and_kappa() -> None:
    found = calibrate(verdicts(JUDGE), labels("ann", HUMAN) + labels("bob", HUMAN), AT)
    assert found.confusion == {
        "people PASS": {"judge PASS": 22, "judge FAIL": 2},
        "people FAIL": {"judge PASS": 3, "judge FAIL": 13},
    }
    assert measure(found, "percent agreement").value == 0.875
    # By hand: chance is (25 * 24 + 15 * 16) / 1600 = 0.525.
    assert measure(found, "Cohen's kappa").value == pytest.approx((0.875 - 0.525) / 0.475)
    assert measure(found, "among people: Krippendorff's alpha, nominal").value == 1
    assert (found.models, found.cases, found.annotators) == (["m"], 40, ["ann", "bob"])


def test_the_pass_rate_without_the_judges_mistakes() -> None:
    found = calibrate(verdicts(JUDGE), labels("ann", HUMAN), AT)
    assert found.reported == 25 / 40
    # Rogan and Gladen: (0.625 + 13/16 - 1) / (22/24 + 13/16 - 1), which is the truth here.
    assert found.corrected is not None
    assert found.corrected.value == pytest.approx(24 / 40)
    assert found.corrected.low is not None
    assert found.corrected.high is not None
    assert found.corrected.low < 0.6 < found.corrected.high


def test_runs_without_a_label_count_in_the_rate_only() -> None:
    found = calibrate(verdicts(JUDGE + "P" * 10), labels("ann", HUMAN), AT)
    assert (found.cases, found.reported) == (40, 35 / 50)


def test_what_is_missing_is_listed() -> None:
    found = calibrate(verdicts("PPFF"), labels("ann", "PFFF"), AT)
    assert found.unmet == [
        "annotators must be at least 2, got 1",
        "cases must be at least 12, got 4",
        "agreement must be at least 0.8, got 0.750",
        "the interval of the agreement must be no wider than 0.2, got 0.654",
        "kappa must be above 0 beyond chance, got an interval from -0.601",
    ]


def test_a_good_judge_on_enough_cases_is_calibrated() -> None:
    human, judge = HUMAN * 3, JUDGE[:24].replace("FF", "PF") * 1 + "F" * 16
    found = calibrate(verdicts(judge * 3), labels("ann", human) + labels("bob", human), AT)
    assert found.unmet == []
    wider = Readiness(annotators=3, cases=200, agreement=0.99, width=0.01)
    assert len(calibrate(verdicts(judge * 3), labels("ann", human), AT, wider).unmet) == 4


@pytest.mark.parametrize("judge", ["P" * 120, "PF" * 60])
def test_a_useless_judge_is_called_useless(judge: str) -> None:
    human = "P" * 96 + "F" * 24 if judge[1] == "P" else "PPFF" * 30
    found = calibrate(verdicts(judge), labels("ann", human) + labels("bob", human), AT)
    kappa = measure(found, "Cohen's kappa")
    assert kappa.value is None or abs(kappa.value) < 0.05
    assert any("kappa" in reason for reason in found.unmet)


def test_people_who_disagree_or_defer() -> None:
    people = labels("ann", "PPFF") + labels("bob", "FPDF") + labels("cid", "  F ")
    found = calibrate(verdicts("PPFF"), people, AT)
    # Run 0 is one against one, so it has no truth.
    assert found.cases == 3
    assert measure(found, "percent agreement").value == 1
    assert "among people: Fleiss' kappa" not in {one.name for one in found.measures}


def test_fleiss_where_everybody_said_something() -> None:
    found = calibrate(verdicts("PPFF"), labels("ann", "PPFF") + labels("bob", "PFFF"), AT)
    # By hand: agreement 3/4; passes 3 of 8, so chance is 9/64 + 25/64.
    assert measure(found, "among people: Fleiss' kappa").value == pytest.approx((0.75 - 34 / 64) / (30 / 64))


def test_only_the_last_word_of_a_person_counts() -> None:
    found = calibrate(verdicts("PF"), [*labels("ann", "FP"), *labels("ann", "PF")], AT)
    assert measure(found, "percent agreement").value == 1


def test_an_unparseable_verdict_is_no_case() -> None:
    found = calibrate(verdicts("PFU"), labels("ann", "PFP"), AT)
    assert (found.cases, found.reported) == (2, 0.5)


def test_by_failure_mode() -> None:
    people = [
        *labels("ann", "P"),
        label(1, "ann", "F", failure_mode="reward_hacking"),
        label(2, "ann", "F", failure_mode="reward_hacking"),
        label(3, "ann", "F"),
    ]
    none, hacking = calibrate(verdicts("PPFF"), people, AT).by_failure_mode
    assert (none.failure_mode, none.runs, none.judge_failed) == ("none given", 1, 1)
    assert (hacking.failure_mode, hacking.runs, hacking.judge_failed) == ("reward_hacking", 2, 1)
    # Wilson's interval of 1 in 2.
    assert (hacking.low, hacking.high) == pytest.approx((0.0945, 0.9055), abs=1e-4)


def test_ratings_are_compared_with_weights() -> None:
    answers = [1, 2, 3, 4, 5, 5]
    given = {str(at): run_judge(ScriptedModel(said(efficiency=one)))(RUN) for at, one in enumerate(answers)}
    people = [label(at, "ann", "P", efficiency=one) for at, one in enumerate([1, 2, 3, 4, 4, 5])]
    (found,) = calibrate(given, people, AT).ratings
    assert found.name == "efficiency: Cohen's kappa, quadratic weights"
    assert found.value is not None
    assert 0.9 < found.value < 1


def test_judgements_of_several_judges_are_refused() -> None:
    other = run_judge(ScriptedModel(said(), model="other"))(RUN)
    with pytest.raises(InputError, match=r"must be of one judge, got m with verdict-2; other with verdict-2"):
        calibrate({"0": PASSED, "1": other}, labels("ann", "PP"), AT)
    with pytest.raises(InputError, match="needs runs that were judged"):
        calibrate({}, labels("ann", "PP"), AT)
