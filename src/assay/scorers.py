"""Coding runs from Python: scenarios, seeded tasks, and scoring the workspace that an agent left.

>>> from assay import scorers
>>> slug = "examples/coding/slug"
>>> report = scorers.score_against(f"{slug}/cheating", f"{slug}/scenario.yaml", f"{slug}/project")
>>> report.overall.verdict.value
'FAIL'
>>> [(row.name, row.verdict.value) for row in report.scorers if row.hard_failure]
[('no_new_skips', 'FAIL'), ('assertions_not_weakened', 'FAIL')]
>>> report.judge.state.value
'PENDING'
"""

import functools
import os
from datetime import UTC, datetime
from typing import Any

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.remembered_commands import runs_folder
from assay.adapters.tasks.scenario_file import load_scenario
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.tasks.seeded_task import load_seeded, unpack_workspace
from assay.adapters.tasks.seeding_files import LocalSeedingFiles
from assay.dialects.scorers.calibration_record import CalibrationRecord
from assay.dialects.scorers.report import (
    Judge,
    JudgeAnswer,
    JudgeState,
    JudgeVerdict,
    Opinion,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
    WorkspaceSummary,
)
from assay.dialects.scorers.scenario import ArchiveSeed, EmptySeed, GitSeed, JudgeSection, Scenario, Scorer, Setup
from assay.engine.coding.coding_record import Seeded
from assay.engine.coding.score import kinds as scorer_types
from assay.engine.coding.score import required_by_default
from assay.engine.coding.score_coding_run import Candidate, score_by_scenario, score_by_task
from assay.engine.coding.seed_task import seed_task
from assay.evidence.coding_run import RunStatus

MODELS = (Scenario, ScorersReport, JudgeVerdict, CalibrationRecord)

Path = str | os.PathLike[str]


def seed(scenario: Path, task: Path, isolation: str = "auto") -> Seeded:
    """Make a task in a new folder from a scenario file. Raises ``InputError`` if the scenario can't be used."""
    name = os.fspath(scenario)
    files = LocalSeedingFiles(os.path.dirname(os.path.abspath(name)), lambda: choose(isolation))
    return seed_task(load_scenario(name), name, os.fspath(task), files, lambda: datetime.now(UTC))


def score(
    workspace: Path | None,
    task: Path,
    status: RunStatus = RunStatus.COMPLETED,
    isolation: str = "auto",
    strict: bool = False,
    remember: bool = True,
) -> ScorersReport:
    """Score the folder, archive or ``REPOSITORY@BRANCH`` that an agent left by a seeded task.

    None is a run without a workspace. With ``strict``, advisory scorers count as required ones. With ``remember``,
    scorers that run the tests many times run none of them again on the same content, as in ``assay score``.

    Raises ``InputError`` for bad input, and ``MeasurementError`` if the measurement broke.
    """
    attempt = Candidate(None if workspace is None else os.fspath(workspace), status, strict)
    return score_by_task(os.fspath(task), attempt, _files(isolation, remember))


def score_against(
    workspace: Path,
    scenario: Path,
    baseline: Path,
    status: RunStatus = RunStatus.COMPLETED,
    isolation: str = "auto",
    strict: bool = False,
    remember: bool = True,
) -> ScorersReport:
    """Score the folder, archive or ``REPOSITORY@BRANCH`` that an agent left by a scenario, against a baseline: a
    folder, an archive, or ``REPOSITORY@COMMIT``. ``strict`` and ``remember`` are as in ``score``.
    """
    attempt = Candidate(os.fspath(workspace), status, strict)
    return score_by_scenario(os.fspath(scenario), os.fspath(baseline), attempt, _files(isolation, remember))


def _files(isolation: str, remember: bool) -> LocalScoringFiles:
    runs = runs_folder() if remember else None
    return LocalScoringFiles(functools.cache(lambda: choose(isolation)), runs=runs)


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every model that is read or written as a file, by name."""
    return {model.__name__: model.model_json_schema() for model in MODELS}


__all__ = [
    "ArchiveSeed",
    "CalibrationRecord",
    "EmptySeed",
    "GitSeed",
    "Judge",
    "JudgeAnswer",
    "JudgeSection",
    "JudgeState",
    "JudgeVerdict",
    "Opinion",
    "Overall",
    "OverallVerdict",
    "Provenance",
    "Row",
    "RowVerdict",
    "RunStatus",
    "Scenario",
    "Scorer",
    "ScorersReport",
    "Seeded",
    "Setup",
    "StatusGate",
    "WorkspaceSummary",
    "json_schemas",
    "load_scenario",
    "load_seeded",
    "required_by_default",
    "score",
    "score_against",
    "scorer_types",
    "seed",
    "unpack_workspace",
]
