"""How much the functions of node's assert, chai's assert, AVA, tape and QUnit demand."""

from collections.abc import Mapping
from dataclasses import replace

from assay.detectors.test_code.chains import Link
from assay.detectors.test_code.common_demands import at_least, close, equal, weak
from assay.detectors.test_code.conditions import condition_demand, number
from assay.detectors.test_code.demand import Demand
from assay.detectors.test_code.javascript.matchers import boolean
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.uniform import joined
from assay.detectors.test_code.word_sets import word_set

Constants = Mapping[str, str]

_EQUAL = word_set(
    "equal equals strictEqual deepEqual deepStrictEqual strictDeepEqual is isEqual same strictSame "
    "deepLooseEqual propEqual partialDeepStrictEqual_ eq eql snapshot matchSnapshot sameMembers "
    "sameDeepMembers propertyVal calledWith calledWithExactly calledOnceWithExactly callCount"
)
_PRESENT = word_set("ok truthy assert exists isOk isDefined isNotNull isNotUndefined")
_ABSENT = word_set("notOk falsy isNotOk isNotTrue")


_TRUTHY = _PRESENT | _ABSENT | {""}
_BOOLEAN = {"true": True, "isTrue": True, "false": False, "isFalse": False}
_ALONE = {"isNull": "null", "isUndefined": "undefined", "isNaN": "NaN"}
_QUIET = word_set("doesNotThrow doesNotReject notThrows notThrowsAsync ifError error isNotNaN doesNotThrowAsync")
_THROWS = word_set("throws rejects throwsAsync throw Throw")
_GREATER = {"isAbove": ">", "isAtLeast": ">="}
_CLOSE = word_set("closeTo approximately almostEqual")
_LESS = word_set(
    "notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame isNot match doesNotMatch regex "
    "notRegex like include notInclude deepInclude lengthOf property notProperty typeOf isArray isObject "
    "isString isNumber isBoolean isFunction instanceOf isInstance isBelow isAtMost oneOf hasAllKeys "
    "containsAllKeys isEmpty isNotEmpty operator members includeMembers partialDeepStrictEqual has hasStrict "
    "type assertion called calledOnce notCalled calledTwice step verifySteps isNotArray notStrictSame "
    "notDeepLooseEqual isNotString doesNotInclude"
)
METHODS = (
    _EQUAL | _PRESENT | _ABSENT | set(_ALONE) | _QUIET | _THROWS | set(_GREATER) | _CLOSE | _LESS
    | frozenset(("true", "false", "isTrue", "isFalse", "pass", ""))
)  # fmt: skip
_PROMISES = word_set("rejects doesNotReject throwsAsync notThrowsAsync")


def demand_of(method: str, link: Link, constants: Constants) -> Demand:
    """What one function of an assert module demands of its arguments."""
    found = _demand_of(method, link.argument(0), link.argument(1), link, constants)
    return replace(found, promise=True) if method in _PROMISES else found


def _demand_of(method: str, subject: list[str], expected: list[str], link: Link, constants: Constants) -> Demand:
    if method in _EQUAL:
        return equal(subject, expected, constants)
    if method in _BOOLEAN:
        return boolean(subject, _BOOLEAN[method], constants)
    if method in _TRUTHY:
        return condition_demand(subject, constants, method not in _ABSENT)
    if method in _ALONE:
        return equal(subject, [_ALONE[method]], constants)
    if method in _CLOSE:
        return close(subject, expected, number(link.argument(2)))
    if method in _QUIET or method == "pass":
        return Demand(Strength.VACUOUS if method == "pass" else Strength.PRESENCE, joined(subject))
    if method in _THROWS:
        broad = not expected or expected == ["Error"] or expected[0].startswith('"')
        return Demand(Strength.SHAPE if broad else Strength.EXACT, joined(subject), link.text(1))
    found_weak = weak(Strength.SHAPE, subject, expected, constants)
    return at_least(found_weak, _GREATER.get(method, ""), expected)
