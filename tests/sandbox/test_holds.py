"""What a sandbox holds is measured, and a sandbox without a defence is found out."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.sandbox import backends, seccomp, view_sandbox
from assay.adapters.sandbox.cgroups import Controllers, find_controllers
from assay.adapters.sandbox.holds import HELD, HELD_EACH, HOLDS, NOT_HELD, measure
from assay.adapters.sandbox.view_sandbox import NamespaceMaker, ViewSandbox
from assay.engine.sandbox import Ran, SandboxCommand
from tests.sandbox.backends import Backend, need

NO_GROUPS = Controllers(None, None, None, None, 2)


def test_every_hold_of_a_sandbox_with_namespaces(view: Backend) -> None:
    """As an ordinary user, no control group counts for all processes together."""
    found = dict(view.sandbox.isolation.measured)
    assert list(found) == list(HOLDS)
    if "cgroup" not in view.sandbox.isolation.memory_limit:
        assert found.pop("memory") in (HELD, HELD_EACH)
        assert found.pop("CPU") == NOT_HELD
    assert set(found.values()) == {HELD}, found


def test_what_plain_processes_hold(process: Backend) -> None:
    found = process.sandbox.isolation.measured
    open_to = {name for name, what in found.items() if what != HELD}
    assert open_to >= {"files", "processes", "network", "CPU", "memory"}
    assert found["system calls"] == found["setuid"] == found["disk"] == found["file size"] == HELD


class Weakened:
    """A sandbox that leaves something out of every command."""

    def __init__(self, sandbox: ViewSandbox, weaken: Callable[[SandboxCommand], SandboxCommand]) -> None:
        self._sandbox, self._weaken = sandbox, weaken
        self.images, self.owner, self.isolation = None, sandbox.owner, sandbox.isolation

    def run(self, command: SandboxCommand) -> Ran:
        return self._sandbox.run(self._weaken(command))


WITHOUT: dict[str, Callable[[SandboxCommand], SandboxCommand]] = {
    "network": lambda command: replace(command, network=True),
    "memory": lambda command: replace(command, limits=replace(command.limits, memory_mb=None)),
    "process count": lambda command: replace(command, limits=replace(command.limits, processes=1000)),
    "CPU": lambda command: replace(command, limits=replace(command.limits, cpus=None)),
    "file size": lambda command: replace(command, limits=replace(command.limits, file_mb=1000)),
    "disk": lambda command: replace(command, limits=replace(command.limits, disk_mb=None)),
}


def test_limits_that_are_asked_for_but_do_not_hold() -> None:
    """As an engine that takes a limit and ignores it."""
    sandbox = need("bubblewrap").sandbox
    assert isinstance(sandbox, ViewSandbox)

    def weaken(command: SandboxCommand) -> SandboxCommand:
        for one in WITHOUT.values():
            command = one(command)
        return command

    found = measure(Weakened(sandbox, weaken))
    assert {name for name, what in found.items() if what == NOT_HELD} == set(WITHOUT)


def test_a_sandbox_without_its_filter_and_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    need("bubblewrap")
    monkeypatch.setattr(view_sandbox, "filter_program", lambda: None)
    bwrap = NamespaceMaker("bubblewrap", "/usr/bin/bwrap", sized=False, nested=True)
    found = measure(ViewSandbox(bwrap, find_controllers()))
    assert {name for name, what in found.items() if what == NOT_HELD} >= {"system calls", "memory folders"}
    assert found["namespaces"] == NOT_HELD


def test_a_limit_that_does_not_hold_is_not_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "KEPT_IN", str(tmp_path))
    monkeypatch.setattr(
        backends, "measure", lambda *_: {"memory": NOT_HELD, "process count": HELD, "CPU": NOT_HELD}
    )
    sandbox = need("bubblewrap").sandbox
    isolation = backends.measure_isolation(sandbox)
    assert isolation.memory_limit == "none, as measured"
    assert isolation.process_limit == sandbox.isolation.process_limit
    assert isolation.measured["memory"] == NOT_HELD


def test_answers_are_kept_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    monkeypatch.setattr(backends, "KEPT_IN", str(tmp_path))

    def count(*_: object) -> dict[str, str]:
        times.append(1)
        return {"memory": HELD}

    monkeypatch.setattr(backends, "measure", count)
    sandbox = need("bubblewrap").sandbox
    for _ in range(2):
        assert backends.measure_isolation(sandbox).measured == {"memory": HELD}
    assert len(times) == 1
    backends.forget_old(0)
    backends.measure_isolation(sandbox)
    assert len(times) == 2


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_file_that_others_can_write_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    monkeypatch.setattr(backends, "KEPT_IN", str(tmp_path))
    monkeypatch.setattr(backends, "measure", lambda *_: {"memory": NOT_HELD})
    sandbox = need("bubblewrap").sandbox
    backends.measure_isolation(sandbox)
    (kept,) = tmp_path.iterdir()
    kept.write_text(json.dumps({key: {"memory": HELD} for key in json.loads(kept.read_text())}))
    kept.chmod(mode)
    assert backends.measure_isolation(sandbox).measured == {"memory": NOT_HELD}


def test_auto_warns_when_only_plain_processes_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container that allows no namespaces, as in many pipelines."""
    process = need("process").sandbox
    monkeypatch.setattr(backends, "PROBES", {"process": lambda: process})
    said: list[str] = []
    assert backends.choose("auto", said.append) is process
    (warning,) = said
    assert "An agent can see files of the machine that aren't its own" in warning
    assert "reach the network" in warning
    assert backends.choose("process", said.append) is process
    assert len(said) == 1


def test_the_known_system_calls_are_refused_in_every_sandbox(backend: Backend) -> None:
    if backend.name == "container":
        pytest.skip("the engine has its own filter")
    if seccomp.filter_program() is None or os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86_64")
    lines = (
        "import ctypes; libc = ctypes.CDLL(None); print([libc.syscall(n, 0, 0, 0, 0, 0) for n in (248, 250, 425)])"
    )
    assert backend.run(f'python3 -c "{lines}"').output == b"[-1, -1, -1]\n"
