"""The layers hold, and a broken layer would be noticed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPO


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code and its contracts, to be broken."""
    root = tmp_path_factory.mktemp("project")
    shutil.copytree(REPO / "src" / "assay", root / "src" / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "pyproject.toml", root)
    return root


def lint_imports(project: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project / "src")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_layers_hold(project: Path) -> None:
    found = lint_imports(project)
    assert (found.returncode, found.stderr) == (0, "")
    assert "0 broken" in found.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("core/total.py", "import assay.engine.job", "Imports go one way, from the faces down to the core"),
        (
            "dialects/harbor/reasons.py",
            "import assay.cli.table",
            "Imports go one way, from the faces down to the core",
        ),
        (
            "engine/job.py",
            "import assay.adapters.safe_read",
            "Imports go one way, from the faces down to the core",
        ),
        ("core/outcome.py", "import msgspec", "The core uses the standard library only"),
    ],
)
def test_a_broken_layer_is_noticed(project: Path, module: str, line: str, contract: str) -> None:
    path = project / "src" / "assay" / module
    whole = path.read_text()
    path.write_text(f"{whole}\n{line}\n")
    try:
        found = lint_imports(project)
    finally:
        path.write_text(whole)
    assert found.returncode == 1
    assert f"{contract} BROKEN" in found.stdout


def test_a_package_without_a_layer_is_noticed(project: Path) -> None:
    stray = project / "src" / "assay" / "helpers"
    stray.mkdir()
    (stray / "__init__.py").write_text("")
    try:
        found = lint_imports(project)
    finally:
        shutil.rmtree(stray)
    assert found.returncode == 1
    assert "helpers" in found.stdout
