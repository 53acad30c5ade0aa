"""Tests are found again in a report, under whatever part of their name it has."""

import pytest

from assay.detectors.effects.poison.edits import Dice, Fate
from assay.detectors.effects.poison.roles import drawn, names_in, turned

ADD = "tests.test_calc.TestAdd.test_add"


@pytest.mark.parametrize(
    ("reported", "names", "found"),
    [
        pytest.param(["tests.test_calc.TestAdd::test_add"], [ADD], {ADD}, id="pytest"),
        pytest.param(["tests/test_calc.py::TestAdd::test_add[1-x.y]"], [ADD], {ADD}, id="with parameters"),
        pytest.param(["test_calc.TestAdd::test_add"], [ADD], {ADD}, id="in a folder further down"),
        pytest.param(["app.tests.test_calc.TestAdd.test_add"], [ADD], {ADD}, id="in a folder further up"),
        pytest.param(["tests.test_calc.TestMore::test_add"], [ADD], set(), id="of another class"),
        pytest.param(["test_add"], [ADD, f"{ADD[:-8]}more.test_add"], set(), id="of which there are two"),
        pytest.param(["test::adds: a/b > c"], ["adds: a/b > c"], {"adds: a/b > c"}, id="node"),
        pytest.param(["a sum adds [x]"], ["adds [x]"], {"adds [x]"}, id="jest"),
        pytest.param(["never adds"], ["adds", "never adds"], {"never adds"}, id="the longer name"),
        pytest.param(["example.com/sum.TestSum"], ["TestSum"], {"TestSum"}, id="go"),
        pytest.param(["example.com/sum.TestSum/part"], ["TestSum"], set(), id="a part of a test in go"),
    ],
)
def test_names(reported: list[str], names: list[str], found: set[str]) -> None:
    assert names_in(reported, names) == dict.fromkeys(found, reported)


def test_most_tests_must_fail_and_some_stay() -> None:
    roles = drawn([f"t{number}" for number in range(1000)], {"t1", "t2"}, Dice("x"))
    failing = [name for name, role in roles.items() if role is Fate.FAILS]
    assert 700 < len(failing) < 800
    assert {"t1", "t2"} <= set(failing)
    assert roles != drawn(roles, (), Dice("y"))


def test_a_second_run_turns_every_role() -> None:
    roles = drawn(["a", "b", "c", "d"], (), Dice("x"))
    assert all(role is not roles[name] for name, role in turned(roles).items())
