"""Examples in Markdown: find them, run them, and compare what they print with what is shown.

A console block shows commands after ``$``, and what each prints up to the next one; a line ``…`` stands for lines
that are left out. Only ``assay`` commands are run. A Python block has to run without an error, on its own.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

TIMEOUT_SEC = 60

Done: TypeAlias = subprocess.CompletedProcess[str]

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OMITTED = "…"
_TOOK = re.compile(r"\\\(\d+\\\.\d\\ s\\\)")


@dataclass(frozen=True, slots=True)
class Example:
    """Something that a page says will work: a command line for the shell, or Python code, and what it shows."""

    page: str
    line: int
    code: str
    shown: str | None

    @property
    def argv(self) -> tuple[str, ...]:
        """How it is run. Pages that show the same command share one run of it."""
        if self.shown is None:
            return sys.executable, "-W", "error", "-c", self.code
        return shutil.which("bash") or "/bin/bash", "-c", self.code

    def problem(self, done: Done | None) -> str | None:
        """What is wrong with it, in one line; None if it does what the page says."""
        where = f"{self.page}:{self.line}"
        if done is None:
            return f"{where}: the example takes longer than {TIMEOUT_SEC} s"
        if self.shown is None:
            return None if done.returncode == 0 else f"{where}: the Python block fails: {_last_line(done.stdout)}"
        return None if matches(self.shown, done.stdout) else f"{where}: '{self.code}' prints something else"


def examples(page: str, text: str) -> Iterator[Example]:
    """Every example of a page."""
    for found in _FENCED.finditer(text):
        language, body = found.groups()
        line = text.count("\n", 0, found.start()) + 2
        if language == "python":
            yield Example(page, line, body, None)
        elif language == "console":
            yield from _commands(page, line, body.splitlines())


def matches(shown: str, printed: str) -> bool:
    """Whether a text was printed as shown. Blank lines at the end and times do not count."""
    lines = shown.rstrip("\n").splitlines()
    pattern = "".join(r"(?:.*\n)*?" if line == _OMITTED else re.escape(line) + r"\n" for line in lines)
    pattern = _TOOK.sub(lambda _: r"\(\d+\.\d\ s\)", pattern)
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n" if printed.strip() else "") is not None


def _commands(page: str, line: int, lines: list[str]) -> Iterator[Example]:
    starts = [i for i, text in enumerate(lines) if text.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        command = lines[start].removeprefix("$ ")
        if command.startswith("assay"):
            yield Example(page, line + start, command, "\n".join(lines[start + 1 : end]))


def run(argv: tuple[str, ...], root: Path) -> Done | None:
    """Run an example; None if it takes too long."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    try:
        return subprocess.run(
            argv,
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=TIMEOUT_SEC,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None


def _last_line(text: str) -> str:
    return next(iter(text.strip().splitlines()[::-1]), "it says nothing")
