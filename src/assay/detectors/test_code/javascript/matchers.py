"""How much the matchers of Jest, Vitest, Jasmine, Playwright and chai demand."""

import re
from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.chains import Link
from assay.detectors.test_code.common_demands import at_least, close, equal, power_of_ten, weak
from assay.detectors.test_code.conditions import comparison, condition_demand, literal, number, truth
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined
from assay.detectors.test_code.word_sets import word_set

Constants = Mapping[str, str]

_EXACT = word_set(
    "toBe toEqual toStrictEqual toBeOneOf_ toHaveBeenCalledWith toHaveBeenLastCalledWith "
    "toHaveBeenNthCalledWith lastCalledWith toBeCalledWith nthCalledWith toHaveBeenCalledTimes "
    "toBeCalledTimes toHaveBeenCalledOnceWith toHaveBeenCalledExactlyOnceWith toHaveReturnedWith "
    "toHaveLastReturnedWith toHaveNthReturnedWith toReturnWith toHaveResolvedWith toHaveReturnedTimes "
    "toMatchSnapshot toMatchInlineSnapshot toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot "
    "toMatchFileSnapshot toHaveText toHaveTextContent toHaveValue toHaveValues toHaveDisplayValue toHaveURL "
    "toHaveTitle toHaveCount toHaveId toHaveScreenshot toEqualTypeOf toBeFulfilledWith toHaveAccessibleName "
    "toHaveStyle toHaveFormValues toHaveCSS equal equals eq eql eqls deepEqual calledWith calledWithExactly "
    "calledOnceWith calledOnceWithExactly callCount members become strictEqual text value html have.text "
    "have.value be.equal deep.equal"
)
_ALONE = {
    **dict.fromkeys(("toBeNull", "null", "be.null"), "null"),
    **dict.fromkeys(("toBeUndefined", "undefined", "be.undefined"), "undefined"),
    **dict.fromkeys(("toBeNaN", "NaN"), "NaN"),
    **dict.fromkeys(("toBeTrue", "true", "be.true"), "true"),
    **dict.fromkeys(("toBeFalse", "false", "be.false"), "false"),
}
_PRESENCE = word_set(
    "toBeDefined toBeTruthy toBeFalsy toBeInTheDocument toExist toBeAttached toPass ok exist exists fulfilled "
    "beDefined be.ok toResolve toBePresent"
)
_PROPERTIES = word_set(
    "true false null undefined NaN ok exist exists empty called calledOnce calledTwice calledThrice fulfilled "
    "rejected arguments finite sealed frozen extensible sorted notCalled"
)
_THROWS = word_set("toThrow toThrowError throw throws Throw rejectedWith toReject rejected")
_CLOSE = word_set("closeTo approximately almostEqual")
_GREATER = {
    **dict.fromkeys(("toBeGreaterThan", "above", "gt", "greaterThan"), ">"),
    **dict.fromkeys(("toBeGreaterThanOrEqual", "least", "gte", "greaterThanOrEqual"), ">="),
}
_PROMISES = word_set("resolves rejects eventually rejectedWith rejected fulfilled become")
_LOOSE = re.compile(r"\b(?:expect|jasmine|match|sinon|td|vi|chai)\.(?:\w+\.)*\w+\(?")
_ANYTHING = re.compile(
    r"(?:expect\.anything\(\)|jasmine\.anything\(\)|sinon\.match\.any|match\.any|expect\.anything)\Z"
)
_BROAD = frozenset(("Error", "Object", "Exception", "AssertionError"))


_OF_PROPERTY = frozenset(("toHaveProperty", "property", "toHaveAttribute"))


def demand_of(subject: list[str], links: list[Link], constants: Constants) -> Demand:
    """What the links after ``expect(subject)`` demand: the strongest of them counts."""
    names = [name for link in links for name in link.names]
    negated = "not" in names or "never" in names
    found = [_terminal(subject, link, negated, constants) for link in links]
    best = max(
        (each for each in found if each is not None),
        key=lambda each: each.strength,
        default=Demand(Strength.VACUOUS, joined(subject)),
    )
    promise = not _PROMISES.isdisjoint(names) and "notify" not in names
    return replace(best, promise=True) if promise else best


def _terminal(subject: list[str], link: Link, negated: bool, constants: Constants) -> Demand | None:
    name = link.names[-1] if link.names else ""
    if link.arguments is None and name not in _PROPERTIES:
        return None
    if name in ("notify", "catch", "then", "finally", "withContext", "within_"):
        return None
    found = matcher(name, subject, link, constants)
    return negate(found, name) if negated else found


def matcher(name: str, subject: list[str], link: Link, constants: Constants) -> Demand:
    """What one matcher demands."""
    expected = link.argument(0)
    if name in _ALONE:
        return _alone(subject, _ALONE[name], constants)
    if name in _CLOSE or name == "toBeCloseTo":
        return close(subject, expected, _tolerance(name, link))
    if name in _THROWS:
        return Demand(Strength.EXACT if _names_error(expected) else Strength.SHAPE, joined(subject), link.text(0))
    if name in _EXACT or (name in _OF_PROPERTY and len(link.arguments or ()) > 1):
        return _equality(subject, link, constants)
    if name in _PRESENCE:
        return _presence(name, subject, constants)
    if name in _GREATER:
        return at_least(weak(Strength.SHAPE, subject, expected, constants), _GREATER[name], expected)
    return _shape(name, subject, link, constants)


def _names_error(expected: list[str]) -> bool:
    """Whether an error is named, by more than a class that all others are kinds of."""
    broad = len(expected) == 1 and expected[0] in _BROAD
    return bool(expected) and expected != ["undefined"] and not broad


def _shape(name: str, subject: list[str], link: Link, constants: Constants) -> Demand:
    expected = link.argument(0)
    if name in ("toHaveLength", "length", "lengthOf") and joined(expected) == f"{joined(subject)}.length":
        return Demand(Strength.VACUOUS, joined(subject), link.text(0))
    empty = expected == ["{", "}"] and name in ("toMatchObject", "include", "containSubset")
    return weak(Strength.PRESENCE if empty else Strength.SHAPE, subject, expected, constants)


def negate(demand: Demand, name: str) -> Demand:
    """``not`` of an equality rules one value out; ``not`` of null or of an error says that something is there."""
    if demand.strength is Strength.VACUOUS and name not in _PRESENCE:
        return demand
    if (name in _ALONE and _ALONE[name] in ("null", "undefined")) or name in _THROWS or name in _PRESENCE:
        return replace(demand, strength=Strength.PRESENCE)
    return replace(demand, strength=Strength.SHAPE)


def _alone(subject: list[str], value: str, constants: Constants) -> Demand:
    return (
        boolean(subject, value == "true", constants)
        if value in ("true", "false")
        else equal(subject, [value], constants)
    )


def _equality(subject: list[str], link: Link, constants: Constants) -> Demand:
    given = link.arguments or []
    expected = link.argument(len(given) - 1) if link.names[-1:] == ("property",) else link.argument(0)
    if expected in (["true"], ["false"]):
        return boolean(subject, expected == ["true"], constants)
    found = equal(subject, expected, constants)
    if len(given) > 1:
        found = replace(found, expected=", ".join(joined(part) for part in given))
    most = Strength.SHAPE if subject[:1] == ["typeof"] else _most_of(found.expected or "")
    return replace(found, strength=min(found.strength, most))


def _most_of(expected: str) -> Strength:
    """How much an expectation can demand at most: ``expect.any(Number)`` is no value."""
    if not _LOOSE.search(expected):
        return Strength.EXACT
    return Strength.PRESENCE if _ANYTHING.match(expected) else Strength.SHAPE


def boolean(subject: list[str], expected: bool, constants: Constants) -> Demand:
    """A condition that must be true or false: what it compares is what is demanded."""
    always = truth(subject, constants)
    doubled = subject[:2] == ["!", "!"] or (subject[:2] == ["Boolean", "("] and subject[-1:] == [")"])
    if always is None and not doubled and comparison(subject) is None and not {"&&", "||"} & set(subject):
        return Demand(Strength.EXACT, joined(subject), str(expected).lower())
    if doubled and always is None:
        return Demand(Strength.PRESENCE, joined(subject), str(expected).lower())
    return condition_demand(subject, constants, expected)


def _presence(name: str, subject: list[str], constants: Constants) -> Demand:
    if name in ("toBeTruthy", "toBeFalsy", "ok"):
        return condition_demand(subject, constants, name != "toBeFalsy")
    vacuous = literal(subject) and subject not in (["undefined"], ["null"])
    return Demand(Strength.VACUOUS if vacuous else Strength.PRESENCE, joined(subject))


def _tolerance(name: str, link: Link) -> float | None:
    """Jest counts digits after the point, two by default; chai and the others take the difference itself."""
    given = number(link.argument(1))
    if name != "toBeCloseTo":
        return given
    if link.argument(1) and given is None:
        return None
    return power_of_ten(-(2.0 if given is None else given)) / 2
