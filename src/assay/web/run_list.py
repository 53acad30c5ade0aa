"""The question that an address asks about runs, and the addresses that ask others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl, urlencode

from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.run_fields import BY_NAME, Holds
from assay.engine.explorer.run_filters import OneOf
from assay.engine.explorer.run_query import SORTS, RunQuery, pairs_of, parse_run_query
from assay.evidence.run import Run
from assay.web.site import Site
from assay.web.visible_text import visible

AT_ONCE: Final = 50
NONE: Final = "(none)"
"""What a form says for runs that have no value."""
COLUMNS: Final = {
    "state": "State",
    "score": "Score",
    "checks": "Checks",
    "judge": "Judge verdict",
    "run_status": "Run",
    "task": "Task",
    "agent": "Agent",
    "model": "Model",
    "job": "Job",
    "duration_sec": "Duration",
    "cost_usd": "Cost",
    "began_at": "Time",
    "tokens": "Tokens",
    "reason": "Reason",
    "validity": "Validity",
    "dataset": "Dataset",
    "kind": "Kind",
    "failure_mode": "failure_mode",
    "suspicion": "Monitor",
    "cause": "Cause",
    "reviewers": "Reviews",
}
"""All columns with their words, in their order."""
USUAL: Final = tuple(COLUMNS)[:12]
MOST_AXES: Final = 8
AXIS: Final = "axis."


def shown_columns(asked: RunQuery, lines: Sequence[Run]) -> list[str]:
    """The columns that were chosen; else the usual ones, without those that are empty or the same by a filter."""
    if asked.columns:
        return [name for name in COLUMNS if name in asked.columns]
    same = {one.field for one in asked.conditions if isinstance(one, OneOf) and len(one.values) == 1} - {"state"}
    return [name for name in USUAL if name not in same and (name == "state" or filled(name, lines))]


def filled(name: str, lines: Sequence[Run]) -> bool:
    """Whether a run has something in a column."""
    return any(getattr(line, name) not in (None, "", 0) or name == "score" for line in lines)


def table_columns(shown: Sequence[str], lines: Sequence[Run]) -> list[str]:
    """All columns of the table: state and name first, and each reward beside the score, if there are several."""
    keys = dict.fromkeys(key for line in lines for key in line.axes)
    rewards = [f"{AXIS}{key}" for key in list(keys)[:MOST_AXES]] if len(keys) > 1 else []
    first = [name for name in ("state",) if name in shown]
    scores = [name for name in ("score",) if name in shown]
    return [*first, "name", *scores, *rewards, *(name for name in shown if name not in ("state", "score"))]


def asked_in(pairs: Iterable[tuple[str, str]]) -> RunQuery:
    """The question in the fields of a form. Empty ones ask nothing. Raises ``InputError``."""
    kept = [(name, "" if value == NONE else value.strip()) for name, value in pairs if value.strip()]
    columns = ",".join(value for name, value in kept if name == "columns")
    found = parse_run_query(
        [*((n, v) for n, v in kept if n != "columns"), *([("columns", columns)] if columns else [])]
    )
    limit = found.page.limit if any(name == "limit" for name, _ in kept) else AT_ONCE
    return replace(found, page=SliceRequest(limit, found.page.cursor))


def query_fields(asked: RunQuery) -> list[tuple[str, str]]:
    """The fields that ask a question again."""
    pairs = [(name, value or NONE) for name, value in pairs_of(asked) if name != "limit"]
    return pairs if asked.page.limit == AT_ONCE else [*pairs, ("limit", str(asked.page.limit))]


@dataclass(frozen=True, slots=True)
class ListLinks:
    """The addresses around one list of runs."""

    site: Site
    asked: RunQuery

    def page(self, cursor: str | None) -> str | None:
        return None if cursor is None else self.site.to("runs", query_fields(self.asked.at(cursor)))

    def sorted(self, field: str) -> str:
        """By a column; once more, the other way round. Numbers and times begin with the highest."""
        highest = BY_NAME[field].holds is not Holds.TEXT
        now = self.asked.sort
        then = f"-{field}" if now == field or (now != f"-{field}" and highest) else field
        return self.site.to("runs", query_fields(replace(self.asked, sort=then).at(None)))

    def direction(self, field: str) -> str:
        if self.asked.sorted_by != field:
            return ""
        return "descending" if self.asked.descending else "ascending"

    def within(self, value: str | None) -> str:
        """The runs of one group."""
        kept = [
            one for one in query_fields(replace(self.asked, group=None).at(None)) if one[0] != self.asked.group
        ]
        return self.site.to("runs", [*kept, (self.asked.group or "task", value or NONE)])

    def without(self, name: str, value: str) -> str:
        """The same list without one filter."""
        kept = query_fields(self.asked.at(None))
        kept.remove((name, value))
        return self.site.to("runs", kept)

    def run(self, identity: str) -> str:
        """A run that knows which list it is in."""
        return self.site.run(identity, {"list": list_of(self.asked)})

    def groups(self, order: str, start: int = 0) -> str:
        """The groups in another order, or from another one on."""
        more = [("order", order), *([("start", str(start))] if start else [])]
        return self.site.to("runs", [*query_fields(self.asked.at(None)), *more])

    def export(self, form: str) -> str:
        return self.site.to(f"runs.{form}", query_fields(replace(self.asked, group=None).at(None)))

    def heads(self, columns: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """The heads of the table."""
        return [
            (
                visible(name.removeprefix(AXIS)) if name.startswith(AXIS) else COLUMNS.get(name, "Name"),
                "number" if name.startswith(AXIS) or BY_NAME[name].holds is Holds.NUMBER else name,
                self.sorted(name) if name in SORTS else "",
                self.direction(name),
            )
            for name in columns
        ]


def list_of(asked: RunQuery) -> str:
    """A list in one parameter of an address; its cursor doesn't matter."""
    return urlencode(query_fields(replace(asked, group=None, columns=()).at(None)))


def asked_of(text: str) -> RunQuery:
    """The other way round. Raises ``InputError``."""
    return asked_in(parse_qsl(text, keep_blank_values=True))
