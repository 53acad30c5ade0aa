"""Parametrised tests written out: an assertion for each row of literals, as if there were a test for each."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.curly.tokens import arguments, tokens
from assay.detectors.test_code.model import Assertion

_MOST_ROWS = 100
_WORD = re.compile(r"[^\W\d]\w*|\"[^\"\\]*+(?:\\.[^\"\\]*+){0,400}+\"")
_KEYWORDS = frozenset({"mut", "final", "ref", "params", "this", "in", "out"})


def parameter_names(takes: str) -> list[str]:
    """The names in a list of parameters: before the colon in Rust, at the end of each in Java and C#."""
    return [_parameter_name(piece) for piece in arguments(tokens(takes))]


def _parameter_name(piece: list[str]) -> str:
    while piece[:1] in (["@"], ["#"], ["["]) or (piece and piece[0][0] in "@#"):
        piece = _without_annotation(piece)
    for end in (":", "="):
        if end in piece:
            piece = piece[: piece.index(end)]
            break
    words = [word for word in piece if word[0].isalpha() or word[0] == "_"]
    return words[-1] if words else ""


def _without_annotation(piece: list[str]) -> list[str]:
    """A parameter without the first annotation or attribute in front of it."""
    start = 1 if piece[0] in ("#", "@") else 0
    start += piece[0] == "@"
    for opening, closed in (("[", "]"), ("(", ")")):
        if piece[start : start + 1] == [opening] or (opening == "(" and piece[1:2] == ["("]):
            return piece[piece.index(closed) + 1 :] if closed in piece else []
    return piece[max(start, 1) :]


def written_out(
    found: Sequence[Assertion], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[Assertion]:
    """The assertions with the values of each row for the names; those that mention none stay as they are."""
    if not rows or len(rows) > _MOST_ROWS or not all(len(row) == len(names) for row in rows):
        return list(found)
    tables = [dict(zip(names, row, strict=True)) for row in rows]
    out: list[Assertion] = []
    for one in found:
        mentioned = not set(names).isdisjoint(_WORD.findall(one.text))
        out += [_filled(one, table) for table in tables] if mentioned else [one]
    return out


def _filled(one: Assertion, table: dict[str, str]) -> Assertion:
    def put(text: str) -> str:
        return _WORD.sub(lambda found: table.get(found[0], found[0]), text)

    return replace(
        one,
        text=put(one.text),
        subject=put(one.subject),
        expected=put(one.expected) if one.expected else one.expected,
    )
