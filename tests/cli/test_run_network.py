"""A verifier that can't download what it needs has not found the agent wrong."""

import os
from pathlib import Path

import pytest

from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import attempt, write_task

ZERO = "echo 0 > /logs/verifier/reward.txt"
FETCH = "python3 -c 'import socket; socket.create_connection((\"example.org\", 443))'"
DOWNLOADS = f"pip install pytest==8.4.1 >/dev/null 2>&1; {FETCH}; {ZERO}"


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


def test_a_failed_download_is_a_broken_measurement(tmp_path: Path) -> None:
    left = attempt(write_task(tmp_path / "task", verifier=DOWNLOADS), "oracle", tmp_path / "jobs")
    assert (left.rewards, left.exception, left.code) == (None, "MeasurementError", 1)
    said = left.result["exception_info"]["exception_message"]
    assert said.startswith("the verifier could not download what it needs, because it has no network;")
    assert "--verifier-network" in said
    assert "gaierror" in said
    assert "gaierror" in left.text("verifier/test-stdout.txt")


def test_a_reward_above_zero_stands(tmp_path: Path) -> None:
    verifier = f"pip install x==1 >/dev/null 2>&1; {FETCH}; echo 1 > /logs/verifier/reward.txt"
    left = attempt(write_task(tmp_path / "task", verifier=verifier), "oracle", tmp_path / "jobs")
    assert left.rewards == {"reward": 1.0}


@pytest.mark.parametrize("verifier", [f"sh program; {ZERO}", f"pip install --no-index ./x; sh program; {ZERO}"])
def test_an_agent_can_not_pretend_it(tmp_path: Path, verifier: str) -> None:
    """Its program says what a missing network says, but the tests download nothing."""
    agent = "echo 'echo curl: \\(6\\) Could not resolve host: example.org' > program"
    left = attempt(write_task(tmp_path / "task", verifier=verifier), agent, tmp_path / "jobs")
    assert "Could not resolve host" in left.text("verifier/test-stdout.txt")
    assert left.rewards == {"reward": 0.0}


SAME = f'test "$(readlink /proc/self/ns/net)" = "{os.readlink("/proc/self/ns/net")}"'
VERIFY = f"{SAME} && echo 1 > /logs/verifier/reward.txt || {ZERO}"


@pytest.mark.parametrize(
    ("toml", "options", "agent", "verifier"),
    [
        ("", [], False, False),
        ("", ["--verifier-network"], False, True),
        ("", ["--network", "public"], True, True),
        ('[environment]\nnetwork_mode = "public"\n', ["--network", "none"], False, False),
        ('[environment]\nnetwork_mode = "public"\n', ["--network", "none", "--verifier-network"], False, True),
    ],
)
def test_what_is_granted_is_granted_and_recorded(
    tmp_path: Path, toml: str, options: list[str], agent: bool, verifier: bool
) -> None:
    """A sandbox with the network is in the namespace of this machine."""
    task = write_task(tmp_path / "task", verifier=VERIFY, toml=toml)
    left = attempt(task, f"{SAME}; echo $? > /logs/agent/differs", tmp_path / "jobs", *options)
    assert (left.text("agent/differs") == "0\n") is agent
    assert left.rewards == {"reward": float(verifier)}
    assert left.gradings[0]["provenance"]["network"] is verifier


def test_a_run_is_graded_again_with_the_network_it_had(cli: Cli, tmp_path: Path) -> None:
    left = attempt(write_task(tmp_path / "task", verifier=VERIFY), "nop", tmp_path / "jobs", "--verifier-network")
    assert cli("grade", left.folder).code == 0
    assert [one["rewards"] for one in left.gradings] == [{"reward": 1.0}] * 2
