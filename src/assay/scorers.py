"""Coding runs: scenarios, seeded tasks, and what scorers say of the workspace that an agent left: the public face.

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
from typing import Any

from assay.adapters.sandbox.backends import choose
from assay.adapters.scenario_file import load_scenario
from assay.adapters.scoring import from_scenario, from_task
from assay.adapters.seeded_task import Seeded, load_seeded, unpack_workspace
from assay.adapters.seeding import seed as _seed
from assay.dialects.scorers.report import (
    Judge,
    JudgeState,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    Run,
    RunStatus,
    ScorersReport,
    WorkspaceSummary,
)
from assay.dialects.scorers.scenario import ArchiveSeed, EmptySeed, GitSeed, Scenario, Scorer, Setup
from assay.engine.scorer_checks import kinds as scorer_types
from assay.engine.scorer_checks import placed_checks, required_by_default

MODELS = (Scenario, ScorersReport)

Path = str | os.PathLike[str]


def seed(scenario: Path, task: Path, isolation: str = "auto") -> Seeded:
    """Make a task in a new folder from a scenario file. Raises ``InputError`` if that can't be."""
    name = os.fspath(scenario)
    loaded = load_scenario(name)
    placed_checks(loaded, name)
    return _seed(loaded, os.path.dirname(os.path.abspath(name)), os.fspath(task), lambda: choose(isolation))


def score(
    workspace: Path | None, task: Path, status: RunStatus = RunStatus.COMPLETED, isolation: str = "auto"
) -> ScorersReport:
    """Score what an agent left, a folder or an archive, by a seeded task. None is a run without a workspace.

    Raises ``InputError`` for what can't be used, and ``MeasurementError`` where the measurement broke.
    """
    sandbox = functools.cache(lambda: choose(isolation))
    with from_task(os.fspath(task), None if workspace is None else os.fspath(workspace), sandbox) as scoring:
        return scoring.report(status)


def score_against(
    workspace: Path,
    scenario: Path,
    baseline: Path,
    status: RunStatus = RunStatus.COMPLETED,
    isolation: str = "auto",
) -> ScorersReport:
    """Score what an agent left by a scenario as it is now, against a baseline: a folder, an archive, or
    ``REPOSITORY@COMMIT``.
    """
    sandbox = functools.cache(lambda: choose(isolation))
    named = (os.fspath(scenario), os.fspath(baseline), os.fspath(workspace))
    with from_scenario(*named, sandbox) as scoring:
        return scoring.report(status)


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every model that is read or written as a file, by name."""
    return {model.__name__: model.model_json_schema() for model in MODELS}


__all__ = [
    "ArchiveSeed",
    "EmptySeed",
    "GitSeed",
    "Judge",
    "JudgeState",
    "Overall",
    "OverallVerdict",
    "Provenance",
    "Row",
    "RowVerdict",
    "Run",
    "RunStatus",
    "Scenario",
    "Scorer",
    "ScorersReport",
    "Seeded",
    "Setup",
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
