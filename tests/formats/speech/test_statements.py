"""Fillers, values that were taken back, and what is asked or only supposed."""

import pytest

from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens


def said(phrase: str, spoken: str, *, claimed: bool = True) -> bool:
    return find_phrase(phrase_tokens(phrase), tokens(spoken), claimed=claimed) is not None


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("is booked", "Your visit is, um, booked."),
        ("June 5th", "on June, uh, fifth"),
        ("555 1234", "five five five, erm, one two three four"),
        ("your um visit", "your visit"),
        ("go to the ER", "please go to the ER"),
        ("5 mm", "it is 5 mm"),
    ],
)
def test_fillers_are_dropped(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


BACK = [
    ("June 5th", "June 6th", "Your visit is on June 5th, no wait, June 6th."),
    ("June 5th", "June 6th", "Your visit is on June 5th no wait June 6th"),
    ("June 5th", "June 6th", "It is June 5th. No, wait. It's June 6th."),
    ("June 5th", "June 6th", "on the fifth of June, I mean the sixth of June"),
    ("June 5th", "June 6th", "on June 5th... sorry, I meant June 6th"),
    ("3:30", "4:30", "at 3:30, I mean 4:30"),
    ("3:30", "4:30", "at three thirty, or rather four thirty"),
    ("$25", "$35", "It costs $25, correction, $35"),
    ("500 mg", "250 mg", "take 500 mg, no sorry, 250 mg"),
    ("Tuesday", "Wednesday", "on Tuesday, I mean Wednesday"),
    ("Dr. Smith", "Dr. Jones", "with Dr. Smith, I mean Dr. Jones"),
    ("is cancelled", "is booked", "Your visit is cancelled. Scratch that. Your visit is booked."),
    ("June 5th", "June 6th", "It is on June 5th, scratch that, it is on June 6th"),
]


@pytest.mark.parametrize(("before", "behind", "spoken"), BACK)
def test_what_is_taken_back_does_not_count(before: str, behind: str, spoken: str) -> None:
    assert not said(before, spoken)
    assert said(behind, spoken)


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("is booked", "Your visit is booked for June 5th, no wait, June 6th."),
        ("June 5th", "It is June 5th. What I mean is that you are booked."),
        ("June 5th", "See you on June 5th, and I mean it."),
        ("June 5th", "On June 5th there is no wait."),
        ("June 5th", "On June 5th there is no wait time."),
        ("is booked", "I mean, your visit is booked."),
        ("is booked", "No wait, your visit is booked."),
        ("June 5th", "It is June 5th. The correction was sent on June 6th."),
        ("hello", "Hello. It is June 5th. Scratch that. It is June 6th."),
    ],
)
def test_what_is_not_taken_back_counts(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


def test_no_wait_as_a_thing() -> None:
    assert not said("a wait", "there is no wait")


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("July 14th", "your visit is on 7/14"),
        ("7/14", "on July fourteenth"),
        ("7/14/2025", "July 14th, 2025"),
        ("07/14/25", "on the 14th of July 2025"),
        ("14/7", "on July 14"),
        ("120/80", "120 over 80"),
        ("1/2 tablet", "take 1/2 tablet"),
        ("130/85", "one thirty over eighty five"),
    ],
)
def test_slashes_in_dates(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [("July 14th", "take 7/14 tablets"), ("July 13th", "on 7/14"), ("7/14", "on July 4th")],
)
def test_other_dates_and_fractions(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken)


OPEN = [
    ("is booked", "If your visit is booked, you will get a message."),
    ("is booked", "Once it is booked I will call you."),
    ("is booked", "I will check whether it is booked."),
    ("is booked", "Would you like to know that it is booked?"),
    ("your visit is booked", "Your visit is booked?"),
    ("was approved", "Unless it was approved, you have to pay."),
    ("has been sent", "Can you tell me if it has been sent?"),
]


@pytest.mark.parametrize(("phrase", "spoken"), OPEN)
def test_a_claim_must_be_a_statement(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken)
    assert said(phrase, spoken, claimed=False)


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("date of birth", "What is your date of birth?"),
        ("may I have your name", "May I have your name?"),
        ("June 5th", "Would June 5th work for you?"),
        ("if it is booked", "I will tell you if it is booked."),
        ("is booked", "Do you have a minute? Your visit is booked."),
        ("is booked", "If you have questions, call us; your visit is booked."),
        ("is booked", "If you like, I can tell you more, but your visit is booked."),
        ("you will get a message", "If it is booked, you will get a message."),
    ],
)
def test_what_claims_nothing_or_is_claimed(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)
