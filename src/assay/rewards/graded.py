"""A graded output, as a training loop wants it: one number or none, its parts, and what the detectors found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.dialects.evaluation.ingest import DISAGREEMENT, INTERFERENCE, KILLED, STARTUP
from assay.dialects.evaluation.models import Grading
from assay.dialects.scorers.report import RowVerdict, ScorersReport
from assay.engine.run.grade_output import GradedTrial
from assay.evidence.run import Cause, Decision, Facts, State, decide

# What says whether the work is done, and so isn't a sign of anything else.
_OF_THE_WORK = ("command", "file_exists", "llm_judge")
_DOUBTS = {
    KILLED: "verifier_killed",
    DISAGREEMENT: "conflicting_rewards",
    STARTUP: "startup_file",
    INTERFERENCE: "interference",
}


@dataclass(frozen=True, slots=True)
class GradedOutput:
    """One output, graded once. ``reward`` is None where the verifier or the machine failed, which no agent can
    bring about; where the caller's deadline passed; and where a task has nothing that decides.

    ``parts`` are numbers for a log. ``flags`` has what each detector found. ``record`` is what ``assay grade`` or
    ``assay score`` would keep.
    """

    reward: float | None
    state: State
    reason: str | None = None
    cause: Cause | None = None
    message: str | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    record: Grading | ScorersReport | None = None

    def rewards_or(self, default: float) -> float:
        """The reward, or a number that the caller wants in the place of a missing one."""
        return default if self.reward is None else self.reward


def undecided(reason: str, message: str) -> GradedOutput:
    """An output that the caller has no answer about, because of the caller's own limit."""
    return _graded(decide(Facts(ended=State.CANCELLED, reason=reason)), message)


def unusable(message: str) -> GradedOutput:
    """An output that can't be put into a workspace."""
    return _graded(decide(Facts(unusable=True, reason="output_unusable", cause=Cause.AGENT)), message)


def broken(message: str) -> GradedOutput:
    """A measurement that broke."""
    return _graded(decide(Facts(unusable=True, reason="measurement_broken", cause=Cause.MACHINE)), message)


def of_trial(graded: GradedTrial) -> GradedOutput:
    """An output that a verifier looked at."""
    grading = graded.grading
    rewards = {} if grading is None or grading.rewards is None else grading.rewards
    details = {} if grading is None else grading.result.breakdown or {}
    parts = {key: float(value) for key, value in rewards.items() if value is not None}
    parts |= dict(_numbers(details, "details"))
    flags = {} if grading is None else dict(_doubts(grading))
    return _graded(graded.decision, graded.message, parts, flags, grading)


def of_report(report: ScorersReport, decision: Decision) -> GradedOutput:
    """An output that scorers looked at."""
    parts = {row.name: row.score for row in report.scorers if row.score is not None}
    found = [row for row in report.scorers if row.verdict is RowVerdict.FAIL and row.type not in _OF_THE_WORK]
    flags: dict[str, str] = {}
    for row in found:
        flags[row.type] = f"{flags[row.type]}; {row.detail}" if row.type in flags else row.detail
    message = None if report.overall is None else report.overall.headline
    return _graded(decision, message, parts, flags, report)


def _graded(
    decision: Decision,
    message: str | None = None,
    parts: Mapping[str, float] | None = None,
    flags: Mapping[str, str] | None = None,
    record: Grading | ScorersReport | None = None,
) -> GradedOutput:
    found = decision.score, decision.state, decision.reason, decision.cause, message
    return GradedOutput(*found, parts=parts or {}, flags=flags or {}, record=record)


def _doubts(grading: Grading) -> Iterator[tuple[str, str]]:
    """Reasons to doubt that the verifier came to its answer by itself."""
    for tag in grading.result.error_taxonomy or ():
        if tag.category in _DOUBTS:
            yield _DOUBTS[tag.category], tag.description or tag.category
    if grading.provenance.changed_tests:
        yield "tests_changed", ", ".join(grading.provenance.changed_tests)
    if grading.cause == "agent":
        yield "verifier_failed", f"the verifier has no answer on this output: {grading.reason_code}"


def _numbers(found: Mapping[str, Any], name: str) -> Iterator[tuple[str, float]]:
    """The numbers of a nested object, each under its way."""
    for key, value in found.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{name}.{key}")
        elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf"):
            yield f"{name}.{key}", float(value)
