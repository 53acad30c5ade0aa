"""EvaluationResults of runs: given as they are, or made from what a verifier wrote. They are only added."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from assay.dialects.evaluation.ingest import Ingested, ingest
from assay.dialects.evaluation.models import EvaluationResult
from assay.engine.criteria import stored_limits
from assay.engine.explorer.imported_runs import Kept
from assay.engine.jobs.job_runs import joint_validity
from assay.engine.service.storage import Resources, Row, RowReader, require
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.evidence.run import Cause, Facts, Run, decide
from assay.formats.strict_model import StrictModel

REWARD_JSON: Final = "reward.json"
REWARD_TEXT: Final = "reward.txt"
DETAILS: Final = "details.json"


class EvaluationResultResource(StrictModel):
    """A result of a run. ``reason_code`` says why its reward isn't the verifier's, if it isn't."""

    id: str
    run_id: str
    origin: Literal["given", "verifier"]
    result: EvaluationResult
    reason_code: str | None
    created_at: datetime


class EvaluationResults(Resources[Any]):
    """Results of runs. They are only added, and shown as they were written."""

    table, prefix, word, model = "evaluation_results", "eval", "evaluation result", EvaluationResultResource

    def _resource(self, row: Row, **_more: Any) -> dict[str, Any]:
        same = ("id", "origin", "result", "reason_code", "created_at")
        return {"run_id": row["run"], **{name: row[name] for name in same}}

    def add(
        self, organisation: str, run: str, origin: str, result: EvaluationResult, reason_code: str | None
    ) -> dict[str, Any]:
        checked = stored_limits.checked_data(result.model_dump(mode="json"), "the result")
        values = {"run": run, "origin": origin, "result": checked, "reason_code": reason_code}
        with self.storage.transaction() as rows:
            identity = self._insert(rows, organisation, **values)
        return dict(self.get(organisation, identity))


def run_id_of(rows: RowReader, organisation: str, job: str, name: str) -> str:
    """The id of a run of a job. Raises ``NotFoundError``."""
    return str(require(rows.find("runs", organisation=organisation, job=job, name=name), "run")["id"])


def result_of_artifacts(
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
    return Kept(
        Run(
            **trial,
            **msgspec.structs.asdict(decide(facts)),
            rewards={"reward": result.reward} if validity.verifier_completed else None,
            run_status="completed",
            validity=joint_validity([validity]),
        )
    )


def _file(path: str, text: str | None) -> File:
    return Absent(path) if text is None else Content(path, text.encode("utf-8", "surrogatepass"))
