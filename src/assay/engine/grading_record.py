"""From a verifier run to the record of a grading, with its provenance."""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.dialects.evaluation.grading import Grading, Hashes, Provenance, Usage
from assay.dialects.evaluation.models import ConfidenceInterval, ConfidenceMetadata, EvaluationResult
from assay.engine.sandbox import Isolation
from assay.engine.task import Task
from assay.engine.trial_run import Verified
from assay.version import ENGINE, VERSION

PROFILE = "harbor-0.13.1"


@dataclass(frozen=True, slots=True)
class Before:
    """What a new grading follows: the gradings so far, the oldest first, and the hash of the last."""

    gradings: tuple[Grading, ...] = ()
    sha256: str | None = None

    @property
    def number(self) -> int:
        return self.gradings[-1].number if self.gradings else 0


def grading_of(
    verified: Verified,
    *,
    task: Task,
    step: str | None,
    isolation: Isolation,
    before: Before,
    checksums: Mapping[str, str | None],
) -> Grading:
    """The record. ``checksums`` has the hash of the tests, and of the workspace where it was kept."""
    ran = verified.ran
    hashes = Hashes(
        task=task.checksum,
        tests=checksums["tests"] or "",
        output=verified.hashes["output"],
        reward=verified.hashes["reward"],
        details=verified.hashes["details"],
        workspace=checksums.get("workspace"),
    )
    result = verified.ingested.result
    return Grading(
        number=before.number + 1,
        step=step,
        result=result.model_copy(update={"confidence": _confidence(result, hashes, step, before)}),
        reason_code=verified.ingested.reason_code,
        rewards=_rewards(verified),
        exception_type=verified.failure.type if verified.failure is not None else None,
        verifier_exit_code=ran.end.exit_code,
        provenance=Provenance(
            assay=VERSION,
            engine=ENGINE,
            python=platform.python_version(),
            platform=platform.platform(terse=True),
            profile=PROFILE,
            isolation=asdict(isolation),
            hashes=hashes,
            started_at=ran.started_at,
            finished_at=ran.finished_at,
            usage=Usage(
                wall_sec=(ran.finished_at - ran.started_at).total_seconds(),
                cpu_sec=ran.cpu_sec,
                peak_memory_mb=ran.peak_memory_mb,
            ),
            previous=before.sha256,
        ),
    )


def same_question(one: Grading, hashes: Hashes, step: str | None) -> bool:
    """Whether a grading had the same task, the same tests and the same workspace before it."""
    before = one.provenance.hashes
    return (
        one.step == step
        and hashes.workspace is not None
        and (before.task, before.tests, before.workspace) == (hashes.task, hashes.tests, hashes.workspace)
    )


def _confidence(
    result: EvaluationResult, hashes: Hashes, step: str | None, before: Before
) -> ConfidenceMetadata | None:
    """What verifying the same thing again says: the span of the rewards, which is a point for a sound verifier.

    A verification without a usable reward is not a zero: beside others that have one, it makes the verifier flaky.
    """
    answers = [one.result for one in before.gradings if same_question(one, hashes, step)] + [result]
    rewards = [answer.reward for answer in answers if answer.validity.verifier_completed]
    if len(answers) < 2 or not rewards:
        return None
    steady = min(rewards) == max(rewards) and len(rewards) == len(answers)
    return ConfidenceMetadata(
        confidence_interval=ConfidenceInterval(low=min(rewards), high=max(rewards)),
        confidence_method=f"{'' if steady else 'flaky verifier: '}range of {len(answers)} verifications"
        " of the same output",
    )


def _rewards(verified: Verified) -> dict[str, Any] | None:
    """Harbor's rewards. JSON has no NaN and no infinity: null stands for them, as in harbor's own files."""
    if verified.rewards is None or verified.rewards.rewards is None:
        return None
    return {key: value if abs(value) < float("inf") else None for key, value in verified.rewards.rewards.items()}
