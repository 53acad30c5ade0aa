"""What all scorers that only read cost on a large change to a large project, and what ignored files cost."""

import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assay.adapters.tasks.scoring_files import TimeLimit, end_idle
from assay.adapters.workspace.baseline import folder_baseline
from assay.adapters.workspace.capture import capture
from assay.adapters.workspace.commands import Commands
from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import Provenance
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import kinds, placed_checks, score_run
from assay.engine.sandbox import Sandbox
from benchmarks.made_job import MadeJobs
from benchmarks.made_project import change_project, write_project
from benchmarks.measure import Result, sized, wall

FILES, LONG_TESTS, LONG_SOURCES = sized(7000, 50), sized(70, 2), sized(140, 2)
CPU_GOAL = 5.0
IGNORED, IGNORED_GOAL = sized(2700, 10), 3.0
_CONFIG: dict[str, dict[str, object]] = {
    "allowed_paths": {"patterns": ["*"]},
    "forbid_paths": {"patterns": [".github/*", "*.lock"]},
    "max_files_changed": {"limit": 2000},
    "file_exists": {"path": "framework/fields0.py"},
    "tests_unmodified": {"paths": ["framework/part000/module1.py"]},
    "baseline_unmodified": {"paths": ["framework/part000/module2.py"]},
    "llm_judge": {"rubric": "Is it clear?"},
    "trajectory": {"max_steps": 100},
}


RUNNING = frozenset(
    (
        "baseline_tests",
        "command",
        "hidden_tests",
        "same_when_unwatched",
        "test_data_unmodified",
        "tests_bite",
        "tests_need_the_fix",
    )
)
"""Scorers that run a command, which has to be given."""


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """All scorers that only read on 210 long files of 7,000, and on a new virtual environment."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        write_project(before, FILES, LONG_TESTS, LONG_SOURCES)
        change_project(write_project(after, FILES, LONG_TESTS, LONG_SOURCES))
        spent = _cpu(before, after)
    changed = LONG_TESTS + LONG_SOURCES
    yield Result(f"all scorers, {changed} of {FILES:,} files changed", spent, "s of CPU", CPU_GOAL)
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        for root in (before, after):
            write_project(root, 50, 2, 2)
            (root / ".gitignore").write_text(".venv/\n")
        change_project([after / "framework" / "fields0.py"])
        _write_environment(after / ".venv")
        took = wall(lambda: _score(before, after))
    yield Result(f"score beside {IGNORED:,} ignored new files", took, "s", IGNORED_GOAL)


def _write_environment(folder: Path) -> None:
    for number in range(IGNORED):
        path = folder / "lib" / f"package{number // 50}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"import os\nVALUE = {number}\n" * 20)


def _cpu(before: Path, after: Path) -> float:
    """With the process of the scorers: what it took is known when it has ended."""
    end_idle()
    start = _spent()
    _score(before, after)
    end_idle()
    return _spent() - start


def _score(before: Path, after: Path) -> None:
    scorers = [{"name": kind, "type": kind, **_CONFIG.get(kind, {})} for kind in kinds() if kind not in RUNNING]
    checks = placed_checks(Scenario.model_validate({"scorers": scorers}), "benchmark")
    captured = capture(Commands(str(after), folder_baseline(str(before)), _no_sandbox))
    provenance = Provenance(engine="benchmark", scenario_sha256="")
    report = score_run(checks, captured, provenance, run_check=TimeLimit())
    failed = [row.detail for row in report.scorers if row.verdict.value in ("ERROR", "FAIL")]
    assert not failed, failed


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _no_sandbox() -> Sandbox:
    raise MeasurementError("no command is run here")
