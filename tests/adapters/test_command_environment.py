"""Commands see a virtual environment, node_modules and the like, read-only, at the paths that they have."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox.backends import choose
from assay.adapters.workspace.baseline import folder_baseline
from assay.adapters.workspace.command_environment import command_environment, resolve_environment
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.shared_copies import forget_open_copies
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.scenario import Environment
from assay.engine.sandbox import Sandbox
from assay.evidence.workspace import CommandResult
from tests.coding import write_files


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    yield choose("bubblewrap")
    forget_open_copies()


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with a package of its own. Its folder is closed to others, as pytest's are."""
    folder = tmp_path_factory.mktemp("host") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "only_here.py").write_text("print('imported from the environment')\n")
    return folder


def run(command: str, wanted: Environment, base: Path, sandbox: Sandbox, workspace: Path) -> CommandResult:
    around = command_environment(wanted, str(base), sandbox)
    commands = Commands(
        str(workspace), folder_baseline(str(workspace)), lambda: sandbox, environment=lambda: around
    )
    return commands.run(command, 60)


def test_a_virtual_environment(venv: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    wanted = Environment(venv=str(venv))
    ran = run("python -c 'import only_here'; echo $VIRTUAL_ENV", wanted, tmp_path, sandbox, tmp_path)
    assert ran.output == f"imported from the environment\n{venv}\n"
    ran = run(f"touch {venv}/x || python -m only_here", wanted, tmp_path, sandbox, tmp_path)
    assert "imported from the environment" in ran.output
    assert not (venv / "x").exists()


def test_a_relative_folder_covers_what_the_agent_left_there(tmp_path: Path, sandbox: Sandbox) -> None:
    base = write_files(
        tmp_path / "host", {"node_modules/a/index.js": "honest", "node_modules/.bin/tool": "#!/bin/sh\necho hi"}
    )
    (base / "node_modules/.bin/tool").chmod(0o755)
    workspace = write_files(tmp_path / "work", {"node_modules/a/index.js": "planted", "node_modules/b": "planted"})
    ran = run(
        "cat node_modules/a/index.js; ls node_modules; tool; touch node_modules/.cache",
        Environment(folders=["node_modules"]),
        base,
        sandbox,
        workspace,
    )
    assert ran.output == "honesta\nhi\n"


def test_tools_write_their_caches_where_an_earlier_run_left_some(tmp_path: Path, sandbox: Sandbox) -> None:
    base = write_files(tmp_path / "host", {"node_modules/a/i.js": "a", "node_modules/.vite-temp/old": "old"})
    workspace = write_files(tmp_path / "work", {"x": ""})
    command = "mkdir -p node_modules/.vite-temp && touch node_modules/.vite-temp/new && ls node_modules/.vite-temp"
    ran = run(command, Environment(folders=["node_modules"]), base, sandbox, workspace)
    assert (ran.end.exit_code, ran.output) == (0, "new\n")
    assert os.listdir(base / "node_modules/.vite-temp") == ["old"]


def test_a_link_in_the_place_of_a_folder_leads_nowhere(tmp_path: Path, sandbox: Sandbox) -> None:
    base = write_files(tmp_path / "host", {"node_modules/a": "honest"})
    workspace = write_files(tmp_path / "work", {"x": ""})
    (workspace / "node_modules").symlink_to("/etc")
    ran = run("cat node_modules/a", Environment(folders=["node_modules"]), base, sandbox, workspace)
    assert ran.output == "honest"


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"venv": "missing"}, "environment.venv must name a folder, got missing, which doesn't exist"),
        ({"venv": "plain"}, "environment.venv must be a virtual environment, but "),
        ({"folders": ["missing"]}, "environment.folders must name a folder, got missing, which doesn't exist"),
    ],
)
def test_what_is_not_there(tmp_path: Path, sandbox: Sandbox, wanted: dict[str, object], sentence: str) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(InputError, match=f"^{sentence}"):
        command_environment(Environment.model_validate_json(json.dumps(wanted)), str(tmp_path), sandbox)


def test_an_image_needs_a_container(tmp_path: Path, sandbox: Sandbox) -> None:
    with pytest.raises(MeasurementError, match="pass --isolation container"):
        command_environment(Environment(image="python:3.12"), str(tmp_path), sandbox)


def test_a_seeded_task_knows_where_its_paths_begin(venv: Path) -> None:
    found = resolve_environment(Environment(venv=venv.name), str(venv.parent))
    assert found == Environment(venv=venv.name, base=str(venv.parent))
    assert resolve_environment(found, "/elsewhere") == found
    assert resolve_environment(Environment(image="x"), "/elsewhere") == Environment(image="x")


@pytest.mark.parametrize(
    "wanted", [{"image": "x", "venv": "y"}, {"folders": ["../x"]}, {"folders": [""]}, {"venv": ""}]
)
def test_what_a_scenario_may_not_ask_for(wanted: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        Environment.model_validate_json(json.dumps(wanted))
