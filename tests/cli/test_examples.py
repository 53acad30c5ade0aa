"""The bundled examples can be copied, and are what the tutorials say they are."""

import os
from pathlib import Path

import pytest

from assay.cli.main import main


def test_a_copy_can_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "examples"
    assert main(["examples", "copy", str(folder)]) == 0
    assert capsys.readouterr().out == f"examples copied to {folder}\n"
    assert main(["audit", "--quiet", str(folder / "jobs" / "sorting")]) == 0
    assert os.access(folder / "make_repository", os.X_OK)
    assert os.access(folder / "tasks" / "capital" / "tests" / "test.sh", os.X_OK)
    assert not list(folder.rglob("__pycache__"))


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "copy", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"assay: the folder for the examples must not exist yet, got {tmp_path}\n"
