"""A phrase that is ruled out at a glance is one that reading word by word doesn't find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.speech.heard import Heard, letters_of
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens

# Found by the search below, with more examples.
FOUND = [("cannot", "5thcant"), ("um's", "um's")]
WORDS = (  # noqa: SIM905 - a list of them would take a page
    "the a an visit booked book ed con firmed confirmed is not no never can cannot cant per cent percent"
    " June june may march five fifth of 5 5th 6/5 $5 mg milligram um uh as in boy b been has it it's can't"
    " won't dr. Dr doctor ok okay gonna going to half past three quarter hundred a.m. at . , ? ! - -- \" ("
    " ) & and i.e example.com dot er's thank you no wait sorry I mean scratch that xé café ﬁrmed"
).split()
spoken = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
joined = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map("".join)


@given(spoken | joined, spoken | joined, st.booleans())
def test_a_phrase_is_found_where_reading_finds_it(phrase: str, text: str, claimed: bool) -> None:
    try:
        wanted = phrase_tokens(phrase)
    except ValueError:
        return
    assert Heard(text).end_of(phrase, claimed=claimed) == find_phrase(wanted, tokens(text), claimed=claimed)


@pytest.mark.parametrize(("phrase", "text"), FOUND)
def test_words_that_are_written_in_one(phrase: str, text: str) -> None:
    assert Heard(text).end_of(phrase) == find_phrase(phrase_tokens(phrase), tokens(text)) == len(tokens(text))


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Your visit is booked.", ("yourvisitisbooked", False, False)),
        ("Is it - really - so, at 9, um, then?", ("isitreallysoat9then", False, True)),
        ("It\u2019s booked.", ("itsbooked", True, False)),
        ("see Dr Miller", ("seedrmiller", True, False)),
        ("go to example.com", ("gotoexamplecom", True, False)),
        ("on 6/5", ("on65", True, True)),
        ("b as in boy", None),
        ("caf\u00e9", None),
        ("at nine o'clock", None),
        ("", ("", False, False)),
    ],
)
def test_the_letters_of_a_sentence(text: str, letters: tuple[str, bool, bool] | None) -> None:
    assert letters_of(text) == letters
