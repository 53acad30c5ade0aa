"""The model of an agent in a container that has no other way out."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.models.proxy.door import Doors
from assay.adapters.sandbox.containers.container import Container
from assay.engine.model_access import ModelGrant, ModelLimits, PriceList
from assay.engine.sandbox import PATH, CommandLimits, SandboxCommand
from tests.sandbox.backends import Backend
from tests.servers.chat_server import Chat, chatting
from tests.tasks import Attempt, attempt, write_task

KEY = "sk-real-key-of-the-host-4711"
QUESTION = '{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'
ASK = f"wget -q -O - --header 'Content-Type: application/json' --post-data '{QUESTION}'"


def attempted(folder: Path, container: Backend, agent: str, url: str) -> Attempt:
    task = write_task(folder / "task", dockerfile=f"FROM {container.image}\nWORKDIR /workspace\n")
    options = ("--isolation", "container", "--model-endpoint", url, "--model-key-env", "REAL_KEY")
    return attempt(task, agent, folder / "jobs", *options)


def test_an_agent_asks_its_model_and_nobody_else(
    container: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAL_KEY", KEY)
    with chatting(Chat("Hello", usage={"prompt_tokens": 90, "completion_tokens": 10})) as talk:
        port = talk.url.split(":")[2].split("/")[0]
        agent = (
            f"env; {ASK} $OPENAI_BASE_URL/chat/completions > answer.json && echo right > answer.txt;"
            f" nc -w 2 127.0.0.1 {port} < /dev/null && echo a way || echo no way"
        )
        left = attempted(tmp_path, container, agent, talk.url)
    said = left.text("agent/output.txt")
    assert left.reward == 1
    assert (KEY in said, "no way\n" in said) == (False, True)
    assert left.result["agent_result"]["n_input_tokens"] == 90


def test_dockers_network_is_that_of_a_container_which_waits(container: Backend) -> None:
    """Docker takes no namespace that somebody made. podman knows Docker's way, too; no Docker was tried."""
    assert isinstance(container.sandbox, Container)
    sandbox = copy.copy(container.sandbox)
    sandbox.isolation = replace(sandbox.isolation, backend="container (docker)")
    lines = f"{ASK} $OPENAI_BASE_URL/chat/completions; echo; cat /proc/net/dev"
    command = SandboxCommand(
        ("/bin/sh", "-c", lines), "/", CommandLimits(timeout_sec=60), env={"PATH": PATH}, image=container.image
    )
    with chatting(Chat("Hello", usage={"prompt_tokens": 90, "completion_tokens": 10})) as talk:
        grant = ModelGrant(talk.url, "REAL_KEY", ModelLimits(), PriceList(), None)
        with Doors(grant, KEY, sandbox).open() as door:
            inside = door.through(command)
            ran = sandbox.run(inside)
            use = door.take_use()
    network = str(inside.network_of)
    assert network.startswith("container:assay-")
    assert (ran.end.exit_code, b"Hello" in ran.output, use.requests) == (0, True, 1)
    shown = {
        line.split(":")[0].strip() for line in ran.output.decode().splitlines() if ":" in line and "|" not in line
    }
    assert "lo" in shown
    assert "eth0" not in shown
    assert not sandbox.engine.does("inspect", network.removeprefix("container:"))


def test_each_trial_has_a_door_of_its_own(
    container: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAL_KEY", KEY)
    with chatting(Chat("Hello", usage={"prompt_tokens": 90, "completion_tokens": 10})) as talk:
        first = attempted(tmp_path / "1", container, f"{ASK} $OPENAI_BASE_URL/chat/completions", talk.url)
        second = attempted(tmp_path / "2", container, "true", talk.url)
    assert first.result["agent_result"]["n_input_tokens"] == 90
    assert second.result["agent_result"]["n_input_tokens"] is None
