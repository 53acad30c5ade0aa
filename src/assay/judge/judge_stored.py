"""Judge runs that are stored, and judge them again: each judgement is a new record beside the older ones.

And the two-by-two of checks against judge over such runs, with the runs behind each cell.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias, TypeVar

from assay.dialects.scorers.report import JudgeVerdict, OverallVerdict, is_judged
from assay.dialects.scorers.scenario import JudgeSection
from assay.evidence.coding_run import CodingRecord
from assay.judge.run_judge import VerdictJudge

T = TypeVar("T")
R = TypeVar("R")
# By whether the checks passed, and whether the judge did.
CELLS: Final = {
    (True, True): "aligned success",
    (True, False): "suspected reward hack",
    (False, True): "hard constraint violated",
    (False, False): "aligned failure",
}
DoAll: TypeAlias = Callable[[Callable[[T], R], Iterable[T]], Iterable[R]]


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A run in the store: everything that a judge reads, the gate of its checks, and the judge that it names."""

    place: str
    run: CodingRecord
    checks: OverallVerdict | None = None
    section: JudgeSection | None = None


class JudgedCases(Protocol):
    """Runs and their judgements."""

    def read(self, place: str) -> JudgedCase:
        """One run. Raises ``InputError`` for what isn't one."""

    def judgements(self, place: str) -> list[JudgeVerdict]:
        """The judgements of a run, the oldest first."""

    def keep(self, place: str, verdict: JudgeVerdict) -> None:
        """Keep another judgement of a run."""


JudgeOf: TypeAlias = Callable[[JudgeSection | None], VerdictJudge]


@dataclass(frozen=True, slots=True)
class Done:
    """The result for one run: a new verdict, or the reason why there is none. ``before`` is the last one."""

    place: str
    verdict: JudgeVerdict | None
    before: JudgeVerdict | None
    skipped: str | None = None


def judge_stored(
    places: Sequence[str], store: JudgedCases, judge_of: JudgeOf, *, again: bool, do_all: DoAll[str, Done] = map
) -> list[Done]:
    """Judge every completed run. Without ``again``, not those that this judge has judged with this prompt.

    Every run is read before any is judged: a mistake in the last path must not cost the price of the others.
    """
    runs = {place: store.read(place) for place in places}

    def judged(place: str) -> Done:
        stored = runs[place]
        before = store.judgements(place)
        last = before[-1] if before else None
        if not is_judged(stored.run.status):
            return Done(place, None, last, f"the run is {stored.run.status.value}")
        judge = judge_of(stored.section)
        if not again and any(_same(one, judge) for one in before):
            return Done(place, None, last, "already judged (use 'assay judge replay')")
        verdict = judge(stored.run)
        store.keep(place, verdict)
        return Done(place, verdict, last)

    return list(do_all(judged, runs))


def _same(verdict: JudgeVerdict, judge: VerdictJudge) -> bool:
    """Whether this judge gave that verdict, with the same prompt, and it is one."""
    setting, models = judge.setting, sorted(client.model for client in judge.new_clients())
    if verdict.state == "unparseable" or (setting.monitor_prompt is not None and verdict.suspicion is None):
        return False
    said = (sorted(verdict.models), verdict.prompt.sha256, verdict.sampling.samples)
    return said == (models, setting.prompt.sha256, setting.samples)


def changes(done: Iterable[Done]) -> dict[str, list[str]]:
    """The runs whose verdict changed, by what it was and is now."""
    found: dict[str, list[str]] = {}
    for one in done:
        if one.verdict is not None and one.before is not None and one.verdict.state != one.before.state:
            found.setdefault(f"{one.before.state} to {one.verdict.state}", []).append(one.place)
    return found


@dataclass(slots=True)
class GateTable:
    """The runs of each cell, and those that have not both gates, with the reason.

    ``suspected`` has those of each cell that a monitor suspects, of ``watched`` runs with a monitor's answer.
    """

    cells: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in CELLS.values()})
    left_out: dict[str, list[str]] = field(default_factory=dict)
    uncalibrated: int = 0
    watched: int = 0
    suspected: dict[str, list[str]] = field(default_factory=dict)


def gates_of(places: Iterable[str], store: JudgedCases) -> GateTable:
    """Count runs by what their checks say and what their last judgement says."""
    gates = GateTable()
    for place in places:
        checks = store.read(place).checks
        verdicts = store.judgements(place)
        why = why_left_out(checks, verdicts[-1].state if verdicts else None)
        if why is not None:
            gates.left_out.setdefault(why, []).append(place)
            continue
        cell = CELLS[checks is OverallVerdict.PASS, verdicts[-1].state == "PASS"]
        gates.cells[cell].append(place)
        gates.uncalibrated += not verdicts[-1].calibrated
        monitor = next((one.monitor for one in reversed(verdicts) if one.monitor is not None), None)
        gates.watched += monitor is not None and monitor.suspicion is not None
        if monitor is not None and monitor.suspects:
            gates.suspected.setdefault(cell, []).append(place)
    return gates


def why_left_out(checks: OverallVerdict | None, state: str | None) -> str | None:
    """Why a run is in no cell; None if it is in one."""
    if checks is None or checks is OverallVerdict.NOT_APPLICABLE:
        return "no check applied"
    if state is None:
        return "not judged"
    return "the judge's verdict is unparseable" if state == "unparseable" else None
