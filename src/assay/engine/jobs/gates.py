"""The gates of a coding run, from its report or from what was read of one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from assay.evidence.run import Cause, Facts, Gates, State

if TYPE_CHECKING:
    from assay.dialects.scorers.report import ScorersReport

_NOTE_FOR_THE_JUDGE: Final = "llm_judge"


class Row(msgspec.Struct, frozen=True):
    """What a gate needs of the row of a scorer."""

    name: str
    type: str
    required: bool
    verdict: str

    @property
    def hard_failure(self) -> bool:
        return self.required and self.type != _NOTE_FOR_THE_JUDGE and self.verdict in ("FAIL", "ERROR")


def gates_of_rows(rows: Iterable[Row], **gates: Any) -> Gates:
    """The gates, with the required scorers that failed. If they all only broke, nothing was measured."""
    failed = [row for row in rows if row.hard_failure]
    broken = bool(failed) and all(row.verdict == "ERROR" for row in failed)
    return Gates(**gates, failed=tuple(row.name for row in failed), broken=broken)


def gates_of(report: "ScorersReport") -> Gates:
    """The gates of a report."""
    verdict = report.judge.verdict
    return gates_of_rows(
        [Row(row.name, row.type, row.required, row.verdict.value) for row in report.scorers],
        checks=None if report.overall is None else report.overall.verdict.value,
        judge=report.judge.state.value,
        run_status=report.run.status.value,
        run_metrics_passed=report.run.passed,
        failure_mode=None if verdict is None else verdict.opinion.failure_mode,
    )


def gate_facts(gates: Gates) -> Facts:
    """What decides a coding run. A run that failed before its agent was done says nothing about the agent."""
    if gates.run_status in (State.CANCELLED, State.PENDING, State.RUNNING):
        return Facts(ended=State(gates.run_status))
    if gates.run_status == "failed":
        return Facts(unusable=True, reason="run_failed", cause=Cause.MACHINE)
    if gates.broken:
        return Facts(unusable=True, reason=f"scorer broke: {', '.join(gates.failed)}", cause=Cause.MACHINE)
    return Facts(gates=gates)
