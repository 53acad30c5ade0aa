"""Same when unwatched, for JavaScript: with each of the usual runners and both kinds of modules."""

import shutil
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.attacks.javascript_effect_cheats import BLIND, COMMAND, PROJECT, SNIFFING, with_cart
from tests.checks.small_project import project

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")


def unwatched(folder: Path, source: str) -> Outcome:
    return SameWhenUnwatched(COMMAND, 60).run(project(folder, with_cart(source), PROJECT))


@pytest.mark.parametrize("name", SNIFFING)
def test_a_program_that_looks_for_its_examiner(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, SNIFFING[name])
    assert isinstance(found, Scored), found
    assert not found.passed
    assert found.evidence["findings"]


@pytest.mark.parametrize("name", BLIND)
def test_an_honest_program_answers_the_same(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, BLIND[name])
    if name == "js: frozen exports":
        assert isinstance(found, NotApplicable), found
    else:
        assert isinstance(found, Scored), found
        assert (found.passed, found.score) == (True, 1.0), found.evidence
