"""Tests that two versions have in common are emptied, and nothing else is."""

# ruff: noqa: E501 - a row of a table is a line.

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.languages.python import read_python, read_python_pair
from assay.detectors.test_code.new_skips import compare_skips
from assay.detectors.test_code.unchanged import without_unchanged as without_unchanged_in
from assay.detectors.test_code.weakening import compare_assertions
from tests.checks.python_changes import BASE


def without_unchanged(before: str, after: str) -> tuple[str, str]:
    return without_unchanged_in(before, after, "python")


A = "def test_a():\n    assert f() == 1\n"
B = "def test_b():\n    assert g() == 2\n"


def test_what_is_the_same_is_emptied_in_its_place() -> None:
    before, after = without_unchanged(A + "\n" + B, A + "\n" + B.replace("2", "3"))
    assert before == "def test_a():\n    pass\n\n" + B
    assert after == "def test_a():\n    pass\n\n" + B.replace("2", "3")


def test_decorators_and_long_headers_stay() -> None:
    text = "@mark(\n    1,\n)\n@other\ndef test_a(\n    x,\n) -> None:\n    y = 1\n\n    assert f() == y\n"
    before, _ = without_unchanged(text + B, text)
    assert before == text.replace("    y = 1\n\n    assert f() == y\n", "    pass\n\n\n") + B


def test_methods_too() -> None:
    text = "class TestA:\n    x = 1\n\n    def test_a(self):\n        assert f() == 1\n\n    def test_b(self):\n        assert g() == 1\n"
    before, after = without_unchanged(text, text.replace("g()", "h()"))
    assert "assert f()" not in before + after
    assert ("assert g()" in before, "assert h()" in after) == (True, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (A + B, A + B + "del test_a\n"),
        ("pytestmark = 1\n" + A, "pytestmark = 2\n" + A),
        ("import a\n" + A, "from a import *\n" + A),
        (A, "x = pytest.skip('no', allow_module_level=True)\n" + A),
        (A, "def setup_module():\n    x()\n" + A),
        (A, "@pytest.fixture(autouse=True)\ndef all_of_them():\n    x()\n" + A),
        (A, "if x:\n    y = 1\n" + A),
        (A, "f.g = 1\n" + A),
        (A, "LIMIT = (f := h)\n" + A),
        # By way of what the tests use:
        ("def f():\n    return 1\n" + A, "def f():\n    return 2\n" + A),
        ("LIMIT = 1\ndef f():\n    return LIMIT\n" + A, "LIMIT = 2\ndef f():\n    return LIMIT\n" + A),
        ("from a import f\n" + A, "from b import f\n" + A),
        (A, "import b as f\n" + A),
        ("x = 1\nif x:\n    f = g\n" + A, "x = 2\nif x:\n    f = g\n" + A),
        ("class B:\n    pass\nclass TestA(B):\n    def test_a(self):\n        assert 1 == 1\n", "class B:\n    x = 1\nclass TestA(B):\n    def test_a(self):\n        assert 1 == 1\n"),
        ("class TestA:\n    def test_a(self):\n        assert f() == 1\n", "class TestA:\n    def setUp(self):\n        self.skipTest('x')\n    def test_a(self):\n        assert f() == 1\n"),
        ("class TestA:\n    def test_a(self):\n        assert f() == 1\n", "class A:\n    def test_a(self):\n        assert f() == 1\n"),
    ],
)  # fmt: skip
def test_a_change_outside_of_the_tests_leaves_all(before: str, after: str) -> None:
    assert without_unchanged(before, after) == (before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("LIMIT = 1\n", "LIMIT = 2\n"),
        ("import a\n", ""),
        ("", "import logging\n\n\nlogger = logging.getLogger(__name__)\n"),
        ("def check(x):\n    assert x\n", "def check(x):\n    pass\n"),
        ("", "class Unrelated:\n    def setUp(self):\n        pass\n"),
        ("from a import (\n    b,\n)\n", "from a import (\n    b,\n    c,\n)\n"),
        ("", "# A remark.\n"),
    ],
)
def test_what_a_test_does_not_use_is_nothing_to_it(before: str, after: str) -> None:
    empty = "def test_a():\n    pass\n"
    assert without_unchanged(before + A, after + A) == (before + empty, after + empty)


def test_a_remark_belongs_to_a_test_however_it_is_indented() -> None:
    test = "def test_a():\n    x = 1\n\n# A remark.\n    assert f() == x\n"
    assert without_unchanged(test, test)[0] == "def test_a():\n    pass\n\n\n\n"
    assert without_unchanged(A + "# A remark.\n" + B, A + "# A remark.\n" + B)[0].count("# A remark.") == 1


@pytest.mark.parametrize(
    "test",
    [
        'def test_a():\n    x = """\n    assert 1\n',
        "def test_a():\n    x = (\n    1\n",
        "def test_a():\n    x = 1 \\\n",
        "def test_a(x=')'): # :\n    assert x\n",
    ],
)
def test_what_may_not_stand_alone_is_left(test: str) -> None:
    assert without_unchanged(test + B, test)[1] == test


def test_a_name_that_is_there_twice_is_left() -> None:
    assert without_unchanged(A, A + A) == (A, A + A)
    assert without_unchanged(A + B, A + B + "def test_a():\n    pass\n")[0] == A + "def test_b():\n    pass\n"


_PARTS = BASE.split("\n\n\n")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_PARTS), max_size=12), st.lists(st.sampled_from(_PARTS), max_size=12), st.data())
def test_comparing_gives_the_same(old: list[str], new: list[str], data: st.DataObject) -> None:
    before, after = "\n\n\n".join(old), "\n\n\n".join(new)
    if data.draw(st.booleans()):
        after = after.replace("== 3", "== 4").replace("2.5", "2.6")
    whole = FilePair("t.py", "t.py", read_python(before), read_python(after))
    short = FilePair("t.py", "t.py", *read_python_pair(before, after))
    for compare in (compare_skips, compare_assertions):
        one, other = compare([whole]), compare([short])
        assert {(each.rule, each.test) for each in one.findings} == {
            (each.rule, each.test) for each in other.findings
        }


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*_PARTS, "@x", "def test_a():", "    assert 1", '    """', ")", "", "    pass"]),
        max_size=20,
    )
)
def test_python_stays_python(parts: list[str]) -> None:
    text = "\n".join(parts)
    try:
        ast.parse(text)
    except SyntaxError:
        return
    short, _ = without_unchanged(text, text)
    assert short.count("\n") == text.count("\n")
    ast.parse(short)
