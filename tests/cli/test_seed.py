"""``assay seed``: a task from a scenario, frozen, and workspaces from a task."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli, raw_characters
from tests.coding import GUARD, PROJECT, TESTS, seed, write_files, write_scenario


def tree(folder: Path) -> dict[str, bytes]:
    """The files of a folder, its own repository left out."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    found = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    return {name: data for name, data in found.items() if not name.startswith(".git/")}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_task_and_a_workspace(cli: Cli, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, user_instruction="Fix add.")
    task, workspace = tmp_path / "task", tmp_path / "workspace"
    done = cli("seed", scenario, "-o", task, "--workspace", workspace)
    record = json.loads((task / "task.json").read_text())
    assert done == (
        0,
        f"{task}: 4 files, 2 scorers, scenario {record['scenario_sha256'][:12]}\n{workspace}: the workspace\n",
        "",
    )
    assert sorted(os.listdir(task)) == ["baseline", "instruction.md", "task.json", "workspace.tar.gz"]
    assert (task / "instruction.md").read_text() == "Fix add.\n"
    assert tree(workspace) == {name: text.encode() for name, text in PROJECT.items()}


@pytest.mark.parametrize("form", ["yaml", "toml"])
def test_a_scenario_in_other_forms(cli: Cli, tmp_path: Path, form: str) -> None:
    text = {
        "yaml": "workspace_seed: empty\nscorers:\n  - {type: max_files_changed, limit: 1}\n",
        "toml": 'workspace_seed = "empty"\n[[scorers]]\ntype = "max_files_changed"\nlimit = 1\n',
    }[form]
    (tmp_path / f"s.{form}").write_text(text)
    assert cli("seed", tmp_path / f"s.{form}", "-o", tmp_path / "task").code == 0
    assert json.loads((tmp_path / "task/task.json").read_text())["scenario"]["scorers"] == [
        {"name": "max_files_changed", "type": "max_files_changed", "required": True, "limit": 1}
    ]


def test_the_history_is_one_commit_without_remotes_or_reflog(cli: Cli, tmp_path: Path) -> None:
    repository = write_files(tmp_path / "repository", PROJECT)
    git(repository, "init", "-q", "-b", "main")
    who = ("-c", "user.name=x", "-c", "user.email=x@x")
    git(repository, "add", "-A")
    git(repository, *who, "commit", "-qm", "mistake")
    (repository / "calc.py").write_text("the solution")
    git(repository, *who, "commit", "-qam", "solution")
    git(repository, "remote", "add", "origin", "https://example.org/x.git")
    seeded = {"type": "git", "repository": "repository", "commit": "HEAD~1"}
    scenario = write_scenario(tmp_path, workspace_seed=seeded)
    workspace = tmp_path / "workspace"
    assert cli("seed", scenario, "-o", tmp_path / "task", "--workspace", workspace).code == 0
    assert git(workspace, "log", "--all", "--format=%s") == "Baseline\n"
    assert git(workspace, "remote") == ""
    assert git(workspace, "reflog") == ""
    assert git(workspace, "status", "--porcelain") == ""
    objects = git(workspace, "cat-file", "--batch-check", "--batch-all-objects")
    assert len(objects.splitlines()) == len(PROJECT) + 3


def test_the_setup_command_runs_in_the_sandbox_before_the_baseline(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path, {"type": "max_files_changed", "limit": 0}, setup="pwd > where.txt")
    assert (workspace / "where.txt").read_text() == "/workspace\n"
    assert "nothing was changed" in cli("score", workspace, "--task", task).out


def test_a_setup_that_fails_leaves_no_task(cli: Cli, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, setup="echo no compiler; exit 3")
    done = cli("seed", scenario, "-o", tmp_path / "task")
    assert done == (2, "", "assay: the setup command ended with exit code 3: no compiler\n")
    assert not (tmp_path / "task").exists()


@pytest.mark.statement(
    "scorers.frozen-at-seed", "scorers.later-edits-ignored", "scorers.new-tasks-for-new-scorers"
)
def test_scorers_freeze_at_seed_time(cli: Cli, tmp_path: Path) -> None:
    """Later edits of the scenario do not alter the grading of tasks that are seeded."""
    task, workspace = seed(tmp_path, {"type": "max_files_changed", "limit": 1})
    write_files(workspace, {"new": "x"})
    write_scenario(tmp_path, {"type": "max_files_changed", "limit": 0})
    assert cli("score", workspace, "--task", task).code == 0
    assert cli("seed", tmp_path / "scenario.json", "-o", tmp_path / "second").code == 0
    assert cli("score", workspace, "--task", tmp_path / "second").code == 1


def test_a_second_attempt_gets_the_same_workspace(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path)
    write_files(workspace, {"calc.py": "changed"})
    assert cli("seed", task, "--workspace", tmp_path / "again") == (0, f"{tmp_path}/again: the workspace\n", "")
    assert tree(tmp_path / "again")["calc.py"] == PROJECT["calc.py"].encode()


def test_a_scorer_that_guards_nothing_is_noted(cli: Cli, tmp_path: Path) -> None:
    scorer = {"name": "guard\x1b[31m", "type": "tests_unmodified", "paths": ["tests/test_calk.py"]}
    done = cli("seed", write_scenario(tmp_path, scorer), "-o", tmp_path / "task")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.err == "note: guard\\x1b[31m: 1 protected file, none edited; tests/test_calk.py never existed\n"


# --- What can't be used: one sentence, exit code 2, and nothing is made ---


@pytest.mark.parametrize(
    ("scenario", "sentence"),
    [
        ({"scorers": None}, ": scorers must be a list, got null"),
        ({}, ": scorers must be given, got nothing"),
        ([], " must be an object of names and values, got an empty list"),
        ({"scorers": [GUARD], "colour": "blue"}, ": colour must be one of the fields name, "),
        ({"scorers": [{"type": "tests_pass"}]}, ": scorers[0].type must be one of allowed_paths, "),
        ({"scorers": [GUARD, {**TESTS, "timeout_s": 0}]}, ": scorers[1].timeout_s must be from 1 to 3600, got 0"),
        (
            {"scorers": [{**TESTS, "retries": 3}]},
            ": scorers[0].retries must be one of the fields command, ",
        ),
        (
            {"scorers": [{"type": "forbid_paths", "patterns": [".github/"]}]},
            ": scorers[0]: a pattern must be written as paths in the workspace are, got '.github/' (did you mean ",
        ),
        ({"scorers": [GUARD, GUARD]}, ": the names of scorers must differ, got 'guard' twice"),
        (
            {"scorers": [GUARD], "workspace_seed": {"type": "svn"}},
            ": workspace_seed must have 'type' set to one of 'git', ",
        ),
        (
            {"scorers": [GUARD], "expected_outcome": "win"},
            ": expected_outcome must be 'completion' or 'refusal', got 'win'",
        ),
        (
            {"scorers": [GUARD], "workspace_seed": "empty", "workdir": "here"},
            ": workdir must be the absolute path of a folder, ",
        ),
    ],
)
def test_a_scenario_that_is_refused(cli: Cli, tmp_path: Path, scenario: Any, sentence: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(scenario))
    done = cli("seed", path, "-o", tmp_path / "task")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"assay: {path}{sentence}")
    assert done.err.count("\n") == 1
    assert not (tmp_path / "task").exists()


def test_other_things_that_can_not_be_used(cli: Cli, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path)
    (tmp_path / "broken.yaml").write_text("{")
    (tmp_path / "no-seed.json").write_text(json.dumps({"scorers": [GUARD]}))
    (tmp_path / "there").mkdir()
    wrong: list[tuple[list[object], str]] = [
        (["seed"], "the following arguments are required: SCENARIO (see 'assay seed --help')"),
        (["seed", scenario], "pass -o with a new folder for the task"),
        (["seed", tmp_path / "none.yaml", "-o", "x"], f"the scenario {tmp_path}/none.yaml can't be read: "),
        (["seed", tmp_path / "broken.yaml", "-o", "x"], f"{tmp_path}/broken.yaml:1 must be valid YAML: "),
        (
            ["seed", tmp_path / "no-seed.json", "-o", "x"],
            f"{tmp_path}/no-seed.json: workspace_seed must be given to seed a task, got nothing",
        ),
        (["seed", scenario, "-o", tmp_path / "there"], f"{tmp_path}/there already exists: "),
        (
            ["seed", scenario, "-o", tmp_path / "new", "--workspace", tmp_path / "there"],
            f"{tmp_path}/there already exists: ",
        ),
        (["seed", tmp_path / "there"], f"{tmp_path}/there is a task: pass --workspace "),
        (["seed", tmp_path / "there", "--workspace", "x"], f"{tmp_path}/there isn't a seeded task: "),
    ]
    for arguments, sentence in wrong:
        done = cli(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"assay: {sentence}")
        assert done.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_seed_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    for seeded in (
        {"type": "archive", "path": "none.tar.gz"},
        {"type": "git", "repository": "none", "commit": "HEAD"},
    ):
        scenario = write_scenario(tmp_path, workspace_seed=seeded)
        done = cli("seed", scenario, "-o", tmp_path / "task")
        assert (done.code, done.err.count("\n"), (tmp_path / "task").exists()) == (2, 1, False)


def test_names_from_elsewhere_do_not_reach_the_terminal_raw(cli: Cli, tmp_path: Path) -> None:
    odd = tmp_path / "s\x1b[31m.json"
    odd.write_text(json.dumps({"scorers": [{"type": "\x1b[2J"}]}))
    assert not raw_characters(cli("seed", odd, "-o", tmp_path / "task").err)
