"""The rows of a CSV text, in whichever of the common spellings it is written.

The standard has commas. Where a comma is part of every number, spreadsheets write semicolons; other programs write
tabs, bars, or a space behind each comma. Output that can't be parsed loses its reward, so it is CSV if in one of
these spellings every row has as many cells as the header.
"""

import collections
import contextlib
import csv
import io
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from assay.dialects.evaluation.schema import bounded

CSV_FIELD_LIMIT = 1024 * 1024
COMMAS = (",", False)
_OTHER_MARKS = (";", "\t", "|")
_lock = threading.Lock()

Found = TypeVar("Found")


def check_csv(text: str) -> None:
    """Read all rows and keep none. Raises ``ValueError`` or ``csv.Error``."""
    _in_some_spelling(text, lambda rows: collections.deque(rows, maxlen=0))


def rows_by_name(text: str) -> list[dict[str, str]]:
    """Rows by column name. Raises ``ValueError`` or ``csv.Error``."""
    return _in_some_spelling(text, _by_name)


def _by_name(rows: Iterator[list[str]]) -> list[dict[str, str]]:
    header = next(rows)
    twice = next((name for name, count in collections.Counter(header).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"two columns are called {bounded(twice)!r}, but a schema tells columns apart by name")
    return [dict(zip(header, row, strict=True)) for row in rows]


def _in_some_spelling(text: str, read: Callable[[Iterator[list[str]]], Found]) -> Found:
    """Read the text in the first spelling that fits. If none does, the error is the one about commas."""
    complaints: dict[tuple[str, bool], Exception] = {}
    with _field_limit():
        for spelling in _spellings(text):
            try:
                return read(_rows(text, *spelling))
            except (ValueError, csv.Error) as error:
                complaints[spelling] = error
    raise complaints[COMMAS]


@contextlib.contextmanager
def _field_limit() -> Iterator[None]:
    """The limit belongs to the whole process, so it is borrowed, one reader at a time, and given back."""
    with _lock:
        before = csv.field_size_limit(CSV_FIELD_LIMIT)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _spellings(text: str) -> list[tuple[str, bool]]:
    """Each a mark, and whether spaces may follow it. Marks that part the header go before those that don't."""
    commas = [COMMAS, (",", True)]
    others = [(mark, False) for mark in _OTHER_MARKS if _columns(text, mark) > 1]
    return commas + others if _columns(text, ",") > 1 else others + commas


def _columns(text: str, mark: str) -> int:
    try:
        return len(next(_rows(text, mark)))
    except (ValueError, csv.Error):
        return 0


def _rows(text: str, mark: str, spaced: bool = False) -> Iterator[list[str]]:
    """The header and all rows that are not blank. A row with more or fewer cells than the header is not CSV."""
    lines = io.StringIO(text, newline="")
    rows = enumerate(csv.reader(lines, strict=True, delimiter=mark, skipinitialspace=spaced), start=1)
    header = next((row for _, row in rows if not _is_blank(row)), [])
    if not header or text.isspace():
        raise ValueError("it has no header")
    yield header
    for number, row in rows:
        if len(row) == len(header):
            yield row
        elif not _is_blank(row):
            raise ValueError(f"row {number} has {len(row)} cells, the header has {len(header)}")


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())
