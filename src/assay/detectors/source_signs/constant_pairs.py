"""Pairs of constants in code of any language: entries of tables, and branches that return."""

from bisect import bisect_right
from collections.abc import Iterator

from assay.detectors.source_signs.code import Code
from assay.detectors.source_signs.code_words import read_code
from assay.detectors.source_signs.constants import Constants, number_of
from assay.detectors.source_signs.input_tables import ConstantPair
from assay.detectors.source_signs.native import SignsText
from assay.detectors.test_code.word_sets import word_set

_ENTRY = frozenset(("=>", "->", ":", "="))
_PUTS = word_set("put entry set Add insert")
_EQUALS = frozenset(("==", "==="))
_COMPARED = _EQUALS | {"case", "when"}
_ANSWERS = frozenset(("return", "="))
_CLOSERS = frozenset((")", "]", "}"))
_BETWEEN = frozenset((")", ":", "{", "then"))
_NEAR, _DEEPEST, _MOST = 16, 6, 40


def read_pairs(question: SignsText) -> list[ConstantPair]:
    """The pairs of a text, those of a function or of an outermost bracket as a group. Only to be called apart."""
    code = read_code(question.text, question.language)
    functions = [code.at(function.node.start) for function in code.functions if function.name]
    found: list[ConstantPair] = []
    opened = end = 0
    for index in range(len(code.words)):
        if index >= end and index in code.closing:
            opened, end = index, code.closing[index]
        for given, answer, branch in _pairs_at(code, index):
            group = -bisect_right(functions, index) if branch else opened
            found.append(ConstantPair(given, answer, code.line(index), group, branch))
    return found


def _pairs_at(code: Code, index: int) -> Iterator[tuple[Constants, Constants, bool]]:
    words = code.words
    given, end = _constant(code, index)
    if not given:
        return
    if words[end : end + 1] == ["if"] and (asked := _asked(code, end)):
        yield asked, given, True
    elif answer := _returned(code, index, end):
        yield (*_asked_before(code, index), *given), answer, True
    elif answer := _entry(code, index, end):
        yield given, answer, False


def _asked(code: Code, index: int) -> Constants:
    """The constant in ``55 if n == 10``."""
    for at in range(index, min(index + _NEAR, len(code.words) - 1)):
        if code.words[at] in _EQUALS:
            return _constant(code, at + 1)[0]
        if at > index and code.breaks(at):
            break
    return ()


def _asked_before(code: Code, index: int) -> Constants:
    """The constants beside it: 2 in ``a == 2 and b == 3``."""
    joined = index > 4 and code.words[index - 3] == "&&" and code.words[index - 1] in _EQUALS
    return _constant(code, index - 4)[0] if joined else ()


def _returned(code: Code, index: int, end: int) -> Constants:
    """The value that is returned or set where something is equal to a constant, on whichever side of the sign."""
    words, before = code.words, code.words[index - 1] if index else ""
    if end + 1 < len(words) and words[end] in _EQUALS and words[end + 1][0].isalpha():
        end += 2
    elif before not in _COMPARED and not (before == "(" and words[index - 2].lower() == "equals"):
        return ()
    at = end
    while at < min(end + 4, len(words)) and words[at] in _BETWEEN:
        at += 1
    at += words[at + 1 : at + 2] == ["="]
    if at + 1 >= len(words) or words[at] not in _ANSWERS:
        return ()
    # The answer may be wrapped: ``return new Amount(1250)``.
    at += words[at + 1] == "new" and at + 2 < len(words)
    wrapped = words[at + 1][0].isalpha() and words[at + 2 : at + 3] == ["("]
    return _constant(code, at + 2 if wrapped else at + 1)[0]


def _entry(code: Code, index: int, end: int) -> Constants:
    """The value that a table has for a constant."""
    words, at = code.words, end
    while at < min(end + 2, len(words)) and words[at] in ("]", ")"):
        at += 1
    if at < len(words) and words[at] in _ENTRY:
        return _constant(code, at + 2 if words[at + 1 : at + 2] == ["return"] else at + 1)[0]
    if at == end and words[at : at + 1] == [","] and _opens_row(words, index):
        answer, behind = _constant(code, at + 1)
        return answer if words[behind : behind + 1] and words[behind] in _CLOSERS else ()
    return ()


def _opens_row(words: list[str], index: int) -> bool:
    before = words[index - 1] if index else ""
    return before in ("[", "{") or (
        before == "(" and (words[index - 2] in _PUTS or words[index - 2] in ("(", ",", "["))
    )


def _constant(code: Code, index: int, depth: int = 0) -> tuple[Constants, int]:
    """A number, a text, or a list of them at an index, and where it ends; nothing for anything else."""
    words = code.words
    if index >= len(words):
        return (), index
    if words[index][0] == '"':
        return (words[index][1:],), index + 1
    if words[index] in ("(", "[") and index in code.closing and depth < _DEEPEST:
        parts = code.split((index + 1, code.closing[index]))[:_MOST]
        inside = [_constant(code, first, depth + 1) for first, _ in parts]
        whole = all(found and end == part[1] for (found, end), part in zip(inside, parts, strict=True))
        return tuple(one for found, _ in inside for one in found) if whole else (), code.closing[index] + 1
    negative = words[index] == "-" and index + 1 < len(words)
    number = number_of(words[index + 1 if negative else index])
    if number is None:
        return (), index
    return ((-number,), index + 2) if negative else ((number,), index + 1)
