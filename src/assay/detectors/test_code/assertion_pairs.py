"""Compares two assertions (is the second one weaker?) and two lists of them (what is gone, what is new?)."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import lru_cache

from assay.code.expressions import Expr, expression
from assay.detectors.test_code.bounds import is_tighter
from assay.detectors.test_code.model import Assertion, Strength

# Equality of floating-point numbers is rarely meant to the last bit: asking for this closeness is no weakening.
_ROUNDING = 1e-5
_LITERAL = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?<![\w.])-?\d[\w.]*|\b(?:True|False|None|null|nil|true|false)\b"
)
_NAME = re.compile(r"[A-Za-z_]")
_QUOTED = re.compile(
    r"'(?=(?:[^'\\]|\\.){3})[^'\\]*+(?:\\.[^'\\]*+){0,400}+'|\"(?=(?:[^\"\\]|\\.){3})[^\"\\]*+(?:\\.[^\"\\]*+){0,400}+\""
)
_WHOLE = re.compile(r"(?<![\w.])(\d+)\.0\b")
_ZEROS = re.compile(r"(?:(?<=\d)\.0+)?(?<=[\d0])[fFdDlLmMuU]?\Z")
_NAMES = re.compile(r"[a-z_]\w*")
_SEARCHED = re.compile(r"\bmatch=|\.toThrow|\.toMatch\(")
_QUOTES = re.compile(r"^[\"'/]|[\"'/]$")
_CHOICE = re.compile(r"[|*?]")
_SOMETHING = frozenset({None, "True", "true", "not None", "not null", "not nil"})
_NOTHING = frozenset({"False", "None", "false", "null", "nil", "undefined", "an error"})
_OF_ERRORS = re.compile(r"(?i)raise|throw|error|exc|reject|match=")
_WORDED = re.compile(r"(?:not )?(?:[a-z]+\(([\s\S]*)\)|(?:(?:not )?in|len|match|not|[<>]=?) ([\s\S]*))")
_PART = re.compile(
    r"(?P<word>contains?|include|includes|Contains|toContain|HasPrefix|startsWith|endsWith)\([\"'](?P<text>[^\"'\\]*)[\"']\)"
)
_RECEIVER = re.compile(r"(?P<name>[A-Za-z_]\w*)(?P<rest>(?:\.|\[|->)[\s\S]+)\Z")
_PARTS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}")
_OWN = re.compile(r"(?<![\w.])(?:self\.|this\.|@)(?=[A-Za-z_])")

_TOKEN = re.compile(
    r"[fFrRbBuU]{0,2}\"(?:[^\"\\]|\\.)*+\"|`(?:[^`\\]|\\.)*+`|/(?![\s*])(?:[^/\\\n]|\\.)++/[a-z]*|is not\b"
    r"|not in\b"
    r"|[$@#]*\w+(?:\.\d+)?[?!]?(?!=)|[$@#]*\w+|===|!==|<=>|\.\.\.|=>|->|:=|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|=~|!~|\*\*"
    r"|<<|>>|\.\.|\S"
)
_WAITING = re.compile(r"\.await\b(?:\(\))?|\bawait\b")
_AROUND = frozenset((("map", "{"), ("unary", "&"), ("unary", "*")))
"""What may stand around an expression to hand it over: a block, a reference."""
_DEEPEST = 40
_LONGEST = 2000
_PLACES = frozenset(("name", "member"))
_VALUES = frozenset(("name", "member", "call", "index"))

Key = Callable[[Assertion], Hashable]


def everything(assertion: Assertion) -> Hashable:
    return assertion.text, assertion.subject, assertion.expected, assertion.strength, assertion.tolerance


def demand_key(assertion: Assertion) -> Hashable:
    """A demand and its subject, however spelled."""
    if not assertion.subject:
        return assertion.text, assertion.strength
    return without_owner(assertion.subject), assertion.expected, assertion.strength


def without_owner(subject: str) -> str:
    """A subject that does not say whether it is a test's own, its class's or a fixture: ``self.cart.total()``."""
    return _OWN.sub("", subject) if "self." in subject or "this." in subject or "@" in subject else subject


def kin(assertion: Assertion) -> list[Hashable]:
    """The same demand of something with a similar name: ``store.get('x')`` and ``filled_store.get('x')``."""
    found = _RECEIVER.match(without_owner(assertion.subject))
    if found is None or assertion.expected is None:
        return []
    rest = assertion.subject[-len(found["rest"]) :]
    return [
        (part.lower(), rest, assertion.expected, assertion.strength)
        for part in dict.fromkeys(_PARTS.findall(found["name"]))
    ]


def differences(before: list[Assertion], after: list[Assertion]) -> tuple[list[Assertion], list[Assertion]]:
    """The assertions that are only before, and those that are only after."""
    for key in (everything, demand_key):
        before, after = _without_common(before, after, key)
    return before, after


def _without_common(
    before: list[Assertion], after: list[Assertion], key: Key
) -> tuple[list[Assertion], list[Assertion]]:
    waiting: dict[Hashable, list[Assertion]] = defaultdict(list)
    for each in reversed(after):
        waiting[key(each)].append(each)
    gone: list[Assertion] = []
    for each in before:
        same = waiting.get(key(each))
        if same and not wider(each, same[-1]):
            same.pop()
        else:
            gone.append(each)
    left = {id(each) for others in waiting.values() for each in others}
    return gone, [each for each in after if id(each) in left]


def wider(before: Assertion, after: Assertion) -> bool:
    """Whether the tolerance grew."""
    if after.tolerance is None:
        return False
    if before.tolerance is None:
        return before.strength >= Strength.EXACT and after.tolerance > _ROUNDING
    return after.tolerance > before.tolerance * (1 + 1e-9)


def is_rounding(assertion: Assertion) -> bool:
    """Whether its tolerance is only as large as floating-point numbers need."""
    return assertion.tolerance is not None and assertion.tolerance <= _ROUNDING


def broken_rule(before: Assertion, after: Assertion) -> str | None:
    """The rule that an assertion breaks by replacing another one; None if it is as good."""
    rounded = is_rounding(after) and before.expected == after.expected
    if _asks_for_more(before, after):
        return None
    tighter = is_tighter(before, after)
    if tighter is not None:
        return None if tighter else "expectation-rewritten"
    if after.strength < before.strength and not rounded:
        return "assertion-weaker"
    if wider(before, after):
        return "tolerance-wider"
    return None if _expects_as_much(before, after) or _narrower(before, after) else "expectation-rewritten"


def _expects_as_much(before: Assertion, after: Assertion) -> bool:
    if _names_the_error(before.expected or "", after.expected or ""):
        return True
    if before.expected is None:
        return not contradicts(None, after.expected)
    if _WHOLE.sub(r"\1", before.expected) == _WHOLE.sub(r"\1", after.expected or ""):
        return True
    if before.text == after.text and not is_data(value_in(before.expected)):
        # The same words about things that are set up otherwise now.
        return True
    return after.strength > before.strength and not contradicts(before.expected, after.expected)


def _names_the_error(before: str, after: str) -> bool:
    """Whether an error is asked for by more than its name: ``RangeError``, ``{ name: "RangeError", … }``."""
    return after[:1] == "{" and _NAMES.fullmatch(before.lower()) is not None and f'name : "{before}"' in after


def _narrower(before: Assertion, after: Assertion) -> bool:
    """Whether a search pattern got longer, so that it matches less than before."""
    if not (_SEARCHED.search(before.text) and _SEARCHED.search(after.text)):
        return False
    old, new = (_QUOTES.sub("", value_in(each.expected or "")) for each in (before, after))
    return len(old) > 3 and old in new and not _CHOICE.search(new.replace(old, "", 1))


def _asks_for_more(before: Assertion, after: Assertion) -> bool:
    """Whether the part that a text must contain got longer."""
    one, other = (_PART.fullmatch(each.expected or "") for each in (before, after))
    if one is None or other is None or one["word"] != other["word"]:
        return False
    return before.subject == after.subject and len(one["text"]) > 0 and one["text"] in other["text"]


def value_in(expected: str) -> str:
    """The value in what is expected of a subject that need not equal it: the 3 of ``> 3`` and ``contain(3)``."""
    found = _WORDED.fullmatch(expected)
    return found[1] or found[2] or "" if found is not None else expected


def literals(text: str) -> list[str]:
    """The literals of a text, whatever their quotes, suffixes and zeros behind the point."""
    return [_plain_literal(each) for each in _LITERAL.findall(text)]


def _plain_literal(literal: str) -> str:
    if literal[0] in "\"'":
        return f'"{literal[1:-1]}'
    return _ZEROS.sub("", literal).lower()


def is_literal(text: str) -> bool:
    """Whether a text has no names in it, strings and constants apart."""
    return _NAME.search(_LITERAL.sub("", text)) is None


def is_data(text: str) -> bool:
    """Whether a text is written out: a literal, or literals with the names of fields, types and others around."""
    return is_literal(text) or ("(" not in text and _LITERAL.search(text) is not None)


def contradicts(before: str | None, after: str | None) -> bool:
    """Whether both can't hold at once, as far as the text shows: true and false, is and is not.

    None is demanded where anything that counts as true will do.
    """
    if before is not None and after is not None and (before == f"not {after}" or after == f"not {before}"):
        return True
    return (before in _SOMETHING and after in _NOTHING) or (before in _NOTHING and after in _SOMETHING)


def implies(strong: Assertion, weak: Assertion) -> bool:
    """Whether something must be there because its value is asked for: ``user == 'Ann'`` needs a user."""
    if not weak.subject or strong.subject != weak.subject or weak.strength > Strength.SHAPE:
        return False
    wanted = strong.expected or ""
    there = weak.expected in _SOMETHING or weak.expected == "not undefined"
    return there and strong.strength >= Strength.CLOSE and is_data(wanted) and wanted not in _NOTHING


def about_the_same(before: Assertion, after: Assertion) -> bool:
    """Whether two assertions look at the same thing, by its names: one ends in what the other speaks of."""
    old, new = (_NAMES.findall((each.subject or each.text).lower()) for each in (before, after))
    return bool(old and new) and (old[-1] in new or new[-1] in old)


def reworded(before: Assertion, after: Assertion, gone: frozenset[str] = frozenset()) -> bool:
    """Whether an assertion demands the same of the same expression, in which names were given other names."""
    if after.strength < before.strength or wider(before, after):
        return False
    if before.expected != after.expected:
        quoted = _QUOTED.findall(before.expected or "") if _denies(before) is _denies(after) else []
        if not quoted or not all(each in after.text for each in quoted):
            return False
        if _OF_ERRORS.search(before.text) or _OF_ERRORS.search(after.text):
            return True
    return is_renamed(without_owner(before.subject), without_owner(after.subject), gone)


def _denies(assertion: Assertion) -> bool:
    return (assertion.expected or "").startswith("not ")


def is_renamed(before: str, after: str, gone: frozenset[str] = frozenset()) -> bool:
    """Whether an expression differs from another one by nothing but other names for the same things.

    A function or a member is only taken for another one if the change took its name out of the code: ``gone``.
    """
    one, other = _tree(before), _tree(after)
    return one is not None and other is not None and _Renaming(gone).is_same(one, other)


@lru_cache(maxsize=4096)
def _tree(text: str) -> Expr | None:
    if not 0 < len(text) <= _LONGEST:
        return None
    found = expression([each for each in _TOKEN.findall(_WAITING.sub("", text)) if each != "new"])
    while found is not None and found.parts and (found.kind == "closure" or (found.kind, found.text) in _AROUND):
        found = found.parts[-1]
    return found


class _Renaming:
    def __init__(self, gone: frozenset[str]) -> None:
        self._gone = gone
        self._names: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def is_same(self, one: Expr, other: Expr, depth: int = 0) -> bool:
        if depth > _DEEPEST:
            return False
        if one.kind == "name" and other.kind == "name":
            return self._names.setdefault(one.text, other.text) == other.text and (
                self._taken.setdefault(other.text, one.text) == one.text
            )
        if _is_in_place_of(one, other, depth):
            return True
        if one.kind != other.kind or (one.text != other.text and one.text not in self._gone):
            return False
        match one.kind:
            case "call":
                return self._is_same_call(one, other, depth)
            case "member":
                return self._is_same_place(one.parts[0], other.parts[0], depth)
            case _:
                return len(one.parts) == len(other.parts) and all(
                    self.is_same(mine, its, depth + 1) for mine, its in zip(one.parts, other.parts, strict=True)
                )

    def _is_same_call(self, one: Expr, other: Expr, depth: int) -> bool:
        """Whether a function of this name is given as much as before, or more."""
        (function, *given), (now, *more) = one.parts, other.parts
        if function.kind in _PLACES and now.kind in _PLACES:
            called = function.text == now.text or function.text in self._gone
            if called and function.kind == now.kind == "member":
                called = self._is_same_place(function.parts[0], now.parts[0], depth)
            elif called and len(given) == len(more) + 1 and now.kind == "member":
                more = [*now.parts, *more]
        else:
            called = self.is_same(function, now, depth + 1)
        if not called or len(given) > len(more):
            return False
        return all(self.is_same(mine, its, depth + 1) for mine, its in zip(given, more, strict=False))

    def _is_same_place(self, one: Expr, other: Expr, depth: int) -> bool:
        """Whether members are taken from the same thing, or from one that was set up elsewhere."""
        return _is_moved(one, other) or self.is_same(one, other, depth + 1)


def _is_in_place_of(one: Expr, other: Expr, depth: int) -> bool:
    """Whether another way to write a value takes its place: a name, a variable, a call that makes it."""
    if one.kind in ("literal", "name") and other.kind in _PLACES:
        return True
    if depth == 0:
        return "name" in (one.kind, other.kind) and _is_moved(one, other)
    return other.kind == "call" and _is_made(one) and _words(other, "literal") <= _words(one, "literal")


def _is_moved(one: Expr, other: Expr) -> bool:
    """Whether one of two expressions is only the name of what may be the other, with literals in one at most."""
    for place, value in ((one, other), (other, one)):
        if place.kind in _PLACES and value.kind in _VALUES and not _words(place, "name") & _words(value, "name"):
            return not (_words(one, "literal") and _words(other, "literal"))
    return False


def _is_made(value: Expr) -> bool:
    """Whether a value is made by a class: ``Money(5)``."""
    return value.kind == "call" and value.parts[0].kind == "name" and value.parts[0].text[0].isupper()


def _words(whole: Expr, kind: str) -> set[str]:
    """The names or the literals in an expression."""
    waiting, found = [whole], set[str]()
    while waiting:
        each = waiting.pop()
        if each.kind == kind:
            found.add(each.text)
        waiting += each.parts
    return found
