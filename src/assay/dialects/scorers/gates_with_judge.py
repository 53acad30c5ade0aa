"""A judge's verdict beside the other gates of a run. Asking the judge is ``judge/judge_coding_run.py``."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from assay.dialects.scorers.judge_record import JudgeVerdict
from assay.dialects.scorers.judge_section import JudgeSection
from assay.dialects.scorers.report import JudgeState, Overall, RowVerdict, ScorersReport, explain_disagreement
from assay.evidence.coding_run import CodingRecord, RunStatus

JudgeRun: TypeAlias = Callable[[CodingRecord], JudgeVerdict]


class Judges(Protocol):
    """Finds the judge that a scenario wants."""

    def judge(self, section: JudgeSection | None) -> JudgeRun:
        """The judge. Raises ``InputError`` if nobody says which."""
        ...


def is_judged(status: RunStatus) -> bool:
    """Every completed run is judged, and no other one."""
    return status is RunStatus.COMPLETED


def with_verdict(report: ScorersReport, verdict: JudgeVerdict) -> ScorersReport:
    """The report with a judge's verdict as its gate. Nothing of the scorers changes."""
    state = JudgeState(verdict.state)
    judge = report.judge.model_copy(update={"state": state, "verdict": verdict})
    told = _disagreement(report.overall, report, state)
    return report.model_copy(update={"judge": judge, "disagreement": told})


def _disagreement(overall: Overall | None, report: ScorersReport, state: JudgeState) -> str | None:
    if overall is None:
        return None
    warned = any(row.verdict is RowVerdict.FAIL and not row.required for row in report.scorers)
    return explain_disagreement(overall.verdict, state, warned)
