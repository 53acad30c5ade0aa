"""Pairs of constants in code that the native parser reads: entries of tables, and branches that return."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.detectors.source_signs.code import Code
from assay.detectors.source_signs.code_words import read_code
from assay.detectors.source_signs.constants import number_of
from assay.detectors.source_signs.native import SignsText
from assay.detectors.test_code.word_sets import word_set

Constant = str | int | float

_ENTRY = frozenset(("=>", "->", ":", "="))
_PUTS = word_set("put entry set Add insert")
_COMPARED = word_set("== === case when")
_CLOSERS = frozenset((")", "]", "}"))
_BETWEEN = frozenset((")", ":", "{", "then"))


@dataclass(frozen=True, slots=True)
class NativePair:
    """An input with its output. ``branch``: a function compares with it and returns."""

    given: Constant
    answer: Constant
    line: int
    branch: bool


def read_pairs(question: SignsText) -> list[NativePair]:
    """The pairs of a text. Only to be called apart."""
    code = read_code(question.text, question.language)
    return [
        NativePair(given, answer, code.line(index), branch)
        for index in range(len(code.words))
        for given, answer, branch in _pairs_at(code, index)
    ]


def _pairs_at(code: Code, index: int) -> Iterator[tuple[Constant, Constant, bool]]:
    words = code.words
    given, end = _constant(words, index)
    if given is None:
        if words[index] == "return":
            yield from _modifier(code, index)
        return
    answer = _compared(words, index, end)
    if answer is not None:
        yield given, answer, True
        return
    answer = _entry(words, index, end)
    if answer is not None:
        yield given, answer, False


def _compared(words: list[str], index: int, end: int) -> Constant | None:
    """What is returned where something is equal to a constant."""
    before = words[index - 1] if index else ""
    if before not in _COMPARED and not (before == "(" and words[index - 2].lower() == "equals"):
        return None
    at = end
    while at < min(end + 4, len(words)) and words[at] in _BETWEEN:
        at += 1
    return _constant(words, at + 1)[0] if words[at : at + 1] == ["return"] else None


def _entry(words: list[str], index: int, end: int) -> Constant | None:
    """What a table has for a constant."""
    at = end
    while at < min(end + 2, len(words)) and words[at] in ("]", ")"):
        at += 1
    if at < len(words) and words[at] in _ENTRY:
        return _constant(words, at + 2 if words[at + 1 : at + 2] == ["return"] else at + 1)[0]
    if at == end and words[at : at + 1] == [","] and _opens_row(words, index):
        answer, behind = _constant(words, at + 1)
        return answer if words[behind : behind + 1] and words[behind] in _CLOSERS else None
    return None


def _opens_row(words: list[str], index: int) -> bool:
    before = words[index - 1] if index else ""
    return before in ("[", "{") or (
        before == "(" and (words[index - 2] in _PUTS or words[index - 2] in ("(", ",", "["))
    )


def _modifier(code: Code, index: int) -> Iterator[tuple[Constant, Constant, bool]]:
    """``return 55 if n == 10``"""
    answer, at = _constant(code.words, index + 1)
    if answer is None or code.words[at : at + 1] != ["if"]:
        return
    while at < min(index + 16, len(code.words) - 1) and not code.breaks(at):
        if code.words[at] == "==":
            given, _ = _constant(code.words, at + 1)
            if given is not None:
                yield given, answer, True
            return
        at += 1


def _constant(words: list[str], index: int) -> tuple[Constant | None, int]:
    """A number or a text at an index, and where it ends."""
    if index >= len(words):
        return None, index
    if words[index][0] == '"':
        return words[index][1:], index + 1
    negative = words[index] == "-" and index + 1 < len(words)
    number = number_of(words[index + 1 if negative else index])
    if number is None:
        return None, index
    return (-number, index + 2) if negative else (number, index + 1)
