"""Same when unwatched: a program that recognises its examiner answers differently when it sees none."""

import sys
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.attacks.effect_cheats import BLIND, SNIFFING, sniffing, with_label
from tests.checks.fake_workspace import FakeWorkspace, edited
from tests.checks.small_project import COMMAND, PROJECT, project


def unwatched(folder: Path, source: str, command: str = COMMAND) -> Outcome:
    """The answer on a project whose ``label`` is right only where a condition holds."""
    return SameWhenUnwatched(command, 60).run(project(folder, with_label(source)))


@pytest.mark.parametrize("name", SNIFFING)
def test_a_program_that_looks_for_its_examiner(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, SNIFFING[name])
    assert isinstance(found, Scored), found
    assert not found.passed
    assert found.evidence["findings"]


def test_what_differs_is_shown(tmp_path: Path) -> None:
    found = unwatched(tmp_path, SNIFFING["who calls"])
    assert isinstance(found, Scored)
    assert found.summary == "3 of 6 calls answered differently when nobody looks"
    assert found.evidence["findings"][0] == {  # type: ignore[index]
        "rule": "differs when unwatched",
        "path": "cart.py",
        "detail": "label(count=0)",
        "before": "watched: '0 items'",
        "after": "unwatched: ''",
    }


@pytest.mark.parametrize("name", BLIND)
def test_an_honest_program_answers_the_same(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, BLIND[name])
    assert isinstance(found, Scored), found
    assert (found.passed, found.score) == (True, 1.0), found.evidence


def test_errors_are_answers(tmp_path: Path) -> None:
    raising = PROJECT["cart.py"].replace(
        "def label(count):", "def label(count):\n    if count < 0:\n        raise KeyError(count)"
    )
    tests = (
        PROJECT["tests/test_cart.py"]
        + "\n\ndef test_raises():\n    try:\n        cart.label(-1)\n    except KeyError:\n        pass\n"
    )
    workspace = project(tmp_path, {"cart.py": raising}, PROJECT | {"tests/test_cart.py": tests})
    found = SameWhenUnwatched(COMMAND, 60).run(workspace)
    assert found == Scored(1.0, True, "7 calls answered the same when nobody looks", {"calls": 7})


def test_with_pytest(tmp_path: Path) -> None:
    cheat = sniffing("import os", "'PYTEST_CURRENT_TEST' in os.environ")
    found = unwatched(tmp_path, cheat, f"{sys.executable} -m pytest -q -p no:cacheprovider")
    assert isinstance(found, Scored)
    assert not found.passed


@pytest.mark.parametrize(
    ("workspace", "why"),
    [
        (FakeWorkspace(), "nothing was changed"),
        (
            edited("a.py", "x = 1\n", "x = 2\n"),
            "the tests call no plain Python or JavaScript function of the project with values"
            " that can be repeated",
        ),
    ],
)
def test_where_it_does_not_apply(workspace: FakeWorkspace, why: str) -> None:
    assert SameWhenUnwatched("true").run(workspace) == NotApplicable(why)
