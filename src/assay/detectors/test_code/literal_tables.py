"""Tables of cases as they stand in a source, in any of the languages: lists of rows, attributes, text in lines.

Only what is written out is a table, and only its outermost list: ``[["EUR", 11], ["GBP", 13]]`` has two rows. Rows
are told by their literals, so that names of columns and the kind of brackets do not count.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from assay.detectors.test_code.literals import Piece, contents, pieces
from assay.detectors.test_code.word_sets import word_set

_STATEMENTS = word_set(
    "assert expect return if else for while def func fn function it test describe let const var raise throw "
    "switch match do end class struct require import"
)
"""Words that no table has: what is in these brackets runs."""
_LISTS = word_set("of asList ofEntries newArrayList listOf list tuple set arrayOf TheoryData")
_ROWS = word_set("InlineData TestCase DataRow case test_case Arguments arguments TestCaseData values")
_CELLS = re.compile(r"[|,;\t]")
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
class Row:
    """One case. ``sizes`` has how long its lists and texts are, since a length may be worked out from them."""

    literals: Counter[str] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    sizes: set[str] = field(default_factory=set)

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(sorted(self.literals.elements())), tuple(sorted(self.constants))


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
    words = [each for each in _WORD.finditer(source) if each.group() in names] if names else []
    times = Counter(each.group() for each in words)
    cut = {each.group() for each in words if times[each.group()] < 2 or _loses(source, each.end())}
    return [table for table in tables if table.name not in cut and not _loses(source, table.end)]


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
        if piece.kind == "mark":
            if piece.text in "([{":
                around = opened[-1] if opened else None
                given = (
                    around is not None and around.piece.text != "{" and (around.given or around.piece.text == "(")
                )
                opened.append(_Open(piece, _callee(source, found, index), index, given))
            elif piece.text in ")]}" and opened:
                group = opened.pop()
                if opened:
                    opened[-1].runs |= group.runs
                group.end = index
                if not group.runs and _is_list(group):
                    yield group
            elif piece.text == "," and opened:
                opened[-1].parts.append(index)
            elif piece.text == ";" and opened:
                opened[-1].runs = True
        elif piece.kind == "word" and piece.text in _STATEMENTS and opened:
            opened[-1].runs = True


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
    end = group.end
    borders = [group.index, *group.parts, end]
    rows = [_row(found[a + 1 : b]) for a, b in pairwise(borders) if b > a + 1]
    if group.callee == "of" and found[group.index - 2 : group.index - 1] and found[group.index - 2].text == "Map":
        rows = [_joined(pair) for pair in zip(rows[::2], rows[1::2], strict=False)]
    telling = [row for row in rows if row.literals or row.constants or row.words]
    has_group = any(piece.text in "([{" and piece.kind == "mark" for piece in found[group.index + 1 : end])
    is_attribute = len(rows) == 1 and found[group.index + 1].text in _ROWS
    if (len(telling) < 2 and not has_group) or is_attribute:
        telling = []
    if not any(row.literals or row.constants for row in telling):
        telling = []
    return Table(
        group.piece.start, found[end].end, telling, "" if group.given else _name(source, group.piece.start)
    )


def _name(source: str, start: int) -> str:
    """What a table is bound to."""
    found = _BOUND.search(source, max(0, start - _FAR), start)
    return found[1] if found is not None else ""


def _row(found: list[Piece]) -> Row:
    row = Row()
    depth: list[int] = []
    for piece in found:
        if piece.kind == "word":
            row.words.add(piece.text)
        elif piece.kind == "constant":
            row.constants.add(piece.text)
        elif piece.kind != "mark":
            _put(row, piece)
        elif piece.text in "([{":
            depth.append(0)
        elif piece.text in ")]}" and depth:
            row.sizes.add(str(depth.pop()))
        if depth and (piece.text == "," or (depth[-1] == 0 and piece.text not in "([{")):
            depth[-1] += 1
    return row


def _put(row: Row, piece: Piece) -> None:
    for text in contents(piece):
        row.literals[text] += 1
        if piece.kind == "text":
            row.sizes.add(str(len(text) - 1))
            if _CELLS.search(text):
                _cells(row, text[1:])


def _cells(row: Row, text: str) -> None:
    """A row in one text: ``"EUR, 10, 11"``. Its numbers may be texts to the test."""
    for cell in _CELLS.split(text):
        bare = cell.strip().strip("\"'").removeprefix("${").removesuffix("}").strip("\"'")
        row.literals[f'"{bare}'] += 1
        for piece in pieces(bare, "javascript"):
            if piece.kind == "constant":
                row.constants.add(piece.text)
            elif piece.kind == "number" and piece.end - piece.start == len(bare):
                row.literals[piece.text] += 1
            elif piece.kind == "word":
                row.words.add(piece.text)


def _joined(rows: tuple[Row, ...]) -> Row:
    whole = Row()
    for row in rows:
        whole.literals += row.literals
        whole.words |= row.words
        whole.constants |= row.constants
        whole.sizes |= row.sizes
    return whole


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
    named = ((index, piece) for index, piece in enumerate(found) if piece.kind == "word" and piece.text in _ROWS)
    for index, piece in islice(named, _MOST_ROWS):
        opening = next((at for at in (index + 1, index + 2) if at < len(found) and found[at].text == "("), None)
        if opening is None or any(
            table.start < piece.start < table.end for table in inside if len(table.rows) > 1
        ):
            continue
        end = _closing(found, opening)
        rows[piece.text].append((piece.start, found[end].end, _row(found[opening + 1 : end])))
    return [Table(each[0][0], each[-1][1], [row for _, _, row in each]) for each in rows.values()]


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
        lines = [line.strip() for line in piece.text.split("\n")] if piece.kind == "text" else []
        lines = [line for line in lines if line and not line.startswith("#")]
        if len(lines) > 1 and all(_CELLS.search(line) for line in lines):
            rows = [Row() for _ in lines]
            for row, line in zip(rows, lines, strict=True):
                _cells(row, line)
            yield Table(piece.start, piece.end, rows)


def _shared(source: str, language: str) -> list[Table]:
    """Ruby's shared examples, with what is handed to them."""
    lines = list(_SHARED.finditer(source)) if language == "ruby" else []
    rows = [_row([piece for piece in pieces(each[1], language) if piece.kind != "mark"]) for each in lines]
    return [Table(lines[0].start(), lines[-1].end(), rows)] if lines else []
