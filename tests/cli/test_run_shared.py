"""A verifier that shares the agent's environment finds files around the workspace, and none of its processes."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import attempt, write_task

REWARD = "/logs/verifier/reward.txt"
INSTALL = (
    "mkdir -p ~/.local/bin && printf '#!/bin/sh\\necho 42\\n' > ~/.local/bin/tool && chmod +x ~/.local/bin/tool"
)
VERIFY = f'[ "$(~/.local/bin/tool)" = 42 ] && [ -e /tmp/left ] && echo 1 > {REWARD} || echo 0 > {REWARD}'
AGENT = f"{INSTALL}; touch /tmp/left"
SHARED = '[verifier]\nenvironment_mode = "shared"\n'
STEPS = '[[steps]]\nname = "one"\n[steps.verifier]\nenvironment_mode = "shared"\n'


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.mark.parametrize(
    ("toml", "options", "reward", "recorded"),
    [
        ("", [], 0.0, "separate"),
        (SHARED, [], 1.0, "shared"),
        ("", ["--verifier-environment", "shared"], 1.0, "shared"),
        (SHARED, ["--verifier-environment", "separate"], 0.0, "separate"),
    ],
)
def test_what_the_agent_installed_is_there_if_the_environment_is_shared(
    tmp_path: Path, toml: str, options: list[str], reward: float, recorded: str
) -> None:
    task = write_task(tmp_path / "task", verifier=VERIFY, toml=toml)
    left = attempt(task, AGENT, tmp_path / "jobs", *options)
    assert left.rewards == {"reward": reward}
    grading = json.loads(left.text("gradings/0001.json"))
    assert grading["provenance"]["verifier_environment"] == recorded


def test_the_agents_processes_are_gone_all_the_same(tmp_path: Path) -> None:
    verify = f"pgrep -x sleep && echo 1 > {REWARD} || echo 0 > {REWARD}"
    task = write_task(tmp_path / "task", verifier=verify, toml=SHARED)
    left = attempt(task, "setsid sleep 300 >/dev/null 2>&1 &", tmp_path / "jobs")
    assert left.rewards == {"reward": 0.0}


def test_it_is_graded_again_as_it_was(cli: Cli, tmp_path: Path) -> None:
    """The task has no word about it: the record has."""
    task = write_task(tmp_path / "task", verifier=VERIFY)
    left = attempt(task, AGENT, tmp_path / "jobs", "--verifier-environment", "shared")
    again = cli("grade", left.folder)
    assert (again.code, again.out.split("grading ")[1]) == (0, "2  reward 1\n")


def test_a_link_among_what_is_left_is_not_followed(tmp_path: Path) -> None:
    verify = f"cat /tmp/left 2>/dev/null | grep -q 42 && echo 1 > {REWARD} || echo 0 > {REWARD}"
    task = write_task(tmp_path / "task", verifier=verify, toml=SHARED, tests={"expected.txt": "42\n"})
    left = attempt(task, "ln -s /tests/expected.txt /tmp/left", tmp_path / "jobs")
    assert left.rewards == {"reward": 0.0}
