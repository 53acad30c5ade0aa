"""Variables for the agent alone: it gets them, and nobody and nothing else does."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.cli.running import Cli, run_assay
from tests.sandbox.backends import need
from tests.tasks import attempt, run_arguments, trials_of, write_task

SECRET = "sk-very-secret-4711"  # noqa: S105 - nobody's
# Worth 1 if the verifier finds the value nowhere: neither in its environment nor in that of another process.
LOOKS = (
    f"if env | grep -q {SECRET[3:]} || cat /proc/[0-9]*/environ 2>/dev/null | grep -aq {SECRET[3:]};"
    " then r=0; else r=1; fi; echo $r > /logs/verifier/reward.txt"
)
# The agent says whether it has the value, without writing it down.
HAS = 'printf %s "$KEY" | sha256sum | cut -d" " -f1 > /logs/agent/has; echo "printed: $KEY"; echo "$KEY" >&2'


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


def files_with(text: str, folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def env_file(folder: Path, text: str) -> Path:
    path = folder / "agent.env"
    path.write_text(text)
    return path


@pytest.mark.parametrize("how", ["environment", "value", "file", "quoted"])
def test_only_the_agent_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("KEY", SECRET if how == "environment" else "another")
    options: dict[str, list[object]] = {
        "environment": ["--agent-env", "KEY"],
        "value": ["--agent-env", f"KEY={SECRET}"],
        "file": ["--agent-env-file", env_file(tmp_path, f"# mine\n\nKEY={SECRET}\n")],
        "quoted": ["--agent-env-file", env_file(tmp_path, f'export KEY="{SECRET}"\n')],
    }
    left = attempt(write_task(tmp_path / "task", verifier=LOOKS), HAS, tmp_path / "jobs", *options[how])
    assert left.text("agent/has") == f"{hashlib.sha256(SECRET.encode()).hexdigest()}\n"
    assert left.rewards == {"reward": 1.0}
    assert left.text("agent/agent-stdout.txt") == "printed: [KEY]\n"
    assert left.text("agent/agent-stderr.txt") == "[KEY]\n"
    assert files_with(SECRET, tmp_path / "jobs") == []


@pytest.mark.parametrize("option", [["--agent-env", f"KEY={SECRET}"], [f"--agent-env=KEY={SECRET}"]])
def test_the_recorded_command_has_no_value(tmp_path: Path, option: list[str]) -> None:
    ran = run_assay(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs", *option))
    assert ran.code == 0
    assert files_with(SECRET, tmp_path / "jobs") == []
    assert len(files_with("KEY=…", tmp_path / "jobs")) + len(files_with("KEY=\\u2026", tmp_path / "jobs")) == 1


def test_the_names_are_recorded(tmp_path: Path) -> None:
    left = attempt(write_task(tmp_path / "task"), "true", tmp_path / "jobs", "--agent-env", f"KEY={SECRET}")
    assert left.result["config"]["agent"]["env"] == {"KEY": "${KEY}"}
    assert left.gradings[0]["provenance"]["agent_access"] == {"variables": ["KEY"]}


@pytest.mark.parametrize("table", ["environment", "verifier"])
def test_a_task_can_not_ask_for_one(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """A hostile task would give the key to its verifier, and keep it."""
    monkeypatch.setenv("KEY", SECRET)
    task = write_task(tmp_path / "task", toml=f'[{table}]\nenv = {{STOLEN = "${{KEY}}"}}\n')
    ran = cli(*run_arguments(task, "true", tmp_path / "jobs", "--agent-env", "KEY"))
    assert ran.code == 2
    assert "must not ask for ${KEY}" in ran.err
    assert SECRET not in ran.err
    assert trials_of(tmp_path / "jobs" / "job") == []


def test_a_resumed_job_needs_the_same_names(cli: Cli, tmp_path: Path) -> None:
    arguments = run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs")
    assert cli(*arguments, "--agent-env", "KEY=1").code in (0, 1)
    assert cli(*arguments, "--agent-env", "KEY=2").code in (0, 1)
    assert "other options" in cli(*arguments).err


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (["--agent-env", "NOT_SET_AT_ALL"], "--agent-env NOT_SET_AT_ALL needs the variable in your environment"),
        (["--agent-env", "A-B=1"], "--agent-env must name a variable with letters, digits and _, got 'A-B'"),
        (["--agent-env-file", "/no/such"], "--agent-env-file /no/such can't be read: No such file or directory"),
    ],
)
def test_what_can_not_be_given_is_refused(cli: Cli, tmp_path: Path, option: list[str], sentence: str) -> None:
    os.environ.pop("NOT_SET_AT_ALL", None)
    ran = cli(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs", *option))
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_a_bad_line_of_a_file_is_named_without_its_text(cli: Cli, tmp_path: Path) -> None:
    path = env_file(tmp_path, f"A=1\n{SECRET}\n")
    ran = cli(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs", "--agent-env-file", path))
    assert "line 2: a line must be NAME=VALUE" in ran.err
    assert SECRET not in ran.err
