"""Running the command line in this process or in another one."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.cli.main import main

ASSAY = str(Path(sys.executable).with_name("assay"))
_started: "list[subprocess.Popen[str]]" = []


class Ran(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


class Cli:
    """Calls ``main`` and gathers what it wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *argv: object) -> Ran:
        try:
            code = main([str(argument) for argument in argv])
        except SystemExit as left:
            code = int(left.code or 0)
        return Ran(code, *self._capsys.readouterr())


def run_assay(*argv: object, stdout: int = subprocess.PIPE) -> Ran:
    """Run the installed command as a process of its own."""
    command = [ASSAY, *map(str, argv)]
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=180, check=False)
    return Ran(done.returncode, done.stdout or "", done.stderr)


def start_assay(*argv: object, tmp: Path | None = None, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    """Start the command as a process of its own, with its temporary files in ``tmp``. It can be interrupted, even
    where nobody else can, and it is ended with its test.
    """
    process = subprocess.Popen(
        [ASSAY, *map(str, argv)],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp)} if tmp is not None else None,
        preexec_fn=_can_be_interrupted,  # noqa: PLW1509 - the child does nothing else before it is another program
    )
    _started.append(process)
    return process


def _can_be_interrupted() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_started() -> None:
    """End what a test left running."""
    while _started:
        with _started.pop() as process:
            process.kill()


def raw_characters(text: str) -> set[str]:
    """The characters in a text that could move a cursor, change a colour or break a line."""
    return {character for character in text if not character.isprintable() and character != "\n"}
