"""EvaluationResults over HTTP: given as they are, or made from what a verifier wrote, and put on a run."""

from collections.abc import Mapping
from typing import Any, Final

from assay.dialects.evaluation.ingest import Ingested, ingest
from assay.dialects.evaluation.models import EvaluationResult
from assay.engine.explorer.imported_runs import Kept
from assay.engine.jobs.job_runs import joint_validity
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.evidence.run import Cause, Facts, Run, decide

REWARD_JSON: Final = "reward.json"
REWARD_TEXT: Final = "reward.txt"
DETAILS: Final = "details.json"


def ingested(
    *,
    reward_json: str | None = None,
    reward_txt: str | None = None,
    details_json: str | None = None,
    exit_code: int | None = 0,
    timed_out: bool = False,
) -> Ingested:
    """The result of what a verifier left, by the rules for files: texts, None for one that it didn't write."""
    rewards = RewardFiles(_file(REWARD_JSON, reward_json), _file(REWARD_TEXT, reward_txt))
    end = ProcessEnd(exit_code, timed_out)
    return ingest(VerifierEvidence(rewards, _file(DETAILS, details_json), None, end))


def run_of_result(trial: Mapping[str, Any], result: EvaluationResult, reason_code: str | None) -> Kept:
    """The run of a result; ``trial`` has what names it. Without a control, an unusable reward counts as 0."""
    validity = result.validity
    usable = validity.verifier_completed and validity.output_parseable
    cause = None if validity.output_parseable else Cause.AGENT
    facts = Facts(reward=result.reward) if usable else Facts(unusable=True, reason=reason_code, cause=cause)
    decision = decide(facts)
    return Kept(
        Run(
            **trial,
            state=decision.state,
            score=decision.score,
            reason=decision.reason,
            cause=decision.cause,
            rewards={"reward": result.reward} if validity.verifier_completed else None,
            run_status="completed",
            validity=joint_validity([validity]),
        )
    )


def _file(path: str, text: str | None) -> File:
    return Absent(path) if text is None else Content(path, text.encode("utf-8", "surrogatepass"))
