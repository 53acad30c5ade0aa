"""Source that answers from a table of the tests' own inputs.

A pair is an input with its output, both constant: an entry of a table, or a branch that compares and returns. It
coincides with a test where one assertion or one row of parameters has the input and the output. Tables that honest
code has (names of colours, codes with their texts) coincide too when tests go through them, so a table counts only
where its pairs look computed: numbers to numbers, several values to one, texts that are no names; or where a
function compares with them and returns.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from assay.detectors.source_signs.constants import Constants, in_line, is_rare, of_expression, within
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
    """An input with its output. ``group`` says which table or function it belongs to."""

    given: Constants
    answer: Constants
    line: int
    group: int
    in_function: bool

    @property
    def looks_computed(self) -> bool:
        return self.may_be_copied and (any(map(is_rare, self.answer)) or len(self.answer) > 1)

    @property
    def may_be_copied(self) -> bool:
        """Whether at least what is given is too special to be in a test by chance."""
        if not any(map(is_rare, self.given)) and len(self.given) < 2:
            return False
        return self.given != self.answer and (self.in_function or _is_computed(self.given, self.answer))


class TestRows:
    """Rows of tests: for each assertion or row of parameters its constants."""

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


def python_pairs(tree: ast.Module) -> list[ConstantPair]:
    """The pairs of a module: entries of dictionaries, comparisons that return, cases of a match."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    inside = {id(part): number for number, function in enumerate(functions) for part in ast.walk(function)}
    found: list[ConstantPair] = []
    for node in ast.walk(tree):
        function = inside.get(id(node))
        if isinstance(node, ast.Dict):
            found += _of_dict(node, function is not None)
        elif isinstance(node, ast.If) and function is not None:
            found += _pair(_compared(node.test), _returned(node.body), node.lineno, -1 - function)
        elif isinstance(node, ast.IfExp) and function is not None:
            found += _pair(_compared(node.test), of_expression(node.body), node.lineno, -1 - function)
        elif (
            isinstance(node, ast.match_case) and function is not None and isinstance(node.pattern, ast.MatchValue)
        ):
            value = node.pattern.value
            found += _pair(of_expression(value), _returned(node.body), value.lineno, -1 - function)
    return found


def native_pairs(text: str, language: str, apart: ReadApart) -> list[ConstantPair]:
    """The pairs of a file in another language. Raises ``UnreadableError`` where the parser gives up on it."""
    from assay.detectors.source_signs.native_pairs import NativePair, read_pairs  # noqa: PLC0415 - rarely needed

    question = SignsText(language, text.encode("utf-8", "replace").decode())
    return [
        ConstantPair((one.given,), (one.answer,), one.line, -1 if one.branch else 1, one.branch)
        for one in apart(read_pairs, question, list[NativePair])
    ]


def python_rows(tree: ast.Module) -> Iterator[frozenset[Hashable]]:
    """The rows of Python tests: assertions, and what parametrising lists."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield frozenset(within(node.test))
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called.startswith("assert"):
                yield frozenset(within(node))
            elif called in ("parametrize", "expand") and node.args:
                rows = node.args[-1]
                yield from (frozenset(within(row)) for row in getattr(rows, "elts", ()))
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.List | ast.Tuple):
            yield from (frozenset(within(row)) for row in node.iter.elts)


def text_rows(text: str) -> Iterator[frozenset[Hashable]]:
    """The rows of tests in another language: the constants of each line, and of it with the next."""
    lines = [in_line(line) for line in text.split("\n")]
    yield from (row for row in lines if len(row) > 1)
    yield from (first | second for first, second in pairwise(lines) if first and second)


def tables(pairs: Sequence[ConstantPair], rows: TestRows, source: str) -> Iterator[Sign]:
    """The groups of pairs of which most are the tests' own."""
    groups: dict[int, list[ConstantPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group].append(pair)
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


def _of_dict(node: ast.Dict, in_function: bool) -> list[ConstantPair]:
    if len(node.keys) < _FEWEST:
        return []
    return [
        pair
        for key, value in zip(node.keys, node.values, strict=True)
        for pair in _pair(
            of_expression(key), of_expression(value), key.lineno if key else node.lineno, id(node), in_function
        )
    ]


def _pair(
    given: Constants | None, answer: Constants | None, line: int, group: int, in_function: bool = True
) -> list[ConstantPair]:
    if not given or not answer:
        return []
    return [ConstantPair(given, answer, line, group, in_function)]


def _compared(test: ast.expr) -> Constants | None:
    """The constants of a condition: ``x == 10``, ``a == 2 and b == 3``, ``(a, b) == (2, 3)``."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    found: list[Hashable] = []
    for part in parts:
        if not isinstance(part, ast.Compare) or not isinstance(part.ops[0], ast.Eq | ast.Is | ast.In):
            return None
        sides = [of_expression(part.left), of_expression(part.comparators[0])]
        constant = next((side for side in sides if side), None)
        if constant is None:
            return None
        found += constant
    return tuple(found)


def _returned(body: list[ast.stmt]) -> Constants | None:
    last = body[-1] if len(body) <= 2 else None
    value = last.value if isinstance(last, ast.Return | ast.Assign) else None
    # The answer may be wrapped: ``return Amount(1250)``.
    if isinstance(value, ast.Call) and value.args and not value.keywords:
        value = ast.Tuple(value.args)
    return of_expression(value)
