"""Demands that became rows: lines of a table of cases, or calls of a function that asserts.

No assertion is what it was then. But one new line has what went in and what was wanted to come out, and a new
assertion about the same calls demands as much of every row. A row serves each new assertion once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.detectors.test_code.assertion_pairs import (
    contradicts,
    is_literal,
    is_rounding,
    literals,
    value_in,
    wider,
)
from assay.detectors.test_code.findings import FilePair, counts, lines_of, never_runs, short_name, source_of
from assay.detectors.test_code.model import Assertion, Strength

_CALLED = re.compile(r"(?<!\w)([a-z_]\w*+[?!]?)\(")
_WORD = re.compile(r"\w+[?!]?")
_NAME = re.compile(r"\b[a-z_]\w*")
_TYPE = re.compile(r"\b[A-Z]\w*")
_MOST_TRIED = 500_000


@dataclass(frozen=True, slots=True)
class _Template:
    """A new assertion, its first line, the text of its test, and what of that was there before.

    ``function`` is what must be called for it, if it isn't in a test. ``in_rows`` is whether it is made of rows.
    """

    assertion: Assertion
    line: str
    own: str
    kept: str
    function: str
    in_rows: bool


class MovedDemands:
    """Finds rows for what the changed tests lost. ``used`` has the assertions that stand for others."""

    def __init__(self, files: Iterable[FilePair], used: set[int]) -> None:
        files = list(files)
        self._rows = [(row, Counter(literals(row))) for file in files for row in _new_rows(file)]
        self._templates = [each for file in files for each in _new_assertions(file)]
        self._used_rows: set[tuple[int, int]] = set()
        self._used = used
        self._tried = 0

    def take(self, lost: Assertion, kept: str = "") -> bool:
        """Whether a row demands what an assertion did. It does so for no other one then.

        ``kept`` are the lines that its test had and has.
        """
        self._tried += len(self._templates)
        for template in self._templates if self._tried < _MOST_TRIED else ():
            if id(template.assertion) not in self._used and _as_good(lost, template.assertion):
                if _is_literal(template.assertion):
                    if self._runs(template) and _is_filled(lost, template.assertion, kept):
                        self._used.add(id(template.assertion))
                        return True
                elif (number := self._row(lost, template, kept)) is not None:
                    self._used_rows.add((number, id(template)))
                    return True
        return False

    def _runs(self, template: _Template) -> bool:
        """Whether rows are filled into an assertion, or a new line calls its function."""
        called = template.function and any(template.function in row for row, _ in self._rows)
        return template.in_rows or bool(called)

    def _row(self, lost: Assertion, template: _Template, kept: str) -> int | None:
        """The number of a row with all that was literal, and with the names of what was called and expected."""
        wanted, names = Counter(literals(lost.expected or "true")), set(_TYPE.findall(lost.expected or ""))
        given = Counter(literals(lost.subject)) - Counter(literals(f"{kept} {template.kept}"))
        called = set(_CALLED.findall(lost.subject)) - set(_WORD.findall(f"{kept} {template.own}"))
        if not wanted + given:
            return None
        self._tried += len(self._rows)
        for number, (row, known) in enumerate(self._rows):
            if wanted + given <= known and (number, id(template)) not in self._used_rows:
                words = set(_WORD.findall(row))
                if template.function in row and called | names <= words and row != template.line:
                    return number
        return None


def kept_lines(before: str, after: str) -> str:
    """The lines that were there and are there still."""
    known = set(map(str.strip, before.split("\n")))
    return "\n".join(line for line in after.split("\n") if line.strip() in known)


def _new_rows(file: FilePair) -> Iterator[str]:
    """The lines that were not there before."""
    known = set(map(str.strip, file.before_text.split("\n")))
    yield from (line for line in file.after_text.split("\n") if line.strip() not in known)


def _new_assertions(file: FilePair) -> Iterator[_Template]:
    known = {each.text for test in (file.before.tests if file.before else ()) for each in test.assertions}
    for test in file.after.tests if file.after else ():
        source = source_of(file.after_text, test)
        function = "" if test.collected else f"{short_name(test)}("
        new = [] if never_runs(test) else [each for each in test.assertions if each.text not in known]
        kept = kept_lines(file.before_text, source) if new else ""
        for each in filter(counts, new):
            own = f"{source} {each.text} {each.subject}"
            line = "".join(lines_of(file.after_text)[each.line - 1 : each.line])
            yield _Template(each, line, own, f"{kept} {each.text}", function, test.collected and test.cases != 1)


def _is_literal(assertion: Assertion) -> bool:
    return assertion.expected is not None and is_literal(value_in(assertion.expected))


def _is_filled(lost: Assertion, new: Assertion, kept: str) -> bool:
    """Whether an assertion into which a row is filled has all that was literal, and calls what was called."""
    given = Counter(literals(lost.subject)) <= Counter(literals(new.subject))
    return given and set(_CALLED.findall(lost.subject)) <= set(_CALLED.findall(f"{new.subject} {kept}"))


def _as_good(lost: Assertion, new: Assertion) -> bool:
    """Whether an assertion that is made of rows demands as much as one that was made of literals."""
    if wider(lost, new) or contradicts(lost.expected, new.expected):
        return False
    if new.strength < lost.strength and not is_rounding(new):
        return False
    if new.expected is None:
        return lost.expected is None or lost.strength <= Strength.PRESENCE
    names = set() if _is_literal(new) else set(_NAME.findall(new.expected))
    return new.expected == lost.expected or not names.isdisjoint(_NAME.findall(new.text))
