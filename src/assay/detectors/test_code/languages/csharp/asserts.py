"""Demands of assertions in xUnit, NUnit, MSTest, FluentAssertions and Shouldly."""

import re
from dataclasses import replace
from functools import partial

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link, is_labelled
from assay.detectors.test_code.engine.expressions.conditions import close, equality
from assay.detectors.test_code.engine.expressions.literals import measure
from assay.detectors.test_code.engine.expressions.wording import told
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import PROPERTY, Check, FileFacts, Kind, Rule, demand_of, rules, worded
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.word_sets import word_set

_OF_ONE = word_set(
    "True False IsTrue IsFalse Null IsNull Empty IsEmpty Zero IsNaN NotNull IsNotNull NotEmpty IsNotEmpty NotZero "
    "DoesNotThrow DoesNotThrowAsync Single"
)
_EQUAL = word_set(
    "Equal AreEqual StrictEqual Same AreSame AreEquivalent Equivalent AreEqualIgnoringCase "
    "EquivalentWithExclusions"
)
_SUBJECT_FIRST = frozenset(("CollectionAssert", "StringAssert"))
_NO_TOLERANCE = frozenset(("true", "false"))


def _trimmed(link: Link) -> Link:
    """Without the message at the end and what it is formatted with; with the names of arguments taken off."""
    kept = [_unnamed(each) for each in link.arguments or ()]
    if link.name == "Fail":
        kept = []
    if link.name in ("That", "ThatAsync"):
        kept = kept[:1] if len(kept) > 1 and _is_text(kept[1]) else kept[:2]
    needed = 1 if link.name in _OF_ONE else 2
    while any(_is_text(each) for each in kept[needed:]):
        kept.pop()
    return replace(link, arguments=kept, types="" if link.name in _EQUAL else link.types)


def _is_text(words: list[str]) -> bool:
    return words[0][-1] == '"'


def _unnamed(words: list[str]) -> list[str]:
    """``actual: x`` is ``x``."""
    named = is_labelled(words) and words[1] == ":" and words[0] not in ("tolerance", "precision", "delta")
    return words[2:] if named else words


def _equal(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """A third whole number is xUnit's count of decimal places; a fraction or a named tolerance is itself one."""
    third = link.argument(2)
    text = joined(third)
    if not third or _is_text(third) or "omparer" in text or text in _NO_TOLERANCE:
        return equality(link.argument(1), link.argument(0), facts.constants, facts.logic)
    value = measure(third[2:] if is_labelled(third) else third, facts.constants)
    places = "precision" in text or ("tolerance" not in text and text.lstrip("-").isdigit())
    if value is not None and places:
        value = 0.5 * 10.0 ** -min(max(value, -300.0), 300.0)
    return close(link.argument(1), link.argument(0), value)


def _holding(at: int) -> dict[str, Rule]:
    """Rules on content of texts and collections, with the subject first or second."""
    holds, lacks = partial(Rule, Kind.SHAPE, at, 1 - at), partial(Rule, Kind.NO_SHAPE, at, 1 - at)
    return {
        "Contains": holds(word="contain"),
        "DoesNotContain": lacks(word="contain"),
        "StartsWith": holds(word="startWith"),
        "EndsWith": holds(word="endWith"),
        "Matches IsMatch": holds(word="match"),
        "DoesNotMatch": lacks(word="match"),
    }


def _ranged(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    rest = ", ".join(joined(each) for each in (link.arguments or [])[1:])
    return Demand(Strength.SHAPE, joined(subject), told(link.name, rest))


def _kind(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``IsType<Foo>(x)``, ``IsType(typeof(Foo), x)``, ``IsInstanceOfType(x, typeof(Foo))``."""
    at = 0 if link.given < 2 or link.argument(0)[0] != "typeof" else 1
    return demand_of(Rule(Kind.SHAPE, at, 1 - at, word="instanceOf"), link, facts)


def _single(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """One element, whichever; or the only one that is so."""
    rest = (link.arguments or [])[1 if subject is link.argument(0) else 0 :]
    return Demand(Strength.SHAPE, joined(subject), told("single", joined(rest[0])) if rest else "len 1")


def _caught(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """An error of a kind, or of any kind of that one."""
    found = demand_of(_CAUGHT, link, facts)
    return replace(found, strength=min(found.strength, Strength.SHAPE))


_CAUGHT = Rule(Kind.RAISES, -1, 0)
FUNCTIONS = rules(
    {
        " ".join(_EQUAL): _equal,
        "NotEqual AreNotEqual NotSame AreNotSame NotStrictEqual AreNotEquivalent": Rule(Kind.UNEQUAL, 1, 0),
        "True IsTrue That ThatAsync": Rule(Kind.HOLDS),
        "False IsFalse": Rule(Kind.FAILS),
        "Null IsNull": Rule(Kind.VALUE, word="null"),
        "NotNull IsNotNull": Rule(Kind.NOT_VALUE, word="null"),
        "Empty IsEmpty": Rule(Kind.VALUE, word="(empty)"),
        "NotEmpty IsNotEmpty": Rule(Kind.NOT_VALUE, word="(empty)"),
        "Zero": Rule(Kind.VALUE, word="0"),
        "NotZero": Rule(Kind.NOT_VALUE, word="0"),
        "IsNaN": Rule(Kind.VALUE, word="NaN"),
        **_holding(1),
        "Single": _single,
        "IsType IsAssignableFrom IsInstanceOf IsInstanceOfType IsNotAssignableFrom": _kind,
        "Catch CatchAsync": _caught,
        "Throws ThrowsAny ThrowsExactly ThrowsException": _CAUGHT,
        "ThrowsAsync ThrowsAnyAsync ThrowsExactlyAsync ThrowsExceptionAsync": replace(_CAUGHT, promise=True),
        "DoesNotThrow DoesNotThrowAsync": Rule(Kind.QUIET),
        "Greater": Rule(Kind.ORDER, word=">"),
        "GreaterOrEqual": Rule(Kind.ORDER, word=">="),
        "Less": Rule(Kind.ORDER, word="<"),
        "LessOrEqual": Rule(Kind.ORDER, word="<="),
        "InRange NotInRange Collection All AllAsync": _ranged,
        "Pass": Rule(Kind.VACUOUS),
    }
)


def _type(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``Throws.TypeOf<E>()``, ``Is.InstanceOf<Foo>()``."""
    rule = Rule(Kind.RAISES, expected=0) if "Throws" in link.names else _OF_TYPE
    return demand_of(rule, link, facts, subject)


def _named(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """``Throws.ArgumentNullException``; anything else is a property."""
    if "Throws" in link.names:
        return demand_of(Rule(Kind.RAISES, expected=9), replace(link, types=link.name), facts, subject)
    return demand_of(Rule(Kind.SHAPE, expected=0), link, facts, subject)


_OF_TYPE = Rule(Kind.SHAPE, expected=0, word="instanceOf")
_NULL = Rule(Kind.VALUE, word="null")
ASSERT = Library(
    functions=FUNCTIONS,
    receivers=frozenset(("Assert", *_SUBJECT_FIRST)),
    asked=frozenset(("That", "ThatAsync")),
    matchers={
        **rules(
            {
                "EqualTo SameAs EquivalentTo": Rule(Kind.EQUAL, expected=0),
                "ContainKey": Rule(Kind.SHAPE, expected=0, word="contain"),
                "TypeOf InstanceOf AssignableFrom AssignableTo": _type,
                "Nothing": Rule(Kind.QUIET),
            }
        )
    },
    negations=frozenset(("Not", "No", "None")),
    elements=frozenset(("Some", "All", "None", "Exactly", "One")),
    infix={"Or": False, "And": True, "With": True},
    within=frozenset(("Within",)),
    neutral=re.compile(r"IgnoreCase|AsCollection|NoClip|Using|Percent|After|Items"),
    navigation=re.compile(r"Count|Length|Property|Message|InnerException"),
    other=_named,
    trimmed=_trimmed,
    head="Assert.",
)
OF_COLLECTIONS = Library(functions=rules(_holding(0)), receivers=_SUBJECT_FIRST, trimmed=_trimmed, head="Assert.")
SHOULD_THROW = Library(
    functions=rules(
        {
            "Throw": Rule(Kind.RAISES, 0, 9),
            "ThrowAsync": Rule(Kind.RAISES, 0, 9, promise=True),
            "NotThrow NotThrowAsync": Rule(Kind.QUIET),
        }
    ),
    receivers=frozenset(("Should",)),
    head="Should.",
)


def _checked(link: Link) -> Link:
    """Without the reasons after what is expected."""
    needed = 0 if _TAKES_NONE.fullmatch(link.name) else 1 if _TAKES_ONE.fullmatch(link.name) else None
    kept = list(link.arguments or ())
    if needed is not None and link.arguments is not None:
        return replace(link, arguments=kept[:needed])
    while len(kept) > 1 and link.name.startswith("Should") and _is_text(kept[-1]):
        kept.pop()
    return replace(link, arguments=kept) if link.arguments is not None else link


_TAKES_NONE = re.compile(
    r"(?:Should)?(?:Not)?(?:Be(?:True|False|Null|Empty|NullOrEmpty|NullOrWhiteSpace|OfType|Positive|Negative|AssignableTo)|Throw\w*)"
)
_TAKES_ONE = re.compile(
    r"(?:Not)?Be|BeEquivalentTo|(?:Not)?BeSameAs|(?:Should)?Be(?:Greater|Less)\w*|HaveCount\w*|StartWith|EndWith|WithMessage"
)


_THROWN = Rule(Kind.RAISES, expected=9)
_CHECKS: dict[str, Rule | Check] = rules(
    {
        "Be BeSameAs": Rule(Kind.NEAR, expected=0, tolerance=1),
        "NotBe NotBeSameAs NotBeEquivalentTo": Rule(Kind.UNEQUAL, expected=0),
        "BeEquivalentTo Equal BeInSameOrderAs BeSameSequenceAs": Rule(Kind.LISTED, expected=0),
        "NotEqual": Rule(Kind.UNEQUAL, expected=0),
        "NotHaveValue": _NULL,
        "HaveValue": Rule(Kind.NOT_VALUE, word="null"),
        "Exist": Rule(Kind.NOT_VALUE, word="(empty)"),
        "BeApproximately BeCloseTo": Rule(Kind.CLOSE, expected=0, tolerance=1),
        "Throw ThrowExactly": _THROWN,
        "ThrowAsync ThrowExactlyAsync ThrowWithinAsync": replace(_THROWN, promise=True),
        "NotThrow NotThrowAfter": Rule(Kind.QUIET),
        "NotThrowAsync": Rule(Kind.QUIET, promise=True),
        "WithMessage": Rule(Kind.EQUAL, expected=0),
        "ContainKey": Rule(Kind.SHAPE, expected=0, word="contain"),
        "MatchRegex": Rule(Kind.SHAPE, expected=0, word="match"),
        "ContainSingle HaveSingleItem": _single,
        "BeOneOf BeInRange SatisfyAllConditions AllBe NotMatch": Rule(Kind.SHAPE, expected=0),
    }
)
FLUENT = Library(
    starters=frozenset(("Should",)),
    matchers=_CHECKS,
    negations=frozenset(),
    neutral=re.compile(r"And|Where|Wait|GetAwaiter|GetResult|ConfigureAwait"),
    navigation=re.compile(r"Which|Subject|WhoseValue"),
    subject_first=True,
    each=True,
    trimmed=_checked,
)
_SHARED = word_set(
    "BeTrue BeFalse BeNull NotBeNull BeEmpty NotBeEmpty BeNullOrEmpty NotBeNullOrEmpty BeNullOrWhiteSpace Contain "
    "NotBeNullOrWhiteSpace HaveCount NotContain StartWith EndWith Match BeOfType BeAssignableTo BePositive "
    "BeNegative BeGreaterThan BeGreaterThanOrEqualTo BeLessThan BeLessThanOrEqualTo"
)
SHOULDLY = Library(
    matchers={f"Should{name}": _CHECKS.get(name) or worded(name) or PROPERTY for name in (*_CHECKS, *_SHARED)},
    negations=frozenset(),
    neutral=FLUENT.neutral,
    subject_first=True,
    each=True,
    trimmed=_checked,
)
LIBRARIES = (OF_COLLECTIONS, ASSERT, SHOULD_THROW, FLUENT, SHOULDLY)
