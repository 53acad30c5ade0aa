"""A command imports what it needs, and not what other commands or rarer kinds of tasks need.

The counts are of modules of Assay, on the plainest way through a command. They are goals: a new module on that way
takes the place of another one, or is imported where its feature is asked for.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import HARBOR_JOBS, REPO
from tests.sandbox.backends import need

COUNT = """
import sys
from assay.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as left:  # Help ends so.
    code = left.code
print("\\n".join(name for name in sys.modules if name.partition(".")[0] == "assay"), file=sys.stderr)
sys.exit(code)
"""
CLINICAL = REPO / "examples/clinical/prior-authorisation"
SLUG = REPO / "examples/coding/slug"
SCORE = ["score", SLUG / "honest", "--scenario", SLUG / "scenario.yaml", "--baseline", SLUG / "project"]
RUN = ["run", REPO / "examples/tasks/capital", "-a", "oracle", "--quiet", "--jobs-dir"]


def imported(*argv: object) -> set[str]:
    """The modules of Assay that a command has imported in the end."""
    command = [sys.executable, "-c", COUNT, *map(str, argv)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return {line for line in done.stderr.splitlines() if line.startswith("assay.")}


def parts(modules: set[str]) -> set[str]:
    return {".".join(name.split(".")[:3]) for name in modules}


def test_a_report() -> None:
    assert len(imported("report", HARBOR_JOBS / "j1")) <= 70


def test_a_job_of_ordinary_tasks(tmp_path: Path) -> None:
    need("bubblewrap")
    found = imported(*RUN, tmp_path)
    assert len(found) <= 140
    unwanted = {
        "assay.dialects.scorers",
        "assay.adapters.workspace.baseline",
        "assay.adapters.models.proxy",
        "assay.adapters.store.store",
    }
    assert found & unwanted == set()
    assert not any(name.startswith(("assay.judge", "assay.detectors")) for name in found)


def test_a_scored_workspace() -> None:
    need("bubblewrap")
    found = imported(*SCORE)
    assert len(found) <= 140
    assert parts(found) & {"assay.dialects.evaluation", "assay.dialects.harbor", "assay.adapters.store"} == set()
    assert not any(name.startswith("assay.judge") for name in found)


def test_criteria_on_a_playground(tmp_path: Path) -> None:
    """Criteria on FHIR resources, a file, an X12 response and a conversation."""
    playground = shutil.copy(CLINICAL / "playground.yaml", tmp_path)
    imported("playground", "load", playground, "--from", CLINICAL / "passing")
    found = imported("verify", CLINICAL / "criteria.yaml", "--playground", playground)
    assert len(found) <= 110
    assert not any(name.startswith(("assay.formats.hl7", "assay.adapters.sandbox.")) for name in found)


@pytest.mark.parametrize("command", ["run", "score", "agents"])
def test_help(command: str) -> None:
    """The help of a command needs no judge and no statistics."""
    found = imported(command, "--help")
    assert any(name.endswith(f".{command}") for name in found if name.startswith("assay.cli."))
    assert not any(name.startswith(("assay.judge", "assay.stats.")) for name in found)
