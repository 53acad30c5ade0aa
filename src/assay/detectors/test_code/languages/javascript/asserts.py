"""Demands of matchers and assert functions, from Jest and Vitest to chai, node's assert, AVA, tape and QUnit."""

import re

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import equality
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import FileFacts, Kind, Rule, demand_of, rules
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.word_sets import word_set

_LOOSE = re.compile(r"\b(?:expect|jasmine|match|sinon|td|vi|chai)\.(?:\w+\.)*\w+\(?")
_ANYTHING = re.compile(
    r"(?:expect\.anything\(\)|jasmine\.anything\(\)|sinon\.match\.any|match\.any|expect\.anything)\Z"
)


def _equal(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """Equality; ``expect.any(Number)`` is no value, and several arguments belong together."""
    given = link.arguments or []
    found = equality(subject, link.argument(0), facts.constants, facts.logic)
    expected = ", ".join(joined(each) for each in given) if len(given) > 1 else found.expected
    most = Strength.EXACT
    if _LOOSE.search(expected or ""):
        most = Strength.PRESENCE if _ANYTHING.match(expected or "") else Strength.SHAPE
    return Demand(min(found.strength, most), found.subject, expected)


def _property(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``toHaveProperty("a", 3)`` demands a value, ``toHaveProperty("a")`` that there is one."""
    if link.given > 1:
        return _equal(link, facts, subject)
    return demand_of(Rule(Kind.SHAPE, expected=0, word="property"), link, facts, subject)


def _part(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``toMatchObject({})`` demands that something is there."""
    if link.argument(0) == ["{", "}"]:
        return demand_of(Rule(Kind.PRESENCE), link, facts, subject)
    return demand_of(Rule(Kind.SHAPE, expected=0, word="contain"), link, facts, subject)


_MATCHERS = rules(
    {
        "toBe toEqual toStrictEqual toHaveBeenCalledWith toHaveBeenLastCalledWith toHaveBeenNthCalledWith "
        "lastCalledWith toBeCalledWith nthCalledWith toHaveBeenCalledTimes toBeCalledTimes "
        "toHaveBeenCalledOnceWith toHaveBeenCalledExactlyOnceWith toHaveReturnedWith toHaveLastReturnedWith "
        "toHaveNthReturnedWith toReturnWith toHaveResolvedWith toHaveReturnedTimes toHaveText toHaveTextContent "
        "toHaveValue toHaveValues toHaveDisplayValue toHaveURL toHaveTitle toHaveCount toHaveId toEqualTypeOf "
        "toBeFulfilledWith toHaveAccessibleName toHaveStyle toHaveFormValues toHaveCSS equal equals eq eql eqls "
        "deepEqual calledWith calledWithExactly calledOnceWith calledOnceWithExactly callCount members become "
        "strictEqual text value html": _equal,
        "toMatchSnapshot toMatchInlineSnapshot toThrowErrorMatchingSnapshot toHaveScreenshot toMatchFileSnapshot "
        "toThrowErrorMatchingInlineSnapshot": Rule(Kind.EXACT),
        "toHaveBeenCalledOnce toBeCalledOnce": Rule(Kind.VALUE, word="1"),
        "ok": Rule(Kind.HOLDS),
        "toBeDefined": Rule(Kind.NOT_VALUE, word="undefined"),
        "toBeInTheDocument toExist toBeAttached toPass exist exists beDefined toResolve toBePresent": Rule(
            Kind.PRESENCE
        ),
        "fulfilled": Rule(Kind.QUIET),
        "toThrow toThrowError throw throws Throw rejectedWith toReject rejected": Rule(Kind.RAISES, expected=0),
        "closeTo approximately almostEqual": Rule(Kind.CLOSE, expected=0, tolerance=1),
        "toBeCloseTo": Rule(Kind.CLOSE, expected=0, tolerance=1, digits=True, default=0.005),
        "toContainEqual toContainText": Rule(Kind.SHAPE, expected=0, word="contain"),
        "toMatchObject containSubset": _part,
        "toHaveProperty property toHaveAttribute": _property,
    }
)
_SILENT = re.compile(r"notify|catch|then|finally|withContext|within_|with|and")

EXPECT = Library(
    starters=frozenset(("expect", "soft", "poll", "element")),
    matchers=_MATCHERS,
    negations=frozenset(("not", "never")),
    properties=word_set(
        "true false null undefined NaN ok exist exists empty called calledOnce calledTwice calledThrice fulfilled "
        "rejected arguments finite sealed frozen extensible sorted notCalled"
    ),
    neutral=_SILENT,
    promises=word_set("resolves rejects eventually rejectedWith rejected fulfilled become"),
)
SHOULD = Library(
    takers={"should": True},
    matchers=_MATCHERS,
    negations=frozenset(("not",)),
    properties=EXPECT.properties,
    neutral=_SILENT,
)

_FUNCTIONS = rules(
    {
        "equal equals strictEqual deepEqual deepStrictEqual strictDeepEqual is isEqual same strictSame "
        "deepLooseEqual propEqual eq eql sameMembers sameDeepMembers propertyVal calledWith calledWithExactly "
        "calledOnceWithExactly callCount": Rule(Kind.EQUAL),
        "snapshot matchSnapshot": Rule(Kind.EXACT),
        "notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame isNot notStrictSame "
        "notDeepLooseEqual": Rule(Kind.UNEQUAL),
        "ok truthy assert isOk": Rule(Kind.HOLDS),
        "notOk falsy isNotOk isNotTrue": Rule(Kind.FAILS),
        "true isTrue": Rule(Kind.TRUE),
        "false isFalse": Rule(Kind.FALSE),
        "exists": Rule(Kind.PRESENCE),
        "isDefined isNotUndefined": Rule(Kind.NOT_VALUE, word="undefined"),
        "isNotNull": Rule(Kind.NOT_VALUE, word="null"),
        "isNull": Rule(Kind.VALUE, word="null"),
        "isUndefined": Rule(Kind.VALUE, word="undefined"),
        "isNaN": Rule(Kind.VALUE, word="NaN"),
        "doesNotThrow notThrows ifError error isNotNaN doesNotThrowAsync": Rule(Kind.QUIET),
        "doesNotReject notThrowsAsync": Rule(Kind.QUIET, promise=True),
        "throws throw Throw": Rule(Kind.RAISES),
        "rejects throwsAsync": Rule(Kind.RAISES, promise=True),
        "closeTo approximately almostEqual": Rule(Kind.CLOSE),
        "isAbove": Rule(Kind.ORDER, word=">"),
        "isAtLeast": Rule(Kind.ORDER, word=">="),
        "isBelow": Rule(Kind.ORDER, word="<"),
        "isAtMost": Rule(Kind.ORDER, word="<="),
        "lengthOf": Rule(Kind.LENGTH),
        "match regex": Rule(Kind.SHAPE, word="match"),
        "doesNotMatch notRegex": Rule(Kind.NO_SHAPE, word="match"),
        "include deepInclude": Rule(Kind.SHAPE, word="contain"),
        "notInclude doesNotInclude": Rule(Kind.NO_SHAPE, word="contain"),
        "instanceOf isInstance typeOf": Rule(Kind.SHAPE, word="instanceOf"),
        "pass": Rule(Kind.VACUOUS),
        "like property notProperty isArray isObject isString isNumber isBoolean isFunction oneOf hasAllKeys "
        "containsAllKeys isEmpty isNotEmpty operator members includeMembers partialDeepStrictEqual has hasStrict "
        "type assertion called calledOnce notCalled calledTwice step verifySteps isNotArray isNotString": Rule(
            Kind.SHAPE
        ),
    }
)
ASSERT = Library(
    functions={**_FUNCTIONS, "strict": Rule(Kind.HOLDS)}, receivers=frozenset(("", "assert", "strict"))
)
T = Library(functions=_FUNCTIONS, receivers=frozenset(("t", "tt", "tap")))
