"""``assay score`` of what was downloaded of a run that harbor made elsewhere."""

import json
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import DATA
from tests.cli.running import Cli
from tests.coding import FIXED, PROJECT, TESTS, pack, seed, write_files, write_scenario

NEEDED_TESTS = {**TESTS, "required": True}
RUN = DATA / "harbor_versions" / "0.25.0-source" / "separate__rcseyMy"


def entry(source: str, **more: Any) -> dict[str, Any]:
    folder: dict[str, Any] = {"destination": f"artifacts{source}", "type": "directory", "status": "ok"}
    return {"source": source, **folder, "service": None, "exclude": [], **more}


def downloaded(folder: Path, *entries: dict[str, Any], left: dict[str, str] | None = None) -> Path:
    """The folder of a run that harbor wrote, with artifacts as its agent left them."""
    run = Path(shutil.copytree(RUN, folder))
    shutil.rmtree(run / "artifacts")
    write_files(run / "artifacts" / "workspace", {**PROJECT, "calc.py": FIXED} if left is None else left)
    (run / "artifacts" / "workspace" / "sub").mkdir()
    listed = [entry("/logs/artifacts", status="empty"), *(entries or (entry("/workspace"),))]
    (run / "artifacts" / "manifest.json").write_text(json.dumps(listed))
    return run


def _packed(run: Path) -> Path:
    path = run.parent / "run.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(run, arcname=run.name)
    return path


def _zipped(run: Path) -> Path:
    path = run.parent / "artifacts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in (run / "artifacts").rglob("*"):
            archive.write(one, one.relative_to(run / "artifacts"))
    return path


LAYOUTS: dict[str, Callable[[Path], Path]] = {
    "the run": lambda run: run,
    "its artifacts": lambda run: run / "artifacts",
    "the workspace": lambda run: run / "artifacts" / "workspace",
    "an archive of the run": lambda run: pack(run, run.parent / "run.tgz"),
    "an archive with the run's folder": _packed,
    "an archive of its artifacts": _zipped,
}


def score(cli: Cli, *argv: object) -> tuple[str, set[str]]:
    """The verdict, and the paths that were changed."""
    done = cli("score", *argv, "--json")
    assert done.err == ""
    found = json.loads(done.out)
    return found["overall"]["verdict"], {one["path"] for one in found["workspace"]["changed"]}


def against_project(cli: Cli, workspace: Path, folder: Path) -> tuple[str, set[str]]:
    return score(cli, workspace, "--scenario", folder / "scenario.json", "--baseline", folder / "project")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("right", [True, False])
def test_the_workspace_is_found_in_each_layout(cli: Cli, tmp_path: Path, layout: str, right: bool) -> None:
    write_scenario(tmp_path, NEEDED_TESTS)
    run = downloaded(tmp_path / "run", left={**PROJECT, **({"calc.py": FIXED} if right else {"other.py": "1\n"})})
    wanted = ("PASS", {"calc.py"}) if right else ("FAIL", {"other.py"})
    assert against_project(cli, LAYOUTS[layout](run), tmp_path) == wanted


def test_of_several_folders_it_is_the_one_with_files_of_the_baseline(cli: Cli, tmp_path: Path) -> None:
    write_scenario(tmp_path, NEEDED_TESTS)
    run = downloaded(tmp_path / "run", entry("/data"), entry("/workspace"))
    write_files(run / "artifacts" / "data", {"table.csv": "1\n"})
    assert against_project(cli, run, tmp_path) == ("PASS", {"calc.py"})


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        ([entry("/workspace/calc.py", type="file", destination="artifacts/workspace/calc.py")], "none"),
        ([entry("/workspace", exclude=["node_modules"])], "none"),
        ([entry("/workspace", status="failed")], "none"),
        ([entry("/workspace", destination="../../project")], "none"),
        ([entry("/data", destination="artifacts/workspace/sub"), entry("/srv", destination="artifacts/srv")],
         "/data, /srv"),
    ],
)  # fmt: skip
def test_a_run_without_its_workspace_is_refused(
    cli: Cli, tmp_path: Path, entries: list[dict[str, Any]], kept: str
) -> None:
    write_scenario(tmp_path, NEEDED_TESTS)
    run = downloaded(tmp_path / "run", *entries)
    (run / "artifacts" / "srv").mkdir()
    done = cli("score", run, "--scenario", tmp_path / "scenario.json", "--baseline", tmp_path / "project")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"assay: {run} must have the workspace among the folders that harbor kept as a whole, which are: {kept};"
        " the task must name its working folder among the artifacts\n"
    )


@pytest.mark.parametrize("beside", ["calc.py", "own.py"])
def test_an_agent_can_not_have_another_folder_scored_than_its_own(cli: Cli, tmp_path: Path, beside: str) -> None:
    write_scenario(tmp_path, NEEDED_TESTS)
    run = downloaded(tmp_path / "run")
    write_files(run, {beside: PROJECT["calc.py"]})
    _, changed = against_project(cli, run, tmp_path)
    assert {"artifacts/workspace/calc.py", "result.json"} <= changed


def test_without_a_baseline_it_is_said_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    run = downloaded(tmp_path / "run")
    done = cli("score", run)
    assert (done.code, done.out) == (2, "")
    assert "pass --task, or --scenario with --baseline, or run inside a git repository, but" in done.err


def test_a_run_in_harbors_own_job_is_scored_by_its_artifacts(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, NEEDED_TESTS)
    (tmp_path / "job").mkdir()
    shutil.copy(RUN.parent / "lock.json", tmp_path / "job")
    run = downloaded(tmp_path / "job" / "run")
    assert score(cli, run, "--task", task) == ("PASS", {"calc.py"})
    assert [one.name for one in (run / "scores").iterdir() if one.suffix == ".json"] == ["0001.json"]
    shutil.rmtree(run)
    run = downloaded(tmp_path / "job" / "run", entry("/data"))
    done = cli("score", run, "--task", task)
    assert done.err == f"assay: {run} can't be scored: its workspace was not kept as a whole\n"
