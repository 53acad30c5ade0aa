"""What the pages of a job show: its report, its tasks with a strip of attempts each, and its runs."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from assay.engine.report import GroupReport, JobReport
from assay.engine.rows_report import TrialRow


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt in the strip of a task. ``state`` is one of ``STATES``."""

    run: str
    state: str
    reward: float | None


@dataclass(frozen=True, slots=True)
class TaskStrip:
    """The attempts of one group at one task. ``kind`` is always, never, flaky or unknown."""

    task: str
    group: str
    attempts: tuple[Attempt, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list. Empty means all."""

    text: str = ""
    state: str = ""
    group: str = ""

    def takes(self, run: "RunRow") -> bool:
        words = " ".join((run.row.trial, run.row.task, run.row.group or "", run.row.failure or "")).casefold()
        return (
            self.text.casefold() in words
            and self.state in ("", run.attempt.state)
            and self.group in ("", run.row.group)
        )


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in the list."""

    row: TrialRow
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as its page shows it."""

    report: JobReport
    strips: tuple[TaskStrip, ...]
    runs: tuple[RunRow, ...]


STATES = ("passed", "failed", "unusable", "broken")
"""The reward is enough; it isn't; the output could not be used; there is no reward, because something broke."""


def view_job(report: JobReport, unusable: Container[str] = ()) -> JobView:
    """The view of a report that was made with a row for each trial; ``unusable`` names trials by their output."""
    groups = {group.key: group for group in report.groups}
    runs = tuple(
        RunRow(row, _attempt(row, groups.get(row.group or ""), row.trial in unusable))
        for row in report.trial_rows or ()
    )
    return JobView(report, tuple(_strips(runs)), runs)


def _attempt(row: TrialRow, group: GroupReport | None, unusable: bool) -> Attempt:
    success = None if group is None else group.success
    reward = None if success is None or row.rewards is None else row.rewards.get(success.key)
    if unusable:
        return Attempt(row.trial, "unusable", reward)
    if success is None or reward is None:
        return Attempt(row.trial, "broken" if row.rewards is None else "failed", reward)
    return Attempt(row.trial, "passed" if reward >= success.threshold else "failed", reward)


def _strips(runs: Sequence[RunRow]) -> Iterable[TaskStrip]:
    found: dict[tuple[str, str], list[Attempt]] = {}
    for run in runs:
        found.setdefault((run.row.group or "", run.row.task), []).append(run.attempt)
    for (group, task), attempts in sorted(found.items()):
        yield TaskStrip(task, group, tuple(attempts), _kind(attempts))


def _kind(attempts: Sequence[Attempt]) -> str:
    states = {attempt.state for attempt in attempts} - {"broken"}
    if not states:
        return "unknown"
    if states == {"passed"}:
        return "always"
    return "flaky" if "passed" in states else "never"
