"""Read what ``python3 -m unittest -v`` prints to standard error: a line for each test, and how many ran.

A test that started and never ended has failed. Raises ``ValueError`` for any other text.
"""

import re
from collections.abc import Iterator
from typing import Final

from assay.formats.test_reports.model import Ended

MAX_LINES: Final = 1_000_000
_TEST: Final = re.compile(r"\s*(\w+) \((\w+(?:\.[\w<>]+)+)\)(?: [(\[].*)?(?: \.\.\. .*)?")
_END: Final = re.compile(
    r"(?:^|.*\.\.\. )(ok|FAIL|ERROR|skipped (?:'.*'|\".*\")|expected failure|unexpected success)\s*"
)
# Before Python 3.11, a test of which a part failed has no end, and the next one begins on its line.
_TOGETHER: Final = re.compile(r" \.\.\. (?=\w{1,200} \([\w.]{1,500}\) \.\.\. )")
_COUNT: Final = re.compile(r"Ran (\d+) tests? in ")
_WORDS: Final = {"ok": Ended.PASSED, "expected failure": Ended.SKIPPED}


def read_unittest(data: bytes) -> Iterator[tuple[str, Ended]]:
    """The tests by their full name, and the run itself if it failed without a failed test."""
    if data.count(b"\n") > MAX_LINES:
        raise ValueError(f"the report must have at most {MAX_LINES} lines")
    lines = iter(_TOGETHER.sub(" ... \n", data.decode(errors="replace")).splitlines())
    found: dict[str, list[Ended]] = {}
    if not any(map(_COUNT.match, _until_count(lines, found))):
        raise ValueError("the report must say how many tests ran, as unittest does")
    results = [(name, ended) for name, ends in found.items() for ended in ends or [Ended.FAILED]]
    yield from results
    if any(line.startswith("FAILED") for line in lines) and all(end is not Ended.FAILED for _, end in results):
        yield "run", Ended.FAILED


def _until_count(lines: Iterator[str], found: dict[str, list[Ended]]) -> Iterator[str]:
    """Every line up to the count of tests, with what it says about a test noted."""
    running: list[Ended] = []
    for line in lines:
        yield line
        if line.startswith("=" * 70):
            # Behind this, failures are told at length.
            yield from lines
            return
        began = _TEST.fullmatch(line)
        if began is not None:
            running = found.setdefault(_name(began[1], began[2]), [])
        ended = _END.fullmatch(line)
        if ended is not None:
            running.append(_ended(ended[1]))
            running = []


def _name(test: str, place: str) -> str:
    """Before Python 3.11, the place is that of the class."""
    return place if place.endswith(f".{test}") else f"{place}.{test}"


def _ended(word: str) -> Ended:
    return Ended.SKIPPED if word.startswith("skipped") else _WORDS.get(word, Ended.FAILED)
