"""Descriptions of agents: those that Assay brings along, and files of users."""

from pathlib import Path

import pytest

from assay.adapters.agents.known import FOLDER, description_file, known_names, near_name, read_description
from assay.core.errors import InputError
from assay.engine.run.agent_description import model_variables

SMALL = 'name = "mine"\n[run]\ncommand = "true"\n'


def test_the_agents_that_assay_brings_along() -> None:
    assert known_names() == ["aider", "gptme", "mini-swe-agent"]


@pytest.mark.parametrize("name", known_names())
def test_each_can_be_read_and_is_pinned(name: str) -> None:
    found = read_description(str(FOLDER / f"{name}.toml"))
    assert found.name == name
    assert found.about
    assert f"=={found.version}" in found.packages[0]
    assert "$ASSAY_AGENT_BIN/" in found.command
    assert found.trajectory is not None


def test_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL)
    found = read_description(str(path))
    assert (found.name, found.command, found.packages, found.needs_model) == ("mine", "true", (), True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "name must be set, but it is missing"),
        ('name = "a"\n', "run.command must be set, but it is missing"),
        ('name = "a"\n[run]\ncommand = " "\n', "run.command must be set, but it is missing"),
        ('name = "../a"\n[run]\ncommand = "x"\n', "name must be letters, digits, '.', '_' and '-', got '../a'"),
        (f'{SMALL}comand = "x"\n', "run.comand is unknown; known are command, env, needs_model"),
        (f"colour = 1\n{SMALL}", "colour is unknown; known are name, about, version"),
        ('name = "a"\n[run]\ncommand = 5\n', "run.command must be a text, got 5"),
        (f"{SMALL}[install]\npackages = [5]\n", "install.packages must hold texts, got 5"),
        (f'{SMALL}[install]\npackages = "x"\n', "install.packages must be a list of texts, got 'x'"),
        (f"{SMALL}env = {{A = 1}}\n", "run.env must hold texts, got 1"),
        ('install = 5\nname = "a"\n', "install must be a table"),
        (f'{SMALL}[trajectory]\nfile = "/etc/passwd"\n', "trajectory.file must be a path below /logs/agent"),
        (f'{SMALL}[trajectory]\nfile = "../x"\n', "trajectory.file must be a path below /logs/agent"),
        (f'{SMALL}[trajectory]\nfile = "a//b"\n', "trajectory.file must be a path below /logs/agent"),
        ("name = ", "must be TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_description(str(path))
    assert sentence in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("named", "is_one"),
    [("gptme", True), ("./mine.toml", True), ("gptme --fast", False), ("python x.toml", False), ("nop", False)],
)
def test_a_name_or_a_file_but_no_command(named: str, is_one: bool) -> None:
    assert (description_file(named) is not None) is is_one


@pytest.mark.parametrize(
    ("command", "meant"),
    [("mini-swe-agnet", "mini-swe-agent"), ("aidr", "aider"), ("python3 agent.py", None), ("nop", None)],
)
def test_a_misspelt_name_is_noticed(command: str, meant: str | None) -> None:
    assert near_name(command) == meant


def test_a_model_with_and_without_its_provider() -> None:
    assert model_variables("gpt") == {"ASSAY_MODEL": "openai/gpt", "ASSAY_MODEL_NAME": "gpt"}
    assert model_variables("acme/a/b") == {"ASSAY_MODEL": "acme/a/b", "ASSAY_MODEL_NAME": "a/b"}
