"""What an assertion macro or call demands in Rust."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from assay.detectors.test_code.curly.chains import chain
from assay.detectors.test_code.curly.condition_demands import condition, equality, inequality
from assay.detectors.test_code.curly.constants import number
from assay.detectors.test_code.curly.tokens import Tokens, arguments, closing, split, tokens, uniform
from assay.detectors.test_code.demand import Demand, WrittenDemand
from assay.detectors.test_code.model import Strength

MACRO = re.compile(r"(?:\w+::)*(\w+)\s*!")
_EQUAL = re.compile(r"(?:debug_|prop_)?assert_(?:\w+_)?eq(?:ual)?|assert_equal")
_DIFFERENT = re.compile(r"(?:debug_|prop_)?assert_(?:\w+_)?(?:ne|not_equal)")
_CLOSE = re.compile(r"(?>\w*?(?:relative|abs_diff|ulps|approx|float|near|close|within))\w*+")
_SNAPSHOT = re.compile(r"(?>\w*?snapshot)\w*+|assert_data_eq")
_ASSERT = re.compile(r"(?:debug_|prop_)?assert")
_CUSTOM = re.compile(r"(?:debug_|prop_)?(?:assert|verify|expect)_\w+")
_FAILS = frozenset({"panic", "unreachable", "prop_fail", "bail", "fail"})
_PATTERN = re.compile(r"(?:debug_|prop_)?assert_matches|matches")
_PRESENCE = frozenset({"assert_ok", "assert_some", "assert_ready"})
_BROAD = frozenset({"assert_err", "assert_pending"})
_TOLERANCES = frozenset({"epsilon", "max_relative", "abs", "rel", "abs_all", "rmax"})
_DEFAULT_TOLERANCE = {"assert_approx_eq": 1e-6}
_OWNED = tuple([name, "(", ")"] for name in ("to_string", "to_owned", "into"))
_FROM = ["String", "::", "from", "("]
_EQUALS, _COLON = frozenset({"="}), frozenset({"."})


CONFIGURATION = {
    "cfg!(test)": True,
    "cfg!(not(test))": False,
    "cfg!(any())": False,
    "cfg!(all())": True,
    "cfg!(FALSE)": False,
}
"""Conditions of the build that are always decided."""


@lru_cache(maxsize=8192)
def remembered(text: str) -> list[WrittenDemand]:
    """The same for a text that depends on no names: most assertions of a file are the same before and after."""
    return demands(text, CONFIGURATION, frozenset())


def demands(text: str, names: Mapping[str, bool], hollow: frozenset[str]) -> list[WrittenDemand]:
    """The assertions of one macro; for a macro that doesn't assert itself, those in its arguments."""
    named = MACRO.match(text)
    if named is None:
        return []
    parts = without_ownership(tokens(text[named.end() :]))
    found = _macro(named[1], parts[1:-1], names)
    if found is None:
        return list(_nested(parts, names)) if "assert" in text else []
    if named[1] in hollow:
        found = replace(found, strength=Strength.VACUOUS)
    return [WrittenDemand(_text(named[1], parts[1:-1]), found)]


def without_ownership(parts: Tokens) -> Tokens:
    """``"x".to_string()``, ``"x".to_owned()`` and ``String::from("x")`` are all the text ``"x"``."""
    kept: Tokens = []
    at = 0
    while at < len(parts):
        if kept and _is_text(kept[-1]) and parts[at] == "." and parts[at + 1 : at + 4] in _OWNED:
            at += 4
        elif parts[at : at + 4] == _FROM and _is_text(parts[at + 4]) and parts[at + 5 : at + 6] == [")"]:
            kept.append(parts[at + 4])
            at += 6
        else:
            kept.append(parts[at])
            at += 1
    return kept


def _is_text(part: str) -> bool:
    return part.endswith('"')


def _nested(parts: Tokens, names: Mapping[str, bool]) -> Iterator[WrittenDemand]:
    at = 0
    while at < len(parts) - 2:
        if "assert" in parts[at] and parts[at + 1] == "!" and parts[at + 2] in ("(", "[", "{"):
            end = closing(parts, at + 2)
            inside = parts[at + 3 : end]
            demand = _macro(parts[at], inside, names)
            if demand is not None:
                yield WrittenDemand(_text(parts[at], inside), demand)
                at = end
        at += 1


def _text(name: str, inside: Tokens) -> str:
    """The macro without its message: what follows the first string of a format after the needed arguments."""
    kept = arguments(inside)
    needed = (
        1 if _ASSERT.fullmatch(name) else 2 if _EQUAL.fullmatch(name) or _DIFFERENT.fullmatch(name) else len(kept)
    )
    if _CLOSE.fullmatch(name):
        needed = len(kept)
    return f"{name.removeprefix('debug_')}!({', '.join(map(uniform, kept[:needed]))})"


def _macro(name: str, inside: Tokens, names: Mapping[str, bool]) -> Demand | None:
    kept = arguments(inside)
    found = _of_one(name, kept, names)
    if found is None and len(kept) > 1:
        found = _compared(name, kept)
    if found is None and _CUSTOM.fullmatch(name):
        # An assertion of the project's own gets the benefit of the doubt.
        expected = ", ".join(map(uniform, kept[1:])) or name
        return Demand(Strength.EXACT, uniform(kept[0] if kept else []), expected)
    return found


def _of_one(name: str, kept: list[Tokens], names: Mapping[str, bool]) -> Demand | None:
    """A macro that looks at one thing: a condition, a pattern, a snapshot."""
    first, more = kept[0] if kept else [], len(kept) > 1
    if name in _FAILS:
        return Demand(Strength.SHAPE, "fail")
    if _ASSERT.fullmatch(name):
        return _asserted(first, names)
    if _PATTERN.fullmatch(name) and name != "matches":
        return _pattern(first, kept[1] if more else [])
    if name in _PRESENCE | _BROAD and len(kept) == 1:
        return Demand(Strength.PRESENCE if name in _PRESENCE else Strength.SHAPE, uniform(first))
    if _SNAPSHOT.fullmatch(name):
        return Demand(Strength.EXACT, uniform(first), uniform(kept[-1]) if more else "snapshot")
    return None


def _compared(name: str, kept: list[Tokens]) -> Demand | None:
    left, right = unborrowed(kept[0]), unborrowed(kept[1])
    if _CLOSE.fullmatch(name) and "assert" in name:
        return _close(name, kept)
    if _EQUAL.fullmatch(name):
        return _equal(left, right)
    return inequality(left, right) if _DIFFERENT.fullmatch(name) else None


def _equal(left: Tokens, right: Tokens) -> Demand:
    """``parse(x) == Ok(1)`` demands the same as ``parse(x).unwrap() == 1``."""
    for subject, expected in ((left, right), (right, left)):
        if expected[:2] in (["Ok", "("], ["Some", "("]) and closing(expected, 1) == len(expected) - 1:
            return equality([*subject, ".", "unwrap", "(", ")"], expected[2:-1])
    return equality(left, right)


def unborrowed(parts: Tokens) -> Tokens:
    """A borrowed value is the same value."""
    while parts[:1] in (["&"], ["*"], ["&&"]):
        parts = parts[1:]
    return parts


def _asserted(parts: Tokens, names: Mapping[str, bool]) -> Demand:
    if parts[1:3] == ["!", "("] and closing(parts, 2) == len(parts) - 1:
        kept = arguments(parts[3:-1])
        if parts[0] == "matches" and len(kept) > 1:
            return _pattern(kept[0], kept[1])
        if _CLOSE.fullmatch(parts[0]) and len(kept) > 1:
            return _close(parts[0], kept)
    return condition(parts, True, names)


def _pattern(subject: Tokens, pattern: Tokens) -> Demand:
    """A pattern that matches everything demands nothing, one for any success only that there is something."""
    text = uniform(pattern)
    strength = Strength.SHAPE
    if text == "_" or {"Ok(_)", "Err(_)"} <= set(text.split("|")) or {"Some(_)", "None"} <= set(text.split("|")):
        strength = Strength.VACUOUS
    elif text in ("Some(_)", "Ok(_)", "Some(..)", "Ok(..)"):
        strength = Strength.PRESENCE
    return Demand(strength, uniform(unborrowed(subject)), text)


def _close(name: str, kept: list[Tokens]) -> Demand:
    """Equal within a tolerance: the largest of those that are named, or the third argument."""
    found: list[float] = []
    for piece in kept[2:]:
        named = split(piece, _EQUALS)
        value = number(named[-1])
        if value is not None and (len(named) == 1 or uniform(named[0]) in _TOLERANCES):
            found.append(value)
    demand = equality(unborrowed(kept[0]), unborrowed(kept[1]))
    if demand.strength is not Strength.EXACT:
        return demand
    tolerance = max(found) if found else _DEFAULT_TOLERANCE.get(name)
    return replace(demand, strength=Strength.CLOSE, tolerance=tolerance)


CALL = re.compile(r"(?:[a-z_]\w*+::)*(\w++)(?:::<[^()]*>)?\s*\(")
_CHECKS = frozenset({"success", "failure", "code", "stdout", "stderr", "interrupted"})


def call_demands(parts: Tokens) -> list[WrittenDemand]:
    """``cmd.assert().success()``, ``expect![…].assert_eq(&x)``."""
    links = chain(parts)
    for at, link in enumerate(links):
        if link.arguments is None or not at:
            continue
        subject = ".".join(one.text for one in links[:at])
        if link.name in ("assert_eq", "assert_debug_eq"):
            return [
                WrittenDemand(
                    uniform(parts), Demand(Strength.EXACT, uniform(unborrowed(link.argument(0))), subject)
                )
            ]
        if link.name == "assert" and not link.given:
            return [_checked(subject, one.name, one.text) for one in links[at + 1 :] if one.name in _CHECKS]
    return []


def _checked(subject: str, name: str, text: str) -> WrittenDemand:
    exact = name in ("code", "stdout", "stderr")
    return WrittenDemand(
        f"{subject}.assert().{text}", Demand(Strength.EXACT if exact else Strength.SHAPE, subject, text)
    )
