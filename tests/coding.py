"""Builders of coding runs: a small project with a mistake in it, a scenario for it, and a seeded task."""

import contextlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.workspace import commands
from assay.cli.main import main

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TEST = """\
import unittest

from calc import add


class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_zero(self):
        self.assertEqual(add(2, 0), 2)
"""
PROJECT = {"calc.py": BROKEN, "tests/__init__.py": "", "tests/test_calc.py": TEST, "README.md": "A calculator.\n"}
TESTS = {"name": "tests", "type": "command", "command": "python3 -m unittest"}
NEEDED = {"name": "needed", "type": "tests_need_the_fix", "command": "python3 -m unittest"}
MORE_TESTS = f"{TEST}\n    def test_more(self):\n        self.assertEqual(add(1, 1), 2)\n"
GUARD = {"name": "guard", "type": "tests_unmodified", "paths": ["tests/test_calc.py"]}


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def pack(folder: Path, archive: Path) -> Path:
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, arcname=".")
    return archive


def write_scenario(folder: Path, *scorers: Mapping[str, Any], **fields: Any) -> Path:
    """A scenario whose seed is an archive of the project beside it."""
    if "workspace_seed" not in fields:
        write_files(folder / "project", PROJECT)
        pack(folder / "project", folder / "project.tar.gz")
        fields["workspace_seed"] = {"type": "archive", "path": "project.tar.gz"}
    path = folder / "scenario.json"
    path.write_text(json.dumps({"scorers": list(scorers or (TESTS, GUARD)), **fields}))
    return path


def seed(folder: Path, *scorers: Mapping[str, Any], **fields: Any) -> tuple[Path, Path]:
    """A seeded task, and the workspace of an agent that did nothing yet."""
    scenario = write_scenario(folder, *scorers, **fields)
    task, workspace = folder / "task", folder / "workspace"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["seed", str(scenario), "-o", str(task), "--workspace", str(workspace)]) == 0
    return task, workspace


def count_commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every command that really runs from now on."""
    seen: list[str] = []
    real = commands.run_in_folder

    def counted(*args: Any, **kwargs: Any) -> Any:
        seen.append(args[3])
        return real(*args, **kwargs)

    monkeypatch.setattr(commands, "run_in_folder", counted)
    return seen
