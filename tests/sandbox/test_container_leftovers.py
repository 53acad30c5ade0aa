"""Containers of killed runs are removed by the next one, and no others."""

import os
import shutil
import subprocess
import sys

import pytest

from assay.adapters.sandbox.container import ENGINES, probe
from assay.adapters.sandbox.container_leftovers import is_gone, label, new_name
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


def test_names_differ() -> None:
    assert new_name() != new_name()


def test_leftovers_are_swept_at_the_next_start(container: Backend, dead: int) -> None:
    binary = next(path for name in ENGINES if (path := shutil.which(name)))
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
