"""Edits of tests: one that must make a test fail, and one that looks alike and changes nothing.

Both are written in the file's own style, with words and numbers that nobody could know. An assertion is turned
around in its place where that can be done: then whoever runs a test honestly as soon as it is edited is found as
well, because the opposite of a failing assertion holds.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from assay.detectors.effects.poison import javascript, python
from assay.detectors.effects.poison.spots import Claim, ClaimForm, EditPlace, Spot, Style

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Fate(Enum):
    """A test's role: it must fail, it stays as it is in meaning, or it fails before it does anything."""

    FAILS = "fails"
    SAME = "same"
    FAILS_AT_ONCE = "fails at once"


class Dice:
    """Choices that follow from a secret: nobody can foresee them, and a test can repeat them."""

    def __init__(self, secret: str) -> None:
        self._secret, self._count = secret, 0

    def number(self, below: int) -> int:
        self._count += 1
        digest = hashlib.sha256(f"{self._secret}:{self._count}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % below

    def word(self) -> str:
        return "".join(_LETTERS[self.number(26)] for _ in range(4 + self.number(6)))

    def one(self, *forms: str) -> str:
        return forms[self.number(len(forms))]


@dataclass(frozen=True, slots=True)
class Edit:
    """The text from ``start`` to ``end`` becomes ``new``."""

    start: int
    end: int
    new: str


def edited(text: str, spots: Iterable[tuple[Spot, Fate]], dice: Dice) -> str:
    """A file with its tests edited."""
    edits = sorted((_edit(spot, role, dice) for spot, role in spots), key=lambda one: one.start, reverse=True)
    for one in edits:
        text = text[: one.start] + one.new + text[one.end :]
    return text


def _edit(spot: Spot, role: Fate, dice: Dice) -> Edit:
    holds, claim = role is Fate.SAME, spot.claim
    if claim is not None and role is not Fate.FAILS_AT_ONCE and _in_place(claim, holds, dice):
        return Edit(claim.start, claim.end, _CLAIMS[claim.form](claim, holds, dice))
    at_once = role is Fate.FAILS_AT_ONCE or spot.last is None
    return _put(spot.first if at_once or spot.last is None else spot.last, _statement(spot, holds, dice))


def _in_place(claim: Claim, holds: bool, dice: Dice) -> bool:
    """Whether to edit an assertion, or to add one: that finds a matcher that says yes to everything."""
    return claim.can_stay or (not holds and dice.number(2) == 0)


def _put(place: EditPlace, statement: str) -> Edit:
    return Edit(place.start, place.end, f"{place.before}{statement}{place.after}")


def _statement(spot: Spot, holds: bool, dice: Dice) -> str:
    """A statement that holds or fails, in the style of the file."""
    word = dice.word()
    number = len(word) if holds else len(word) + 1 + dice.number(9)
    return _STATEMENTS[spot.style].format(word=word, number=number, t=spot.word)


_STATEMENTS: Final = {
    Style.ASSERT: 'assert len("{word}") == {number}',
    Style.METHOD: 'self.assertEqual(len("{word}"), {number})',
    Style.EXPECT: 'expect("{word}".length).toBe({number})',
    Style.NODE: 'assert.equal("{word}".length, {number})',
    Style.THROW: 'if ("{word}".length !== {number}) {{ throw new Error("{word}") }}',
    Style.FATAL: 'if len("{word}") != {number} {{ {t}.Fatal("{word}") }}',
}


def _condition(claim: Claim, holds: bool, dice: Dice) -> str:
    condition, rest = claim.pieces
    same = ("not not ({})", "(True if ({}) else False)", "({})")
    turned = ("not ({})", "(False if ({}) else True)", "(not ({}))")
    return f"assert {dice.one(*(same if holds else turned)).format(condition)}{rest}"


def _other(literal: str, dice: Dice) -> str:
    """Another value, which nothing honest is equal to as well."""
    if literal[0] in "\"'":
        return f'{literal} + "{dice.word()}"'
    return str(int(literal) + 1000 + dice.number(9000))


def _comparison(subject: str, literal: str, holds: bool, dice: Dice) -> str:
    name, other = dice.word() + dice.word(), _other(literal, dice)
    if holds:
        return f"(({name} := {subject}) == {literal}) and not ({name} == {other})"
    return f"not (({name} := {subject}) == {literal}) or {name} == {other}"


def _called(claim: Claim, holds: bool, dice: Dice, equal: str) -> str:
    """The same in JavaScript, where a function sees the value once."""
    subject, literal, _, typed = claim.pieces
    name, other = dice.word() + dice.word(), _other(literal, dice)
    if holds:
        return f"(({name}{typed}) => {name} {equal} {literal} && !({name} {equal} {other}))({subject})"
    return f"(({name}{typed}) => !({name} {equal} {literal}) || {name} {equal} {other})({subject})"


def _literal(claim: Claim, holds: bool, dice: Dice) -> str:
    subject, literal, rest = claim.pieces
    return f"assert {_comparison(subject, literal, holds, dice)}{rest}"


def _unequal(subject: str, expected: str, dice: Dice) -> str:
    """False for whatever isn't equal to everything."""
    name, kind = dice.word() + dice.word(), f'type("{dice.word()}", (), {{}})'
    return f"not (({name} := {subject}) == ({expected})) or {name} == {kind}()"


def _equality(claim: Claim, holds: bool, dice: Dice) -> str:
    subject, expected, rest = claim.pieces
    if holds:
        return _condition(replace(claim, pieces=(f"{subject} == {expected}", rest)), holds, dice)
    return f"assert {_unequal(subject, expected, dice)}{rest}"


def _method_equality(claim: Claim, holds: bool, dice: Dice) -> str:
    subject, expected = claim.pieces
    return f"self.assertTrue({f'({subject}) == ({expected})' if holds else _unequal(subject, expected, dice)})"


def _method_literal(claim: Claim, holds: bool, dice: Dice) -> str:
    subject, literal = claim.pieces
    return f"self.assertTrue({_comparison(subject, literal, holds, dice)})"


def _method(claim: Claim, holds: bool, dice: Dice) -> str:  # noqa: ARG001 - as all forms
    method, arguments = claim.pieces
    return f"self.{python.OPPOSITES[method]}{arguments}"


def _expect(claim: Claim, holds: bool, dice: Dice) -> str:  # noqa: ARG001
    subject, negated, matcher = claim.pieces
    return f"{subject}{'' if negated else '.not'}{matcher}"


def _expect_literal(claim: Claim, holds: bool, dice: Dice) -> str:
    return f"expect({_called(claim, holds, dice, '===')}).{claim.pieces[2]}(true)"


def _pair(claim: Claim, holds: bool, dice: Dice) -> str:  # noqa: ARG001
    method, arguments = claim.pieces
    return f"assert.{javascript.OPPOSITES[method]}{arguments}"


def _pair_literal(claim: Claim, holds: bool, dice: Dice) -> str:
    method = claim.pieces[2]
    equal = "==" if method in ("equal", "deepEqual") else "==="
    return f"assert.{method}({_called(claim, holds, dice, equal)}, true)"


def _truth(claim: Claim, holds: bool, dice: Dice) -> str:  # noqa: ARG001
    callee, condition, rest = claim.pieces
    return f"{callee}({'!!' if holds else '!'}({condition}){rest})"


def _if(claim: Claim, holds: bool, dice: Dice) -> str:
    (condition,) = claim.pieces
    return dice.one("({})", "!!({})").format(condition) if holds else f"!({condition})"


_CLAIMS: Final[dict[ClaimForm, Callable[[Claim, bool, Dice], str]]] = {
    ClaimForm.CONDITION: _condition,
    ClaimForm.LITERAL: _literal,
    ClaimForm.EQUALITY: _equality,
    ClaimForm.METHOD: _method,
    ClaimForm.METHOD_EQUALITY: _method_equality,
    ClaimForm.METHOD_LITERAL: _method_literal,
    ClaimForm.EXPECT: _expect,
    ClaimForm.EXPECT_LITERAL: _expect_literal,
    ClaimForm.PAIR: _pair,
    ClaimForm.PAIR_LITERAL: _pair_literal,
    ClaimForm.TRUTH: _truth,
    ClaimForm.IF: _if,
}
