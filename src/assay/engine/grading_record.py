"""From a verifier run to the record of a grading, with its provenance."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.dialects.evaluation.grading import Grading, Hashes, Provenance, Usage
from assay.dialects.evaluation.models import ConfidenceInterval, ConfidenceMetadata, EvaluationResult
from assay.engine.site import Site
from assay.engine.task import Task
from assay.engine.trial_record import Verified
from assay.version import ENGINE, VERSION

PROFILE = "harbor-0.13.1"


@dataclass(frozen=True, slots=True)
class Before:
    """The gradings before a new one, the oldest first, and the hash of the last."""

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
    site: Site,
    before: Before,
    checksums: Mapping[str, str | None],
) -> Grading:
    """The record. ``checksums`` has the hash of the tests, and of the workspace if it was kept."""
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
    agreement = _agreement(result, hashes, step, before)
    return Grading(
        number=before.number + 1,
        step=step,
        result=result.model_copy(update={"confidence": agreement.confidence}),
        reason_code=verified.ingested.reason_code,
        rewards=_rewards(verified),
        exception_type=verified.failure.type if verified.failure is not None else None,
        verifier_exit_code=ran.end.exit_code,
        flaky=agreement.flaky,
        provenance=Provenance(
            assay=VERSION,
            engine=ENGINE,
            python=site.host.python,
            platform=site.host.platform,
            profile=PROFILE,
            isolation=asdict(site.sandbox.isolation),
            hashes=hashes,
            changed_tests=list(verified.changed_tests),
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
    """Whether a grading used the same task, the same tests and the same workspace."""
    before = one.provenance.hashes
    return (
        one.step == step
        and hashes.workspace is not None
        and (before.task, before.tests, before.workspace) == (hashes.task, hashes.tests, hashes.workspace)
    )


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Whether gradings of the same output agree. A sound verifier always gives the same answer."""

    confidence: ConfidenceMetadata | None = None
    flaky: bool = False


def _agreement(result: EvaluationResult, hashes: Hashes, step: str | None, before: Before) -> _Agreement:
    """The range of the rewards, and whether the verifier contradicted itself.

    A verifier run without a usable reward doesn't count as 0. If other runs have a reward, the verifier is flaky.
    """
    answers = [one.result for one in before.gradings if same_question(one, hashes, step)] + [result]
    rewards = [answer.reward for answer in answers if answer.validity.verifier_completed]
    if len(answers) < 2 or not rewards:
        return _Agreement()
    confidence = ConfidenceMetadata(
        confidence_interval=ConfidenceInterval(low=min(rewards), high=max(rewards)),
        confidence_method=f"range of {len(answers)} verifications of the same output",
    )
    return _Agreement(confidence, flaky=min(rewards) < max(rewards) or len(rewards) < len(answers))


def _rewards(verified: Verified) -> dict[str, Any] | None:
    """Harbor's rewards. NaN and infinity, which JSON can't hold, become null as in harbor's own files."""
    if verified.rewards is None or verified.rewards.rewards is None:
        return None
    return {key: value if abs(value) < float("inf") else None for key, value in verified.rewards.rewards.items()}
