"""EvaluationResults over HTTP: given as they are, or made from what a verifier wrote, and put on a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from assay.dialects.evaluation.ingest import Ingested, ingest
from assay.dialects.evaluation.models import EvaluationResult
from assay.engine.job_runs import joint_validity
from assay.engine.service.imported_runs import Kept
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.evidence.run import Cause, Facts, Run, decide
from assay.evidence.verifier_run import ProcessEnd, VerifierEvidence

REWARD_JSON: Final = "reward.json"
REWARD_TEXT: Final = "reward.txt"
DETAILS: Final = "details.json"


@dataclass(frozen=True, slots=True)
class Artifacts:
    """What a verifier left: its files as texts, None for one that it didn't write, and how it ended."""

    reward_json: str | None = None
    reward_txt: str | None = None
    details_json: str | None = None
    exit_code: int | None = 0
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class NewResult:
    """The trial that a result is of, if it isn't known yet."""

    job: str
    name: str
    task: str
    agent: str
    model: str | None = None
    dataset: str = ""


class EvaluationStore(Protocol):
    """Where results are kept. They are only added."""

    def add(
        self, organisation: str, run: str, origin: str, result: Mapping[str, Any], reason_code: str | None
    ) -> dict[str, Any]: ...


def ingested(artifacts: Artifacts, clock: Callable[[], float]) -> Ingested:
    """The result of a verifier's artifacts, by the rules for files."""
    rewards = RewardFiles(_file(REWARD_JSON, artifacts.reward_json), _file(REWARD_TEXT, artifacts.reward_txt))
    end = ProcessEnd(artifacts.exit_code, artifacts.timed_out)
    evidence = VerifierEvidence(rewards, _file(DETAILS, artifacts.details_json), None, end)
    return ingest(evidence, clock=clock)


def run_of_result(run: NewResult, result: EvaluationResult, reason_code: str | None) -> Kept:
    """The trial of a result. Nobody ran a control, so a reward that can't be used counts as 0."""
    validity = result.validity
    usable = validity.verifier_completed and validity.output_parseable
    cause = None if validity.output_parseable else Cause.AGENT
    facts = Facts(reward=result.reward) if usable else Facts(unusable=True, reason=reason_code, cause=cause)
    decision = decide(facts)
    return Kept(
        Run(
            job=run.job,
            name=run.name,
            task=run.task,
            agent=run.agent,
            model=run.model,
            dataset=run.dataset,
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
