"""What matchers demand by words that libraries share."""

import pytest

from assay.detectors.test_code.engine.rules import Kind, Rule, worded

WORDED = [
    ("toBeNull", Kind.VALUE, "null"),
    ("isNotNull", Kind.NOT_VALUE, "null"),
    ("notNullValue", Kind.NOT_VALUE, "null"),
    ("be_empty", Kind.VALUE, "(empty)"),
    ("NotBeNullOrEmpty", Kind.NOT_VALUE, "(empty)"),
    ("isPresent", Kind.NOT_VALUE, "(empty)"),
    ("BeTrue", Kind.TRUE, ""),
    ("toBeFalsy", Kind.FAILS, ""),
    ("HaveLen", Kind.LENGTH, ""),
    ("lengthOf", Kind.LENGTH, ""),
    ("isGreaterThanOrEqualTo", Kind.ORDER, ">="),
    ("above", Kind.ORDER, ">"),
    ("doesNotContain", Kind.NO_SHAPE, "contain"),
    ("HavePrefix", Kind.SHAPE, "startwith"),
    ("be_a_kind_of", Kind.SHAPE, "instanceOf"),
]


@pytest.mark.parametrize(("name", "kind", "word"), WORDED)
def test_a_shared_word_says_what_is_demanded(name: str, kind: Kind, word: str) -> None:
    rule = worded(name)
    assert isinstance(rule, Rule)
    assert (rule.kind, rule.word) == (kind, word)


@pytest.mark.parametrize("name", ["toBe", "isEqualTo", "toRoundTrip", "is", ""])
def test_other_words_say_nothing(name: str) -> None:
    assert worded(name) is None
