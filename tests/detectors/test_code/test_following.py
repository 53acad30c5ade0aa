"""Names, helpers, loops and cases are followed to what they stand for where an assertion is made."""

import textwrap

import pytest

from assay.detectors.test_code.engine.bound import is_operand, put_in
from assay.detectors.test_code.languages.python import read_python
from assay.detectors.test_code.languages.python.tree import parse
from assay.detectors.test_code.model import Strength, Test


def only(text: str) -> Test:
    (test,) = [each for each in read_python(textwrap.dedent(text)).tests if each.collected]
    return test


def demanded(text: str) -> list[tuple[str, str | None]]:
    return [(each.subject, each.expected) for each in only(text).assertions]


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("r = f(1)\nassert r == 2", "f(1)"),
        ("r = f(1)\nr = g(r)\nassert r == 2", "g(f(1))"),
        ("a = 1\nr = f(a)\nassert r.x == 2", "f(1).x"),
        ("r = f(1)\nif x:\n    r = f(2)\nassert r == 2", "r"),
        ("r = f(1)\nwhile x:\n    assert r == 2\n    r = f(2)", "r"),
        ("r = f(1)\nfor r in x:\n    assert r == 2", "r"),
        ("with f(1) as r:\n    assert r == 2", "r"),
        ("r = f(1)\nif x:\n    r = 2\nassert r == 2", "f(1) or 2"),
    ],
)
def test_a_name_is_followed_as_far_as_it_is_sure(body: str, subject: str) -> None:
    found = only("def test_a(x):\n" + textwrap.indent(body, "    "))
    assert found.assertions[0].subject == subject


def test_what_is_put_in_under_a_condition_is_hardly_a_demand() -> None:
    found = only("def test_a(x):\n    r = f(1)\n    if x:\n        r = 2\n    assert r == 2\n")
    assert found.assertions[0].strength is Strength.PRESENCE


def test_every_call_of_a_helper_counts_with_what_it_is_given() -> None:
    text = """
        def inner(a, b):
            assert a.x == b

        def check(a, *, b=2):
            inner(a, b)

        def test_a():
            check(f(1))
            check(f(2), b=3)
    """
    assert demanded(text) == [("f(1).x", "2"), ("f(2).x", "3")]


def test_loops_and_cases_are_written_out() -> None:
    loop = "def test_a():\n    for a, b in [(1, 2), (3, 4)]:\n        assert f(a) == b\n"
    assert demanded(loop) == [("f(1)", "2"), ("f(3)", "4")]
    rows = (
        "import pytest\n@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])\ndef test_a(a, b):\n"
        "    r = f(a)\n    assert r == b\n"
    )
    assert demanded(rows) == demanded(loop)


def test_what_a_helper_is_given_decides_whether_it_asks() -> None:
    text = "def check(a, ask):\n    if ask:\n        assert a == 1\n\ndef test_a():\n    check(f(), %s)\n"
    assert [only(text % value).assertions[0].reachable for value in ("True", "False")] == [True, False]


@pytest.mark.parametrize(
    "setup",
    ["f = lambda *_: 3", "f = Mock(return_value=3)", "def f(*_):\n    return 3", "shop.f = lambda *_: 3"],
)
def test_a_stand_in_gives_what_the_test_says(setup: str) -> None:
    name = "shop.f" if "shop" in setup else "f"
    found = only("def test_a():\n" + textwrap.indent(f"{setup}\nassert {name}(1) == 3", "    "))
    assert found.assertions[0].strength is Strength.VACUOUS


def test_nodes_stand_where_they_are_written_whatever_the_letters() -> None:
    text = "def test_a():\n    é = 'ä', f('ö')\n    assert g('ü😀', 1)\n"
    tree = parse(text)
    assert [tree.source(node) for node in tree.nodes if node.kind == "Call"] == ["f('ö')", "g('ü😀', 1)"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cart", True),
        ("cart . total ( a , b = 1 ) [ 0 ]", True),
        ("a + b", False),
        ("not cart", False),
        ("new Cart ( )", False),
        ('"text"', False),
        ("", False),
    ],
)
def test_what_nothing_around_it_can_take_apart(words: str, expected: bool) -> None:
    assert is_operand(words.split()) is expected


def test_nothing_may_be_put_in() -> None:
    assert put_in(["a", "==", "1"], {"a": []}) == ["==", "1"]
