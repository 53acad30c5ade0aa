"""Containers of killed runs are removed by the next one, and no others."""

import os
import subprocess
import sys

import pytest

from assay.adapters.sandbox.cgroups import MakerProcess
from assay.adapters.sandbox.containers.container import probe
from assay.adapters.sandbox.containers.images import is_gone, label, new_name
from tests.pid_namespaces import in_pid_namespace, needs_pid_namespaces
from tests.sandbox.backends import Backend


@pytest.fixture(scope="module")
def dead() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_whose_process_is_gone(dead: int) -> None:
    assert not is_gone(new_name())
    assert is_gone(f"assay-{dead}-1-abc")
    # The number is somebody else's by now.
    assert is_gone(f"assay-{os.getpid()}-1-abc")
    assert not is_gone(f"not-assay-{dead}-1-abc")
    assert not is_gone(f"assay-{dead}-of-somebody-else")


@needs_pid_namespaces
def test_containers_of_another_pid_namespace_are_never_looked_at() -> None:
    code = "from assay.adapters.sandbox.containers.images import label; print(label(), flush=True)"
    with in_pid_namespace(code) as other:
        assert other.said() not in ("", label())


def test_a_proc_of_another_pid_namespace_says_nothing_about_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "readlink", lambda _path: "1")
    assert not MakerProcess(os.getpid(), 1).is_gone


def test_names_differ() -> None:
    assert new_name() != new_name()


def test_leftovers_are_swept_at_the_next_start(container: Backend, dead: int) -> None:
    binary = container.engine
    elsewhere = "assay.place=another-machine"
    left = {
        f"assay-{dead}-1-a1": label(),
        f"assay-{dead}-1-b2": elsewhere,
        new_name(): label(),
        f"by-hand-{dead}": label(),
    }
    try:
        for name, given in left.items():
            create = [binary, "create", "--name", name, "--label", given, str(container.image), "true"]
            subprocess.run(create, check=True, capture_output=True)
        probe()
        listed = subprocess.run(
            [binary, "ps", "--all", "--format", "{{.Names}}"], capture_output=True, text=True, check=True
        )
        assert set(left) - set(listed.stdout.split()) == {f"assay-{dead}-1-a1"}
    finally:
        for name in left:
            subprocess.run([binary, "rm", "--force", name], check=False, capture_output=True)
