"""What a model may answer, and what of that is used."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.evidence.verdict import NoOpinion, Opinion
from assay.judge.paraphrase import LONGEST, SCHEMA, read_answer
from tests.judge.questions import ASKED

NOT_SAID = {"said": False, "turn": None, "quote": ""}


def said(quote: str, turn: Any = 2) -> str:
    return json.dumps({"said": True, "turn": turn, "quote": quote})


@pytest.mark.parametrize(
    ("quote", "turn", "shown"),
    [
        ("You\u2019re all set", 2, "You\u2019re all set"),
        ("you're ALL set for Thursday", 2, "you're ALL set for Thursday"),
        ("all set\n  for", 2, "all set for"),
        ('"all set"', 2, '"all set"'),
        ("it costs $50.", 2, "it costs $50."),
        ("all\u200b set\u202e", 2, "all set"),
        ("\u9884\u7ea6\u5df2\u7ecf\u786e\u8ba4", 4, "\u9884\u7ea6\u5df2\u7ecf\u786e\u8ba4"),
    ],
)
def test_a_quote_that_is_there(quote: str, turn: int, shown: str) -> None:
    assert read_answer(f"\n {said(quote, turn)} ", ASKED, "m") == Opinion(True, turn, shown, "m")


def test_not_said() -> None:
    assert read_answer(json.dumps(NOT_SAID), ASKED, "m") == Opinion(False, None, "", "m")


@pytest.mark.parametrize(
    "answer", [f"Here it is: {json.dumps(NOT_SAID)}", json.dumps([NOT_SAID]), json.dumps({**NOT_SAID, "score": 1})]
)
def test_an_answer_with_something_around_it(answer: str) -> None:
    assert read_answer(answer, ASKED, "m") == Opinion(False, None, "", "m")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "not a JSON object"),
        ("yes", "not a JSON object"),
        ("null", "not a JSON object"),
        (json.dumps({**NOT_SAID, "said": None}), "an object with said"),
        (json.dumps(NOT_SAID) + said("all set"), "their said differs"),
        ("{}", "not a JSON object"),
        ('{"said": false, "said": true, "turn": 2, "quote": "all set"}', "said must be true or false"),
        (json.dumps({**NOT_SAID, "said": "true"}), "said must be true or false"),
        (json.dumps({**NOT_SAID, "said": 1}), "said must be true or false"),
        (json.dumps({**NOT_SAID, "quote": None}), "quote must be a text"),
        (said("all set", "2"), "turn must be a whole number or null"),
        (said("all set", 2.0), "turn must be a whole number or null"),
        (said("all set", True), "turn must be a whole number or null"),
        ('{"said": true, "turn": NaN, "quote": "all set"}', "its turn is not one that counts"),
        (said("all set", None), "its turn is not one that counts"),
        (said("all set", 7), "its turn is not one that counts"),
        (said("Your visit is booked", 3), "its turn is not one that counts"),
        (said("Your visit is booked"), "quote is not in its turn"),
        (said("ou\u2019re all se"), "quote is not in its turn"),
        (said("$5"), "quote is not in its turn"),
        (said("not all set"), "quote is not in its turn"),
        (said(""), "quote is not in its turn"),
        (said(" ."), "quote is not in its turn"),
        (said(".*"), "quote is not in its turn"),
        (json.dumps({**NOT_SAID, "turn": 2}), "said is false, but turn or quote is given"),
        (json.dumps({**NOT_SAID, "quote": "all set"}), "said is false, but turn or quote is given"),
        ("[" * 10_000, "not a JSON object"),
        ('{"said": true, "turn": ' + "9" * 9_000 + ', "quote": "all set"}', "its turn is not one that counts"),
        (json.dumps(NOT_SAID) + " " * LONGEST, f"more than {LONGEST} characters"),
    ],
)
def test_an_answer_that_can_not_be_used(answer: str, why: str) -> None:
    found = read_answer(answer, ASKED, "m")
    assert isinstance(found, NoOpinion)
    assert found.why.startswith("the answer of m can't be used: ")
    assert why in found.why


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
quotes = st.sampled_from([turn.text for turn in ASKED.turns]).flatmap(
    lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(
        lambda at: text[at[0] : at[1]]
    )
)
objects = st.fixed_dictionaries(
    {"said": st.booleans() | anything, "turn": st.integers(0, 5) | anything, "quote": quotes | anything},
    optional={"more": anything},
)


@given(st.text(st.characters()) | (objects | anything).map(json.dumps))
def test_no_answer_breaks_it(answer: str) -> None:
    found = read_answer(answer, ASKED, "m")
    if isinstance(found, Opinion):
        written = {"said": found.said, "turn": found.turn, "quote": found.quote}
        assert list(Draft202012Validator(SCHEMA).iter_errors(written)) == []
        assert found.quote.encode().decode() == found.quote
        assert not found.said or found.turn in (2, 4)
