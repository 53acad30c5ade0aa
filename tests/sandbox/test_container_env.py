"""The environment of a container: whatever it is, it arrives, and nobody else sees it or is changed by it."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sandbox.containers.container import hand_over
from assay.core.errors import MeasurementError
from tests.sandbox.backends import PATH, Backend

LINES = "one\ntwo\n\n three"

# What would change the engine's client, what means something to a shell, and what is our own.
CLIENTS = ("PATH", "HOME", "DOCKER_HOST", "CONTAINER_HOST", "LD_PRELOAD", "GODEBUG", "TMPDIR", "HTTPS_PROXY")
SHELLS = ("UID", "SECONDS", "TMOUT", "ENV", "PS1")
OURS = ("ASSAY_ENV_0", "ASSAY_ENV_1")

VALUES = {
    "EMPTY": "",
    "SPACES": "  a  b  ",
    "HASH": "# no comment",
    "QUOTED": "\"double\" and 'single'",
    "RETURN": "a\r",
    "SIGNS": "$HOME `id` $(id) \\ \\n ; & | * ~ =",
    "LINES": LINES,
    "ENDS": "\n\n",
    "FOREIGN": "grüße 你好",
    "LONG": "x" * 100_000,
}


def environment(output: bytes) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in output.decode().split("\0") if pair)


def test_every_value_arrives(container: Backend) -> None:
    ran = container.run("exec /bin/cat /proc/self/environ", env=VALUES)
    found = environment(ran.output)
    assert {name: found.get(name) for name in VALUES} == VALUES


@pytest.mark.parametrize("value", ["1", LINES])
@pytest.mark.parametrize("name", [*CLIENTS, *SHELLS, *OURS])
def test_every_name_arrives(container: Backend, name: str, value: str) -> None:
    ran = container.run("exec /bin/cat /proc/self/environ", env={name: value})
    assert environment(ran.output)[name] == value


def test_the_hosts_proxies_do_not_arrive(container: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of a proxy may hold a password."""
    names = [f"{kind}_proxy" for kind in ("http", "https", "ftp", "all", "no")]
    for name in (*names, *map(str.upper, names)):
        monkeypatch.setenv(name, "http://user:secret@127.0.0.1:1")
    found = environment(container.run("exec /bin/cat /proc/self/environ", env={"PATH": PATH}).output)
    assert not [name for name in found if name.casefold().endswith("_proxy")]


def test_values_stay_off_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/of/the/host")
    handover = hand_over({"PATH": "/of/the/task", "API_KEY": "secret"})
    assert "secret" not in " ".join((*handover.options, handover.script))
    assert handover.client_env["PATH"] == "/of/the/host"
    assert "API_KEY" not in handover.client_env


@pytest.mark.parametrize("name", ["", "*", "HOME*", "A=B", "A B", "A\n", "A\0"])
def test_names_that_no_container_can_have(name: str) -> None:
    with pytest.raises(MeasurementError, match="a container can't have a variable called"):
        hand_over({name: "x"})


@pytest.mark.parametrize(("value", "why"), [("\udcff", "must be UTF-8"), ("a\0b", "zero byte")])
def test_values_that_no_container_can_have(value: str, why: str) -> None:
    with pytest.raises(MeasurementError, match=f"the value of KEY .*{why}"):
        hand_over({"KEY": value})


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


NAMES = st.from_regex(r"V_[A-Za-z0-9_]{0,8}", fullmatch=True) | st.sampled_from(OURS)


@given(st.dictionaries(NAMES, TEXT, max_size=5))
def test_a_shell_gives_the_names_back(env: dict[str, str]) -> None:
    handover = hand_over(env)
    passed = {name: handover.client_env[name] for name in handover.options if name != "--env"}
    script = f"({handover.script}exec /usr/bin/env -0)"
    ran = subprocess.run(["/bin/sh", "-c", script], env=passed, capture_output=True, check=True)
    found = environment(ran.stdout)
    assert {name: value for name, value in found.items() if name not in ("PWD", "OLDPWD", "_", "SHLVL")} == env
