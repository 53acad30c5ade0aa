"""What ``make test`` leaves to ``make search``: most rows of long tables, and most examples that are made up.

A sample is every n-th row, beginning with the first: the same one every time, and one of each kind that has at
least n rows in a row. ``make search`` runs the tests of all files that import this one, whole.
"""

import os
from collections.abc import Iterable
from typing import Any

from hypothesis import settings

SEARCHING = os.environ.get("ASSAY_TESTS") == "search"
FEWER = 5


def sampled(rows: Iterable[Any], every: int) -> list[Any]:
    """Rows of a table: all while searching, otherwise every n-th."""
    return list(rows)[:: 1 if SEARCHING else every]


def examples(many: int) -> settings:
    """How many examples a property is tried on while searching; otherwise it is a fifth."""
    return settings(max_examples=many if SEARCHING else many // FEWER, deadline=None)
