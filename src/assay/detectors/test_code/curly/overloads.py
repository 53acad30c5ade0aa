"""Tests that share a name: overloads get names with their parameters."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.curly.tokens import tokens, uniform
from assay.detectors.test_code.model import Test


def told_apart(tests: Sequence[tuple[Test, str]]) -> tuple[Test, ...]:
    """The tests, each given with the source of its parameters, under names of their own."""
    times = Counter(test.identity for test, _ in tests)
    return tuple(
        replace(test, identity=f"{test.identity}({uniform(tokens(takes))})")
        if times[test.identity] > 1 and takes
        else test
        for test, takes in tests
    )
