"""A trace as a page shows it: some steps, the outline beside them, and the ways to all others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from assay.engine.explorer.page_source import RunDetail
from assay.engine.explorer.trace_outline import OutlineRow, arguments_of, first_line, has_error, is_error
from assay.engine.explorer.trace_page import AT_ONCE, HIDEABLE, LAST, TracePart, TraceQuery
from assay.engine.jobs.job_runs import moment_of
from assay.evidence.coding_run import TrajectoryStep
from assay.web.rendering import duration, money
from assay.web.routing import Fields, PageCall

LONGEST_STEP: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class TraceView:
    """Some steps of a trace. ``address`` gives this page with other fields; without it, none leads away.

    ``prefix`` begins the names of steps, where one page has several traces.
    """

    part: TracePart
    asked: TraceQuery
    turn: str
    address: Callable[..., str] | None = None
    prefix: str = ""

    hideable = HIDEABLE
    arguments = staticmethod(arguments_of)
    first_line = staticmethod(first_line)
    has_error = staticmethod(has_error)
    is_error = staticmethod(is_error)

    def to(self, **query: object) -> str:
        """The same trace with other fields."""
        if self.address is None:
            return ""
        kept = {"turn": self.turn, "find": self.asked.text, "subagent": self.asked.subagent}
        flags = {"hide": sorted(self.asked.hidden), "errors": "on" if self.asked.errors else ""}
        return self.address(**{**kept, **flags, **query})

    def step(self, number: int, **query: object) -> str:
        """The address of a step: on this page, or where it begins."""
        here = any(step.number == number for step in self.part.steps)
        start = "" if here else self.to(place=self.part.place_of(number), **query)
        return f"{start}#{self.prefix}step-{number}"

    def link(self, number: int) -> str:
        """An address of a step that can be given to somebody."""
        return f"{self.to(place=self.part.place_of(number))}#{self.prefix}step-{number}"

    @property
    def last(self) -> str:
        """The address of the last steps."""
        return f"{self.to(place=LAST, find='', errors='')}#trace-end"

    @property
    def more(self) -> str | None:
        """The page after this one."""
        return None if self.part.next is None or self.address is None else self.to(place=self.part.next)

    @property
    def more_steps(self) -> str:
        """The steps after these, without the rest of the page."""
        path, _, query = (self.more or "").partition("?")
        return f"{path}/steps?{query}"

    @property
    def earlier(self) -> str | None:
        """The page before this one, where the steps are known."""
        first = self.part.steps[0].number if self.part.steps else 0
        before = [row.number for row in self.part.outline if row.number < first]
        if not before or self.part.read_bytes is not None:
            return None
        return self.to(place=self.part.place_of(before[-AT_ONCE:][0] if self.picked else max(1, first - AT_ONCE)))

    @property
    def picked(self) -> bool:
        """Whether some steps were asked for, and not all."""
        return bool(self.asked.text or self.asked.hidden or self.asked.errors)

    @property
    def errors(self) -> list[OutlineRow]:
        return [row for row in self.part.outline if row.is_error]

    @property
    def span(self) -> str:
        """Which steps are shown, of how many."""
        steps, total = self.part.steps, self.part.total
        if not steps:
            return ""
        first, last = steps[0].number, steps[-1].number
        shown = f"step {first}" if first == last else f"steps {first} to {last}"
        if total is None:
            return shown
        return f"{shown}; {self.part.matching:,} of {total:,} match" if self.picked else f"{shown} of {total:,}"

    @property
    def tokens(self) -> list[tuple[str, int, str, str]]:
        """The tokens of the whole trace by kind, for a bar."""
        usage = self.part.usage
        cached = min(usage.cached_tokens or 0, usage.input_tokens or 0)
        found = [
            ("input", (usage.input_tokens or 0) - cached, "is-second"),
            ("from the cache", cached, "is-first"),
            ("output", usage.output_tokens or 0, "is-third"),
        ]
        return [(word, count, f"{count:,}", kind) for word, count, kind in found]

    def rows(self) -> Iterator[tuple[TrajectoryStep, str]]:
        """The steps, each with the tokens and dollars that it took, and the time since the one before."""
        before: datetime | None = None
        for step in self.part.steps:
            now = moment_of(step.time)
            passed = None if now is None or before is None else now - before
            yield step, " · ".join(_used(step, passed))
            before = now or before


def _used(step: TrajectoryStep, passed: timedelta | None) -> Iterator[str]:
    usage = step.usage
    if usage is not None and usage.tokens is not None:
        yield f"{usage.tokens:,} tokens"
    if usage is not None and usage.cost_usd is not None:
        yield money(usage.cost_usd)
    if passed is not None and timedelta() <= passed < LONGEST_STEP:
        yield f"+{duration(passed.total_seconds())}"


def trace_query(query: Fields) -> TraceQuery:
    """The part of a trace that is asked for."""
    return TraceQuery(
        subagent=tuple(query.all("subagent"))[:8],
        text=query.get("find").strip(),
        hidden=frozenset(query.all("hide")) & frozenset(HIDEABLE),
        place=query.get("place"),
        errors=bool(query.get("errors")),
    )


def read_trace(call: PageCall, detail: RunDetail, address: Callable[..., str]) -> TraceView | None:
    """The trace of a run; None if there is none."""
    turns = list(detail.turns)
    asked, turn = trace_query(call.query), call.query.get("turn", turns[0] if turns else "")
    part = call.source.trace(detail.line.id, turn, asked)
    return None if part is None else TraceView(part, asked, turn, address)
