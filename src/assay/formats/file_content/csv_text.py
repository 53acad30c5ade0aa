"""CSV whose first line names the columns: ``amount`` and ``*.amount`` are of all rows, ``2.amount`` of the second.

Commas, semicolons, tabs or bars separate, whichever the first line has most of. Values are text. Where a row ends
before a column, there is no value.
"""

import csv
import io
import re
from collections.abc import Iterator
from typing import Final

from assay.formats.file_content.text import MAX_VALUES, FileFormatError, Finder, decoded

_ROW: Final = re.compile(r"(\*|[1-9][0-9]{0,8})\.(.+)", re.DOTALL)
_NO_ROW: Final = re.compile(r"(?!\*\.|[1-9][0-9]{0,8}\.)[-0-9*]*\.|[-0-9*]+\.?$")
_SEPARATORS: Final = ",;\t|"


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    if not path or '"' in path or _NO_ROW.match(path):
        raise ValueError(f"a path into a CSV must be column, N.column with N from 1, or *.column, got {path!r}")


def open_content(data: bytes) -> Finder:
    """How to find values in it. Raises ``FileFormatError``."""
    text = decoded(data)
    separator = _separator(text)
    if text.count(separator) + text.count("\n") > MAX_VALUES:
        raise FileFormatError(f"the file has more than {MAX_VALUES} values")
    header = next(_rows(text, separator), None)
    if header is None:
        raise FileFormatError("the file has no line that names the columns")
    names = [name.strip() for name in header]

    def find(path: str) -> list[str]:
        match = _ROW.fullmatch(path)
        row, column = match.groups() if match else ("*", path)
        places = [at for at, name in enumerate(names) if name == column]
        return list(_find_cells(text, separator, row, places)) if places else []

    return find


def _separator(text: str) -> str:
    first = re.sub(r'"[^"\r\n]*"', "", re.split(r"[\r\n]", text[:65536].lstrip("\r\n"), maxsplit=1)[0])
    return max(_SEPARATORS, key=first.count)


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    """The rows that are not empty. Read again for each question: few values of a large file are ever kept."""
    try:
        yield from filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise FileFormatError("the file is not CSV") from error


def _find_cells(text: str, separator: str, row: str, places: list[int]) -> Iterator[str]:
    for number, cells in enumerate(_rows(text, separator)):
        if number and row in ("*", str(number)):
            yield from (cells[at] for at in places if at < len(cells))
        if str(number) == row:
            return
