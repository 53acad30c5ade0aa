"""Tests that became rows of a table: a row must contain what each of them demanded, and it must be checked.

Many tests with literals become one test with parameters, or many lines a loop. Then no assertion is what it was.
But a row has what went into the old test and what it wanted to come out, and the assertion that is made of every
row demands as much. A row serves each assertion once; a row that was there before serves none.
"""

from collections import Counter
from collections.abc import Collection, Sequence

from assay.detectors.test_code.findings import FilePair, Located
from assay.detectors.test_code.literal_tables import Table
from assay.detectors.test_code.model import Assertion, Test
from assay.detectors.test_code.row_candidates import Candidate, candidates
from assay.detectors.test_code.row_needs import Need, as_good, has, need_of, need_of_test

_MOST_TRIED = 100_000
_MOST_FILES = 30


class Parametrised:
    """Finds rows for what the changed files lost."""

    def __init__(self, files: Sequence[FilePair], taken: Collection[int] = ()) -> None:
        self._files = {file.old_path: file for file in files}
        self._new = [file for file in files if file.before is None][:_MOST_FILES]
        self._candidates: dict[str, list[Candidate]] = {}
        self._tried = 0
        self._taken = taken
        """Assertions that already stand for others."""
        self._used: set[tuple[str, int, int, int]] = set()
        self.templates: set[tuple[str, int]] = set()
        """The files and lines of assertions that are made of rows: none of them stands for anything else."""

    def heir(self, before: Located, lost: Sequence[Assertion]) -> Test | None:
        """The test of which a whole test became a row, with everything that it demanded."""
        file = self._files.get(before.path)
        if file is None or not lost or before.test.cases != 1 or not self._within_reach(file):
            return None
        return self._takes(file, need_of_test(file, before.test, lost))

    def takes(self, before: Located, lost: Assertion) -> bool:
        """Whether one assertion became one that is made of a row."""
        file = self._files.get(before.path)
        if file is None or file.before is None or before.test.cases != 1:
            return False
        return self._takes(file, need_of(lost, file.before.language)) is not None

    def told(self, before: Located) -> bool:
        """Whether the cases are written down that a test could have become one of."""
        file = self._files.get(before.path)
        return file is not None and any(
            table.telling for each in self._within_reach(file) for table in each.tables
        )

    def _takes(self, file: FilePair, need: Need) -> Test | None:
        for candidate in self._within_reach(file):
            if any(self._row_for(candidate, table, need) for table in candidate.tables):
                return candidate.test
        return None

    def _row_for(self, candidate: Candidate, table: Table, need: Need) -> bool:
        path = candidate.path
        shared, named = candidate.without(table)
        missing = Counter({text: times for text, times in need.literals.items() if text not in shared})
        self._tried += len(table.rows)
        for number, row in enumerate(table.rows if self._tried < _MOST_TRIED else ()):
            if not (need.constants - named) <= row.constants or not has(row, missing, need, candidate.own):
                continue
            chosen = self._templates(path, candidate, (table.start, number), need.lost)
            if chosen is not None:
                self._used |= {(path, table.start, number, line) for line in chosen}
                candidate.used.add((table.start, number))
                self.templates |= {(path, line) for line in chosen}
                return True
        return False

    def _templates(
        self, path: str, candidate: Candidate, place: tuple[int, int], lost: Sequence[Assertion]
    ) -> list[int] | None:
        """The lines of the assertions that demand of a row what was lost, one for each."""
        cases = candidate.test.cases or 0
        if cases > 1 and place not in candidate.used and len(candidate.used) >= cases:
            return None
        unused = (new for new in candidate.asserted if id(new) not in self._taken)
        free = [new for new in unused if (path, *place, new.line) not in self._used]
        chosen: list[int] = []
        for each in lost:
            line = _as_good_line(each, free, chosen, candidate.own)
            if line is None:
                return None
            chosen.append(line)
        return chosen

    def _within_reach(self, file: FilePair) -> list[Candidate]:
        """The candidates of a file itself and of the new files in its language: tests move on the way."""
        language = file.before.language if file.before is not None else ""
        new = [each for each in self._new if each.after is not None and each.after.language == language]
        return [*self._of(file), *(found for each in new for found in self._of(each))]

    def _of(self, file: FilePair) -> list[Candidate]:
        if file.path not in self._candidates:
            self._candidates[file.path] = list(candidates(file))
        return self._candidates[file.path]


def _as_good_line(lost: Assertion, free: list[Assertion], chosen: list[int], own: str) -> int | None:
    """The line of the first assertion that demands as much as a lost one and stands for no other yet."""
    unused = (new for new in free if new.line not in chosen)
    return next((new.line for new in unused if as_good(lost, new, own)), None)
