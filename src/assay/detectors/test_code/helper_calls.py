"""Assertions that moved into a function: each call of it is a row with what was literal in the test before.

``check(t, "2*4", 8)`` demands the 8 that the test demanded itself, as long as the function demands as much of its
parameter. A call that was there before stands for nothing that was lost, and each call serves a demand once.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from assay.detectors.test_code.assertion_pairs import is_literal, value_in
from assay.detectors.test_code.findings import FilePair, Located, counts, lines_of, short_name, source_of
from assay.detectors.test_code.literals import constants, literals, pieces
from assay.detectors.test_code.model import Assertion, Test
from assay.detectors.test_code.row_candidates import reach
from assay.detectors.test_code.row_needs import Need, as_good, need_of, need_of_test

_CALL = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*[?!]?)(?:(?=\()|(?<=\w) (?=[\"'\w:\[]))")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_NAMES = re.compile(
    r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"|`[^`]*+`|(?<!\w)\w++(?= ?:(?!:))"
)
"""Texts, and the names of fields: ``{ name : "TypeError" }`` names nothing."""
_FIELD = re.compile(r"(?<![\w.])[A-Za-z_]\w*\.[A-Za-z_]\w*(?![\w(])")
_DEFINES = re.compile(r"[?!]?\s*(?:[(=<:]|$)")
_MOST_READ = 20_000_000
_FARTHEST, _MOST_CALLS, _MOST_TEMPLATES, _MOST_LOST, _LONGEST_CALL = 80, 50, 50, 50, 2000


@dataclass(frozen=True, slots=True)
class Row:
    """A call of a function, and one of the assertions in it; ``helper`` is the function's text up to there."""

    call: str
    template: Assertion
    helper: str

    def serves(self, need: Need, around: str, language: str) -> bool:
        """Whether the call has what was literal, and the function asks as much.

        What goes in may be made elsewhere now: ``around`` is the file without its other tests.
        """
        lost, template = need.lost[0], self.template
        if not as_good(lost, template, f"{around}\n{self.helper}"):
            return False
        fixed = template.expected is not None and is_literal(value_in(template.expected))
        given = set(literals(self.call, language))
        if need.fields is not None:
            known = _FIELD.findall(self.call)
            owners = {field.partition(".")[0] for field in known}
            own = {field for field in need.fields if field.partition(".")[0] in owners}
            return bool(own) and own <= set(known) and set(need.wanted) <= set(literals(around, language))
        if not fixed and not (set(need.wanted) <= given and _named(lost) <= set(_NAME.findall(self.call))):
            return False
        told = f"{around}\n{self.helper}"
        return set(need.literals) <= set(literals(told, language)) and need.constants <= constants(told, language)


class HelperCalls:
    """Finds calls for what the changed tests lost."""

    def __init__(self, files: Iterable[FilePair]) -> None:
        files = list(files)
        self._before = {file.old_path: file for file in files}
        self._after = {file.path: file for file in files}
        self._elsewhere = _elsewhere(files)
        self._read = 0

    def left(self, before: Located, after: Located, lost: list[Assertion]) -> list[Assertion]:
        """The lost assertions of a test that its new calls of functions don't replace."""
        old, new = self._before[before.path], self._after[after.path]
        alike = before.test.cases == after.test.cases
        if old.before is None or not alike or len(lost) > _MOST_LOST or self._read > _MOST_READ:
            return lost
        rows = self._rows(after.test, new, source_of(old.before_text, before.test)) if lost else []
        if not rows or new.after is None:
            return lost
        self._read += len(new.after_text) + len(lost) * len(old.before_text)
        around = reach(lines_of(new.after_text), after.test, new.after.tests)
        language = old.before.language
        if (after.test.cases or 1) > 1:
            # Each call is made for every row of a table, whose values stand elsewhere.
            rows = [row for row in rows for _ in range(min(after.test.cases or 1, _MOST_CALLS))]
            around = new.after_text
        return [each for each in lost if not _take(rows, self._need(old, before.test, each), around, language)]

    def _need(self, file: FilePair, test: Test, lost: Assertion) -> Need:
        """What a call must have: the literals that were wanted, or in a table the fields that they stood in."""
        if test.cases == 1:
            return need_of_test(file, test, [lost])
        lines = lines_of(file.before_text)
        fields = _FIELD.findall(lines[lost.line - 1]) if lost.line <= len(lines) else []
        return replace(need_of(lost, ""), fields=frozenset(fields))

    def _rows(self, test: Test, file: FilePair, known: str) -> list[Row]:
        """The new calls of a test with what the functions assert: of the same file, or of another changed one."""
        borrowed = [each for each in test.assertions if counts(each) and not _within(test, each.line)]
        if not borrowed and not self._elsewhere:
            return []
        own = source_of(file.after_text, test)
        calls = [(name, call) for name, call in _calls(own) if call not in known]
        found = _rows_here(calls, borrowed[:_MOST_TEMPLATES], lines_of(file.after_text)) if calls else []
        for name, call in calls:
            found += [Row(call, template, text) for template, text in self._elsewhere.get(name, ())]
        return found


def _take(rows: list[Row], need: Need, around: str, language: str) -> bool:
    """Whether a row serves a need. It serves no other one then."""
    row = next((row for row in rows if row.serves(need, around, language)), None)
    if row is not None:
        rows.remove(row)
    return row is not None


def _rows_here(calls: list[tuple[str, str]], borrowed: list[Assertion], lines: list[str]) -> list[Row]:
    """The calls of functions of the same file, each with the assertions of its function."""
    found: list[Row] = []
    for template in borrowed:
        function, text = _helper(lines, template.line, {name for name, _ in calls})
        found += [Row(call, template, text) for name, call in calls if name == function]
    return found


def _elsewhere(files: Iterable[FilePair]) -> dict[str, list[tuple[Assertion, str]]]:
    """What functions assert that tests in other files call, each with the function's text."""
    found: dict[str, list[tuple[Assertion, str]]] = defaultdict(list)
    for file in files:
        for test in file.after.tests if file.after is not None else ():
            if not test.collected:
                asserted = [each for each in test.assertions if counts(each)][:_MOST_TEMPLATES]
                text = source_of(file.after_text, test) if asserted else ""
                found[short_name(test)] += [(each, text) for each in asserted]
    return found


def _within(test: Test, line: int) -> bool:
    return test.line <= line <= test.end_line


def _calls(own: str) -> Iterator[tuple[str, str]]:
    """What a test calls: the name, and the text of the call."""
    for found in islice(_CALL.finditer(own), _MOST_CALLS):
        yield found[1], own[found.start() : _end(own, found.end())]


def _end(own: str, start: int) -> int:
    """Where the arguments end that begin here: with their bracket, or with the line."""
    if own[start : start + 1] != "(":
        return (own + "\n").index("\n", start)
    depth = 0
    for piece in pieces(own[start : start + _LONGEST_CALL], ""):
        if piece.kind == "mark":
            depth += (piece.text in "([{") - (piece.text in ")]}")
            if depth == 0:
                return start + piece.end
    return len(own)


def _helper(lines: list[str], line: int, called: set[str]) -> tuple[str, str]:
    """The function around a line, if it is one of those that are called: its name, and its text up to there."""
    for number in range(min(line, len(lines)) - 1, max(line - _FARTHEST, -1), -1):
        for found in _NAME.finditer(lines[number]):
            if found.group() in called and _DEFINES.match(lines[number], found.end()):
                return found.group(), "\n".join(lines[number:line])
    return "", ""


def _named(lost: Assertion) -> set[str]:
    """The names in what was expected: true and false among them, which are no other literals."""
    return set(_NAME.findall(_NO_NAMES.sub("", value_in(lost.expected or ""))))
