"""A grading with a few things said about it, and everything else made up."""

from datetime import UTC, datetime, timedelta
from typing import Any

from assay.dialects.evaluation.models import (
    ConfidenceInterval,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Grading,
    Hashes,
    Provenance,
    Usage,
    ValidityCheck,
)

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ISOLATION = {"backend": "fake", "no_network": True}


def hashes(*, task: str = "t", tests: str = "v", output: str | None = None, workspace: str | None = "w") -> Hashes:
    return Hashes(task=task, tests=tests, output=output, reward="r", details=None, workspace=workspace)


def _confidence(method: str | None, span: tuple[float, float] | None) -> ConfidenceMetadata:
    interval = None if span is None else ConfidenceInterval(low=span[0], high=span[1])
    return ConfidenceMetadata(confidence_method=method, confidence_interval=interval)


def grading(
    number: int = 1,
    reward: float | None = 1.0,
    *,
    step: str | None = None,
    parseable: bool = True,
    schema_valid: bool = True,
    tags: tuple[tuple[str, str], ...] = (),
    method: str | None = None,
    span: tuple[float, float] | None = None,
    seen: Hashes | None = None,
    **fields: Any,
) -> Grading:
    """A grading. A reward of None is one that the verifier did not give; tags are pairs of category and source."""
    result = EvaluationResult(
        reward=reward or 0.0,
        validity=ValidityCheck(
            output_parseable=parseable, schema_valid=schema_valid, verifier_completed=reward is not None
        ),
        error_taxonomy=[ErrorTag(category=one, source=ErrorSource(source)) for one, source in tags] or None,
        confidence=None if method is None and span is None else _confidence(method, span),
    )
    provenance = Provenance(
        assay="0.1.0",
        engine=1,
        python="3.11.7",
        platform="Linux",
        profile="harbor-0.13.1",
        isolation=ISOLATION,
        hashes=seen or hashes(),
        started_at=STARTED,
        finished_at=STARTED + timedelta(seconds=2),
        usage=Usage(wall_sec=2.0, cpu_sec=None, peak_memory_mb=None),
        previous=fields.pop("previous", None),
    )
    known = {
        "number": number,
        "step": step,
        "result": result,
        "reason_code": None if reward is not None else "reward_missing",
        "rewards": None if reward is None else {"reward": reward},
        "exception_type": None if reward is not None else "RewardFileNotFoundError",
        "verifier_exit_code": 0,
        "provenance": provenance,
    }
    return Grading.model_validate(known | fields)
