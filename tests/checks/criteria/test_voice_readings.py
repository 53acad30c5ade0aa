"""A phrase is a mention: an author can ask for the last statement of a topic, or for a judge's reading."""

from typing import Any

import pytest

from assay.core.errors import MeasurementError
from assay.evidence.verdict import Answer, NoOpinion, Opinion, Question
from tests.checks.criteria.fake_state import FakeState, call
from tests.checks.criteria.test_voice_paraphrase import Fixed, graded

TAKEN_BACK = FakeState(
    spoken=call(
        ("agent", "Your CT is approved."),
        ("caller", "So the CT is approved?"),
        ("agent", "Sorry, I was joking about the CT, it was rejected."),
        ("agent", "Your visit is booked for Thursday."),
        ("agent", "Goodbye."),
    )
)


def verdict(phrase: dict[str, Any], *, key: str = "contains", judge: Fixed | None = None, **more: Any) -> Any:
    [run] = graded(judge, {"paraphrase": False, key: [phrase], **more}, state=TAKEN_BACK)
    return run


@pytest.mark.parametrize(
    ("phrase", "passed"),
    [
        ({"phrase": "is approved"}, True),
        ({"phrase": "is approved", "last_about": "CT"}, False),
        ({"phrase": "was rejected", "last_about": "the CT"}, True),
        ({"phrase": ["is confirmed", "is booked"], "last_about": ["visit", "appointment"]}, True),
        ({"phrase": "is booked", "last_about": "CT"}, False),
        ({"phrase": "is approved", "last_about": "MRI"}, False),
    ],
)
def test_the_last_statement_of_a_topic(phrase: dict[str, Any], passed: bool) -> None:
    assert verdict(phrase, speaker="agent").passed is passed


def test_a_forbidden_phrase_may_have_been_said_before_the_last_statement() -> None:
    forbidden = {"phrase": "is approved", "last_about": "CT"}
    assert verdict(forbidden, key="not_contains", speaker="agent").passed
    assert not verdict({"phrase": "is approved"}, key="not_contains", speaker="agent").passed


HOLDS, DOES_NOT = Opinion(True, 4, "is booked", "m"), Opinion(False, None, "", "m")


@pytest.mark.parametrize(
    ("key", "answer", "passed"),
    [
        ("contains", HOLDS, True),
        ("contains", DOES_NOT, False),
        ("not_contains", HOLDS, False),
        ("not_contains", DOES_NOT, True),
    ],
)
def test_a_judges_reading_decides_and_is_recorded(key: str, answer: Answer, passed: bool) -> None:
    """Also against the words: they are there each time."""
    judge = Fixed(answer)
    run = verdict({"phrase": "is booked", "judge": True}, key=key, judge=judge)
    assert (run.passed, run.status) == (passed, "completed")
    [row] = run.evidence["phraseResults"]
    assert row["judge"]["model"] == "m"
    assert row["found"] is answer.said  # type: ignore[union-attr] # All of these are opinions.
    [asked] = judge.asked
    assert asked.stands
    assert asked.phrases == ("is booked",)


@pytest.mark.parametrize("judge", [None, Fixed(NoOpinion("it is down", down=True))])
@pytest.mark.parametrize("key", ["contains", "not_contains"])
def test_without_a_judge_nothing_is_scored(key: str, judge: Fixed | None) -> None:
    with pytest.raises(MeasurementError, match="a phrase needs the reading of a judge"):
        verdict({"phrase": "is booked", "judge": True}, key=key, judge=judge)


@pytest.mark.parametrize("key", ["contains", "not_contains"])
def test_an_answer_that_can_not_be_used_is_never_a_pass(key: str) -> None:
    run = verdict({"phrase": "is booked", "judge": True}, key=key, judge=Fixed(NoOpinion("it can't be used")))
    assert (run.passed, run.score, run.status) == (False, 0.0, "failed")
    assert "it can't be used" in run.details


@pytest.mark.parametrize(
    "phrase",
    [{"phrase": ""}, {"phrase": []}, {}, {"phrase": "x", "judges": True}, {"phrase": "x", "last_about": "?"}],
)
def test_phrases_that_can_not_be(phrase: dict[str, Any]) -> None:
    run = verdict(phrase)
    assert (run.status, run.passed) == ("failed", False)
    assert "unsupported" in run.details


def test_the_question_tells_the_judge_what_holds() -> None:
    from assay.adapters.models.judge_setup import new_mark, prompt_file  # noqa: PLC0415 - only here
    from assay.judge.paraphrase import READING, paraphrase_question  # noqa: PLC0415
    from assay.judge.prompt import build  # noqa: PLC0415

    turns = tuple(TAKEN_BACK.spoken)
    text = build(paraphrase_question(Question(("x",), turns, turns, True), prompt_file(READING)), new_mark).text
    assert "still holds" in text
    assert "joking" in text
