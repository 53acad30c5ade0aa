"""Demands of assertion macros in Rust."""

import re

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import close, condition_demand, shape
from assay.detectors.test_code.engine.expressions.literals import number
from assay.detectors.test_code.engine.expressions.sides import unborrowed
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import Library
from assay.detectors.test_code.engine.rules import Check, FileFacts, Kind, Rule, demand_of, rules
from assay.detectors.test_code.model import Strength

CLOSE = re.compile(r"(?>\w*?(?:relative|abs_diff|ulps|approx|float|near|close|within))\w*+!")
_ASSERT = re.compile(r"(?:debug_|prop_)?assert!|ensure!")
_OF_TWO = re.compile(r"(?:debug_|prop_)?assert_(?:\w+_)?(?:eq|equal|ne|not_equal|matches|l[te]|g[te])!")
_TOLERANCES = ("epsilon", "max_relative", "abs", "rel", "abs_all", "rmax")
_DEFAULT_TOLERANCE = {"assert_approx_eq!": 1e-6}
_ASKED = {"Ok(_)": "is_ok", "Err(_)": "is_err", "Some(_)": "is_some", "None": "is_none"}
_EVERYTHING = ({"_"}, {"Ok(_)", "Err(_)"}, {"Some(_)", "None"})


def matched(subject: list[str], pattern: list[str], facts: FileFacts, wanted: bool = True) -> Demand:
    """A pattern that matches everything demands nothing; one for any success asks what ``is_ok`` does."""
    text, subject = joined(pattern), unborrowed(subject, facts.logic)
    if any(each <= {one.strip() for one in text.split("|")} for each in _EVERYTHING):
        return Demand(Strength.VACUOUS, joined(subject), text)
    asked = _ASKED.get(text.replace("..", "_"))
    if asked is not None:
        return condition_demand([*subject, ".", asked, "(", ")"], wanted, facts.constants, facts.logic)
    return shape(subject, "match", pattern, wanted)


def near(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """Equal within a tolerance: the largest of those that are named, or the third argument."""
    given = [link.labelled(name) for name in _TOLERANCES] + link.positional[2:3]
    found = [value for value in map(number, given) if value is not None]
    tolerance = max(found) if found else _DEFAULT_TOLERANCE.get(link.name)
    return close(unborrowed(subject, facts.logic), unborrowed(link.argument(1), facts.logic), tolerance)


def _pattern(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    return matched(subject, link.argument(1), facts)


def _snapshot(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    expected = joined(link.argument(-1)) if link.given > 1 else "snapshot"
    return Demand(Strength.EXACT, joined(unborrowed(subject, facts.logic)), expected)


def _own(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
    """An assertion of the project's own gets the benefit of the doubt."""
    expected = ", ".join(joined(each) for each in (link.arguments or [])[1:]) or link.name.rstrip("!")
    return Demand(Strength.EXACT, joined(unborrowed(subject, facts.logic)), expected)


def _of_one(rule: Rule) -> Check:
    """The demand on a single argument; with more of them, it is an assertion like any other."""

    def check(link: Link, facts: FileFacts, subject: list[str]) -> Demand:
        return demand_of(rule, link, facts, subject) if link.given == 1 else _own(link, facts, subject)

    return check


def trimmed(link: Link) -> Link:
    """An assertion without its message, by the name that it has in every build."""
    name, given = link.name.removeprefix("debug_"), link.arguments or []
    needed = 1 if _ASSERT.fullmatch(name) else 2 if _OF_TWO.fullmatch(name) else len(given)
    return Link((name,), given if CLOSE.fullmatch(name) else given[:needed], link.types)


MACROS = Library(
    functions=rules(
        {
            "assert! debug_assert! prop_assert! ensure!": Rule(Kind.HOLDS),
            "assert_matches! debug_assert_matches! prop_assert_matches!": _pattern,
            "assert_ok! assert_ready!": _of_one(Rule(Kind.QUIET)),
            "assert_some!": _of_one(Rule(Kind.NOT_VALUE, word="None")),
            "assert_none!": _of_one(Rule(Kind.VALUE, word="None")),
            "assert_err! assert_pending!": _of_one(Rule(Kind.RAISES, expected=9)),
            "assert_gt!": Rule(Kind.ORDER, word=">"),
            "assert_ge!": Rule(Kind.ORDER, word=">="),
            "assert_lt!": Rule(Kind.ORDER, word="<"),
            "assert_le!": Rule(Kind.ORDER, word="<="),
        }
    ),
    patterns=(
        (re.compile(r"(?>\w*?snapshot)\w*+!|assert_data_eq!"), _snapshot),
        (re.compile(rf"(?=\w*?assert)(?:{CLOSE.pattern})"), near),
        (re.compile(r"(?:debug_|prop_)?assert_(?:\w+_)?eq(?:ual)?!"), Rule(Kind.EQUAL)),
        (re.compile(r"(?:debug_|prop_)?assert_(?:\w+_)?(?:ne|not_equal)!"), Rule(Kind.UNEQUAL)),
        (re.compile(r"(?:debug_|prop_)?(?:assert|verify|expect)_\w+!"), _own),
    ),
    trimmed=trimmed,
)
