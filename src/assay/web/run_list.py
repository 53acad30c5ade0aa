"""The question that an address asks about runs, and the addresses that ask others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl, urlencode

from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.explorer.run_fields import BY_NAME, Holds
from assay.engine.explorer.run_query import SORTS, RunQuery, pairs_of, parse_run_query
from assay.web.site import Site

AT_ONCE: Final = 50
NONE: Final = "(none)"
"""What a form says for runs that have no value."""
COLUMNS: Final = {
    "state": "State",
    "run_status": "Run",
    "checks": "Checks",
    "judge": "Judge verdict",
    "score": "Score",
    "validity": "Validity",
    "model": "Model",
    "task": "Task",
    "began_at": "Time",
    "duration_sec": "Duration",
    "cost_usd": "Cost",
    "job": "Job",
    "agent": "Agent",
    "dataset": "Dataset",
    "kind": "Kind",
    "failure_mode": "failure_mode",
    "suspicion": "Monitor",
    "reason": "Reason",
    "cause": "Cause",
    "tokens": "Tokens",
    "reviewers": "Reviews",
}
"""All columns with their words, in their order."""
USUAL: Final = tuple(COLUMNS)[:11]


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

    def export(self, form: str) -> str:
        return self.site.to(f"runs.{form}", query_fields(replace(self.asked, group=None).at(None)))

    def heads(self, shown: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """The heads of the table."""
        numbers = {name for name, one in BY_NAME.items() if one.holds is Holds.NUMBER}
        return [
            (
                COLUMNS[name],
                "number" if name in numbers else "",
                self.sorted(name) if name in SORTS else "",
                self.direction(name),
            )
            for name in shown
        ]


def list_of(asked: RunQuery) -> str:
    """A list in one parameter of an address; its cursor doesn't matter."""
    return urlencode(query_fields(replace(asked, group=None, columns=()).at(None)))


def asked_of(text: str) -> RunQuery:
    """The other way round. Raises ``InputError``."""
    return asked_in(parse_qsl(text, keep_blank_values=True))
