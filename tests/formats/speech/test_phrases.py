"""Phrases in speech: words in a row, numbers in any form, digits and negations to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens


def said(phrase: str, spoken: str, fuzzy: float | None = None) -> bool:
    return find_phrase(phrase_tokens(phrase), tokens(spoken), fuzzy) is not None


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("is confirmed", "Your visit is confirmed."),
        ("is confirmed", "No problem, your visit is confirmed"),
        ("is confirmed", "It was not easy, but it is confirmed"),
        ("Is Confirmed!", "it is, uh, I mean: is confirmed"),
        ("it is not ready", "it isn't ready"),
        ("we will not", "We won\u2019t do that"),
        ("can't", "we cannot do that"),
        ("205", "two hundred and five people"),
        ("1234", "member id one two three four"),
        ("1234", "id twelve thirty-four"),
        ("one two three four", "1234"),
        ("405", "room four oh five"),
        ("5550", "double five five zero"),
        ("$20", "twenty dollars"),
        ("20%", "twenty percent"),
        ("3.5 mg", "three point five mg"),
        ("98.6", "98.6 degrees"),
        ("1,200", "one thousand two hundred"),
        ("March 5th", "on march fifth"),
        ("3 30 pm", "at three thirty p.m."),
        ("twenty third", "on the 23rd of May"),
        ("2026", "twenty twenty six"),
        ("Dr Miller's", "call Dr. Miller's office"),
    ],
)
def test_said(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("is confirmed", "Your visit is not confirmed."),
        ("is confirmed", "It isn't confirmed"),
        ("confirmed", "this is not confirmed"),
        ("confirmed", "nothing is confirmed"),
        ("is confirmed", "I do not think that it is confirmed"),
        ("is confirmed", "is unconfirmed"),
        ("is not confirmed", "is confirmed"),
        ("12", "id one two three four"),
        ("5", "fifteen"),
        ("50", "fifty five"),
        ("1234", "1235"),
        ("confirmed visit", "visit confirmed"),
        ("confirmed", ""),
    ],
)
def test_not_said(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken)


def test_words_may_differ_a_little_if_that_is_asked_for() -> None:
    assert not said("metoprolol daily", "metropolol daily")
    assert said("metoprolol daily", "metropolol daily", fuzzy=0.8)


@pytest.mark.parametrize(
    ("phrase", "spoken"), [("15 mg", "16 mg"), ("is confirmed", "is not confirmed"), ("no", "on")]
)
def test_digits_and_negations_are_exact_whatever_is_asked_for(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken, fuzzy=0.1)


def test_a_phrase_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="has no words"):
        phrase_tokens("…")


@given(st.text(max_size=60))
def test_no_text_breaks_it(spoken: str) -> None:
    found = tokens(spoken)
    assert all(token.text for token in found)
    if found:
        assert (
            said(spoken, spoken) or any(token.text in ("no", "not", "never") for token in found) or len(found) > 1
        )
