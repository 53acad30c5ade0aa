"""Which test became which: the answer depends on the text alone, never on how Python hashes it."""

import os
import subprocess
import sys

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.matching import match_tests
from assay.detectors.test_code.read import read_both
from assay.evidence.workspace import read_here

BEFORE = """
def test_total():
    assert total([1]) == 1
    assert total([2, 3]) == 5
    assert total([]) == 0
    assert total([9]) == 9
"""
# Both new tests have as much of the old one.
SPLIT = """
def test_sums():
    assert total([1]) == 1
    assert total([2, 3]) == 5

def test_edges():
    assert total([]) == 0
    assert total([9]) == 9
"""


def heirs() -> list[str | None]:
    read = read_both("test_a.py", BEFORE.encode(), "test_a.py", SPLIT.encode(), read_here)
    pairs = match_tests([FilePair("test_a.py", "test_a.py", *read, BEFORE, SPLIT)]).pairs
    return [None if after is None else after.test.identity for _, after in pairs]


def test_of_two_heirs_the_first_in_the_text_is_taken() -> None:
    assert heirs() == ["test_sums"]


@pytest.mark.parametrize("seed", ["1", "2", "3", "4"])
def test_the_seed_of_hashes_changes_nothing(seed: str) -> None:
    line = "from tests.detectors.test_code.test_matching import heirs; print(heirs())"
    done = subprocess.run(
        [sys.executable, "-c", line],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['test_sums']\n"
