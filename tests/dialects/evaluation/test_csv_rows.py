"""CSV as programs really write it: which spelling is taken, and what is no table in any of them."""

import csv
from collections.abc import Callable

import pytest

from assay.dialects.evaluation.output import check_csv, rows_by_name

ADA = [{"name": "Ada", "size": "1,5"}]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('name,size\nAda,"1,5"\n', ADA),
        # A comma in every number, so another mark between the cells.
        ("name;size\nAda;1,5\n", ADA),
        ("name\tsize\nAda\t1,5\n", ADA),
        ("name|size\nAda|1,5\n", ADA),
        ('name, size\nAda, "1,5"\n', ADA),
        ("name;size\r\nAda;1,5\r\n", ADA),
        # Lines that are blank, wherever they are.
        ('\n\nname,size\n\nAda,"1,5"\n\n', ADA),
        ('  \nname,size\nAda,"1,5"\n \n\t\n', ADA),
        # The header's own mark counts, not one that happens to be in it or in a cell.
        ("a;b\n1;2\n", [{"a": "1", "b": "2"}]),
        ("a,b;c\n1,2\n", [{"a": "1", "b;c": "2"}]),
        ("a;b,c\n1;2\n", [{"a": "1", "b,c": "2"}]),
        ("a,b\n1;2,3\n", [{"a": "1;2", "b": "3"}]),
        ("note; or none\nx\n", [{"note; or none": "x"}]),
        ("note\na;b\n", [{"note": "a;b"}]),
        # A row that has nothing in it is a row, if it has the cells.
        ("a,b\n,\n", [{"a": "", "b": ""}]),
        ("a\n \n", [{"a": " "}]),
        ("a,b\n", []),
    ],
)
def test_the_rows_of_a_table(text: str, rows: list[dict[str, str]]) -> None:
    assert rows_by_name(text) == rows
    check_csv(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it has no header"),
        ("\n \n", "it has no header"),
        ("a,b\n1\n", "row 2 has 1 cells, the header has 2"),
        ("a,b\n1,2\n\n1,2,3\n", "row 4 has 3 cells, the header has 2"),
        # The complaint is about commas, unless nobody can know better.
        ("a;b\n1;2\n3\n1,2\n", "row 4 has 2 cells, the header has 1"),
        ("a;b,c\n1;2\n3\n", "row 2 has 1 cells, the header has 2"),
        ('a,b\n"1,2\n', "unexpected end of data"),
        ('a,b\n"1"x,2\n', "expected after"),
        ('"a\n', "unexpected end of data"),
    ],
)
@pytest.mark.parametrize("read", [rows_by_name, check_csv])
def test_what_is_no_table(read: Callable[[str], object], text: str, says: str) -> None:
    with pytest.raises((ValueError, csv.Error), match=says):
        read(text)
