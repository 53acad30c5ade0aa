"""Criteria: what a run must have left in a playground, and how much of it is there. The public face.

>>> from assay import criteria
>>> greeting = {"assert": "voice-transcript", "speaker": "agent", "contains": ["good morning"]}
>>> asked = [criteria.Criterion(label="the agent greets", assertion=greeting, axis="tone")]
>>> done = criteria.complete(asked, {}, criteria.EmptyPlayground())
>>> done.verdict.value, done.score, done.criterion_runs[0].details
('fail', 0.0, 'there are no turns of agent to check')

It needs an extra: ``pip install 'assay-grading[criteria]'``.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from assay.adapters.playgrounds.playground_file import (
    load_criteria,
    load_playground_file,
    new_stamp,
    open_playground,
    open_playground_store,
    read_criteria,
)
from assay.adapters.playgrounds.playground_folders import LocalFolders, LocalState
from assay.adapters.sources.json_requests import Pace
from assay.dialects.criteria.models import (
    AskedCriterion,
    AxisScore,
    Completion,
    CriteriaFile,
    Criterion,
    CriterionRun,
    UnusableCriterion,
    Verdict,
    verdict_of,
)
from assay.engine.criteria.bounded_evidence import LoadedCriteria, criterion_of
from assay.engine.criteria.complete_run import complete as _complete
from assay.engine.criteria.complete_run import kinds as assertion_types
from assay.engine.criteria.complete_run import verify_criteria
from assay.engine.criteria.lint import CriteriaFinding
from assay.engine.criteria.lint import lint as _lint
from assay.engine.criteria.load_playground import EmptyPlayground, Loaded, load_playground
from assay.evidence.playground import Event, FhirSource, FileSource, PlaygroundState, StateRow, StoredFile, Turn
from assay.evidence.verdict import Judge, NoOpinion, Opinion, Question

# What these were called before.
EmptySandbox, SandboxState = EmptyPlayground, PlaygroundState

MODELS = (CriteriaFile, Completion)

Path = str | os.PathLike[str]


def verify(criteria: Path, playground: Path) -> Completion:
    """Hold the criteria in a file against the playground that another file describes.

    Raises ``InputError`` for a file that can't be used, and ``MeasurementError`` if a source can't be reached.
    """
    sources = open_playground(os.fspath(playground))
    return verify_criteria(load_criteria(os.fspath(criteria)), sources, Pace(), new_stamp())


def complete(
    criteria: Sequence[AskedCriterion],
    data: Mapping[str, Any],
    state: PlaygroundState,
    judge: Judge | None = None,
    task_run_id: str | None = None,
) -> Completion:
    """Ask all criteria, side by side; no source is asked the same question twice.

    If a source is down, ``MeasurementError`` passes through and nothing is scored. A check that breaks raises it
    too, because that says nothing about the agent. A judge changes no score. ``criterion_of`` makes a criterion of
    what somebody wrote, also where it can't be used.
    """
    return _complete(criteria, data, state, new_stamp(task_run_id), judge, Pace())


def load(playground: Path, folder: Path | None = None, replace: bool = False) -> Loaded:
    """Load a prepared state into the playground that a file describes. Without a folder, it is empty."""
    path = os.fspath(playground)
    file = load_playground_file(path)
    return load_playground(
        file,
        None if folder is None else LocalState(os.fspath(folder)),
        LocalFolders(path),
        lambda: open_playground_store(file, create=True),
        datetime.now(UTC),
        replace,
    )


def lint(criteria: Path, data: Mapping[str, Any] | None = None) -> Sequence[CriteriaFinding]:
    """Likely mistakes in a file of criteria. ``data`` is added to the data in the file."""
    document = read_criteria(os.fspath(criteria))
    return _lint(document.value, document.lines, data or {})


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every model that is read or written as a file, by name."""
    return {model.__name__: model.model_json_schema() for model in MODELS}


__all__ = [
    "AxisScore",
    "Completion",
    "CriteriaFile",
    "CriteriaFinding",
    "Criterion",
    "CriterionRun",
    "EmptyPlayground",
    "Event",
    "FhirSource",
    "FileSource",
    "Judge",
    "Loaded",
    "LoadedCriteria",
    "NoOpinion",
    "Opinion",
    "PlaygroundState",
    "Question",
    "StateRow",
    "StoredFile",
    "Turn",
    "UnusableCriterion",
    "Verdict",
    "assertion_types",
    "complete",
    "criterion_of",
    "json_schemas",
    "lint",
    "load",
    "load_criteria",
    "verdict_of",
    "verify",
]
