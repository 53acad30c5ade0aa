"""Rows of a table of cases, compared by their literals: column names and kinds of brackets don't count."""

import re
from collections import Counter
from dataclasses import dataclass, field

from assay.detectors.test_code.literals import Piece, contents, pieces

CELLS = re.compile(r"[|,;\t]")


@dataclass(slots=True)
class Row:
    """One case. ``sizes`` has how long its lists and texts are, since a length may be worked out from them."""

    literals: Counter[str] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    sizes: set[str] = field(default_factory=set)

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(sorted(self.literals.elements())), tuple(sorted(self.constants))


def row_of(found: list[Piece]) -> Row:
    row = Row()
    depth: list[int] = []
    for piece in found:
        if piece.kind != "mark":
            _add(row, piece)
        elif piece.text in "([{":
            depth.append(0)
        elif piece.text in ")]}" and depth:
            row.sizes.add(str(depth.pop()))
        if depth and (piece.text == "," or (depth[-1] == 0 and piece.text not in "([{")):
            depth[-1] += 1
    return row


def joined_rows(rows: tuple[Row, ...]) -> Row:
    whole = Row()
    for row in rows:
        whole.literals += row.literals
        whole.words |= row.words
        whole.constants |= row.constants
        whole.sizes |= row.sizes
    return whole


def _add(row: Row, piece: Piece) -> None:
    if piece.kind == "word":
        row.words.add(piece.text)
    elif piece.kind == "constant":
        row.constants.add(piece.text)
    else:
        _put(row, piece)


def _put(row: Row, piece: Piece) -> None:
    for text in contents(piece):
        row.literals[text] += 1
        if piece.kind == "text":
            row.sizes.add(str(len(text) - 1))
            if CELLS.search(text):
                add_cells(row, text[1:])


def add_cells(row: Row, text: str) -> None:
    """A row in one text: ``"EUR, 10, 11"``. Its numbers may be texts to the test."""
    for cell in CELLS.split(text):
        bare = cell.strip().strip("\"'").removeprefix("${").removesuffix("}").strip("\"'")
        row.literals[f'"{bare}'] += 1
        for piece in pieces(bare, "javascript"):
            if piece.kind == "constant":
                row.constants.add(piece.text)
            elif piece.kind == "number" and piece.end - piece.start == len(bare):
                row.literals[piece.text] += 1
            elif piece.kind == "word":
                row.words.add(piece.text)
