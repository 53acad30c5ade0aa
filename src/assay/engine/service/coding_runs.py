"""Coding runs for the explorer, from their reports."""

import hashlib
from typing import TYPE_CHECKING, Final

from assay.engine.service.coding_rows import score_of
from assay.engine.service.imported_runs import ImportedRun
from assay.engine.service.run_evidence import Evidence, gates_of

if TYPE_CHECKING:
    from assay.dialects.scorers.report import ScorersReport

_HASH: Final = 12


def run_of_report(
    report: "ScorersReport",
    job: str,
    name: str,
    task: str | None = None,
    evidence: Evidence | None = None,
) -> ImportedRun:
    """A scored run. Without the name of its task, the hash of the scenario stands for it.

    Its score is the reward that ``assay run`` gives: 1 for PASS and 0 for FAIL.
    """
    evidence = evidence or Evidence()
    gates = evidence.gates or gates_of(report)
    score = None if gates.broken else score_of(report)[0]
    return ImportedRun(
        job=job,
        name=name,
        task=task or report.provenance.scenario_sha256[:_HASH],
        agent="",
        model=None,
        dataset="",
        status="scored" if score is not None else "unscored",
        rewards=None,
        score=score,
        reason_code=None,
        exception_type=None,
        cost_usd=None,
        started_at=None,
        finished_at=None,
        # What a judge says may come later.
        content=hashlib.sha256(report.model_dump_json(exclude={"judge", "disagreement"}).encode()).hexdigest(),
        kind="coding",
        verdict=gates.verdict,
        checks=gates.checks,
        judge=gates.judge,
        run_status=gates.run_status,
        run_metrics_passed=gates.run_metrics_passed,
        validity="not_completed" if gates.broken else "valid",
        failure_mode=gates.failure_mode,
        measurement_broken=gates.broken,
        gates_disagree=gates.disagree,
        files=evidence.files,
        text=evidence.text,
    )
