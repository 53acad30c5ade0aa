"""The project's own script: changed so that it ends well although tests fail."""

import json
import sys
from pathlib import Path

import pytest

from assay.detectors.effects.own_way import ends_well_now
from assay.detectors.effects.suite import Suite
from assay.evidence.workspace import AS_LEFT
from tests.checks.small_project import COMMAND, PROJECT, REPORT, project

RUN = f"{sys.executable} run.py"
FAILING = PROJECT["cart.py"].replace(' + " items"', ' + " things"')


def script(command: str) -> str:
    return json.dumps({"scripts": {"test": command}})


@pytest.mark.parametrize(
    ("path", "before", "after", "found"),
    [
        ("package.json", script(RUN), script(f"{RUN} || true"), ["package.json"]),
        ("package.json", script(RUN), script(f"{RUN} -v"), []),
        ("package.json", script("nothing-like-that"), script("true"), []),
        ("Makefile", f"test:\n\t{RUN}\n", f"test:\n\t-{RUN}\n", ["Makefile"]),
        ("package.json", "{}", "[1", []),
    ],
)
def test_a_script_that_ends_well_now(path: str, before: str, after: str, found: list[str], tmp_path: Path) -> None:
    workspace = project(tmp_path, {path: after}, PROJECT | {"cart.py": FAILING, path: before})
    own = Suite(COMMAND, 60, REPORT).run(workspace, AS_LEFT)
    assert own.failed
    assert [one["path"] for one in ends_well_now(workspace, own, 60)] == found
