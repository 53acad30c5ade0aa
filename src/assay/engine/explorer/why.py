"""Why a run came to what it did, in one sentence. The state is decided elsewhere and only put into words."""

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from assay.evidence.run import MEANINGS, Run, State

if TYPE_CHECKING:
    # Importing pydantic takes longer than listing runs that have no such records.
    from assay.dialects.scorers.report import ScorersReport

MOST_NAMES: Final = 4


@functools.cache
def reason_words() -> dict[str, str]:
    """Reason codes in a sentence each, for pages and for their reference."""
    text = (files("assay.engine.explorer") / "reason_words.txt").read_text(encoding="utf-8")
    return {code: words for code, _, words in (line.partition(" ") for line in text.splitlines())}


def why(run: Run, report: "ScorersReport | None" = None) -> str:
    """The sentence. With the report of its scorers, it says what each of them found."""
    return _SENTENCES.get(run.state, _meaning)(run, report)


def _meaning(run: Run, _: "ScorersReport | None" = None) -> str:
    meaning = MEANINGS[run.state]
    return reason_words().get(run.reason or "") or f"{meaning[0].upper()}{meaning[1:]}."


def _passed(run: Run, report: "ScorersReport | None") -> str:
    if run.kind == "coding":
        if run.checks != "PASS":
            return "The judge says PASS, and no scorer decides."
        headline = "" if report is None or report.overall is None else report.overall.headline
        more = headline.removeprefix("PASS").strip(",; ")
        return f"Every required scorer that applies passed{f', {more}' if more else ''}."
    return f"{_number(run)} reaches what a run passes with{_after(run)}."


def _partial(run: Run, _: "ScorersReport | None") -> str:
    failed = f": {_failed_names(run.reason)} failed" if run.kind == "task_run" and run.reason else ""
    return f"{_number(run)} is above 0 and below what a run passes with{failed}{_after(run)}."


def _failed(run: Run, report: "ScorersReport | None") -> str:
    if run.kind == "coding" and run.checks != "FAIL":
        return f"The judge says FAIL{f': {run.reason}' if run.reason else ''}."
    if (words := reason_words().get(run.reason or "")) is not None:
        return words
    if run.kind != "trial" and run.reason:
        found = _what_they_found(report)
        return f"{_failed_names(run.reason)} failed{f': {found}' if found else ''}."
    return f"{_number(run)}: the verifier ran to its end, and what the agent did isn't what it wants{_after(run)}."


def _unanswered(run: Run, _: "ScorersReport | None") -> str:
    """Of an unusable or a broken run: what is missing, and whose doing that is."""
    reason = run.reason or ""
    broke = reason.removeprefix("scorer broke: ")
    said = (
        f"{_failed_names(broke)} couldn't measure."
        if broke != reason
        else reason_words().get(reason, f"{reason}.")
    )
    if run.state is State.BROKEN:
        return f"{said} The {run.cause or 'machine'} is to blame, so this says nothing about the agent."
    blamed = "The agent brought that about" if run.cause == "agent" else "The agent could have brought that about"
    return f"{said} {blamed}, so it counts as 0."


_SENTENCES: Final[Mapping[State, Callable[[Run, "ScorersReport | None"], str]]] = {
    State.PASSED: _passed,
    State.PARTIAL: _partial,
    State.FAILED: _failed,
    State.UNUSABLE: _unanswered,
    State.BROKEN: _unanswered,
}


def _number(run: Run) -> str:
    return f"The {'reward' if run.kind == 'trial' else 'score'} of {run.score:.4g}"


def _after(run: Run) -> str:
    return f", although the run ended with {run.exception_type}" if run.exception_type else ""


def _what_they_found(report: "ScorersReport | None") -> str:
    rows = [] if report is None else [row.detail for row in report.scorers if row.hard_failure]
    return "; ".join(rows[:MOST_NAMES])


def _failed_names(reason: str) -> str:
    """The names in a reason, as people list them."""
    return listed(reason.split(", "))


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; of many the first ones."""
    shown = [f"“{name}”" if " " in name else name for name in names[:MOST_NAMES]]
    shown += [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
