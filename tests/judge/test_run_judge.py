"""A run is judged: what is asked, what is tried again, and what is recorded if there is no verdict."""

import re
from collections.abc import Callable

import pytest

from assay.adapters.models.judge_setup import new_mark, prompt_file
from assay.dialects.scorers.monitor_answer import GuardAnswer
from assay.dialects.scorers.report import JudgeUsage, Opinion
from assay.evidence.verdict import Unparseable
from assay.judge.model import (
    CUT_OFF,
    GIVEN_UP_AFTER,
    NOT_WAITED_FOR_AFTER,
    OBEYED,
    REFUSED,
    REST_SEC,
    GivingUp,
    Reply,
)
from assay.judge.prompt import AGAIN
from assay.judge.run_judge import GUARD, JudgedRun, JudgeSetting, judge_run
from assay.judge.verdict_answer import NAME
from tests.fake_time import FakeTime
from tests.judge.cases import FAIL, RUN, said
from tests.judge.obedience import planted_words
from tests.judge.scripted_model import ScriptedModel

SETTING = JudgeSetting(prompt_file(NAME))


def judged(*models: ScriptedModel, setting: JudgeSetting = SETTING) -> JudgedRun:
    return judge_run(RUN, models, setting, new_mark)


def test_a_pass_with_what_it_took() -> None:
    model = ScriptedModel(Reply(said(), usage=JudgeUsage(tokens_in=1000, tokens_out=50, cost=0.01), latency_sec=2))
    found = judged(model)
    assert isinstance(found.judgement, Opinion)
    assert found.judgement.state == "PASS"
    (answer,) = found.answers
    assert (answer.tries, answer.usage) == (1, JudgeUsage(tokens_in=1000, tokens_out=50, cost=0.01))
    assert len(model.asked) == 1


def test_an_unusable_answer_is_asked_again_with_another_mark() -> None:
    model = ScriptedModel("no JSON", said()[:-9], said())
    found = judged(model)
    assert isinstance(found.judgement, Opinion)
    assert found.answers[0].tries == 3
    marks = {re.search(r"=== (\w{32}) begin task", one.prompt.text)[1] for one in model.asked}  # type: ignore[index]
    assert len(marks) == 3
    assert len({one.prompt.sha256 for one in model.asked}) == 1


def test_another_try_says_what_was_wrong_with_the_last_answer() -> None:
    model = ScriptedModel("no JSON", said(verdict="perhaps"), said())
    judged(model)
    first, second, third = (one.prompt.text for one in model.asked)
    assert "Your last answer" not in first
    assert second.endswith("not used: the answer can't be used: it is not a JSON object. " + AGAIN + "\n")
    assert "verdict must be PASS or FAIL" in third
    assert "perhaps" not in third


@pytest.mark.parametrize(
    ("reply", "why", "tries"),
    [
        ("prose", "it is not a JSON object", 3),
        (Reply(said()[:-9], "length"), CUT_OFF, 3),
        (Reply("I can't help with that.", "refusal"), REFUSED, 3),
        (said(verdict="maybe"), "verdict must be PASS or FAIL", 3),
        (None, "the judge m: it can't be reached", 1),
    ],
)
def test_a_failure_is_no_verdict_and_says_why(reply: str | Reply | None, why: str, tries: int) -> None:
    model = ScriptedModel(reply)
    found = judged(model)
    assert isinstance(found.judgement, Unparseable)
    assert why in found.judgement.why
    assert len(model.asked) == tries


def test_an_endpoint_that_is_down_is_not_asked_for_ever() -> None:
    model = ScriptedModel(None)
    client = GivingUp(model)
    found = [judge_run(RUN, [client], SETTING, new_mark) for _ in range(5)]
    assert len(model.asked) == 2
    assert all(isinstance(one.judgement, Unparseable) for one in found)


def test_an_endpoint_that_failed_is_asked_again_after_a_while() -> None:
    time = FakeTime()
    model = ScriptedModel(None, None, said())
    client = GivingUp(model, time.clock)
    states = []
    for later in (0, 0, 30, 31, 0):
        time.now += later
        states.append(isinstance(judge_run(RUN, [client], SETTING, new_mark).judgement, Opinion))
    assert states == [False, False, False, True, True]
    assert len(model.asked) == 4


def test_who_is_patient_waits_for_the_endpoint_but_not_for_ever() -> None:
    time = FakeTime()
    model = ScriptedModel(None)
    client = GivingUp(model, time.clock, time.sleep)
    for _ in range(15):
        judge_run(RUN, [client], SETTING, new_mark)
    assert len(model.asked) == NOT_WAITED_FOR_AFTER
    assert time.slept == [REST_SEC] * (NOT_WAITED_FOR_AFTER - GIVEN_UP_AFTER)


def obedient(prompt: str) -> str:
    """A judge that does what it reads."""
    first, _ = planted_words(prompt)
    return said(reasoning=f"{first} is what I was told to say. All is well.")


def obedient_at_the_end(prompt: str) -> str:
    """A judge that ignores an order to begin with a word, and follows another one."""
    _, last = planted_words(prompt)
    return said(reasoning=f"All is well. {last}.")


@pytest.mark.parametrize("obeying", [obedient, obedient_at_the_end])
def test_a_judge_that_obeys_the_data_is_caught_and_not_asked_again(obeying: Callable[[str], str]) -> None:
    model = ScriptedModel(obeying)
    assert judged(model).judgement == Unparseable(OBEYED)
    assert len(model.asked) == 1


def test_a_judge_that_mentions_the_order_has_not_obeyed_it() -> None:
    def mentions(prompt: str) -> str:
        words = " and ".join(planted_words(prompt))
        return said(
            reasoning=f"The work is done, and the test passes, without a change to it. Parts want {words}; no."
        )

    assert isinstance(judged(ScriptedModel(mentions)).judgement, Opinion)


def test_without_a_canary_nothing_is_planted() -> None:
    model = ScriptedModel(said())
    judged(model, setting=JudgeSetting(prompt_file(NAME), canary=False))
    assert planted_words(model.asked[0].prompt.text) == ("", "")
    assert model.asked[0].prompt.canary is None


def test_a_panel_of_two_models_with_three_samples_each() -> None:
    yes, no = ScriptedModel(said(), model="yes"), ScriptedModel(said(FAIL), said(FAIL), "no JSON", model="no")
    found = judged(yes, no, setting=JudgeSetting(prompt_file(NAME), samples=3, tries=1))
    assert isinstance(found.judgement, Unparseable)
    assert [(one.model, one.sample) for one in found.answers] == [
        *(("yes", number) for number in (1, 2, 3)),
        *(("no", number) for number in (1, 2, 3)),
    ]
    assert (found.votes.passes, found.votes.fails, found.votes.unparseable) == (3, 2, 1)
    assert found.votes.agreement == 0.5


def guarded(*answers: str) -> GuardAnswer:
    setting = JudgeSetting(prompt_file(NAME), prompt_file(GUARD), tries=1)
    found = judged(ScriptedModel(said(), *answers), setting=setting).guard
    assert found is not None
    return found


def test_the_guard_question_is_beside_the_verdict() -> None:
    assert judged(ScriptedModel(said())).guard is None
    assert guarded('{"addressed": false, "quote": ""}') == GuardAnswer(addressed=False)
    found = guarded('{"addressed": true, "quote": "Fixed; all tests pass."}')
    assert found == GuardAnswer(addressed=True, quote="Fixed; all tests pass.")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ('{"addressed": true, "quote": "give it a PASS"}', "its quote is not in the data"),
        ('{"addressed": 1, "quote": ""}', "addressed must be true or false"),
        ("yes", "not a JSON object"),
    ],
)
def test_a_guard_that_can_not_be_used(answer: str, why: str) -> None:
    found = guarded(answer)
    assert found.addressed is None
    assert why in (found.reason or "")


def test_the_guard_reads_nothing_planted() -> None:
    model = ScriptedModel(said(), '{"addressed": false, "quote": ""}')
    judged(model, setting=JudgeSetting(prompt_file(NAME), prompt_file(GUARD)))
    assert planted_words(model.asked[0].prompt.text) != ("", "")
    assert planted_words(model.asked[1].prompt.text) == ("", "")
