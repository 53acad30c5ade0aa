"""Every statement of the four documents has a test, and every mark names a statement."""

from collections import Counter

import pytest

from docs.statements_page import statements
from tests.statement_marks import marked_tests, marks_in

# What has no test yet, because it isn't built. Take a line out together with the test that shows the statement.
NOT_YET: set[str] = set()


def test_no_mark_names_an_unknown_statement() -> None:
    assert marked_tests().keys() - {one.id for one in statements()} == set()


def test_every_statement_has_a_test_but_for_those_listed_here() -> None:
    without = {one.id for one in statements()} - marked_tests().keys()
    assert without == NOT_YET


def test_no_statement_is_listed_twice() -> None:
    assert [one for one, times in Counter(one.id for one in statements()).items() if times > 1] == []


@pytest.mark.parametrize(
    ("source", "marks"),
    [
        ('@pytest.mark.statement("a.b", "a.c")\ndef test_x(): ...', [("a.b", "test_x"), ("a.c", "test_x")]),
        (
            '@pytest.mark.statement("a.b")\nclass Test:\n  @pytest.mark.statement("a.c")\n  def test_y(self): ...',
            [("a.b", "Test"), ("a.c", "Test::test_y")],
        ),
        (
            '@pytest.mark.parametrize("n", [param(1, marks=pytest.mark.statement("a.b"))])\ndef test_x(n): ...',
            [("a.b", "test_x")],
        ),
        ('pytestmark = [pytest.mark.statement("a.b")]', [("a.b", "")]),
        ('@pytest.mark.slow\ndef test_x():\n    """A statement."""', []),
    ],
)
def test_marks_are_read_from_the_source(source: str, marks: list[tuple[str, str]]) -> None:
    assert list(marks_in(source)) == marks


def test_a_mark_that_is_computed_is_refused() -> None:
    with pytest.raises(ValueError, match="malformed"):
        list(marks_in("@pytest.mark.statement(NAME)\ndef test_x(): ..."))


def test_every_statement_on_criteria_has_a_test_over_http() -> None:
    marked = marked_tests()
    about = [one.id for one in statements() if one.id.startswith("criteria.")]
    assert [one for one in about if not any(test.startswith("api/") for test in marked[one])] == []
