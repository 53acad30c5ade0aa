"""A model that answers, one that fails, and when it is asked no more."""

import json
from collections.abc import Mapping
from typing import Any

from assay.adapters.judge_prompt import new_mark, prompt_template
from assay.core.errors import MeasurementError
from assay.evidence.paraphrase import NoOpinion, Opinion
from assay.judge.answer import SCHEMA
from assay.judge.paraphrase import GIVEN_UP_AFTER, LONGEST_PROMPT, ParaphraseJudge
from tests.judge.questions import ASKED, about

NOT_SAID = json.dumps({"said": False, "turn": None, "quote": ""})


class Scripted:
    """A model that gives these answers one after the other; None is a failure."""

    model = "m"

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    def answer(self, text: str, schema: Mapping[str, Any]) -> str:
        self.asked.append((text, schema))
        answer = self.answers.pop(0)
        if answer is None:
            raise MeasurementError("the judge m: it can't be reached")
        return answer


def test_what_the_model_is_asked_and_what_becomes_of_its_answer() -> None:
    model = Scripted(json.dumps({"said": True, "turn": 2, "quote": "all set"}), "no JSON")
    judge = ParaphraseJudge(model, prompt_template(), new_mark)
    assert judge.opinion(ASKED) == Opinion(True, 2, "all set", "m")
    assert judge.opinion(ASKED) == NoOpinion("the answer of m can't be used: it is not a JSON object")
    assert "is booked" in model.asked[0][0]
    assert model.asked[0][1] == SCHEMA


def test_a_model_that_failed_twice_in_a_row_is_not_asked_again() -> None:
    model = Scripted(None, NOT_SAID, "unusable", None, *[None] * (GIVEN_UP_AFTER - 1))
    judge = ParaphraseJudge(model, prompt_template(), new_mark)
    answers = [judge.opinion(ASKED) for _ in range(7)]
    assert (len(model.asked), model.answers) == (5, [])
    assert [isinstance(one, NoOpinion) for one in answers] == [True, False, True, True, True, True, True]
    assert answers[4] == NoOpinion("the judge m: it can't be reached")
    assert answers[6] == NoOpinion("the judge was not asked, because it failed 2 times in a row")


def test_a_transcript_that_is_too_long_is_not_sent() -> None:
    model = Scripted()
    found = ParaphraseJudge(model, prompt_template(), new_mark).opinion(about("x" * LONGEST_PROMPT))
    assert isinstance(found, NoOpinion)
    assert "too long" in found.why
    assert model.asked == []
