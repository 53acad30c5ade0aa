"""Demands of assertions in Python: unittest, pytest, numpy.testing, pandas.testing and assertpy."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import close
from assay.detectors.test_code.engine.expressions.literals import number, power_of_ten
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import Check, FileFacts, Kind, Rule, rules
from assay.detectors.test_code.languages.python.conditions import demanded, tolerance
from assay.detectors.test_code.model import Strength

_LOOSE = frozenset(
    ("==", "!=", "<", ">", "<=", ">=", "in", "is", "not", "and", "or", "is not", "not in", "if", "lambda")
)
_MESSAGES = frozenset(("msg", "err_msg", "message", "verbose", "obj", "reason", "pytrace"))


def _close(default: float, places: str = "") -> Check:
    def check(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
        given = link.positional
        right = given[1] if len(given) > 1 else []
        digits = link.labelled(places) or (given[2] if len(given) > 2 else [])
        if places and digits and not link.labelled("delta"):
            value = number(digits)
            return close(subject, right, 1.0 if value is None else power_of_ten(-value))
        return close(subject, right, tolerance(link, facts, default))

    return check


def _equal(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``check_dtype=False`` and its like ask for less, so they belong to what is expected."""
    found = demanded(facts, [*_held(subject), "==", *_held(link.argument(1))], wanted=True)
    given = [
        each for each in link.arguments or () if len(each) > 2 and each[1] == "=" and each[0] not in _MESSAGES
    ]
    options = " ".join(joined(each).replace(" ", "") for each in given)
    return replace(found, expected=f"{found.expected} {options}") if options else found


def _compared(operator: str) -> Check:
    """The demand of an operator between both arguments."""

    def check(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
        return demanded(facts, [*_held(subject), operator, *_held(link.argument(1))], wanted=True)

    return check


def _held(words: list[str]) -> list[str]:
    """An argument as a side of a comparison."""
    return ["(", *words, ")"] if not _LOOSE.isdisjoint(words) else words


def _raises(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """An exception of a kind; ``assertRaises(KeyError, f, 1)`` makes the call itself."""
    called = [joined(each) for each in link.positional[1:]]
    kinds = joined(subject)
    broad = not subject or kinds in facts.broad or ("," in subject and subject[0] == "(")
    made = f"{called[0]}({', '.join(called[1:])})" if called and "egex" not in link.name else ""
    return Demand(Strength.SHAPE if broad else Strength.EXACT, made, kinds or "any")


RAISING = (
    "raises warns assertRaises assertRaisesRegex assertWarns assertWarnsRegex assert_raises assert_raises_regex "
    "assertRaisesRegexp assertRaisesMessage RaisesGroup raises_group assert_warns"
)
FUNCTIONS = Library(
    functions=rules(
        {
            "assertEqual assertEquals assertIs assertListEqual assertDictEqual assertTupleEqual assertSetEqual "
            "assertMultiLineEqual assertSequenceEqual failUnlessEqual eq_ assert_equal assert_array_equal "
            "assert_string_equal assert_frame_equal assert_series_equal assert_index_equal": _equal,
            "assertNotEqual assertNotEquals assertIsNot": _compared("!="),
            "assertIn": _compared("in"),
            "assertNotIn": _compared("not in"),
            "assertGreater": _compared(">"),
            "assertGreaterEqual": _compared(">="),
            "assertLess": _compared("<"),
            "assertLessEqual": _compared("<="),
            "assertTrue assert_ failUnless ok_ assert_true": Rule(Kind.HOLDS),
            "assertFalse failIf assert_false": Rule(Kind.FAILS),
            "assertIsNone assert_is_none": Rule(Kind.VALUE, word="None"),
            "assertIsNotNone assert_is_not_none": Rule(Kind.NOT_VALUE, word="None"),
            "assertIsInstance": Rule(Kind.SHAPE, word="isinstance"),
            "assertNotIsInstance": Rule(Kind.NO_SHAPE, word="isinstance"),
            "assertRegex": Rule(Kind.SHAPE, word="match"),
            "assertNotRegex": Rule(Kind.NO_SHAPE, word="match"),
            "assertAlmostEqual assertAlmostEquals": _close(1e-7, "places"),
            "assert_almost_equal": _close(1e-7, "decimal"),
            "assert_array_almost_equal": _close(1e-6, "decimal"),
            "assert_approx_equal": _close(1e-7, "significant"),
            "assert_allclose": _close(1e-7),
            "assert_close assert_all_close": _close(1e-5),
            "assertCountEqual": Rule(Kind.EXACT),
            RAISING: _raises,
        }
    ),
)
FLUENT = Library(
    starters=frozenset(("assert_that", "expect", "assertThat")),
    matchers=rules(
        {
            "is_equal_to to_be to_equal equals is_same_as to_have_text to_have_value": Rule(
                Kind.EQUAL, expected=0
            ),
            "is_true": Rule(Kind.TRUE),
            "is_false": Rule(Kind.FALSE),
            "is_none": Rule(Kind.VALUE, word="None"),
            "is_not_none": Rule(Kind.NOT_VALUE, word="None"),
            "is_not_equal_to": Rule(Kind.UNEQUAL, expected=0),
            "contains": Rule(Kind.SHAPE, expected=0, word="contain"),
            "is_length": Rule(Kind.LENGTH, expected=0),
            "is_instance_of": Rule(Kind.SHAPE, expected=0, word="isinstance"),
            "is_not_empty exists": Rule(Kind.PRESENCE),
        }
    ),
    negations=frozenset(("not_", "does_not")),
    each=True,
)
CUSTOM = re.compile(r"(?:assert|expect)(?:_|[A-Z]|\Z)|_*(?:verify|check|ensure|should)_(?!output\b|call\b)\w")
