"""Tables, and texts that can't do harm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.output.table import clean, render_table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ünïcode 🦊", "plain ünïcode 🦊"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J\x7f\0", "\\x9b2J\\x7f\\x00"),
        ("\u202eright to left\u2028", "\\u202eright to left\\u2028"),
        ("\udcff", "\\udcff"),
    ],
)
def test_what_could_move_the_cursor_is_escaped(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text(st.characters()))
def test_no_text_is_dangerous_after_cleaning(text: str) -> None:
    assert clean(text).isprintable()


def test_the_first_column_stands_left_and_numbers_right() -> None:
    assert render_table(("name", "n"), [("a", "1"), ("long name", "1000")], right=True) == (
        "name          n\na             1\nlong name  1000"
    )


def test_without_numbers_all_stand_left() -> None:
    assert render_table(("a", "b"), [("1", "2"), ("333", "4")]) == "a    b\n1    2\n333  4"


def test_titles_of_several_lines_rest_on_the_last() -> None:
    assert (
        render_table(("name", "two\nlines"), [("a", "1")], right=True) == "        two\nname  lines\na         1"
    )


def test_wide_characters_take_two_columns() -> None:
    assert render_table(("名前", "n"), [("a", "1")]) == "名前  n\na     1"


def test_markdown() -> None:
    assert render_table(("name", "two\nlines"), [("a|b", "1")], right=True, markdown=True) == (
        "| name | two lines |\n| ---- | --------: |\n| a\\|b |         1 |"
    )


cells = st.text(st.characters(), max_size=6)


@given(st.lists(st.tuples(cells, cells), max_size=4), st.tuples(cells, cells), st.booleans(), st.booleans())
def test_a_table_has_one_line_a_row_and_nothing_raw(
    rows: list[tuple[str, str]], header: tuple[str, str], right: bool, markdown: bool
) -> None:
    lines = render_table(header, rows, right=right, markdown=markdown).split("\n")
    height = 1 if markdown else max(len(title.splitlines()) or 1 for title in header)
    assert len(lines) == height + len(rows) + markdown
    assert all(line.isprintable() for line in lines)
    if markdown:
        assert all(line.replace("\\|", "").count("|") == 3 for line in lines)
