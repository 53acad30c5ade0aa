"""Source that answers from a table of the tests' own inputs.

A pair is an input with its output, both constant: an entry of a table, or a branch that compares and returns. It
coincides with a test where one assertion or one row of parameters has the input and the output. Tables that honest
code has (names of colours, codes with their texts) coincide too when tests go through them, so a table counts only
where its pairs look computed: numbers to numbers, several values to one, texts that are no names; or where a
function compares with them and returns.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from assay.detectors.source_signs.constants import Constants, in_line, is_rare
from assay.detectors.source_signs.native import SignsText
from assay.detectors.source_signs.sign import Sign, sign
from assay.evidence.workspace import ReadApart

_HINT = re.compile(
    r"==?=?\s{0,4}[\d\"'`\[(-]|[\d\"'\])]\s{0,4}==|\b(?:case|when)\s{1,4}[\d\"'(\[-]|[\d\"'`)\]]\s{0,4}(?:[:,]|=>|->)\s{0,8}[\d\"'`\[({-]"
)
_FEWEST = 3
_SHARE = 0.6
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,11}")


@dataclass(frozen=True, slots=True)
class ConstantPair:
    """An input with its output, nested constants flattened. ``branch``: a function compares with it and returns.

    ``group`` says which table or function it belongs to.
    """

    given: Constants
    answer: Constants
    line: int
    group: int
    branch: bool

    @property
    def looks_computed(self) -> bool:
        return self.may_be_copied and (any(map(is_rare, self.answer)) or len(self.answer) > 1)

    @property
    def may_be_copied(self) -> bool:
        """Whether at least what is given is too special to be in a test by chance."""
        if not any(map(is_rare, self.given)) and len(self.given) < 2:
            return False
        return self.given != self.answer and (self.branch or _is_computed(self.given, self.answer))


class TestRows:
    """Rows of tests, each with its constants."""

    __test__ = False

    def __init__(self, rows: Iterable[frozenset[Hashable]]) -> None:
        self._with: dict[Hashable, set[int]] = defaultdict(set)
        for number, row in enumerate(rows):
            for value in row:
                self._with[value].add(number)

    def have(self, pair: ConstantPair) -> bool:
        """Whether one row has everything of a pair."""
        wanted = sorted((self._with.get(value, set()) for value in {*pair.given, *pair.answer}), key=len)
        return bool(wanted) and bool(set.intersection(*wanted))


def may_have_pairs(text: str) -> bool:
    """A cheap look whether a file has as many comparisons or entries as a table would."""
    return sum(1 for _ in islice(_HINT.finditer(text), _FEWEST)) >= _FEWEST


def pairs_in(text: str, language: str, apart: ReadApart) -> list[ConstantPair]:
    """The pairs of a file. Raises ``UnreadableError`` where the parser gives up on it."""
    from assay.detectors.source_signs.constant_pairs import read_pairs  # noqa: PLC0415 - rarely needed

    return apart(read_pairs, SignsText(language, text.encode("utf-8", "replace").decode()), list[ConstantPair])


def text_rows(text: str) -> Iterator[frozenset[Hashable]]:
    """The rows of tests: the constants of each line, and of it with the next."""
    lines = [in_line(line) for line in text.split("\n")]
    yield from (row for row in lines if len(row) > 1)
    yield from (first | second for first, second in pairwise(lines) if first and second)


def tables(pairs: Sequence[ConstantPair], rows: TestRows, source: str) -> Iterator[Sign]:
    """The groups of pairs of which most are the tests' own."""
    groups: dict[tuple[int, bool], list[ConstantPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group, pair.branch].append(pair)
    lines = source.split("\n")
    for group in groups.values():
        known = {(pair.given, pair.answer): pair for pair in group if pair.looks_computed and rows.have(pair)}
        distinct = {(pair.given, pair.answer) for pair in group}
        mostly = len({given for given, _ in known}) >= _FEWEST and len(known) >= _SHARE * len(distinct)
        if mostly or _is_copy(group, rows):
            line = min(pair.line for pair in (known.values() or group))
            yield sign("inputs_of_tests", line, lines[line - 1] if line <= len(lines) else "")


def may_be_tables(pairs: Sequence[ConstantPair]) -> bool:
    """True if it is worth while to read the tests at all."""
    return sum(pair.may_be_copied for pair in pairs) >= _FEWEST - 1


def _is_copy(group: list[ConstantPair], rows: TestRows) -> bool:
    """Whether all that a group has is in the tests. Then even plain answers, 1 and 2 and 3, are no chance."""
    answers = {pair.answer for pair in group}
    several = len({pair.given for pair in group}) >= _FEWEST and len(answers) >= _FEWEST
    return several and sum(pair.may_be_copied for pair in group) >= _FEWEST - 1 and all(map(rows.have, group))


def _is_computed(given: Constants, answer: Constants) -> bool:
    numbers = all(isinstance(value, int | float) for value in (*given, *answer))
    words = len(given) == 1 and isinstance(given[0], str) and _NAME.fullmatch(given[0])
    number_to_text = len(given) == 1 and isinstance(given[0], int | float) and not numbers
    return numbers or (not words and not number_to_text)
