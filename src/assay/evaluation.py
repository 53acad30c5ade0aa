"""Verifier artifacts to a validated EvaluationResult, rubrics, annotations: the public face.

>>> from assay import evaluation
>>> rubric = evaluation.Rubric.model_validate_json('''{
...     "dimensions": [{"name": "drop", "weight": 2.0}, {"name": "verdict"}]
... }''')
>>> score = evaluation.score_rubric(rubric, {"drop": 1.0, "verdict": {"score": 0.5, "evidence": "half right"}})
>>> score.reward
0.8333
>>> score.to_details()["verdict"]
{'score': 0.5, 'max_score': 1.0, 'evidence': 'half right'}
"""

import os
from typing import Any

from assay.adapters.jobs.annotations import (
    add_tag,
    annotate,
    read_annotations,
    read_gradings,
    read_result,
    read_tags,
)
from assay.adapters.jobs.reward_writer import write_artifacts
from assay.adapters.tasks.task_folder import load_task as _load_task
from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.ingest import ingest as _ingest
from assay.dialects.evaluation.models import (
    AddedTag,
    Annotation,
    ConfidenceInterval,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Grading,
    Judgment,
    Provenance,
    ValidityCheck,
    VerifierSpec,
)
from assay.dialects.evaluation.output import Declared, Format, inspect_output
from assay.dialects.evaluation.rubric import Dimension, Rubric, RubricScore, Strategy, score_rubric
from assay.engine.tasks.describe_task import TaskDescription
from assay.engine.tasks.describe_task import describe_task as _describe_task
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, Refused, RewardFiles

MODELS = (VerifierSpec, EvaluationResult, Annotation, AddedTag, Rubric, Grading, TaskDescription)


def ingest(
    evidence: VerifierEvidence, declared: Declared | None = None, *, schema_forbids_reward: bool = False
) -> Ingested:
    """The result of one verifier run. With ``schema_forbids_reward``, a schema violation is also worth 0.

    Raises ``MeasurementError`` where the declared schema can't be used: then nobody knows how good the output is.
    """
    return _ingest(evidence, declared, schema_forbids_reward=schema_forbids_reward)


def describe_task(task_dir: str | os.PathLike[str]) -> TaskDescription:
    """Describe a task folder: for each step its ``VerifierSpec``, output and limits, and the environment.

    Raises ``InputError`` if it isn't a task that can be used.
    """
    return _describe_task(_load_task(os.fspath(task_dir)))


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every model that is read or written as JSON, by name."""
    return {model.__name__: model.model_json_schema() for model in MODELS}


__all__ = [
    "Absent",
    "AddedTag",
    "Annotation",
    "ConfidenceInterval",
    "ConfidenceMetadata",
    "Content",
    "Declared",
    "Dimension",
    "ErrorSource",
    "ErrorTag",
    "EvaluationResult",
    "Format",
    "Grading",
    "Ingested",
    "Judgment",
    "ProcessEnd",
    "Provenance",
    "Refused",
    "RewardFiles",
    "Rubric",
    "RubricScore",
    "Strategy",
    "TaskDescription",
    "ValidityCheck",
    "VerifierEvidence",
    "VerifierSpec",
    "add_tag",
    "annotate",
    "describe_task",
    "ingest",
    "inspect_output",
    "json_schemas",
    "read_annotations",
    "read_gradings",
    "read_result",
    "read_tags",
    "score_rubric",
    "write_artifacts",
]
