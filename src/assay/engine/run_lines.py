"""Questions about runs that are all in memory: which ones, in which order, in which groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.core.errors import InputError
from assay.engine.page_source import LinePage
from assay.engine.service.run_query import (
    AxisWithin,
    During,
    Filter,
    HasMetadata,
    Is,
    Mentions,
    NameBegins,
    OneOf,
    RunQuery,
    Within,
)
from assay.engine.service.run_ranges import Range
from assay.engine.service.run_totals import Totals
from assay.evidence.run import Run

MOST_CHOICES = 200


@dataclass(frozen=True, slots=True)
class Lines:
    """Runs in the order in which they were added. ``mentions`` tells whether the trace of a run has some words."""

    all: Sequence[Run]
    mentions: Callable[[str, str], bool]

    def asked(self, asked: RunQuery) -> list[Run]:
        """All runs that are asked for, in order. Runs without a value come last, whichever way they are sorted."""
        found = [line for line in self.all if all(self._takes(one, line) for one in asked.filters)]
        if asked.sorted_by == "created_at":
            return found[::-1] if asked.descending else found
        valued = [line for line in found if getattr(line, asked.sorted_by) is not None]
        rest = [line for line in found if getattr(line, asked.sorted_by) is None]
        valued.sort(key=lambda line: getattr(line, asked.sorted_by), reverse=asked.descending)
        return valued + rest

    def page(self, asked: RunQuery) -> LinePage:
        """A part of them. A cursor is the number of the first run."""
        found = self.asked(asked)
        written, size = asked.page.cursor or "0", asked.page.limit
        if not (written.isascii() and written.isdecimal() and len(written) < 10):
            raise InputError("cursor must be next or prev of an earlier page of the same list")
        start = int(written)
        after = str(start + size) if start + size < len(found) else None
        before = str(max(0, start - size)) if start else None
        return LinePage(found[start : start + size], after, before, len(found))

    def neighbours(self, asked: RunQuery, identity: str) -> tuple[str | None, str | None]:
        ids = [line.id for line in self.asked(asked)]
        if identity not in ids:
            return None, None
        at = ids.index(identity)
        return ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None

    def groups(self, asked: RunQuery) -> list[Mapping[str, Any]]:
        field = asked.group or "task"
        found: dict[str | None, Totals] = {}
        for line in self.asked(asked):
            found.setdefault(getattr(line, field), Totals()).add(line.state, line.score)
        known = sorted(found.items(), key=lambda one: (one[0] is None, one[0] or ""))
        return [{"value": value, **totals.shown()} for value, totals in known]

    def choices(self, field: str) -> list[str]:
        known = sorted({str(value) for line in self.all if (value := getattr(line, field)) is not None})
        return known if len(known) <= MOST_CHOICES else []

    def _takes(self, one: Filter, line: Run) -> bool:
        match one:
            case OneOf(name, values):
                return (getattr(line, name) or "") in values
            case Is(name, flag):
                return bool(getattr(line, name)) is flag
            case Within(name, span):
                return _within(getattr(line, name), span)
            case During(name, times):
                return _within(getattr(line, name), times)
            case AxisWithin(axis, span):
                return _within(line.axes.get(axis), span)
            case HasMetadata(key, value):
                return key in line.metadata and str(line.metadata[key]) == value
            case NameBegins(text):
                return line.name.startswith(text)
            case Mentions(text):
                return self.mentions(line.id, text)


def _within(value: "float | datetime | None", span: "Range[Any]") -> bool:
    if value is None:
        return False
    return (span.low is None or value >= span.low) and (span.high is None or value <= span.high)
