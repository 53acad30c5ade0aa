"""Runs of harbor's own, elsewhere: graded here by the artifacts that harbor kept, if its verifier gets no more."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.builders import DATA
from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import Attempt, script, write_task

TOML = 'artifacts = ["/workspace/answer.txt", "/workspace/out"]\n[verifier]\nenvironment_mode = "separate"\n'
JUDGE = (
    '[ "$(cat answer.txt 2>/dev/null)" = right ] && [ -x out/sub/run ] && [ "$(cat /logs/agent/log)" = done ]'
    ' && [ "$(cat /logs/artifacts/more)" = more ] && [ ! -e other ]'
    " && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt"
)


def entry(source: str, kind: str, status: str = "ok", destination: str | None = None) -> dict[str, Any]:
    """As harbor 0.25 writes it."""
    where = destination or f"artifacts{source}"
    return {
        "source": source,
        "destination": where,
        "type": kind,
        "status": status,
        "service": None,
        "exclude": [],
    }


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """A trial of harbor's, in a job of harbor's, whose verifier there gave 0."""
    need("bubblewrap")
    task = write_task(tmp_path / "tasks" / "task", verifier=JUDGE, toml=TOML)
    folder = tmp_path / "job" / "task__abc"
    for name, text in {
        "config.json": json.dumps({"task": {"path": str(task)}}),
        "result.json": "{}",
        "lock.json": "{}",
        "verifier/reward.txt": "0",
        "agent/log": "done\n",
        "artifacts/logs/artifacts/more": "more\n",
        "artifacts/workspace/answer.txt": "right\n",
        "artifacts/kept/x": "x\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "job" / "lock.json").write_text("{}")
    script(folder / "artifacts" / "workspace" / "out" / "sub" / "run", "true")
    write_manifest(folder)
    return folder


def write_manifest(folder: Path, *entries: dict[str, Any]) -> None:
    kept = entries or (entry("/workspace/answer.txt", "file"), entry("/workspace/out", "directory"))
    found = [entry("/logs/artifacts", "directory"), *kept]
    (folder / "artifacts" / "manifest.json").write_text(json.dumps(found))


@pytest.mark.parametrize("name", ["separate__rcseyMy", "own-environment__4ZwcK88"])
def test_a_run_of_harbors_own(cli: Cli, tmp_path: Path, name: str) -> None:
    """Recorded with harbor 0.25.0 on podman, where the verifier gave 1."""
    need("bubblewrap")
    folder = tmp_path / name
    shutil.copytree(DATA / "harbor_versions" / "0.25.0-source" / name, folder)
    judge = '[ "$(cat answer.txt)" = right ] && echo 0.25 > /logs/verifier/reward.txt'
    write_task(
        tmp_path / "tasks" / name.partition("_")[0],
        verifier=judge,
        toml='artifacts = ["/workspace/answer.txt"]\n[verifier]\nenvironment_mode = "separate"\n',
    )
    done = cli("grade", folder, "--tasks", tmp_path / "tasks", "--isolation", "bubblewrap")
    assert (done.code, done.out) == (0, f"{name}  grading 1  reward 0.25\n")


def test_the_verifier_gets_the_artifacts_and_the_logs(cli: Cli, trial: Path) -> None:
    done = cli("grade", trial.parent, "--isolation", "bubblewrap")
    assert (done.code, done.out) == (0, "task__abc  grading 1  reward 1\n")
    assert cli("grade", trial, "--isolation", "bubblewrap").out == "task__abc  grading 2  reward 1\n"
    first, second = Attempt(trial).gradings
    assert first["provenance"]["hashes"]["workspace"] == second["provenance"]["hashes"]["workspace"] is not None
    assert (trial / "verifier" / "reward.txt").read_text() == "0"


def test_under_another_name(cli: Cli, trial: Path) -> None:
    (trial / "artifacts" / "workspace" / "out").rename(trial / "artifacts" / "other")
    moved = entry("/workspace/out", "directory", destination="artifacts/other")
    write_manifest(trial, entry("/workspace/answer.txt", "file"), moved)
    assert cli("grade", trial, "--isolation", "bubblewrap").out == "task__abc  grading 1  reward 1\n"


def test_an_empty_folder_is_one(cli: Cli, trial: Path) -> None:
    write_manifest(trial, entry("/workspace/answer.txt", "file"), entry("/workspace/out", "directory", "empty"))
    (trial / "artifacts" / "workspace" / "out" / "sub" / "run").unlink()
    assert cli("grade", trial, "--isolation", "bubblewrap").out == "task__abc  grading 1  reward 0\n"


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([entry("/workspace/answer.txt", "file")], "its artifact /workspace/out must be kept, but: isn't in"),
        ([entry("/workspace/answer.txt", "file", "failed")], "/workspace/answer.txt must be kept, but: failed"),
        (
            [entry("/workspace/answer.txt", "file", destination="../../../etc/passwd")],
            "its artifact /workspace/out must be kept",
        ),
    ],
)
def test_what_was_not_kept_is_not_made_up(cli: Cli, trial: Path, kept: list[dict[str, Any]], said: str) -> None:
    write_manifest(trial, *kept)
    done = cli("grade", trial, "--isolation", "bubblewrap")
    assert (done.code, said in done.err) == (2, True)
    assert not (trial / "workspace.tar.gz").exists()
    assert not (trial / "gradings").exists()


def test_links_that_lead_elsewhere_are_refused(cli: Cli, trial: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "answer.txt").write_text("right\n")
    folder = trial / "artifacts" / "workspace"
    folder.rename(trial / "gone")
    folder.symlink_to(tmp_path / "secret")
    done = cli("grade", trial, "--isolation", "bubblewrap")
    assert (done.code, "leads out of its artifacts" in done.err) == (2, True)


def test_a_verifier_that_gets_more_is_not_graded_by_a_part(cli: Cli, trial: Path, tmp_path: Path) -> None:
    (tmp_path / "tasks" / "task" / "task.toml").write_text('artifacts = ["/workspace/answer.txt"]\n')
    done = cli("grade", trial, "--isolation", "bubblewrap")
    assert (done.code, "its verifier needs more than artifacts" in done.err) == (2, True)
    (tmp_path / "tasks" / "task" / "task.toml").write_text(TOML)
    (trial / "artifacts" / "manifest.json").unlink()
    done = cli("grade", trial, "--isolation", "bubblewrap")
    assert (done.code, "neither workspace.tar.gz nor artifacts/manifest.json" in done.err) == (2, True)
