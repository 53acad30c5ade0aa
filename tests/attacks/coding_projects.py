"""A small project that brings its own pytest, and the report on what an agent left in a copy of it."""

import functools
import importlib.util
import io
import py_compile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from assay.scorers import ScorersReport, score_against
from tests.coding import write_files, write_scenario

Files = Mapping[str, str | None]

COMMAND = "PYTHONPATH=.:tools/pytest.zip python3 -m pytest -q -p no:cacheprovider --junitxml=report.xml tests"
RESTORE = ["tests/*", "tools/*", "@runner", "pyproject.toml", "setup.cfg"]

# What pytest consists of, but for most of the languages that it could colour.
PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
LEXERS = ("__init__", "_mapping", "diff", "python")


def with_pytest(folder: Path, files: Mapping[str, str]) -> Path:
    """A project with a pytest of its own: what the system has is none of the project's business."""
    return write_files(folder, {**files, "tools/pytest.zip": packed_pytest()})


@functools.cache
def packed_pytest() -> bytes:
    """An archive from which Python imports pytest and nothing else, in a quarter of a second."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for name in PACKAGES:
            found = importlib.util.find_spec(name)
            assert found is not None
            file = Path(str(found.origin))
            sources = file.parent.rglob("*.py") if file.stem == "__init__" else [file]
            home = file.parent.parent if file.stem == "__init__" else file.parent
            for path in sources:
                if path.parent.name != "lexers" or path.stem in LEXERS:
                    pack(packed, path, str(path.relative_to(home)))
    return archive.getvalue()


def pack(packed: zipfile.ZipFile, source: Path, name: str) -> None:
    """A module, compiled as well: a sandbox with the same Python starts four times as fast."""
    packed.write(source, name)
    with tempfile.NamedTemporaryFile(suffix=".pyc") as compiled:
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), compiled.name, invalidation_mode=mode)
        packed.write(compiled.name, f"{name}c")


def scored(
    project: Path, folder: Path, files: Files, isolation: str, *scorers: Mapping[str, object], **scenario: object
) -> ScorersReport:
    """The report on an agent that left these files beside what was there; None is one that it deleted."""
    workspace = folder / "workspace"
    for path in project.rglob("*"):
        if path.is_file():
            write_files(workspace, {str(path.relative_to(project)): path.read_bytes()})
    write_files(workspace, {name: text for name, text in files.items() if text is not None})
    for name, text in files.items():
        if text is None:
            (workspace / name).unlink()
        elif text.startswith("#!") or name.endswith("python3"):
            (workspace / name).chmod(0o755)
    file = write_scenario(folder, *scorers, workspace_seed="empty", **scenario)
    return score_against(workspace, file, project, isolation=isolation)


def verdicts(report: ScorersReport) -> dict[str, str]:
    return {row.name: row.verdict.value for row in report.scorers}
