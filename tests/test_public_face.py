"""What the public modules offer: a name comes or goes only on purpose."""

import doctest
import re
import subprocess
import sys
from types import ModuleType

import pytest

import assay
from assay import backends, client, commands, criteria, evaluation, harbor, rewards, scorers
from tests.builders import REPO

PAGES: dict[str, ModuleType] = {
    "client.md": client,
    "harbor.md": harbor,
    "evaluation.md": evaluation,
    "scorers.md": scorers,
    "rewards.md": rewards,
    "backends.md": backends,
    "criteria-in-python.md": criteria,
    "python.md": commands,
}
SECTIONS = {"Parts of the models", "JSON Schemas", "Examples"}


@pytest.mark.parametrize("page", PAGES)
def test_the_names_are_those_that_users_can_read_of(page: str) -> None:
    """A name that comes or goes shows in its page, and so in a review."""
    text = (REPO / "docs" / "reference" / page).read_text()
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert headings - SECTIONS == set(PAGES[page].__all__)


@pytest.mark.parametrize(
    "module",
    [assay, client, commands, harbor, evaluation, scorers, criteria, rewards, backends],
    ids=lambda module: module.__name__,
)
def test_every_public_name_is_there_once(module: object) -> None:
    names: list[str] = module.__all__  # type: ignore[attr-defined]
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


LAZY = """
import sys, assay
assert [name for name in sys.modules if name.startswith("assay.")] == ["assay.version"]
assert "harbor" in dir(assay)
try:
    assay.harbor.read_job("nowhere")
except assay.InputError as error:
    print(error)
assert not hasattr(assay, "nonsense")
"""


def test_faces_and_errors_are_attributes_that_cost_nothing_before_they_are_used() -> None:
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("nowhere doesn't exist\n", "")


@pytest.mark.parametrize("module", [commands, harbor])
def test_the_examples_in_the_docstring_are_true(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPO)
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 0) == (0, True)


def test_the_version_is_a_version() -> None:
    assert [part.isdigit() for part in assay.__version__.split(".")] == [True] * 3
