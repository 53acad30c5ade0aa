"""What lies beside the result of a run: its files, its words, and what scorers and a judge said."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from assay.engine.service.blobs import RunFile

if TYPE_CHECKING:
    from assay.dialects.scorers.report import ScorersReport


@dataclass(frozen=True, slots=True)
class Gates:
    """The gates of a coding run, as the explorer shows them. ``judge`` is PASS, FAIL, unparseable and so on."""

    checks: str | None = None
    judge: str | None = None
    run_status: str | None = None
    run_metrics_passed: bool | None = None
    failure_mode: str | None = None
    broken: bool = False

    @property
    def disagree(self) -> bool:
        """Whether one says PASS and the other one FAIL."""
        return {self.checks, self.judge} == {"PASS", "FAIL"}

    @property
    def verdict(self) -> str | None:
        """That of the scorers. A gate that only broken scorers fail says nothing about the agent."""
        return None if self.broken else {"PASS": "pass", "FAIL": "fail"}.get(self.checks or "")


@dataclass(frozen=True, slots=True)
class Evidence:
    """``gates`` is None for a run that no scorers and no judge looked at."""

    files: Sequence[RunFile] = field(default=())
    text: str = ""
    gates: Gates | None = None
    scored_as_coding: bool = False


# The evidence of a run by its name.
FindEvidence: TypeAlias = Callable[[str], Evidence]


class EvidenceSource(Protocol):
    """Where the evidence of runs is found."""

    def batch(self) -> AbstractContextManager[FindEvidence]:
        """Find the evidence of some runs. Their files are kept when this ends."""
        ...


class _NoEvidence:
    """Fulfils ``EvidenceSource`` for runs that have nothing but a result."""

    def batch(self) -> AbstractContextManager[FindEvidence]:
        return nullcontext(lambda _name: Evidence())


NO_EVIDENCE: Final[EvidenceSource] = _NoEvidence()


def gates_of(report: "ScorersReport") -> Gates:
    """The gates of a report."""
    overall, verdict = report.overall, report.judge.verdict
    failed = [row for row in report.scorers if row.hard_failure]
    return Gates(
        checks=None if overall is None else overall.verdict.value,
        judge=report.judge.state.value,
        run_status=report.run.status.value,
        run_metrics_passed=report.run.passed,
        failure_mode=None if verdict is None else verdict.opinion.failure_mode,
        broken=bool(failed) and all(row.verdict.value == "ERROR" for row in failed),
    )
