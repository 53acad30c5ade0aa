"""Demands of assertions in Go: testify, gomega, gocheck and quicktest."""

import re

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import close, equality, order, shape
from assay.detectors.test_code.engine.expressions.literals import number
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import FileFacts, Kind, Rule, demand_of, rules


def _nothing(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """An error that must be nil is the least one can ask; any other nil is an exact value."""
    error = joined(subject).lower().endswith("err")
    return demand_of(Rule(Kind.QUIET if error else Kind.VALUE, word="nil"), link, facts, subject)


def _message(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    return equality([*subject, ".", "Error", "(", ")"], link.argument(1), facts.constants, facts.logic)


def _part_of_message(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    return shape([*subject, ".", "Error", "(", ")"], "contain", link.argument(1))


def _numerically(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``BeNumerically("~", 3, 0.1)``."""
    sign, right = joined(link.argument(0)).strip('"'), link.argument(1)
    if sign == "==":
        return equality(subject, right, facts.constants, facts.logic)
    return close(subject, right, number(link.argument(2))) if sign == "~" else order(subject, sign, right)


_TURNED = Rule(Kind.EQUAL, 1, 0)
_TESTIFY = rules(
    {
        "Equal EqualValues Exactly Same JSONEq YAMLEq ElementsMatch EqualExportedValues DeepEqual": _TURNED,
        "ErrorIs ErrorType": Rule(Kind.EQUAL),
        "EqualError": _message,
        "NotEqual NotEqualValues NotSame": Rule(Kind.UNEQUAL, 1, 0),
        "InDelta InEpsilon WithinDuration InDeltaSlice InEpsilonSlice InDeltaMapValues": Rule(Kind.CLOSE, 1, 0),
        "True Assert Condition": Rule(Kind.HOLDS),
        "False": Rule(Kind.FAILS),
        "Nil": _nothing,
        "Zero": Rule(Kind.VALUE, word="0"),
        "NotNil": Rule(Kind.NOT_VALUE, word="nil"),
        "NotEmpty NotZero": Rule(Kind.PRESENCE),
        "NoError NilError": Rule(Kind.QUIET, word="nil"),
        "NotPanics": Rule(Kind.QUIET),
        "Error Panics": Rule(Kind.RAISES, 0, 9),
        "PanicsWithValue PanicsWithError": Rule(Kind.RAISES, 1, 0),
        "HTTPStatusCode": Rule(Kind.EXACT),
        "ErrorContains": _part_of_message,
        "ErrorAs": Rule(Kind.SHAPE, word="instanceOf"),
        "Contains Subset": Rule(Kind.SHAPE, word="contain"),
        "NotContains NotSubset": Rule(Kind.NO_SHAPE, word="contain"),
        "Len": Rule(Kind.LENGTH),
        "Empty": Rule(Kind.VALUE, word="(empty)"),
        "Greater": Rule(Kind.ORDER, word=">"),
        "GreaterOrEqual": Rule(Kind.ORDER, word=">="),
        "Less": Rule(Kind.ORDER, word="<"),
        "LessOrEqual": Rule(Kind.ORDER, word="<="),
        "Positive": Rule(Kind.SHAPE, word="positive", expected=9),
        "Negative": Rule(Kind.SHAPE, word="negative", expected=9),
        "Regexp Matches": Rule(Kind.SHAPE, 1, 0, word="match"),
        "NotRegexp": Rule(Kind.NO_SHAPE, 1, 0, word="match"),
        "IsType Implements": Rule(Kind.SHAPE, 1, 0, word="instanceOf"),
        "NotErrorIs": Rule(Kind.UNEQUAL),
        "Eventually Never FileExists DirExists NoFileExists IsIncreasing HTTPSuccess HTTPError "
        "HTTPBodyContains WithinRange EventuallyWithT": Rule(Kind.SHAPE),
    }
)
_FORMATTED = {f"{name}f": rule for name, rule in _TESTIFY.items()}

TESTIFY = Library(
    functions={**_TESTIFY, **_FORMATTED, "Check": Rule(Kind.HOLDS)},
    receivers=frozenset(
        ("assert", "require", "is", "must", "qt", "should", "c", "s", "suite", "Require", "Assert", "New")
    ),
)


GOMEGA = Library(
    starters=frozenset(("Expect", "Eventually", "Consistently", "Ω")),
    takers={"To": True, "Should": True, "NotTo": False, "ToNot": False, "ShouldNot": False},
    matchers=rules(
        {
            "Equal BeEquivalentTo BeIdenticalTo ConsistOf HaveExactElements MatchJSON MatchYAML": Rule(
                Kind.EQUAL, expected=0
            ),
            "MatchError": Rule(Kind.RAISES, expected=0),
            "HaveHTTPStatus HaveHTTPBody": Rule(Kind.EXACT),
            "PanicWith": Rule(Kind.RAISES, expected=0),
            "Panic HaveOccurred": Rule(Kind.RAISES, expected=9),
            "Succeed": Rule(Kind.QUIET),
            "BeTrue BeTrueBecause": Rule(Kind.HOLDS),
            "BeFalse BeFalseBecause": Rule(Kind.FAILS),
            "BeNumerically": _numerically,
            "ContainElement ContainElements ContainSubstring HaveKey": Rule(
                Kind.SHAPE, expected=0, word="contain"
            ),
            "MatchRegexp": Rule(Kind.SHAPE, expected=0, word="match"),
        }
    ),
    negations=frozenset(("Not",)),
)
CUSTOM = re.compile(
    r"(?=\w*+\Z)(?:\w*[a-z])?(?:assert|require|expect|verify|check|must|equal|compare|diff)", re.IGNORECASE
)
