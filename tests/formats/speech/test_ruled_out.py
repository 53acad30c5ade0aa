"""What rules a phrase out before a turn is read word by word: its words in a row, its letters and its digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.speech.heard import Heard, digits_of
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens

WORDS = (  # noqa: SIM905 - a list of them would take a page
    "at room nine ninth ninety nineteen ten one two twenty-three 9 12 945 330 9:45 1:30 3.5 .5 $25.50 7/14/25"
    " 2026-07-14 5th 25 dollars and 50 cents euros half quarter past to hundred thousand a oh double point"
    " diagnosis diagnos is it's can't this today to day please the of june x.nine , . ?"
).split()
spoken = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)


@given(spoken, spoken)
def test_numbers_are_found_where_reading_finds_them(phrase: str, text: str) -> None:
    try:
        wanted = phrase_tokens(phrase)
    except ValueError:
        return
    assert Heard(text).end_of(phrase) == find_phrase(wanted, tokens(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("dollars please", "25 dollars and 50 cents please"),
        ("at 945", "at quarter to ten"),
        ("at 330", "at half past three"),
        ("3000", "one thousand two thousand"),
        ("july 14th 2025", "7/14/25"),
        ("diagnosis", "it's a diagnosis"),
    ],
)
def test_what_is_written_otherwise_is_not_ruled_out(phrase: str, text: str) -> None:
    found = find_phrase(phrase_tokens(phrase), tokens(text))
    assert found is not None
    assert Heard(text).end_of(phrase) == found


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("at nine", "029"),
        ("the twenty-third of May", "023"),
        ("at half past four", "0234"),
        ("at a quarter to ten", "0123456789"),
        ("two hundred", "0123456789"),
        ("5thten", "0125"),
        ("it's t.e.n", "012"),
        ("no number", "02"),
    ],
)
def test_the_digits_that_a_text_can_have(text: str, digits: str) -> None:
    assert "".join(sorted(digits_of(text))) == digits
