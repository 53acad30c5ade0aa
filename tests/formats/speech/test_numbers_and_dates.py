"""The same number, date, amount, time or spelling, however it is written or said; and none that is another."""

import pytest

from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import tokens


def said(phrase: str, spoken: str) -> bool:
    return find_phrase(phrase_tokens(phrase), tokens(spoken)) is not None


SAME = [
    # Digits in groups, of either side.
    ("555-123-4567", "five five five one two three four five six seven"),
    ("5551234567", "(555) 123-4567"),
    ("555 123 4567", "five five five, one two three, four five six seven"),
    ("1234", "12 34"),
    ("12 34", "1234"),
    ("one oh five", "1 05"),
    ("1905", "nineteen oh five"),
    # Times.
    ("3:05", "three oh five"),
    ("three oh five", "3:05 pm"),
    ("3:30", "at three thirty"),
    ("three thirty", "at 3:30"),
    ("08:30", "eight thirty"),
    ("3:00 pm", "3 p.m."),
    ("at 3:00", "at three o'clock"),
    ("3 pm", "3 p m"),
    ("3:30", "half past three"),
    ("3:15", "a quarter past 3"),
    ("12:45", "quarter to one"),
    # Dates.
    ("June 5th", "on June 5"),
    ("June 5", "on june fifth"),
    ("June 5th", "the fifth of June"),
    ("on June 5th", "on the 5th of June"),
    ("July 4", "July the 4th"),
    ("the 5th of June", "june 5"),
    ("June 5th", "5 June"),
    ("Sept 9", "september ninth"),
    ("June 5, 2025", "June fifth twenty twenty five"),
    ("2025-06-05", "June 5th, 2025"),
    ("2025-06-05", "june fifth, two thousand twenty five"),
    ("the 5th", "on the 5th of June"),
    # Amounts.
    ("$25.50", "twenty five dollars and fifty cents"),
    ("$25.50", "25 dollars 50 cents"),
    ("$25", "$25.00"),
    ("$1,250", "one thousand two hundred fifty dollars"),
    ("$1", "one dollar"),
    ("$2 million", "two million dollars"),
    ("2,000,000", "2 million"),
    ("1.5 million", "one point five million"),
    ("100", "a hundred people"),
    ("1,000 euros", "a thousand euros"),
    ("500", "5 hundred"),
    ("20 per cent", "20%"),
    ("0.5 mg", ".5 mg"),
    ("5 mg", "five milligrams"),
    ("10 mL", "ten milliliters"),
    ("-5", "minus five"),
    ("J45.901", "J 4 5 point 9 0 1"),
    ("A1C of 7.2", "a 1 c of seven point two"),
    ("500 mg", "take two 500 mg tablets"),
    ("2,500", "twenty-five hundred"),
    ("150", "a hundred and fifty"),
    ("90210", "nine zero two ten"),
    ("120/80", "one twenty over eighty"),
    ("#5", "number five"),
    # Letters.
    ("john.doe@mail.com", "john dot doe at mail dot com"),
    ("ABC123", "A B C one two three"),
    ("A B C", "abc"),
    ("ABC", "A as in apple B as in boy C as in cat"),
    ("p.m.", "pm"),
    ("follow up", "a follow-up visit"),
    ("followup", "a follow up visit"),
    ("e-mail", "an email"),
    # Short forms.
    ("appointment is confirmed", "Your appointment's confirmed"),
    ("appointment's confirmed", "your appointment is confirmed"),
    ("it has been sent", "it's been sent"),
    ("it's sent", "it is sent"),
    ("Dr Miller", "doctor Miller"),
    ("you are going to", "you're gonna"),
    ("do not", "dont"),
]

OTHER = [
    ("at 3", "at 3:30"),
    ("3:30", "13:30"),
    ("3:30", "half past two"),
    ("120/80", "120 80"),
    ("30 pm", "3:30 pm"),
    ("5 mg", ".5 mg"),
    ("5 mg", "0.5 mg"),
    ("5 mg", "15 milligrams"),
    ("5 mg", "five micrograms"),
    ("51", "5½"),
    ("5", "5.5"),
    ("25", "$25.50"),
    ("$25", "$25.50"),
    ("$25", "twenty five dollars and fifty cents"),
    ("2", "2 million"),
    ("June 5", "June 15"),
    ("June 5", "June 55"),
    ("June 5th", "July 5th"),
    ("5", "fifth"),
    ("2025-06-05", "May 6th, 2025"),
    ("123", "1 2 3 4"),
    ("1234", "123"),
    ("ABC", "A B D"),
    ("-5", "five"),
    ("100", "hundreds of people"),
]


@pytest.mark.parametrize(("phrase", "spoken"), SAME)
def test_the_same(phrase: str, spoken: str) -> None:
    assert said(phrase, spoken)


@pytest.mark.parametrize(("phrase", "spoken"), OTHER)
def test_another(phrase: str, spoken: str) -> None:
    assert not said(phrase, spoken)
