"""Plants defects into tasks in which nothing is found, and counts how many of them are found there."""

import hashlib
import math
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.tasks.task_folder import load_task, task_files
from assay.core.errors import AssayError
from assay.engine.tasks.task_lint import lint
from assay.engine.tasks.task_reading import LintFinding
from benchmarks.planted.edits import SOLUTION, Files, NotHereError, PlantedDefect
from benchmarks.planted.in_tests import IN_TESTS
from benchmarks.planted.in_verdicts import IN_VERDICTS

DEFECTS = [*IN_TESTS, *IN_VERDICTS]
HALVES = ("seen", "unseen")
_MOST_TEXT = 500_000


@dataclass(frozen=True, slots=True)
class PlantedResult:
    """One defect in one task, and whether it was found."""

    defect: PlantedDefect
    task: str
    is_found: bool


def half(name: str) -> str:
    """The half that a name belongs to, by its hash."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def tasks_below(folders: Sequence[str]) -> list[Path]:
    """The folders of tasks, those without links or large files in them first by name."""
    found = {path.parent for folder in folders for path in Path(folder).rglob("task.toml")}
    return sorted(found, key=lambda path: (path.name, str(path)))


def findings(task: Path) -> list[LintFinding]:
    """All findings on the verifier, solution and image of a task."""
    loaded = load_task(str(task))
    return [finding for step in loaded.steps for finding in lint(task_files(loaded, step))]


def read(task: Path) -> Files | None:
    """The texts of a task's files; None if one of them is no text, or long."""
    files: Files = {}
    for path in sorted(task.rglob("*")):
        if path.is_symlink() or (path.is_file() and path.stat().st_size > _MOST_TEXT):
            return None
        if path.is_file():
            try:
                files[str(path.relative_to(task))] = path.read_text("utf-8")
            except UnicodeDecodeError:
                return None
    return files


def clean_tasks(folders: Sequence[str]) -> dict[str, Files]:
    """The tasks in which no problem is found, and that are small."""
    clean = {}
    for task in tasks_below(folders):
        try:
            if (files := read(task)) is not None and all(finding.is_note for finding in findings(task)):
                clean[task.name] = files
        except AssayError:
            continue
    return clean


def planted(tasks: dict[str, Files], defects: Sequence[PlantedDefect], each: int) -> Iterator[PlantedResult]:
    """Plants every defect into some tasks, one at a time."""
    for defect in defects:
        order = sorted(
            tasks, key=lambda name: hashlib.sha256(f"{defect.kind} {defect.name} {name}".encode()).digest()
        )
        done = 0
        for name in order:
            files = dict(tasks[name])
            try:
                defect.plant(files)
            except (NotHereError, SyntaxError):
                continue
            if files != tasks[name]:
                yield PlantedResult(defect, name, _is_found(defect, tasks[name], files))
                done += 1
            if done == each:
                break


def _is_found(defect: PlantedDefect, before: Files, after: Files) -> bool:
    """Whether a file has more findings of the defect's kinds than it had before."""
    old, new = (
        Counter((one.rule, one.file) for one in _findings_of(files) if one.rule in defect.found_as)
        for files in (before, after)
    )
    return bool(new - old)


def _findings_of(files: Files) -> list[LintFinding]:
    folder = Path(tempfile.mkdtemp(prefix="assay-planted-"))
    try:
        # Others around it have their solutions, so this one isn't kept back on purpose.
        others = {f"other-{number}/{name}": "\n" for number in range(4) for name in ("task.toml", SOLUTION)}
        for name, text in {**others, **{f"task/{name}": text for name, text in files.items()}}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            os.chmod(path, 0o755 if name.endswith(".sh") else 0o644)
        return findings(folder / "task")
    except AssayError as error:
        return [LintFinding("warning", "task.toml", str(error))]
    finally:
        shutil.rmtree(folder)


def by_half(which: str) -> list[PlantedDefect]:
    """Every other defect of each kind, in the order of their hashes."""
    kinds = dict.fromkeys(defect.kind for defect in DEFECTS)
    chosen = []
    for kind in kinds:
        own = [defect for defect in DEFECTS if defect.kind == kind]
        own.sort(key=lambda defect: hashlib.sha256(f"{kind} {defect.name}".encode()).digest())
        chosen += own[HALVES.index(which) :: 2]
    return chosen


def interval(found: float, total: float) -> tuple[float, float]:
    """Wilson's interval of 95 %."""
    z, share = 1.96, found / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    around = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return max(0.0, middle - around), min(1.0, middle + around)
