"""Tables of cases as they stand in a source, in any of the languages: lists of rows, attributes, text in lines.

Only what is written out is a table, and only its outermost list: ``[["EUR", 11], ["GBP", 13]]`` has two rows. Rows
are compared by their literals, so that column names and kinds of brackets don't count.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from assay.detectors.test_code.literal_rows import CELLS, Row, add_cells, joined_rows, row_of
from assay.detectors.test_code.literals import Piece, pieces
from assay.detectors.test_code.word_sets import word_set

_STATEMENTS = word_set(
    "assert expect return if else for while def func fn function it test describe let const var raise throw "
    "switch match do end class struct require import"
)
"""Words that no table has: what is in these brackets runs."""
_LISTS = word_set("of asList ofEntries newArrayList listOf list tuple set arrayOf TheoryData")
_ROWS = word_set("InlineData TestCase DataRow case test_case Arguments arguments TestCaseData values")
_SHARED = re.compile(
    r"^[ \t]*((?:it_behaves_like|it_should_behave_like|include_examples|include_context)\b[ (].*)$", re.MULTILINE
)
_KEEPS_ALL = word_set(
    "iter into_iter items entries enumerate each each_pair each_with_index forEach entrySet clone cloned copied "
    "freeze map flatMap flat_map values keys sort sorted stream to_a to_h with_index AsEnumerable iter_mut"
)
"""What may be done with a table without a row getting lost on the way."""
_NEXT = re.compile(r"(?:\(\)|[ \t])*+\)?\s*+(?:\.\s*+(\w+)|(\[))")
_BOUND = re.compile(r"([A-Za-z_]\w{0,160}+)\s*+(?::[^=\n]{1,80})?(?::=|=>|=)[^=\n]{0,60}\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FAR = 160
_NO_CALLEES = ("(", "[", "{", ",", ";")
_MOST_TABLES = 200
_MOST_ROWS = 1000


@dataclass(slots=True)
class Table:
    """Where a table stands, under which name, and what is in it."""

    start: int
    end: int
    rows: list[Row]
    name: str = ""

    @property
    def telling(self) -> bool:
        """Whether it can hardly be anything else than a table of cases."""
        return all(row.literals and row.literals.total() + len(row.constants | row.words) > 1 for row in self.rows)


@dataclass(slots=True)
class _Open:
    """A bracket, and where it is closed when that is known."""

    piece: Piece
    callee: str
    index: int
    given: bool
    """Whether it stands in the arguments of a call."""
    parts: list[int] = field(default_factory=list)
    runs: bool = False
    end: int = 0


def tables_of(source: str, language: str) -> list[Table]:
    """All tables of a source."""
    found = list(pieces(source, language))
    groups = _outermost(_lists(source, found))[:_MOST_TABLES]
    outermost = [table for group in groups if (table := _table(source, found, group)).rows]
    by_attribute = _attributes(found, outermost)
    return [*outermost, *by_attribute, *_in_lines(found), *_shared(source, language)]


def used_whole(source: str, tables: list[Table]) -> list[Table]:
    """The tables of which all rows are used: not ``cases[:0]``, ``cases.slice(1)`` or ``cases.filter(…)``.

    One with a name that nobody mentions again is not used at all.
    """
    names = {table.name for table in tables if table.name}
    cut = _cut_names(source, names) if names else set()
    return [table for table in tables if table.name not in cut and not _loses(source, table.end)]


def _cut_names(source: str, names: set[str]) -> set[str]:
    """The names that nobody mentions again, or of which only a part is used somewhere."""
    words = [each for each in _WORD.finditer(source) if each.group() in names]
    times = Counter(each.group() for each in words)
    return {each.group() for each in words if times[each.group()] < 2 or _loses(source, each.end())}


def _loses(source: str, end: int) -> bool:
    step = _NEXT.match(source, end, end + 200)
    while step is not None:
        if step[2] is not None or step[1] not in _KEEPS_ALL:
            return True
        step = _NEXT.match(source, step.end(), step.end() + 200)
    return False


def _lists(source: str, found: list[Piece]) -> Iterator[_Open]:
    opened: list[_Open] = []
    for index, piece in enumerate(found):
        mark = piece.text if piece.kind == "mark" else " "
        if mark in "([{":
            around = opened[-1] if opened else None
            opened.append(_Open(piece, _callee(source, found, index), index, _is_given(around)))
        elif not opened:
            continue
        elif mark in ")]}":
            group = opened.pop()
            group.end = index
            if opened:
                opened[-1].runs |= group.runs
            if not group.runs and _is_list(group):
                yield group
        else:
            _look_inside(opened[-1], index, piece)


def _look_inside(group: _Open, index: int, piece: Piece) -> None:
    """Note a comma between the parts of a bracket, and what shows that its inside runs."""
    if piece.kind == "mark":
        if piece.text == ",":
            group.parts.append(index)
        group.runs |= piece.text == ";"
    elif piece.kind == "word" and piece.text in _STATEMENTS:
        group.runs = True


def _is_given(around: _Open | None) -> bool:
    """Whether what stands in a bracket stands in the arguments of a call."""
    return around is not None and around.piece.text != "{" and (around.given or around.piece.text == "(")


def _callee(source: str, found: list[Piece], index: int) -> str:
    """The word that a bracket belongs to, if there is one right before it."""
    before = found[index - 1] if index else None
    if before is None or before.kind not in ("word", "mark", "text"):
        return ""
    if before.kind != "word":
        # What a call or a template gives is called, too.
        return "" if before.end < found[index].start or before.text in _NO_CALLEES else ")"
    between = source[before.end : found[index].start]
    return before.text if not between.strip("!. ") else ""


def _is_list(group: _Open) -> bool:
    """A parenthesis without a comma only groups, and one behind a word calls."""
    if group.piece.text != "(":
        return True
    return group.callee in _LISTS if group.callee else bool(group.parts)


def _table(source: str, found: list[Piece], group: _Open) -> Table:
    borders = [group.index, *group.parts, group.end]
    rows = [row_of(found[a + 1 : b]) for a, b in pairwise(borders) if b > a + 1]
    if _is_map(found, group):
        rows = [joined_rows(pair) for pair in zip(rows[::2], rows[1::2], strict=False)]
    is_attribute = len(rows) == 1 and found[group.index + 1].text in _ROWS
    telling = [] if is_attribute else _telling(rows, found[group.index + 1 : group.end])
    name = "" if group.given else _name(source, group.piece.start)
    return Table(group.piece.start, found[group.end].end, telling, name)


def _is_map(found: list[Piece], group: _Open) -> bool:
    """``Map.of(key, value, key, value)``."""
    before = found[group.index - 2 : group.index - 1]
    return group.callee == "of" and bool(before) and before[0].text == "Map"


def _telling(rows: list[Row], inside: list[Piece]) -> list[Row]:
    """The rows that say something, if there are several or one in brackets of its own, and literals in them."""
    telling = [row for row in rows if row.literals or row.constants or row.words]
    if len(telling) < 2 and not any(piece.kind == "mark" and piece.text in "([{" for piece in inside):
        return []
    return telling if any(row.literals or row.constants for row in telling) else []


def _name(source: str, start: int) -> str:
    """What a table is bound to."""
    found = _BOUND.search(source, max(0, start - _FAR), start)
    return found[1] if found is not None else ""


def _outermost(found: Iterable[_Open]) -> list[_Open]:
    """Lists are closed from the inside out, so one that is around others comes after them."""
    kept: list[_Open] = []
    for group in found:
        while kept and kept[-1].index > group.index:
            kept.pop()
        kept.append(group)
    return kept


def _attributes(found: list[Piece], inside: list[Table]) -> list[Table]:
    """``[InlineData(1, 2)]``, ``#[case::small(1, 2)]``: all of one name are one table."""
    rows: dict[str, list[tuple[int, int, Row]]] = defaultdict(list)
    lists = [table for table in inside if len(table.rows) > 1]
    named = (index for index, piece in enumerate(found) if piece.kind == "word" and piece.text in _ROWS)
    for index in islice(named, _MOST_ROWS):
        piece, opening = found[index], _opening(found, index)
        if opening is None or any(table.start < piece.start < table.end for table in lists):
            continue
        end = _closing(found, opening)
        rows[piece.text].append((piece.start, found[end].end, row_of(found[opening + 1 : end])))
    return [Table(each[0][0], each[-1][1], [row for _, _, row in each]) for each in rows.values()]


def _opening(found: list[Piece], index: int) -> int | None:
    """Where the arguments of a word begin, if it has any."""
    return next((at for at in (index + 1, index + 2) if at < len(found) and found[at].text == "("), None)


def _closing(found: list[Piece], opening: int) -> int:
    depth = 0
    for index in range(opening, len(found)):
        if found[index].kind == "mark":
            depth += (found[index].text in "([{") - (found[index].text in ")]}")
            if depth == 0:
                return index
    return len(found) - 1


def _in_lines(found: list[Piece]) -> Iterator[Table]:
    """A text of several lines with a row in each."""
    for piece in found:
        lines = _lines(piece.text) if piece.kind == "text" else []
        if len(lines) > 1 and all(CELLS.search(line) for line in lines):
            rows = [Row() for _ in lines]
            for row, line in zip(rows, lines, strict=True):
                add_cells(row, line)
            yield Table(piece.start, piece.end, rows)


def _lines(text: str) -> list[str]:
    """The lines of a text, without empty ones and comments."""
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line and not line.startswith("#")]


def _shared(source: str, language: str) -> list[Table]:
    """Ruby's shared examples, with what is handed to them."""
    lines = list(_SHARED.finditer(source)) if language == "ruby" else []
    rows = [row_of([piece for piece in pieces(each[1], language) if piece.kind != "mark"]) for each in lines]
    return [Table(lines[0].start(), lines[-1].end(), rows)] if lines else []
