"""Two assertions side by side: is the second one weaker? And two lists of them: what went, what came?"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable

from assay.formats.test_code.model import Assertion, Strength

# Equality of floating-point numbers is rarely meant to the last bit: asking for this closeness is no weakening.
_ROUNDING = 1e-5
_LITERAL = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?<![\w.])-?\d[\w.]*|\b(?:True|False|None|null|nil|true|false)\b"
)
_PLAIN_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.\[])")
_NAME = re.compile(r"[A-Za-z_]")
_WORDS = frozenset({"assert", "not", "in", "is", "and", "or", "await", "if", "else", "for", "lambda", "expect"})
_GROUP = re.compile(r"[\[({](?:_(?:[,:] ?_)*,?)?[\])}](?<=[\]}])|\(_(?:, ?_)+,?\)(?<!\w\))")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.){3,}'|\"(?:[^\"\\]|\\.){3,}\"")
_SIGNS = re.compile(r"==|!=|<=|>=|<|>|\bis\b|\bin\b|\bnot\b")
_WHOLE = re.compile(r"(?<![\w.])(\d+)\.0\b")
_TOKEN = re.compile(r"\w+")

Key = Callable[[Assertion], Hashable]


def everything(assertion: Assertion) -> Hashable:
    return assertion.text, assertion.subject, assertion.expected, assertion.strength, assertion.tolerance


def meaning(assertion: Assertion) -> Hashable:
    """What is demanded of what, however it is spelled."""
    if not assertion.subject:
        return assertion.text, assertion.strength
    return assertion.subject, assertion.expected, assertion.strength


def differences(before: list[Assertion], after: list[Assertion]) -> tuple[list[Assertion], list[Assertion]]:
    """The assertions that are only before, and those that are only after."""
    for key in (everything, meaning):
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


def judged(before: Assertion, after: Assertion) -> str | None:
    """The rule that an assertion breaks which stands in the place of another one; None if it is as good."""
    rounded = after.tolerance is not None and after.tolerance <= _ROUNDING and before.expected == after.expected
    if after.strength < before.strength and not rounded:
        return "assertion-weaker"
    if wider(before, after):
        return "tolerance-wider"
    if before.expected is None or _WHOLE.sub(r"\1", before.expected) == _WHOLE.sub(r"\1", after.expected or ""):
        return None
    if before.text == after.text and not is_literal(before.expected):
        # The same words about things that are set up otherwise now.
        return None
    if after.strength > before.strength and not contradicts(before.expected, after.expected):
        return None
    return "expectation-rewritten"


def is_literal(text: str) -> bool:
    """Whether a text has no names in it, strings and constants apart."""
    return _NAME.search(_LITERAL.sub("", text)) is None


def contradicts(before: str, after: str | None) -> bool:
    """Whether both can't hold at once, as far as the text shows: true and false, is and is not."""
    if after is None:
        return False
    if before == f"not {after}" or after == f"not {before}":
        return True
    nothing = {"False", "None", "false", "null", "nil", "undefined"}
    return (before in ("True", "true", "not None", "not null", "not nil")) and after in nothing


def shape(text: str) -> str:
    """An assertion with what parameters could stand for left blank: ``add(1, 2) == 3`` is ``add(_, _) == _``."""
    blank = _PLAIN_NAME.sub(lambda m: m.group() if m.group() in _WORDS else "_", _LITERAL.sub("_", text))
    for _ in range(6):
        closed = _GROUP.sub("_", blank)
        if closed == blank:
            break
        blank = closed
    return blank


def words(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text))


def _renamed(before: str, after: str) -> bool:
    """Whether two texts have the same literals and mostly the same names."""
    if sorted(_LITERAL.findall(before)) != sorted(_LITERAL.findall(after)):
        return False
    old, new = words(before), words(after)
    return 3 * len(old & new) >= 2 * len(old | new) and _SIGNS.findall(before) == _SIGNS.findall(after)


def reworded(before: Assertion, after: Assertion) -> bool:
    """Whether an assertion about something of another name demands the same: the subject was renamed."""
    if after.strength < before.strength or wider(before, after):
        return False
    if before.expected != after.expected:
        quoted = _QUOTED.findall(before.expected or "")
        return (bool(quoted) and all(each in after.text for each in quoted)) or _renamed(before.text, after.text)
    if words(before.subject) & words(after.subject):
        return True
    # Nothing in common: then what is expected must tell, and other inputs would be other cases.
    telling = before.expected is not None and before.expected not in ("True", "False", "None", "not None")
    return telling and not (_LITERAL.search(before.subject) and _LITERAL.search(after.subject))
