"""The two sides of an equality: what is compared, without wrappers that change nothing."""

from assay.code.expressions import expression
from assay.code.operators import PREFIX, PRIMARY
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.chains import chain
from assay.detectors.test_code.engine.expressions.literals import (
    elements,
    fields_of,
    is_literal,
    is_text,
    number,
)
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import bare, joined
from assay.detectors.test_code.word_sets import word_set

_COMPARING = word_set("Compare compare compareTo CompareTo CompareOrdinal cmp strcmp bccomp")


_NO_DIFFERENCE = frozenset(
    ("0", "Ordering::Equal", "std::cmp::Ordering::Equal", ".orderedSame", "ComparisonResult.orderedSame")
)


_CALCULATING = frozenset(("+", "-", "*", "/", "%", "**", "//"))


_CHOOSING = frozenset(("?", "if", "||", "or", "&&", "and", "??", "?:"))
"""What may give one value or another."""


def subtracted(words: list[str]) -> tuple[list[str], list[str]]:
    """The subject of a difference, and what it is compared with."""
    found = expression(words)
    if found is None or (found.kind, found.text) != ("binary", "-"):
        return words, []
    left, right = (words[part.start : part.end] for part in found.parts)
    return (right, left) if is_literal(left) else (left, right)


def is_formula(left: list[str], right: list[str]) -> bool:
    """Whether a calculation with literals takes the place of the code under test: ``3 == 1 + 2``."""
    if not left or not right or not is_literal(right):
        return False
    return len(left) > 2 and not _CALCULATING.isdisjoint(left) and all(map(_is_term, left))


def _is_term(word: str) -> bool:
    return word in _CALCULATING or word in ("(", ")") or number([word]) is not None or is_text(word)


def unborrowed(words: list[str], logic: Logic) -> list[str]:
    """A borrowed value is the same value."""
    while logic.borrows and words and words[0] in ("&", "*", "&&", "mut"):
        words = words[1:]
    return words


def bare_sides(left: list[str], right: list[str], logic: Logic) -> tuple[list[str], list[str]]:
    """Both sides: ``parse(x) == Ok(1)`` demands the same as ``parse(x).unwrap() == 1``."""
    left, right = unborrowed(bare(left), logic), unborrowed(bare(right), logic)
    if not logic.wrappers or left == right:
        return left, right
    for subject, expected in ((left, right), (right, left)):
        wrapped = len(expected) > 3 and expected[0] in logic.wrappers and expected[1] == "("
        if wrapped and closing(expected, 1) == len(expected) - 1 and subject[:1] != expected[:1]:
            return [*subject, ".", "unwrap", "(", ")"], bare(expected[2:-1])
    return left, right


def compared_sides(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """Both sides where a comparison must answer "no difference": ``compare(a, b) == 0``."""
    for asked, answer in ((left, right), (right, left)):
        if joined(answer) in _NO_DIFFERENCE and asked[-1:] == [")"]:
            last = chain(asked)[-1]
            given = last.arguments or []
            sides = given if len(given) == 2 else [receiver_of(asked), *given]
            if last.name in _COMPARING and len(sides) == 2 and all(sides) and is_chain(asked):
                return without_reference(sides[0]), without_reference(sides[1])
    return left, right


def is_chain(words: list[str]) -> bool:
    """Whether the words are one chain and no calculation."""
    found = expression(words)
    return found is not None and (found.strength == PRIMARY or (found.strength == PREFIX and found.text != "!"))


def receiver_of(words: list[str]) -> list[str]:
    """The receiver of a chain's last call."""
    found = expression(words)
    while found is not None and found.kind in ("call", "index"):
        found = found.parts[0]
    return words[found.parts[0].start : found.parts[0].end] if found is not None and found.kind == "member" else []


def without_reference(words: list[str]) -> list[str]:
    return words[1:] if words[:1] in (["&"], ["*"]) else words


def is_whole(words: list[str]) -> bool:
    """Whether the sign or word in front of an expression takes all of it."""
    found = expression(words)
    return found is not None and found.kind == "unary"


def taken(words: list[str]) -> list[str]:
    """The element taken from a list or a record that is written out: ``f(3)`` in ``[4, f(3)][1]``."""
    found = expression(words) if words[-1:] == ["]"] else None
    if found is None or found.kind != "index" or len(found.parts) != 2:
        return words
    whole, place = (words[part.start : part.end] for part in found.parts)
    at, every = number(place), elements(whole)
    if at is not None and every is not None and -len(every) <= at < len(every):
        return every[int(at)]
    return fields_of(whole).get("".join(place).strip("\"'"), words)


def alternatives(words: list[str]) -> list[list[str]]:
    """The values of which an expression may have any: those of a choice, and of what is joined by or."""
    if _CHOOSING.isdisjoint(words):
        return []
    waiting, found = [expression(words)], list[list[str]]()
    while waiting:
        each = waiting.pop()
        if each is not None and (each.kind == "choice" or each.text in _CHOOSING):
            waiting += each.parts[1:] if each.kind == "choice" else each.parts
        elif each is not None:
            found.append(bare(words[each.start : each.end]))
    return found if len(found) > 1 else []
