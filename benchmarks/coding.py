"""What scoring a coding run costs: against git in a large repository, and as the changed files grow in number."""

import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.adapters.machine.isolated_reader import end_idle
from assay.adapters.workspace.baseline import folder_baseline, load_baseline, store_baseline
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.memory import Memory
from assay.core.errors import MeasurementError
from assay.core.grading import PlacedCheck
from assay.dialects.scorers.report import Provenance
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import kinds, placed_checks, score_run
from assay.engine.sandbox import Sandbox
from assay.evidence.workspace import Workspace
from benchmarks.large_change import RUNNING
from benchmarks.made_job import MadeJobs
from benchmarks.made_repository import change, git, write_repository
from benchmarks.made_tests import LANGUAGES, Language, write_tests
from benchmarks.measure import TIMES, Result, sized, wall

FILES, CHANGED, ROUNDS = sized(10_000, 400), 60, sized(15)
GIT_GOAL = 1.2
FEW, MANY = sized(250, 2), sized(1000, 4)
FURTHER = ("protected_config", "runner_tampering", "suspicious_source", "trajectory")
DETECTORS = ("no_new_skips", "assertions_not_weakened")
DETECTOR_GOAL = 5.0
GROWTH_GOAL = 1.25

_CONFIG: dict[str, dict[str, object]] = {
    "allowed_paths": {"patterns": ["*"]},
    "forbid_paths": {"patterns": [".github/*", "*.lock"]},
    "max_files_changed": {"limit": 2000},
    "file_exists": {"path": "shop/part000/module1.py"},
    "tests_unmodified": {"paths": ["tests/part000/test_module0.py"]},
    "baseline_unmodified": {"paths": ["shop/part000/module1.py"]},
    "llm_judge": {"rubric": "Is it clear?"},
    "trajectory": {"max_steps": 100},
}


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Capture and scorers against git status and git diff in 10,000 files; detectors on 1,000 changed tests."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _against_git(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_cpu_of_detectors(Path(folder, str(n)), n) for n in (FEW, MANY))
    yield Result(f"detectors, {MANY:,} changed tests", many, "s of CPU", DETECTOR_GOAL)
    for name, language in LANGUAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            spent = _cpu_of_language(Path(folder), language)
        yield Result(f"  in {name}", spent, "s of CPU", DETECTOR_GOAL)
    growth = (many / MANY) / (few / FEW)
    detail = f"{many / MANY * 1e3:.2f} ms a file against {few / FEW * 1e3:.2f} ms"
    yield Result(f"detectors, {MANY:,} files", growth, f"{TIMES} {FEW} files", GROWTH_GOAL, detail)


def _against_git(folder: Path) -> Iterator[Result]:
    root = folder / "repository"
    paths = write_repository(root, FILES)
    time.sleep(0.2)  # Until the clock of the file system is past what was just written.
    manifest = store_baseline(folder_baseline(str(root)), str(folder / "baseline"))
    memory = Memory(str(root), manifest, str(folder / "memory"))
    capture(_commands(root, folder, manifest), memory)
    change(paths[100 : 100 + CHANGED])
    time.sleep(0.2)

    def scored_by(names: Sequence[str]) -> Callable[[], None]:
        checks = _checks(names)
        return lambda: _score(checks, capture(_commands(root, folder, manifest), memory))

    def gits() -> None:
        git(root, "status", "--porcelain")
        git(root, "diff")

    document = [kind for kind in kinds() if kind not in (*RUNNING, *FURTHER)]
    works = (gits, scored_by(document), scored_by([*document, *FURTHER]))
    git_sec, our_sec, all_sec = (
        min(times) for times in zip(*(map(wall, works) for _ in range(ROUNDS)), strict=True)
    )
    detail = f"{our_sec * 1e3:.0f} ms against {git_sec * 1e3:.0f} ms"
    yield Result(f"score {CHANGED} of {FILES:,} files", our_sec / git_sec, f"{TIMES} git", GIT_GOAL, detail)
    detail = f"{all_sec * 1e3:.0f} ms"
    yield Result("  with the further detectors", all_sec / git_sec, f"{TIMES} git", detail=detail)


def _cpu_of_detectors(folder: Path, changed: int) -> float:
    root = folder / "repository"
    paths = [path for path in write_repository(root, changed * 5) if path.name.startswith("test_")]
    baseline = folder_baseline(str(root))
    store = store_baseline(baseline, str(folder / "baseline"))
    change(paths)
    captured = capture(_commands(root, folder, store))
    return _cpu(captured)


def _cpu_of_language(folder: Path, language: Language) -> float:
    root = folder / "repository"
    write_tests(root, language, MANY)
    store = store_baseline(folder_baseline(str(root)), str(folder / "baseline"))
    write_tests(root, language, MANY, changed=True)
    return _cpu(capture(_commands(root, folder, store)))


def _cpu(captured: Captured) -> float:
    """What the detectors need, with the process that parses for them: what it took is known when it has ended."""
    checks = _checks(DETECTORS)
    end_idle()
    start = _spent()
    _score(checks, captured)
    end_idle()
    return _spent() - start


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _commands(root: Path, folder: Path, manifest: str) -> Commands:
    return Commands(str(root), load_baseline(str(folder / "baseline"), manifest), _no_sandbox)


def _no_sandbox() -> Sandbox:
    raise MeasurementError("no command is run here")


def _checks(names: Sequence[str]) -> list[PlacedCheck[Workspace]]:
    scorers = [{"name": name, "type": name, **_CONFIG.get(name, {})} for name in names]
    return placed_checks(Scenario.model_validate({"scorers": scorers}), "benchmark")


def _score(checks: list[PlacedCheck[Workspace]], captured: Captured) -> None:
    report = score_run(checks, captured, Provenance(engine="benchmark", scenario_sha256=""))
    broken = [row.detail for row in report.scorers if row.verdict.value == "ERROR"]
    assert not broken, broken
