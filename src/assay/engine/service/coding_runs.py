"""Coding runs for the explorer, from their reports."""

import hashlib
from typing import TYPE_CHECKING, Final

from assay.engine.gates import gates_of
from assay.engine.service.coding_rows import decided
from assay.engine.service.imported_runs import Kept
from assay.engine.service.run_evidence import Evidence
from assay.evidence.run import Gates, Run

if TYPE_CHECKING:
    from assay.dialects.scorers.report import ScorersReport

_HASH: Final = 12


def run_of_report(
    report: "ScorersReport",
    job: str,
    name: str,
    task: str | None = None,
    gates: Gates | None = None,
    evidence: Evidence | None = None,
) -> Kept:
    """A scored run. Without the name of its task, the hash of the scenario stands for it.

    ``gates`` are given if a judge said something after the report.
    """
    evidence = evidence or Evidence()
    run = Run(
        job=job,
        name=name,
        task=task or report.provenance.scenario_sha256[:_HASH],
        **decided(gates or gates_of(report)),
    )
    # What a judge says may come later.
    content = hashlib.sha256(report.model_dump_json(exclude={"judge", "disagreement"}).encode()).hexdigest()
    return Kept(run, files=evidence.files, text=evidence.text, content=content)
