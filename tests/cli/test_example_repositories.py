"""The example repositories, and the tutorial that uses them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.running import Cli

pytestmark = pytest.mark.usefixtures("_in_small_venv")

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs/tutorial-cheating.md").read_text()


@pytest.fixture
def durations(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return made("durations", open_folder, monkeypatch)


def made(example: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    example_folder = ROOT / "examples/repositories" / example
    subprocess.run([ROOT / "examples/make_repository", example_folder, folder / example], check=True)
    monkeypatch.chdir(folder / example)
    return folder / example


def shown(*headings: str) -> list[str]:
    """The lines of output that the tutorial shows after each of these commands."""
    lines: list[str] = []
    for heading in headings:
        after = TUTORIAL.split(f"{heading}\n", 1)[1]
        block = re.search(r"```text\n(.*?)```", after, re.DOTALL)
        assert block is not None
        lines += [line for line in block[1].splitlines() if line not in ("", "…", "0")]
    return lines


def without_hash(text: str) -> str:
    """Output without what is different each time: the commit, and how long the tests took."""
    return re.sub(r"\(\d+\.\d s\)", "(… s)", re.sub(r"merge base \w+", "merge base …", text))


def test_the_tutorial_shows_what_is_printed(cli: Cli, durations: Path) -> None:
    honest, cheating = cli("score", "--branch", "honest"), cli("score", "--branch", "cheating")
    quick = cli("score", "--branch", "cheating", "--quick")
    assert (honest.code, cheating.code, quick.code) == (0, 1, 0)
    printed = without_hash(honest.out + cheating.out + quick.out).splitlines()
    told = shown(
        "assay score --branch honest", "assay score --branch cheating", "assay score --branch cheating --quick"
    )
    assert [line for line in told if without_hash(line) not in printed] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node isn't installed")
def test_javascript(cli: Cli, open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made("clamp", open_folder, monkeypatch)
    assert cli("score", "--branch", "honest").code == 0
    done = cli("score", "--branch", "cheating")
    assert done.code == 1
    assert "assertion-vacuous" in done.out
    assert cli("score", "--branch", "main").code == 2, "nothing was changed"


def test_the_example_workflow_scores_with_options_that_exist(cli: Cli, durations: Path) -> None:
    workflow = yaml.safe_load((ROOT / "examples/workflows/score-pull-requests.yml").read_text())
    steps = workflow["jobs"]["score"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("name") == "Score"]
    done = cli(*command.split()[1:], "--branch", "cheating")
    assert (done.code, done.err) == (1, "")
    assert "::error file=tests/test_durations.py,line=13," in done.out
    assert (durations / "assay.sarif").exists()
