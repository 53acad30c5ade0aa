"""A model that answers, one that fails, and when it is asked no more."""

import json

from assay.adapters.models.judge_setup import new_mark, prompt_file
from assay.evidence.verdict import NoOpinion, Opinion
from assay.judge.model import GIVEN_UP_AFTER, GivingUp
from assay.judge.paraphrase import LONGEST_PROMPT, SCHEMA, ParaphraseJudge
from tests.judge.questions import ASKED, about
from tests.judge.scripted_model import ScriptedModel

NOT_SAID = json.dumps({"said": False, "turn": None, "quote": ""})


def judge_of(model: ScriptedModel) -> ParaphraseJudge:
    return ParaphraseJudge(GivingUp(model), prompt_file, new_mark)


def test_what_the_model_is_asked_and_what_becomes_of_its_answer() -> None:
    model = ScriptedModel(json.dumps({"said": True, "turn": 2, "quote": "all set"}), "no JSON")
    judge = judge_of(model)
    assert judge.opinion(ASKED) == Opinion(True, 2, "all set", "m")
    assert judge.opinion(ASKED) == NoOpinion("the answer of m can't be used: it is not a JSON object")
    assert "is booked" in model.asked[0].prompt.text
    assert model.asked[0].prompt.schema == SCHEMA


def test_a_model_that_failed_twice_in_a_row_is_not_asked_again() -> None:
    model = ScriptedModel(None, NOT_SAID, "unusable", None, *[None] * (GIVEN_UP_AFTER - 1))
    judge = judge_of(model)
    answers = [judge.opinion(ASKED) for _ in range(7)]
    assert len(model.asked) == len(model.answers) == 5
    assert [isinstance(one, NoOpinion) for one in answers] == [True, False, True, True, True, True, True]
    assert answers[4] == NoOpinion("the judge m: it can't be reached")
    assert answers[6] == NoOpinion("the judge was not asked, because it failed 2 times in a row")


def test_a_transcript_that_is_too_long_is_not_sent() -> None:
    model = ScriptedModel()
    found = judge_of(model).opinion(about("x" * LONGEST_PROMPT))
    assert isinstance(found, NoOpinion)
    assert "too long" in found.why
    assert model.asked == []
