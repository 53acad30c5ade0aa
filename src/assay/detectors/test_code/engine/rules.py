"""Demands of assertion libraries' functions and matchers: one table for each library, read in one way."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from assay.detectors.test_code.engine.demand import NO_ERROR, Demand
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.conditions import (
    Constants,
    close,
    condition_demand,
    equality,
    inequality,
    is_everything,
    order,
    presence,
    shape,
)
from assay.detectors.test_code.engine.expressions.literals import is_inert, is_literal, measure, power_of_ten
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.wording import COMPARISONS, told, word_of
from assay.detectors.test_code.engine.expressions.words import bare, joined
from assay.detectors.test_code.model import Strength


class Kind(Enum):
    """The kind of demand."""

    EQUAL = "equal"
    UNEQUAL = "unequal"
    NEAR = "near"
    """Equal; within a tolerance where one is given."""
    LISTED = "listed"
    """Equal to a list of all that is given."""
    CLOSE = "close"
    HOLDS = "holds"
    """A condition must be true."""
    FAILS = "fails"
    """A condition must be false."""
    TRUE = "true"
    """The value must be true itself, also in a language where more counts as true."""
    FALSE = "false"
    VALUE = "value"
    """Equal to what the rule's word says: null, 0, NaN."""
    NOT_VALUE = "not value"
    RAISES = "raises"
    QUIET = "quiet"
    """Nothing must be raised."""
    SHAPE = "shape"
    """A property, told by the rule's word."""
    NO_SHAPE = "no shape"
    ORDER = "order"
    """An inequality; the word is its sign."""
    LENGTH = "length"
    EXACT = "exact"
    """As exact as equality, of something that can't be compared here: a snapshot, the arguments of a mock."""
    PRESENCE = "presence"
    ABSENCE = "absence"
    VACUOUS = "vacuous"
    REACHED = "reached"
    """Fails wherever it is reached."""


_OPPOSITE = {
    Kind.EQUAL: Kind.UNEQUAL, Kind.NEAR: Kind.UNEQUAL, Kind.LISTED: Kind.NO_SHAPE, Kind.UNEQUAL: Kind.EQUAL,
    Kind.HOLDS: Kind.FAILS, Kind.FAILS: Kind.HOLDS,
    Kind.TRUE: Kind.NO_SHAPE, Kind.FALSE: Kind.NO_SHAPE, Kind.VALUE: Kind.NOT_VALUE, Kind.NOT_VALUE: Kind.VALUE,
    Kind.RAISES: Kind.QUIET, Kind.QUIET: Kind.RAISES, Kind.SHAPE: Kind.NO_SHAPE, Kind.NO_SHAPE: Kind.SHAPE,
    Kind.PRESENCE: Kind.ABSENCE, Kind.ABSENCE: Kind.PRESENCE, Kind.CLOSE: Kind.NO_SHAPE, Kind.EXACT: Kind.NO_SHAPE,
    Kind.LENGTH: Kind.NO_SHAPE,
}  # fmt: skip
_CLOSURES = frozenset(("(", "async", "fn", "static"))
_LONGEST_HEAD = 12
_MANY = 99
_SIGNS = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_ABSENT = frozenset(("null", "nil", "None", "undefined", "(empty)", "NULL"))


@dataclass(frozen=True, slots=True)
class Rule:
    """The demand of one function, and where in its arguments it is. A matcher has no subject of its own."""

    kind: Kind
    subject: int = 0
    expected: int = 1
    tolerance: int = 2
    word: str = ""
    """The sign of an order, the value itself, or the word for a property; its own name where nothing is said."""
    default: float | None = None
    """The tolerance where none is given."""
    digits: bool = False
    """Whether the tolerance is given in digits after the point."""
    promise: bool = False
    labels: tuple[str, ...] = ()
    """Names under which the tolerance may be given."""

    @property
    def needs(self) -> int:
        """How many arguments say something; what comes after them is a message."""
        if self.subject < 0:
            # The subject comes last, so there is no message behind it.
            return _MANY
        if self.kind is Kind.CLOSE or (self.kind is Kind.NEAR and not self.labels):
            return max(self.subject, self.expected, self.tolerance) + 1
        if self.kind in _OF_ONE:
            return self.subject + 1
        return max(self.subject, self.expected) + 1


_OF_ONE = frozenset(
    {
        Kind.HOLDS, Kind.FAILS, Kind.TRUE, Kind.FALSE, Kind.VALUE, Kind.NOT_VALUE, Kind.QUIET, Kind.PRESENCE,
        Kind.ABSENCE,
    }
)  # fmt: skip


Check = Callable[[Link, "FileFacts", list[str]], Demand]
"""What a matcher demands that no rule can say: of its link, the file's facts and the subject."""
Rules = Mapping[str, Rule | Check]


def rules(*tables: Rules) -> dict[str, Rule | Check]:
    """Rules by the names of functions: a key may list several names."""
    return {name: rule for table in tables for names, rule in table.items() for name in names.split()}


PROPERTY = Rule(Kind.SHAPE, expected=0)
"""What a matcher demands of which nothing but its name is known."""
_BY_WORD = {
    **rules(
        {
            "true": Rule(Kind.TRUE),
            "false": Rule(Kind.FALSE),
            "truthy": Rule(Kind.HOLDS),
            "falsy falsey": Rule(Kind.FAILS),
            "empty": Rule(Kind.VALUE, word="(empty)"),
            "zero": Rule(Kind.VALUE, word="0"),
            "nan": Rule(Kind.VALUE, word="NaN"),
            "length": Rule(Kind.LENGTH, expected=0),
            "present": Rule(Kind.NOT_VALUE, word="(empty)"),
            "instanceof": Rule(Kind.SHAPE, expected=0, word="instanceOf"),
        }
    ),
    **{word: Rule(Kind.VALUE, word=word) for word in ("null", "nil", "undefined")},
    **{word: Rule(Kind.SHAPE, expected=0, word=word) for word in ("contain", "match", "startwith", "endwith")},
    **{word: Rule(Kind.ORDER, expected=0, word=sign) for word, sign in COMPARISONS.items()},
}


@lru_cache(maxsize=1024)
def worded(name: str) -> Rule | Check | None:
    """The demand of a matcher by a word that libraries share: ``toBeNull``, ``isNotEmpty``, ``BeGreaterThan``."""
    word, wanted = word_of(name)
    rule = _BY_WORD.get(word)
    return rule if wanted or rule is None else turned(rule)


def turned(rule: Rule | Check) -> Rule | Check:
    """The rule for the opposite: ``not``."""
    if not isinstance(rule, Rule):
        return _denied(rule)
    if rule.kind is Kind.ORDER:
        return replace(rule, word=_SIGNS[rule.word])
    word = rule.word
    if rule.kind in (Kind.TRUE, Kind.FALSE):
        word = rule.kind.value
    return replace(rule, kind=_OPPOSITE.get(rule.kind, rule.kind), word=word)


def _denied(check: Check) -> Check:
    def denied(link: Link, facts: "FileFacts", subject: list[str]) -> Demand:
        found = check(link, facts, subject)
        if found.strength is Strength.VACUOUS:
            return found
        return replace(found, strength=min(found.strength, Strength.SHAPE), expected=f"not {found.expected}")

    return denied


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The facts about the file around an assertion."""

    constants: Constants
    logic: Logic
    broad: frozenset[str]
    """Errors that every other one is a kind of."""


def demand_of(rule: Rule | Check, link: Link, facts: FileFacts, subject: list[str] | None = None) -> Demand:
    """The demand of a call; ``subject`` is given where the call is a matcher."""
    if not isinstance(rule, Rule):
        return rule(link, facts, subject if subject is not None else link.argument(0))
    given = link.positional if link.given > 1 else (link.arguments or [])
    looked_at = subject if subject is not None else _pick(given, rule.subject)
    expected = _pick(given, rule.expected)
    found = _demand(rule, link, facts, bare(looked_at), expected)
    return replace(found, promise=True) if rule.promise else found


def _pick(given: list[list[str]], index: int) -> list[str]:
    return given[index] if -len(given) <= index < len(given) else []


def _demand(rule: Rule, link: Link, facts: FileFacts, subject: list[str], expected: list[str]) -> Demand:
    constants, logic, kind = facts.constants, facts.logic, rule.kind
    if kind is Kind.NEAR and (rule.tolerance < len(link.positional) or link.labelled(*rule.labels)):
        return close(subject, expected, tolerance_of(rule, link, facts))
    if kind in (Kind.EQUAL, Kind.NEAR) or (kind is Kind.LISTED and link.given < 2):
        return equality(subject, expected, constants, logic)
    if kind is Kind.UNEQUAL:
        return inequality(subject, expected, constants, logic)
    if kind in (Kind.HOLDS, Kind.FAILS):
        return condition_demand(subject, kind is Kind.HOLDS, constants, logic)
    if kind in (Kind.TRUE, Kind.FALSE):
        return equality(subject, [kind.value], constants, logic)
    if kind is Kind.CLOSE:
        return close(subject, expected, tolerance_of(rule, link, facts))
    if kind is Kind.ORDER:
        return order(subject, rule.word, expected, True, constants)
    if kind is Kind.LENGTH:
        return _length(subject, expected)
    if kind is Kind.LISTED:
        listed = ", ".join(joined(each) for each in link.arguments or ())
        return Demand(Strength.EXACT, joined(subject), f"[{listed}]")
    if kind in (Kind.VALUE, Kind.NOT_VALUE):
        return _value(rule, subject)
    return _loose(rule, link, facts, subject, expected)


def _loose(rule: Rule, link: Link, facts: FileFacts, subject: list[str], expected: list[str]) -> Demand:
    kind = rule.kind
    if kind is Kind.RAISES:
        return _raises(link, facts, subject, expected)
    if kind is Kind.QUIET:
        return Demand(Strength.PRESENCE, joined(closure_body(subject)), rule.word or NO_ERROR)
    if kind is Kind.PRESENCE:
        return presence(subject, facts.constants)
    if kind is Kind.ABSENCE:
        return Demand(Strength.SHAPE, joined(subject), told(rule.word or link.name, "", False))
    if kind in (Kind.SHAPE, Kind.NO_SHAPE):
        return _shaped(rule, link, subject, expected)
    if kind is Kind.EXACT:
        others = ", ".join(joined(each) for each in link.arguments or () if each != subject)
        return Demand(Strength.EXACT, joined(subject), f"{rule.word or link.name}({others})")
    if kind is Kind.REACHED:
        return Demand(Strength.SHAPE, "fail")
    return Demand(Strength.VACUOUS, joined(subject))


def _shaped(rule: Rule, link: Link, subject: list[str], expected: list[str]) -> Demand:
    """A property of the subject: a kind, a part, a pattern."""
    wanted = rule.kind is Kind.SHAPE
    if not rule.word and rule.expected == 0 and link.given > 1:
        given = [word for each in link.arguments or () for word in (*each, ",")][:-1]
        return shape(subject, link.name, given, wanted)
    if link.types and rule.word == "instanceOf":
        expected = [link.types]
    elif is_literal(subject) and expected and not is_literal(expected):
        subject, expected = expected, subject
    return shape(subject, rule.word or link.name, expected, wanted)


def _length(subject: list[str], expected: list[str]) -> Demand:
    """The length of something: less than its value, and nothing at all where it is compared with itself."""
    text = joined(subject)
    itself = joined(expected) in (
        f"{text}.length",
        f"len({text})",
        f"{text}.size()",
        f"{text}.count",
        f"{text}.size",
    )
    vacuous = itself or (is_literal(subject) and is_literal(expected))
    return Demand(Strength.VACUOUS if vacuous else Strength.SHAPE, text, f"len {joined(expected)}")


def _value(rule: Rule, subject: list[str]) -> Demand:
    wanted = rule.kind is Kind.VALUE
    if is_literal(subject):
        same = joined(subject) == rule.word
        return Demand(Strength.VACUOUS if same is wanted else Strength.EXACT, joined(subject), rule.word)
    if wanted:
        return Demand(Strength.EXACT, joined(subject), rule.word)
    strength = Strength.PRESENCE if rule.word in _ABSENT else Strength.SHAPE
    return Demand(strength, joined(subject), f"not {rule.word}")


def _raises(link: Link, facts: FileFacts, subject: list[str], expected: list[str]) -> Demand:
    """An error: a broad kind of error, or any message, is less than a named one."""
    kind = link.types or joined(plain_type(expected) if expected is not subject else [])
    body = closure_body(subject)
    if body[:1] in (["throw"], ["raise"]) or is_inert(body, facts.logic.pure):
        # The test throws what it waits for itself, or asks the language for it.
        return Demand(Strength.VACUOUS, joined(body), kind or None)
    last = kind.replace("::", ".").rsplit(".", 1)[-1]
    broad = not kind or last in facts.broad or is_everything(expected)
    return Demand(Strength.SHAPE if broad else Strength.EXACT, joined(body), kind or None)


def closure_body(words: list[str]) -> list[str]:
    """The body of a closure, the same for a single call and for a block around it."""
    arrow = next((at for at, word in enumerate(words[:_LONGEST_HEAD]) if word in ("=>", "->")), None)
    if arrow is not None and (words[0] in _CLOSURES or arrow < 2):
        words = words[arrow + 1 :]
    elif words[:1] in (["func"], ["function"]) and "{" in words:
        words = words[words.index("{") :]
    elif words[:1] in (["|"], ["||"]) or words[:2] == ["move", "|"]:
        ends = [at for at, word in enumerate(words) if word == "|"]
        words = words[ends[1] + 1 :] if len(ends) > 1 else words[1:]
    if words[:1] == ["{"] and words[-1] == "}":
        words = words[1:-1]
    while words and words[0] in ("return", "await", "try", "_", "="):
        words = words[1:]
    return words[:-1] if words and words[-1] == ";" else words


def plain_type(words: list[str]) -> list[str]:
    """``Foo.class``, ``typeof(Foo)``, ``Foo::class``, ``Foo.self`` are all the type Foo."""
    if words[:2] == ["typeof", "("]:
        return words[2:-1]
    while len(words) > 2 and words[-1] in ("class", "self", "java") and words[-2] in (".", "::"):
        words = words[:-2]
    return words


def tolerance_of(rule: Rule, link: Link, facts: FileFacts) -> float | None:
    """How far apart two numbers may be; None where that is not written in the code."""
    given = link.labelled(*rule.labels) if rule.labels else []
    if not given:
        positional = link.positional
        given = positional[rule.tolerance] if rule.tolerance < len(positional) else []
    if not given:
        return rule.default
    value = measure(given, facts.constants)
    return power_of_ten(-value) / 2 if value is not None and rule.digits else value


def strongest(found: Iterable[Demand]) -> Demand | None:
    """Of several demands in one chain, the one that demands most."""
    return max(found, key=lambda each: each.strength, default=None)
