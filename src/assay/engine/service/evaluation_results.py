"""EvaluationResults over HTTP: given as they are, or made from what a verifier wrote, and put on a run."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from assay.dialects.evaluation.ingest import Ingested, ingest
from assay.dialects.evaluation.models import EvaluationResult, ValidityCheck
from assay.engine.service.imported_runs import ImportedRun
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.evidence.verifier_run import RunEnd, VerifierEvidence

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
class NewRun:
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
    end = RunEnd(artifacts.exit_code, artifacts.timed_out)
    evidence = VerifierEvidence(rewards, _file(DETAILS, artifacts.details_json), None, end)
    return ingest(evidence, clock=clock)


def run_of_result(run: NewRun, result: EvaluationResult, reason_code: str | None) -> ImportedRun:
    """The trial of a result. A reward that is missing is no zero: such a trial has no score."""
    known = result.validity.verifier_completed
    return ImportedRun(
        job=run.job,
        name=run.name,
        task=run.task,
        agent=run.agent,
        model=run.model,
        dataset=run.dataset,
        status="scored" if known else "unscored",
        rewards=json.dumps({"reward": result.reward}) if known else None,
        score=result.reward if known else None,
        reason_code=reason_code,
        exception_type=None,
        cost_usd=None,
        started_at=None,
        finished_at=None,
        verdict=None if not known else "pass" if result.reward >= 1 else "fail",
        run_status="completed",
        validity=_validity(result.validity),
        measurement_broken=not known,
    )


def _validity(found: ValidityCheck) -> str:
    if not found.verifier_completed:
        return "not_completed"
    if not found.output_parseable:
        return "unparseable"
    return "valid" if found.schema_valid else "schema_invalid"


def _file(path: str, text: str | None) -> File:
    return Absent(path) if text is None else Content(path, text.encode("utf-8", "surrogatepass"))
