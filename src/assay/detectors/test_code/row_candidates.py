"""Tests with a table of cases, whose rows other tests may have become."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.detectors.test_code.findings import FilePair, counts, never_runs
from assay.detectors.test_code.literal_rows import Row
from assay.detectors.test_code.literal_tables import Table, tables_of, used_whole
from assay.detectors.test_code.literals import constants, literals
from assay.detectors.test_code.model import Assertion, Test

_LOOP = re.compile(r"\b(?:for|foreach|forEach|each|each_pair|each_with_index|map|range|iter)\b|(?<![\w.])all\(")
_MOST_TESTS = 30
_LARGEST = 200_000
_MOST_READ = 1_000_000


@dataclass(slots=True)
class Candidate:
    """A test after the change. ``source`` is the file without the other tests, ``own`` the lines of this one."""

    path: str
    language: str
    test: Test
    source: str
    own: str
    tables: list[Table]
    asserted: list[Assertion]
    beside: dict[int, tuple[Counter[str], set[str]]] = field(default_factory=dict)
    used: set[tuple[int, int]] = field(default_factory=set)

    def without(self, table: Table) -> tuple[Counter[str], set[str]]:
        """The literals that all rows share: those of the test and of what is around it, other tables apart."""
        if table.start not in self.beside:
            rest, last = [], 0
            for other in sorted(self.tables, key=lambda each: each.start):
                if other is table or other.name:
                    rest.append(self.source[last : other.start])
                    last = max(last, other.end)
            text = " ".join([*rest, self.source[last:]])
            self.beside[table.start] = literals(text, self.language), constants(text, self.language)
        return self.beside[table.start]


def candidates(file: FilePair) -> Iterator[Candidate]:
    """The tests after the change that are new or changed and have a table of new rows."""
    longest = max(len(file.before_text), len(file.after_text))
    if file.after is None or not file.after_text or longest > _LARGEST:
        return
    lines = file.after_text.split("\n")
    known = _rows_before(file)
    changed = [test for test in file.after.tests if _may_be_parametrised(test, lines, file)]
    most = min(_MOST_TESTS, _MOST_READ // len(file.after_text) + 1)
    for test in changed[:most]:
        source = reach(lines, test, file.after.tests)
        found = _new_tables(source, file.after.language, known)
        if found:
            asserted = [each for each in test.assertions if counts(each)]
            yield Candidate(file.path, file.after.language, test, source, _lines(lines, test), found, asserted)


def _new_tables(source: str, language: str, known: Counter[Hashable]) -> list[Table]:
    found = [_with_new_rows(table, known) for table in tables_of(source, language)]
    return used_whole(source, [table for table in found if table.rows])


def _may_be_parametrised(test: Test, lines: list[str], file: FilePair) -> bool:
    """Whether a test that runs is new or changed, and runs what it asserts more than once."""
    if not test.collected or test.cases == 0 or never_runs(test) or not test.assertions:
        return False
    own = _lines(lines, test)
    if test.cases != 1:
        return True
    return own not in file.before_text and ("shared_examples" in file.after_text or bool(_LOOP.search(own)))


def _with_new_rows(table: Table, known: Counter[Hashable]) -> Table:
    left = known.copy()
    fresh: list[Row] = []
    for row in table.rows:
        if left[row.key] > 0:
            left[row.key] -= 1
        else:
            fresh.append(row)
    return replace(table, rows=fresh)


def _rows_before(file: FilePair) -> Counter[Hashable]:
    """The rows of tables that were there already, those in tests that are gone apart."""
    if file.before is None or file.after is None:
        return Counter()
    names = {test.identity for test in file.after.tests}
    lines = file.before_text.split("\n")
    for test in file.before.tests:
        if test.identity not in names:
            _blank(lines, test)
    found = tables_of("\n".join(lines), file.before.language)
    return Counter(row.key for table in found for row in table.rows if len(table.rows) > 1)


def _lines(lines: list[str], test: Test) -> str:
    return "\n".join(lines[test.line - 1 : test.end_line])


def reach(lines: list[str], test: Test, others: Sequence[Test]) -> str:
    """A file without its other tests; those around this one stay."""
    left = list(lines)
    for other in others:
        around = other.line <= test.line and other.end_line >= test.end_line
        if not around and other.assertions and other.collected:
            _blank(left, other)
    return "\n".join(left)


def _blank(lines: list[str], test: Test) -> None:
    for number in range(test.line - 1, min(test.end_line, len(lines))):
        lines[number] = ""
