"""What is denied is not said, in all the ways in which English denies; and what only looks like a denial is."""

import pytest

from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens


def said(phrase: str, spoken: str, fuzzy: float | None = None) -> bool:
    return find_phrase(phrase_tokens(phrase), tokens(spoken), fuzzy) is not None


DENIED = [
    ("is booked", "Your visit is not yet booked"),
    ("booked", "Your visit isn't booked"),
    ("booked", "it is no longer booked"),
    ("booked", "it is not just yet booked"),
    ("is covered", "without further approval nothing is covered"),
    ("June 5th", "there is no visit on June 5th"),
    ("booked", "it was never booked"),
    ("booked", "it is hardly booked"),
    ("book the visit", "we were unable to book the visit"),
    ("book the visit", "we failed to book the visit"),
    ("book the visit", "he declined to book the visit"),
    ("book the visit", "they refuse to book the visit"),
    ("book the visit", "I forgot to book the visit"),
    ("book the visit", "it is impossible to book the visit"),
    ("is booked", "I dont think it is booked"),
    ("is booked", "I cant say it is booked"),
    ("is booked", "I doubt that it is booked"),
    ("is booked", "I could not, at this time, confirm that it is booked"),
    ("booked your visit", "we have not, unfortunately, booked your visit"),
    ("booked", "far from booked"),
    ("booked", "neither booked nor confirmed"),
    ("confirmed", "neither booked nor confirmed"),
    ("allergic to penicillin", "he denies being allergic to penicillin"),
    ("take with food", "don't take with food"),
    ("approved", "nobody approved it"),
    ("approved", "none of it was approved"),
    ("is booked", "I do not think that it is sent and it is booked"),
    ("we can", "we can't do that"),
    ("it is", "it is not so"),
    ("you are", "you are no longer covered"),
    ("we will", "we will never do that"),
]

CLAIMED = [
    ("is booked", "no problem your visit is booked"),
    ("is booked", "no worries it is booked"),
    ("is booked", "there is no doubt that it is booked"),
    ("is booked", "without a doubt it is booked"),
    ("is booked", "don't worry it is booked"),
    ("is booked", "it is not only confirmed it is booked"),
    ("is booked", "never mind it is booked"),
    ("is booked", "no it is booked"),
    ("is booked", "no your visit is booked"),
    ("is not booked", "no it is not booked"),
    ("3:30", "please arrive no later than 3:30"),
    ("2 tablets", "take no more than two tablets"),
    ("see you on June 5th", "we can't wait to see you on June 5th"),
    ("is booked", "I couldn't be happier your visit is booked"),
    ("bring your card", "please do not forget to bring your card"),
    ("call us", "don't hesitate to call us"),
    ("is booked", "we could not do Monday so your visit is booked for Tuesday"),
    ("is booked", "I did not reach her and your visit is booked"),
    ("was denied", "your claim was denied"),
    ("is approved", "the claim that was denied is approved"),
    ("vision is covered", "Dental is not covered, vision is covered"),
    ("no allergies", "the patient has no allergies"),
    ("unable to verify", "we were unable to verify it"),
    ("is approved", "your first claim failed and your new claim is approved"),
    ("the code is 1234", "the code is 1234 not 1243"),
    ("we can", "we can do that"),
    ("we can not", "we cannot"),
]


@pytest.mark.parametrize(("phrase", "spoken"), DENIED)
def test_denied(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken)


@pytest.mark.parametrize(("phrase", "spoken"), CLAIMED)
def test_claimed(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


@pytest.mark.parametrize(
    ("phrase", "spoken"),
    [
        ("is confirmed", "is unconfirmed"),
        ("is eligible", "is ineligible"),
        ("was approved", "was disapproved"),
        ("is possible", "is impossible"),
        ("is unable", "is able"),
        ("non compliant", "compliant"),
    ],
)
def test_an_opposite_is_never_a_word_that_differs_a_little(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken, fuzzy=0.5)
