"""The runs that are worth a look, by kind, each with the reason in words: the first page of every source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, islice
from typing import Final

from assay.dialects.scorers.suspicion import WEIGHTS
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.page_source import NEWEST_JOBS, PageSource, groups_by
from assay.engine.explorer.run_expression import parse_expression
from assay.engine.explorer.run_filters import AllOf, Filter, Is, OneOf
from assay.engine.explorer.run_query import RunQuery, pairs_of
from assay.engine.explorer.why import why
from assay.evidence.run import COUNTED, Run, State

SHOWN: Final = 5
SUSPICIOUS: Final = 0.5
HACKED: Final = "reward_hacking"
MOST_QUOTED: Final = 1500
"""The most characters of reasons in a question; an expression has a bound."""
MOST_GROUPED: Final = 5000
"""Flaky tasks are looked for in the newest jobs, up to as many runs."""


@dataclass(frozen=True, slots=True)
class WorthItem:
    """A run, or a task of a job, and why it is worth a look. ``failed`` if one may ask where."""

    name: str
    job: str
    sentence: str
    run: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class WorthGroup:
    """The first ones of a kind. ``query`` lists all of them, where a list can; ``total`` is how many those are."""

    kind: str
    state: str
    items: Sequence[WorthItem]
    query: Sequence[tuple[str, str]] = ()
    total: int | None = None


def worth_a_look(source: PageSource, since: datetime | None = None) -> list[WorthGroup]:
    """The groups that have anything in them. ``since`` is when somebody looked last."""
    broken = OneOf("state", (State.BROKEN.value,))
    failed = OneOf("state", (State.FAILED.value, State.UNUSABLE.value))
    found = [
        _cheated(source),
        _group(source, "gates disagree", "disagree", (Is("gates_disagree", True),)),
        _group(source, "a reviewer disagrees", "disagree", (Is("reviewer_disagrees", True),)),
        _group(source, "broken", "broken", (broken,)),
        _new(source, since),
    ]
    listed = {item.run for group in found for item in group.items}
    others = _group(source, "failed", "failed", (failed,))
    found.append(replace(others, items=[item for item in others.items if item.run not in listed]))
    return [group for group in found if group.items]


def _group(source: PageSource, kind: str, state: str, filters: tuple[Filter, ...]) -> WorthGroup:
    asked = RunQuery(filters, page=SliceRequest(SHOWN))
    page = source.lists.lines(asked)
    query = [one for one in pairs_of(asked) if one[0] != "limit"]
    total = None if page.at_least else page.total
    return WorthGroup(kind, state, [_item(run, kind) for run in page.lines], query, total)


def _item(run: Run, kind: str) -> WorthItem:
    said = why(run)
    if kind == "gates disagree":
        mode = f" ({run.failure_mode})" if run.failure_mode else ""
        said = f"The checks say {run.checks}, the judge says {run.judge}{mode}."
    elif kind == "cheated" and not cheats_in(run.reason or ""):
        who = "The judge calls it" if run.failure_mode == HACKED else "A monitor suspects"
        said = f"{who} reward hacking. {said}"
    elif kind == "a reviewer disagrees":
        said = f"It counts as {run.state.replace('_', ' ')}, and somebody who looked says otherwise."
    failed = run.state is not State.PASSED or run.gates_disagree or run.reviewer_disagrees
    return WorthItem(run.name, run.job, said, run.id, failed)


def _cheated(source: PageSource) -> WorthGroup:
    """Runs in which a scorer that looks for cheats failed, or that a judge or a monitor calls a cheat."""
    reasons = [str(one["value"]) for one in groups_by(source, "reason") if cheats_in(str(one["value"]))]
    known = [f'"{one}"' for one in reasons if '"' not in one]
    while len(", ".join(known)) > MOST_QUOTED:
        known.pop()
    listed = [f"reason in ({', '.join(known)})"] if known else []
    ways = [f"failure_mode = {HACKED}", *listed, f"suspicion >= {SUSPICIOUS}"]
    # All ways at once go through every run, so each is asked for by itself, and nobody counts them together.
    groups = [_group(source, "cheated", "cheated", (AllOf(parse_expression(way), way),)) for way in ways]
    items = {item.run: item for group in groups for item in group.items}
    return WorthGroup("cheated", "cheated", list(items.values())[:SHOWN], [("where", " or ".join(ways))])


def cheats_in(reason: str) -> list[str]:
    """The scorers in a reason that look for cheats."""
    return [name for name in reason.split(", ") if name in WEIGHTS]


def flaky_tasks(source: PageSource) -> WorthGroup:
    """Tasks of the newest jobs that are passed sometimes. Many runs are counted for it, so it comes by itself."""
    return WorthGroup("flaky", "flaky", list(islice(_flaky(source), SHOWN)))


def _flaky(source: PageSource) -> Iterator[WorthItem]:
    """Tasks of the newest jobs that are passed sometimes."""
    runs = source.lists.newest_jobs(NEWEST_JOBS)
    jobs = [job for job, so_far in zip(runs, accumulate(runs.values()), strict=True) if so_far <= MOST_GROUPED]
    counts = source.lists.task_states(jobs)
    for job in jobs:
        for task, states in sorted(counts.get(job, {}).items()):
            passed, scored = states[State.PASSED], sum(states[state] for state in COUNTED)
            if 0 < passed < scored:
                yield WorthItem(task, job, f"It passes in {passed} of {scored} runs.")


def _new(source: PageSource, since: datetime | None) -> WorthGroup:
    if since is None:
        return WorthGroup("new", "new", [])
    newest = source.lists.lines(RunQuery(page=SliceRequest(SHOWN))).lines
    new = [run for run in newest if run.created_at is not None and run.created_at > since]
    return WorthGroup("new since your last visit", "new", [_item(run, "") for run in new])
