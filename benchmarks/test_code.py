"""What reading a file of tests costs in each language, against the bare parser, and as the file grows.

No two files have the same numbers in them, so that nothing is known from the file before.
"""

import ast
from collections.abc import Callable, Iterator
from itertools import count

from ast_grep_py import SgRoot

from assay.detectors.test_code.read import Text, parsed
from benchmarks.long_tests import LONG_TESTS, LongTests
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu, sized

FEW, MANY, ROUNDS = sized(150, 5), sized(600, 20), sized(5)
PARSER_GOAL, GROWTH_GOAL = 25.0, 1.5


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Files of 150 and 600 tests in eleven languages."""
    for name, tests in LONG_TESTS.items():
        bare, few, many = best_cpu(ROUNDS, *_works(name, tests))
        detail = f"{few * 1e3:.0f} ms against {bare * 1e3:.0f} ms"
        yield Result(f"{FEW} tests in {name}", few / bare, f"{TIMES} the parser", PARSER_GOAL, detail)
        growth = (many / MANY) / (few / FEW)
        yield Result(f"  a test of {MANY}", growth, f"{TIMES} one of {FEW}", GROWTH_GOAL, fails=True)


def _works(name: str, tests: LongTests) -> list[Callable[[], object]]:
    """The bare parser on a file, and the reader of its language on files of two sizes."""
    numbers = count(1000, MANY)

    def read(size: int) -> None:
        code = parsed(Text(name, tests.text(size, next(numbers)), with_markup=False))
        assert len(code.tests) >= size, f"{name}: {len(code.tests)} of {size} tests"
        assert not code.problems, code.problems

    def parse() -> object:
        text = tests.text(FEW, next(numbers))
        return ast.parse(text) if name == "python" else SgRoot(text, name).root()

    return [parse, lambda: read(FEW), lambda: read(MANY)]
