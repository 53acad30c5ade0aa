"""How much testify's assert and require demand, and gocheck's and quicktest's checkers."""

from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.chains import chain
from assay.detectors.test_code.common_demands import at_least, close, equal, weak
from assay.detectors.test_code.conditions import comparison, condition_demand, number, truth
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined
from assay.detectors.test_code.word_sets import word_set

Constants = Mapping[str, str]

_EQUAL = frozenset(
    {
        "Equal",
        "EqualValues",
        "Exactly",
        "Same",
        "JSONEq",
        "YAMLEq",
        "ElementsMatch",
        "EqualExportedValues",
        "DeepEqual",
    }
)
_ACTUAL_FIRST = frozenset({"EqualError", "ErrorIs", "ErrorType"})
_CLOSE = frozenset(
    {"InDelta", "InEpsilon", "WithinDuration", "InDeltaSlice", "InEpsilonSlice", "InDeltaMapValues"}
)
_ALONE = {"Nil": "nil", "Zero": "0"}
_PRESENCE = frozenset({"NotNil", "NotEmpty", "NotZero", "NotPanics"})
_NO_ERROR = frozenset({"NoError", "NilError"})
_SHAPE = word_set(
    "Len Contains NotContains Error ErrorContains ErrorAs Greater GreaterOrEqual Less LessOrEqual Regexp "
    "NotRegexp IsType Implements Panics NotEqual NotEqualValues NotSame Subset NotSubset Positive Negative "
    "Empty Eventually Never Condition FileExists DirExists NoFileExists IsIncreasing HTTPSuccess HTTPError "
    "HTTPBodyContains WithinRange EventuallyWithT NotErrorIs Matches"
)
_EXACT_PANICS = frozenset({"PanicsWithValue", "PanicsWithError", "HTTPStatusCode"})
METHODS = (
    _EQUAL
    | _ACTUAL_FIRST
    | _CLOSE
    | _ALONE.keys()
    | _PRESENCE
    | _NO_ERROR
    | _SHAPE
    | _EXACT_PANICS
    | {"True", "False", "Assert"}
)
_GREATER = {"GreaterOrEqual": ">=", "Greater": ">"}
_CHECKERS = {
    **dict.fromkeys(
        ("Equals", "DeepEquals", "IsNil", "CmpEquals", "ErrorMatches_", "ErrorIs", "JSONEquals"), Strength.EXACT
    ),
    **dict.fromkeys(("NotNil", "IsNotNil", "IsTrue_"), Strength.PRESENCE),
}


def plain_name(method: str) -> str:
    """``Equalf`` is ``Equal`` with a message."""
    return method[:-1] if method.endswith("f") and method[:-1] in METHODS else method


def demand_of(method: str, given: list[list[str]], constants: Constants) -> Demand:
    """What one function demands of its arguments, which come without the ``t``."""
    first, second, third = [*given, [], [], []][:3]
    if method in _CLOSE:
        return close(second, first, number(third))
    if method in ("True", "False", "Assert"):
        return condition(first, method != "False", constants)
    return _exact(method, first, second, constants) or _loose(method, first, second, constants)


def _exact(method: str, first: list[str], second: list[str], constants: Constants) -> Demand | None:
    """What demands a value."""
    if method in _EQUAL:
        return equal(second, first, constants)
    if method == "Len":
        return equal(["len", "(", *first, ")"], second, constants)
    if method == "EqualError":
        return equal(_message(first), second, constants)
    if method in _ACTUAL_FIRST:
        return Demand(Strength.EXACT, joined(first), joined(second))
    if method in _ALONE:
        return _nothing(first, _ALONE[method])
    if method in _EXACT_PANICS:
        return Demand(Strength.EXACT, joined(second), joined(first))
    return None


def _loose(method: str, first: list[str], second: list[str], constants: Constants) -> Demand:
    """What demands less than a value."""
    if method == "ErrorContains":
        return weak(Strength.SHAPE, _message(first), second, constants)
    if method in _NO_ERROR:
        # The same as "if err != nil", so it must say the same.
        return replace(weak(Strength.PRESENCE, first, [], constants), expected="nil")
    if method in _PRESENCE:
        return weak(Strength.PRESENCE, first, [], constants)
    found = weak(Strength.SHAPE, first, second, constants)
    return at_least(found, _GREATER[method], second) if method in _GREATER else found


def _message(error: list[str]) -> list[str]:
    return [*error, ".", "Error", "(", ")"]


def _nothing(subject: list[str], nothing: str) -> Demand:
    """An error that must be nil is the least one can ask; any other nil is an exact value."""
    error = joined(subject).lower().endswith("err")
    vacuous = subject == [nothing]
    strength = Strength.VACUOUS if vacuous else Strength.PRESENCE if error else Strength.EXACT
    return Demand(strength, joined(subject), nothing)


def condition(subject: list[str], expected: bool, constants: Constants) -> Demand:
    """A condition that must be true or false."""
    if truth(subject, constants) is None and comparison(subject) is None and not {"&&", "||"} & set(subject):
        called = called_equality(subject)
        if called is not None and expected:
            return called
        return Demand(Strength.EXACT, joined(subject), str(expected).lower())
    return condition_demand(subject, constants, expected)


def called_equality(words: list[str]) -> Demand | None:
    """``reflect.DeepEqual(got, want)`` and the like, as the comparisons that they are."""
    links = chain(words)
    if len(links) != 1 or len(links[0].arguments or ()) < 2:
        return None
    name = links[0].names[-1] if links[0].names else ""
    left, right = links[0].argument(0), links[0].argument(1)
    if name in ("DeepEqual", "Equal", "EqualFold", "Is", "EqualValues", "EqualFunc"):
        return equal(left, right, {})
    if name in ("Contains", "HasPrefix", "HasSuffix", "MatchString", "As", "ContainsAny", "ContainsFunc", "Match"):
        return weak(Strength.SHAPE, left, right, {})
    return None


def checker_demand(given: list[list[str]]) -> Demand:
    """``c.Assert(got, qt.Equals, want)``."""
    subject, checker, expected = [*given, [], [], []][:3]
    strength = _CHECKERS.get(checker[-1] if checker else "", Strength.SHAPE)
    if strength is Strength.EXACT and expected:
        return equal(subject, expected, {})
    return Demand(strength, joined(subject), joined(expected) or None)
