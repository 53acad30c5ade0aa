"""From a verifier run to the record of a grading, with its provenance."""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.dialects.evaluation.grading import Grading, Hashes, Provenance, Usage
from assay.engine.sandbox import Isolation
from assay.engine.task import Task
from assay.engine.trial_run import Verified
from assay.version import ENGINE, VERSION

PROFILE = "harbor-0.13.1"


@dataclass(frozen=True, slots=True)
class Before:
    """What a new grading follows: the number of the last one and its hash."""

    number: int = 0
    sha256: str | None = None


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
    return Grading(
        number=before.number + 1,
        step=step,
        result=verified.ingested.result,
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
            hashes=Hashes(
                task=task.checksum,
                tests=checksums["tests"] or "",
                output=verified.hashes["output"],
                reward=verified.hashes["reward"],
                details=verified.hashes["details"],
                workspace=checksums.get("workspace"),
            ),
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


def _rewards(verified: Verified) -> dict[str, Any] | None:
    """Harbor's rewards. JSON has no NaN and no infinity: null stands for them, as in harbor's own files."""
    if verified.rewards is None or verified.rewards.rewards is None:
        return None
    return {key: value if abs(value) < float("inf") else None for key, value in verified.rewards.rewards.items()}
