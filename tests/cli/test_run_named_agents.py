"""Agents by name: installed once, outside, and shown to the sandbox; their record becomes a trajectory."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.model_agent import model_server
from tests.adapters.agents.small_agent import build_wheel, describe
from tests.builders import REPO
from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.servers.chat_server import Chat, Talk, chatting
from tests.servers.scripted_server import serving
from tests.tasks import attempt, run_arguments, write_task


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.fixture
def talk() -> Iterator[Talk]:
    with chatting(Chat("right", usage={"prompt_tokens": 9, "completion_tokens": 1})) as found:
        yield found


@pytest.fixture
def agents(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where agents are installed in a test."""
    folder = open_folder / "agents"
    monkeypatch.setenv("ASSAY_AGENTS_DIR", str(folder))
    return folder


def test_an_agent_of_ones_own_file(cli: Cli, talk: Talk, tmp_path: Path, agents: Path) -> None:
    description = describe(tmp_path, str(build_wheel(tmp_path)))
    options = ["-m", "acme/tiny", "--model-endpoint", talk.url]
    arguments = run_arguments(write_task(tmp_path / "task"), str(description), tmp_path / "jobs", *options)
    assert cli(*arguments, "--quiet").code == 0
    (trial,) = (tmp_path / "jobs" / "job").glob("*/result.json")
    result = json.loads(trial.read_text())
    assert result["agent_info"] == {
        "name": "small",
        "version": "1.0",
        "model_info": {"name": "tiny", "provider": "acme"},
    }
    assert result["agent_result"]["n_input_tokens"] == 9
    assert talk.bodies[0]["model"] == "tiny"
    told = json.loads((trial.parent / "agent" / "trajectory.json").read_text())
    assert told["agent"] == {"name": "small", "version": "1.0", "model_name": "acme/tiny"}
    assert [(step["source"], step["message"]) for step in told["steps"]] == [("user", "Hi"), ("agent", "right")]
    (installed,) = agents.iterdir()
    assert {"venv", "install.log", "installed.json"} <= set(os.listdir(installed))


def test_an_agent_is_installed_once(cli: Cli, tmp_path: Path, agents: Path) -> None:
    description = describe(tmp_path, str(build_wheel(tmp_path)))
    first = cli("agents", "install", description)
    assert (first.code, first.out.strip()) == (0, str(next(agents.iterdir())))
    assert "installing small" in first.err
    second = cli("agents", "install", description)
    assert (second.out, second.err) == (first.out, "")


def test_an_installation_that_fails_says_why_and_is_tried_again(cli: Cli, tmp_path: Path, agents: Path) -> None:
    description = describe(tmp_path, str(tmp_path / "missing-1.0-py3-none-any.whl"))
    for _ in range(2):
        ran = cli("agents", "install", description)
        assert ran.code == 2
        assert "assay: the agent small can't be installed:" in ran.err
        assert "install.log" in ran.err
    assert not list(agents.glob("*/installed.json"))


def test_the_sandbox_can_not_change_the_installation(talk: Talk, tmp_path: Path, agents: Path) -> None:
    description = describe(tmp_path, str(build_wheel(tmp_path)))
    text = description.read_text().replace("command = '", 'command = \'echo x > "$ASSAY_AGENT_BIN/small-agent"; ')
    description.write_text(text)
    left = attempt(
        write_task(tmp_path / "task"), str(description), tmp_path / "jobs", "-m", "m", "--model-endpoint", talk.url
    )
    assert "Read-only file system" in left.text("agent/output.txt")
    assert left.rewards == {"reward": 1.0}


def test_a_named_agent_wants_a_model(cli: Cli, tmp_path: Path) -> None:
    ran = cli(*run_arguments(write_task(tmp_path / "task"), "gptme", tmp_path / "jobs"))
    assert (ran.code, ran.err) == (2, "assay: the agent gptme needs the name of a model: pass -m\n")


def test_the_list_and_a_description(cli: Cli) -> None:
    listed = cli("agents").out.splitlines()
    assert [line.split()[0] for line in listed] == ["aider", "gptme", "mini-swe-agent"]
    assert 'name = "mini-swe-agent"' in cli("agents", "show", "mini-swe-agent").out
    assert "AGENT must be one of aider, gptme" in cli("agents", "show", "somebody").err
    assert cli("agents", "show").code == 2
    assert cli("agents", "list", "gptme").code == 2


def index_has(package: str, folder: Path) -> bool:
    """Whether the package index can be reached and has a package."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), package]
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@pytest.mark.skipif(
    "ASSAY_TEST_AGENTS_DIR" not in os.environ,
    reason="ASSAY_TEST_AGENTS_DIR isn't set, so no agent is installed from the package index",
)
def test_mini_swe_agent_solves_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real agent from the package index, with the scripted model of the examples."""
    if not index_has("mini-swe-agent==2.4.6", tmp_path / "download"):
        pytest.skip("the package index can't be reached, or doesn't have mini-swe-agent 2.4.6")
    monkeypatch.setenv("ASSAY_AGENTS_DIR", os.environ["ASSAY_TEST_AGENTS_DIR"])
    with serving(model_server.Handler) as url:
        options = ["-m", "scripted", "--model-endpoint", f"{url}/v1", "--model-price", "3,15"]
        left = attempt(REPO / "examples/tasks/capital", "mini-swe-agent", tmp_path / "jobs", *options)
    assert left.rewards == {"reward": 1.0}
    assert left.result["agent_result"]["metadata"]["model_access"]["requests"] == 3
    assert left.result["agent_result"]["cost_usd"] > 0
    told = json.loads(left.text("agent/trajectory.json"))
    assert [step["source"] for step in told["steps"]] == ["system", "user", "agent", "agent", "agent"]
