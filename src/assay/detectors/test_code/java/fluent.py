"""Fluent assertions of Java: AssertJ, Truth, Hamcrest's matchers, Mockito's verify."""

import re
from collections.abc import Callable

from assay.detectors.test_code.curly.chains import Link, chain
from assay.detectors.test_code.curly.condition_demands import condition, equality, inequality
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.tokens import Tokens, uniform
from assay.detectors.test_code.curly.words import told
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Strength

BROAD = frozenset({"Exception", "Throwable", "RuntimeException", "Error"})

_NEUTRAL = frozenset(
    {
        "as",
        "describedAs",
        "withFailMessage",
        "overridingErrorMessage",
        "inOrder",
        "and",
        "isNotZeroTolerance",
        "inHexadecimal",
    }
)
_NEUTRAL_BEGINNING = re.compile(r"using|with(?!in)|ignoring")
_NAVIGATION = re.compile(
    r"extracting\w*|first|last|element|elements|asString|asList|asInstanceOf|size|flatExtracting|flatMap|map|filteredOn\w*"
    r"|singleElement|message|cause|rootCause|get|hasMessageThat|hasCauseThat|returnTo\w+|that|succeedsWithin|isWithin|valueOfKey"
)
_EXACT = re.compile(
    r"isSameAs|isSameInstanceAs|isNull|isEmpty|isZero|isOne|isBlank|isNullOrEmpty|containsExactly\w*|containsOnly\w*|hasToString|hasValue"
    r"|isEqualBy\w+|isEqualToComparing\w+|hasMessage|returns|isEqualToIgnoring\w+|isAbsent|isNotPresent|containsEntry"
    r"|isEqualToNormalizing\w+|hasSameElementsAs|isThrownBy"
)
_EQUALS = frozenset({"isSameAs", "isSameInstanceAs", "isEqualByComparingTo"})


_SATISFIES = frozenset({"satisfies", "allSatisfy", "anySatisfy", "hasEntrySatisfying"})
_PRESENCE = re.compile(r"isNotNull|isPresent|isNotEmpty|isNotBlank|doesNotThrowAnyException|isNotZero|isNotAbsent")
_THROWING_ROOT = re.compile(r"assertThat(?:ThrownBy|ExceptionOfType|\w+Exception)")


def fluent(links: list[Link]) -> list[WrittenDemand]:
    """Every check of a chain is an assertion of its own: a chain and separate statements demand the same."""
    root = links[0]
    if root.given >= 2:
        return [_hamcrest(root)]
    if root.name in ("assertWithMessage", "assert_") and len(links) > 1:
        root, links = links[1], links[1:]
    subject = root.argument(0)
    found: list[WrittenDemand] = []
    tolerance: Tokens = []
    for link in links[1:]:
        if _says_nothing(link):
            continue
        if link.name == "isWithin":
            tolerance = link.argument(0)
        elif _NAVIGATION.fullmatch(link.name):
            subject = [*subject, ".", link.text]
        else:
            demand = _check(link, subject, root.name, tolerance)
            found.append(WrittenDemand(f"assertThat({uniform(subject)}).{link.text}", demand))
    return found or _unchecked(root, subject)


def _says_nothing(link: Link) -> bool:
    """Does a link only word or prepare a check, or hand over to the assertions in a lambda?"""
    if link.name in _NEUTRAL or _NEUTRAL_BEGINNING.match(link.name):
        return True
    return link.name in _SATISFIES and "->" in link.text


def _unchecked(root: Link, subject: Tokens) -> list[WrittenDemand]:
    """``assertThat(x)`` alone demands nothing; a thrower alone demands that something is thrown."""
    strength = Strength.SHAPE if _THROWING_ROOT.match(root.name) else Strength.VACUOUS
    return [WrittenDemand(f"{root.name}({uniform(subject)})", Demand(strength, uniform(subject)))]


def _check(link: Link, subject: Tokens, root: str, tolerance: Tokens) -> Demand:
    text = uniform(subject)
    found = _closeness(link, text, tolerance) or _comparison(link, subject) or _instance(link, text, root)
    if found is not None:
        return found
    given = ", ".join(map(uniform, link.arguments or ()))
    if link.name == "containsExactly":
        return Demand(Strength.EXACT, text, f"[{given}]")
    return Demand(_strength(link.name), text, told(link.name, given))


def _closeness(link: Link, subject: str, tolerance: Tokens) -> Demand | None:
    """``isCloseTo(3, within(0.1))``, ``isWithin(0.1).of(3)``."""
    expected = uniform(link.argument(0))
    if link.name in ("isEqualTo", "isCloseTo") and link.given == 2:
        return Demand(Strength.CLOSE, subject, expected, _within(link.argument(1)))
    if link.name == "of" and tolerance:
        return Demand(Strength.CLOSE, subject, expected, number(tolerance))
    return None


def _comparison(link: Link, subject: Tokens) -> Demand | None:
    """A check that says the same as an operator would."""
    name, first = link.name, link.argument(0)
    if name == "isEqualTo" or (name in _EQUALS and link.given == 1):
        return equality(subject, first)
    if name == "isNotEqualTo":
        return inequality(subject, first)
    if name in ("isTrue", "isFalse"):
        return condition(subject, name == "isTrue")
    if name == "hasSize" and link.given == 1:
        return equality([*subject, ".", "size", "(", ")"], first)
    return None


def _instance(link: Link, subject: str, root: str) -> Demand | None:
    """An exception of a kind; or a type that everything has."""
    given = ", ".join(map(uniform, link.arguments or ()))
    if link.name in ("isInstanceOf", "isExactlyInstanceOf", "isThrownBy") and _THROWING_ROOT.match(root):
        kind = (subject if link.name == "isThrownBy" else given).removesuffix(".class")
        return Demand(Strength.SHAPE if kind in BROAD else Strength.EXACT, subject, kind)
    if link.name == "isInstanceOf" and given == "Object.class":
        return Demand(Strength.VACUOUS, subject, given)
    return None


def _strength(name: str) -> Strength:
    if _EXACT.fullmatch(name):
        return Strength.EXACT
    return Strength.PRESENCE if _PRESENCE.fullmatch(name) else Strength.SHAPE


def _within(parts: Tokens) -> float | None:
    """``within(0.1)``, ``Offset.offset(0.1)``, ``withPercentage(5)``."""
    links = chain(parts)
    value = number(links[-1].argument(0)) if links else None
    return value / 100 if value is not None and "ercentage" in links[-1].name else value


_MOST_DEPTH = 8


def _hamcrest(root: Link) -> WrittenDemand:
    """``assertThat(x, matcher)``, ``assertThat("why", x, matcher)``, ``assertThat("why", condition)``."""
    kept = list(root.arguments or ())
    if kept[0][:1] and kept[0][0][0] == '"' and (len(kept) == 3 or not _is_matcher(kept[1])):
        kept = kept[1:]
    text = f"assertThat({', '.join(map(uniform, kept))})"
    if len(kept) == 1:
        return WrittenDemand(text, condition(kept[0], True))
    return WrittenDemand(text, _matched(kept[0], kept[1], 0))


def _is_matcher(parts: Tokens) -> bool:
    links = chain(parts)
    return bool(links) and links[-1].arguments is not None


def _matched(subject: Tokens, matcher: Tokens, depth: int) -> Demand:
    links = chain(matcher)
    link = links[-1] if links else Link("", None, "", [])
    found = _MATCHERS[link.name](subject, link, depth) if link.name in _MATCHERS else None
    given = ", ".join(map(uniform, link.arguments or ()))
    return found or Demand(Strength.SHAPE, uniform(subject), told(link.name, given))


def _combined(subject: Tokens, link: Link, depth: int) -> Demand | None:
    """A matcher around a value or around other matchers."""
    if not link.given:
        return None
    if link.name == "is" and not _wraps_matcher(link.argument(0)):
        return equality(subject, link.argument(0))
    if depth >= _MOST_DEPTH:
        return None
    inner = [_matched(subject, argument, depth + 1) for argument in link.arguments or ()]
    return (min if link.name == "anyOf" else max)(inner, key=lambda demand: demand.strength)


def _matches_equal(subject: Tokens, link: Link, _: int) -> Demand:
    return equality(subject, link.argument(0))


def _matches_close(subject: Tokens, link: Link, _: int) -> Demand:
    return Demand(Strength.CLOSE, uniform(subject), uniform(link.argument(0)), number(link.argument(1)))


def _matches_not(subject: Tokens, link: Link, _: int) -> Demand | None:
    return _negated(uniform(subject), link.argument(0)) if link.given else None


def _matches_anything(subject: Tokens, link: Link, _: int) -> Demand:
    return Demand(Strength.VACUOUS, uniform(subject), link.text)


def _matches_something(subject: Tokens, _: Link, __: int) -> Demand:
    return Demand(Strength.PRESENCE, uniform(subject), "not null")


def _matches_nothing(subject: Tokens, link: Link, _: int) -> Demand:
    return Demand(Strength.EXACT, uniform(subject), "null" if link.name == "nullValue" else "(empty)")


def _matches_size(subject: Tokens, link: Link, _: int) -> Demand | None:
    if link.given != 1 or number(link.argument(0)) is None:
        return None
    return equality([*subject, ".", "size", "(", ")"], link.argument(0))


def _matches_elements(subject: Tokens, link: Link, _: int) -> Demand:
    given = ", ".join(map(uniform, link.arguments or ()))
    return Demand(Strength.EXACT, uniform(subject), f"[{given}]" if link.name == "contains" else given)


_MATCHERS: dict[str, Callable[[Tokens, Link, int], Demand | None]] = {
    **dict.fromkeys(("is", "allOf", "anyOf", "describedAs"), _combined),
    **dict.fromkeys(("equalTo", "sameInstance", "theInstance", "comparesEqualTo"), _matches_equal),
    **dict.fromkeys(("nullValue", "empty", "emptyString", "isEmptyString"), _matches_nothing),
    **dict.fromkeys(
        ("contains", "arrayContaining", "containsInAnyOrder", "samePropertyValuesAs"), _matches_elements
    ),
    "closeTo": _matches_close,
    "not": _matches_not,
    "anything": _matches_anything,
    "notNullValue": _matches_something,
    "hasSize": _matches_size,
}
"""What Hamcrest's matchers mean. The number says how deep a matcher is in others."""


def _negated(subject: str, matcher: Tokens) -> Demand:
    if uniform(matcher) in ("nullValue()", "empty()", "emptyString()"):
        return Demand(Strength.PRESENCE, subject, "not null" if matcher[0] == "nullValue" else "not (empty)")
    return Demand(Strength.SHAPE, subject, f"not {uniform(matcher)}")


def _wraps_matcher(parts: Tokens) -> bool:
    links = chain(parts)
    inner = links[-1] if links else None
    return inner is not None and inner.arguments is not None and bool(_MATCHER_NAME.fullmatch(inner.name))


_MATCHER_NAME = re.compile(
    r"not|notNullValue|nullValue|equalTo|sameInstance|closeTo|instanceOf|anything|allOf|anyOf|greaterThan\w*|lessThan\w*|empty|hasSize"
    r"|hasItems?|containsString|startsWith|endsWith|contains\w*|emptyString|emptyOrNullString|in|oneOf"
)


def mock(links: list[Link]) -> list[WrittenDemand]:
    """``verify(mock, mode).call(…)``: a verification of at least no call demands nothing."""
    root = links[0]
    if root.name != "verify":
        return (
            [WrittenDemand(root.text, Demand(Strength.EXACT, root.text))]
            if root.name.startswith("verifyNo") or root.given
            else []
        )
    mode = uniform(root.argument(1)).rsplit(".", 1)[-1]
    subject = uniform(root.argument(0))
    if len(links) < 2:
        # EasyMock's way to ask for everything that was expected, and Mockito's way to ask for nothing.
        return [WrittenDemand(root.text, Demand(Strength.PRESENCE, subject))]
    call = links[1]
    loose = mode.startswith("atLeast") or "any(" in call.text or "any()" in call.text
    strength = Strength.VACUOUS if mode in ("atLeast(0)", "atMost(2147483647)") else Strength(4 - 2 * loose)
    return [WrittenDemand(f"{root.text}.{call.text}", Demand(strength, f"{subject}.{call.name}", call.text))]
