"""Python programs in a PID namespace of their own, which share everything else with the tests."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.builders import REPO

UNSHARE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")

needs_pid_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None,
    reason="only root can make a PID namespace, with unshare",
)


@dataclass(frozen=True)
class Program:
    """A program that runs. It goes on when its input ends."""

    process: "subprocess.Popen[str]"

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def end(self) -> None:
        """Let it come to its end."""
        self.process.communicate("\n", timeout=30)
        assert self.process.returncode == 0

    def kill(self) -> None:
        """Its input stays open until it is gone: it must not come to its end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.kill()
        self.process.wait()
        if not self.process.stdout.closed:
            self.process.stdout.read()
            self.process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()


@contextlib.contextmanager
def in_pid_namespace(code: str) -> Iterator[Program]:
    """A program with ids of its own. It is killed at the end of the block, if it is still there."""
    with running([*UNSHARE, sys.executable, "-c", code]) as program:
        yield program


@contextlib.contextmanager
def running(argv: list[str]) -> Iterator[Program]:
    program = Program(subprocess.Popen(argv, cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
    try:
        yield program
    finally:
        program.kill()
