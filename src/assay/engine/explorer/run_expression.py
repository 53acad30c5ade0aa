"""Filters as people write them: ``state = failed and (cost > 0.1 or duration >= 600) and not judge = PASS``.

``and`` binds closer than ``or``. Values with spaces or signs are quoted, and ``none`` is no value. A flag needs no
value, as in ``gates_disagree``. ``axis.safety`` is the score of an axis, ``metadata.seed`` a value of metadata.
Everything else is refused with a sentence that says at which character: nobody gets another list than was meant.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn

from assay.core.errors import InputError
from assay.engine.explorer.run_fields import ALIASES, BY_NAME, Holds
from assay.engine.explorer.run_filters import (
    AllOf,
    AnyOf,
    AxisWithin,
    Filter,
    HasMetadata,
    Is,
    Not,
    OneOf,
    Range,
    Within,
    number_range,
    time_range,
)

MOST_CHARACTERS: Final = 2000
MOST_PARTS: Final = 50
NONE: Final = "none"
OPERATORS: Final = ("=", "!=", "<", "<=", ">", ">=", "in")
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*')|(?P<sign>[<>!]=|[=<>(),])|(?P<word>[^\s()<>=!,"']+))"""
)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    at: int
    quoted: bool = False

    def says(self, *words: str) -> bool:
        return not self.quoted and self.text.lower() in words


def parse_expression(text: str) -> tuple[Filter, ...]:
    """The conditions of an expression, all of which must hold. Raises ``InputError``."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"an expression must have at most {MOST_CHARACTERS} characters, got {len(text)}")
    parser = _ExpressionParser(_tokens(text))
    found = parser.either()
    if parser.now.text or parser.now.quoted:
        parser.refuse("and or or must come")
    return found.filters if isinstance(found, AllOf) else (found,)


def _tokens(text: str) -> list[_Token]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        matched = _TOKEN.match(text, at)
        if matched is None:
            raise InputError(f"from character {at + 1} on the expression can't be read: {text[at : at + 20]!r}")
        kind, at = str(matched.lastgroup), matched.end()
        written = matched[kind]
        found.append(
            _Token(written[1:-1] if kind == "quoted" else written, matched.start(kind) + 1, kind == "quoted")
        )
    return [*found, _Token("", end + 1)]


@dataclass(slots=True)
class _ExpressionParser:
    """Reads tokens from left to right; the last one is empty."""

    tokens: list[_Token]
    place: int = 0
    parts: list[str] = field(default_factory=list)
    depth: int = 0

    @property
    def now(self) -> _Token:
        return self.tokens[self.place]

    def next(self) -> _Token:
        """The present token, which is done with."""
        found = self.now
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return found

    def refuse(self, must: str, token: _Token | None = None) -> NoReturn:
        found = token or self.now
        got = repr(found.text) if found.text or found.quoted else "its end"
        raise InputError(f"at character {found.at} of the expression {must}, got {got}")

    def either(self) -> Filter:
        return self._joined("or", AnyOf, lambda: self._joined("and", AllOf, self._one))

    def _joined(
        self, word: str, together: Callable[[tuple[Filter, ...]], Filter], part: Callable[[], Filter]
    ) -> Filter:
        found = [part()]
        while self.now.says(word):
            self.next()
            found.append(part())
        return found[0] if len(found) == 1 else together(tuple(found))

    def _one(self) -> Filter:
        self.depth += 1
        if self.depth > MOST_PARTS:
            self.refuse(f"nothing may be nested more than {MOST_PARTS} deep")
        try:
            if self.now.says("not"):
                self.next()
                return Not(self._one())
            if self.now.says("("):
                self.next()
                found = self.either()
                self._expect(")")
                return found
            return self._comparison()
        finally:
            self.depth -= 1

    def _expect(self, sign: str) -> None:
        if not self.now.says(sign):
            self.refuse(f"{sign} must come")
        self.next()

    def _comparison(self) -> Filter:
        name = self.next()
        holds, make = _field(name) or self.refuse(f"a field must come, one of {', '.join(names())}", name)
        self.parts.append(name.text)
        if len(self.parts) > MOST_PARTS:
            self.refuse(f"there must be at most {MOST_PARTS} comparisons", name)
        if holds is Holds.FLAG and not self.now.says("=", "!="):
            return make(Range(True, True))
        sign = self.next()
        if not sign.says(*OPERATORS):
            self.refuse(f"{name.text} must be followed by {', '.join(OPERATORS)}", sign)
        if sign.says("in"):
            return self._listed(holds, make, name)
        if holds in (Holds.TEXT, Holds.FLAG) and sign.text not in ("=", "!="):
            self.refuse(f"{name.text} can only be compared by =, != or in", sign)
        found = self._value(holds, make, name, sign.text)
        return Not(found) if sign.text == "!=" else found

    def _listed(self, holds: Holds, make: "_Make", name: _Token) -> Filter:
        self._expect("(")
        found = self._joined(",", _any_of, lambda: self._value(holds, make, name, "="))
        self._expect(")")
        return found

    def _value(self, holds: Holds, make: "_Make", name: _Token, sign: str) -> Filter:
        token = self.next()
        if not token.quoted and (not token.text or token.text in "()<>=,"):
            self.refuse(f"a value of {name.text} must come", token)
        if token.says(NONE):
            if sign not in ("=", "!="):
                self.refuse("none can only be compared by =, != or in", token)
            return make(None)
        if holds is Holds.TEXT:
            return make(Range(token.text, token.text))
        if holds is Holds.FLAG:
            if not token.says("true", "false"):
                self.refuse(f"{name.text} must be true or false", token)
            return make(Range(token.says("true"), token.says("true")))
        read = number_range if holds is Holds.NUMBER else time_range
        try:
            return make(_range(sign, read(name.text, token.text)))
        except (InputError, OverflowError):
            example = "a number such as 0.5" if holds is Holds.NUMBER else "a time such as 2026-01-31"
            self.refuse(f"{name.text} must be compared with {example}", token)


def _any_of(filters: tuple[Filter, ...]) -> Filter:
    """Values of one field are one filter, which an index answers."""
    values = [one for one in filters if isinstance(one, OneOf)]
    if len(values) < len(filters):
        return AnyOf(filters)
    return OneOf(values[0].field, tuple(dict.fromkeys(value for one in values for value in one.values)))


_Make = Callable[["Range[Any] | None"], Filter]


def _field(name: _Token) -> tuple[Holds, _Make] | None:
    """The type of a field, and how a comparison with it is made; None is no value."""
    written = ALIASES.get(name.text.lower(), name.text)
    kind, dot, key = written.partition(".")
    if dot and key and kind == "axis":
        return Holds.NUMBER, lambda span: AxisWithin(key, span) if span else Not(AxisWithin(key, Range()))
    if dot and key and kind == "metadata":
        return Holds.TEXT, lambda span: HasMetadata(key, span.low if span else NONE)
    known = BY_NAME.get(written.lower())
    if known is None or name.quoted:
        return None
    if known.holds is Holds.TEXT:
        return Holds.TEXT, lambda span: OneOf(known.name, (span.low if span else "",))
    if known.holds is Holds.FLAG:
        return Holds.FLAG, lambda span: Is(known.name, bool(span and span.low))
    return known.holds, lambda span: Within(known.name, span) if span else Not(Within(known.name, Range()))


def names() -> list[str]:
    """The names that a comparison can begin with."""
    return [*BY_NAME, *ALIASES, "axis.NAME", "metadata.KEY"]


def _range(sign: str, value: Range[Any]) -> Range[Any]:
    """The range that a comparison leaves. ``value`` has two ends: a day is many moments."""
    match sign:
        case "<":
            return Range(None, _beside(value.low, -1))
        case "<=":
            return Range(None, value.high)
        case ">":
            return Range(_beside(value.high, 1), None)
        case ">=":
            return Range(value.low, None)
    return value


def _beside(end: Any, step: int) -> Any:
    """The next value that is higher, or lower: ranges have both ends in them."""
    if isinstance(end, datetime):
        return end + timedelta(microseconds=step)
    return math.nextafter(end, step * math.inf)
