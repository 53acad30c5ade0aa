"""The Data Explorer: all runs, filtered, sorted and grouped as the address says, and the same as files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from assay.core.errors import InputError
from assay.engine.explorer.page_source import LinePage, groups_by
from assay.engine.explorer.run_export import csv_file, json_file
from assay.engine.explorer.run_expression import names
from assay.engine.explorer.run_fields import BY_NAME, GROUPED
from assay.engine.explorer.run_query import RunQuery
from assay.evidence.run import Cause, State
from assay.stats.interval import rate_interval
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.run_list import (
    COLUMNS,
    NONE,
    ListLinks,
    asked_in,
    filled,
    query_fields,
    shown_columns,
    table_columns,
)

routes: PageRoutes[PageCall] = PageRoutes()
FIXED: Final = {
    "checks": ("PASS", "FAIL", "N/A"),
    "judge": ("PASS", "FAIL", "PENDING", "NOT APPLICABLE", "unparseable"),
    "validity": ("valid", "unparseable", "schema_invalid", "not_completed"),
    "run_status": ("completed", "failed", "cancelled", "timed_out", "running", "pending"),
    "state": tuple(State),
    "cause": tuple(Cause),
    "kind": ("trial", "coding", "task_run"),
}
MOST_CHOICES: Final = 200
FLAGS: Final = (
    ("gates_disagree", "gates disagree"),
    ("reviewer_disagrees", "reviewer disagrees"),
)
RANGES: Final = (
    ("score", "Score", "0.5..1"),
    ("duration_sec", "Duration, s", "..600"),
    ("cost_usd", "Cost, $", "0.1.."),
    ("began_at", "Time", "2026-01-31.."),
)


VIEWS: Final = (
    ("All", ""),
    ("Failed", "state = failed"),
    ("Broken or unusable", "state in (broken, unusable)"),
    ("Verdicts differ", "gates_disagree or reviewer_disagrees"),
    ("Passed, but suspicious", "state = passed and suspicion >= 0.5"),
)
"""Questions to begin with: each is an address, as is everything that somebody asks here."""
GROUP_HEADS: Final = {
    "value": "",
    "runs": "runs",
    "scored": "with a score",
    "mean": "mean of these",
    "passed": "passed",
    "pass_share": "share of these",
}
GROUPS: Final = 100


@routes.add("GET", "/runs", *READ, word="Runs")
def list_runs(call: PageCall) -> PageAnswer:
    """The list, or the groups."""
    asked, wrong = RunQuery(), ""
    try:
        asked = _asked(call)
        page = call.source.lists.lines(asked)
        groups = call.source.lists.groups(asked) if asked.group is not None else None
    except InputError as error:
        wrong, page, groups = str(error), LinePage([], None, None, 0), None
    links = ListLinks(call.site, asked)
    shown = shown_columns(asked, page.lines)
    cells = table_columns(shown, page.lines)
    return call.page(
        "runs.html",
        title="Data Explorer",
        # A script shows only answers that went well.
        status=422 if wrong and not call.partial else 200,
        wrong=wrong,
        asked=asked,
        page=page,
        groups=None if groups is None else _shown_groups(call, links, groups),
        links=links,
        shown=shown,
        empty=[name for name in COLUMNS if not filled(name, page.lines)],
        cells=cells,
        heads=links.heads(cells),
        active=[(name, value) for name, value in query_fields(asked.at(None)) if name in BY_NAME or name in _MORE],
        choices={**{name: (*values, NONE) for name, values in FIXED.items()}, **_choices(call)},
        grouped=[(name, COLUMNS[name]) for name in GROUPED],
        columns=COLUMNS,
        fields=names(),
        views=[(word, call.site.to("runs", {"where": where})) for word, where in VIEWS],
        flags=FLAGS,
        ranges=RANGES,
        chosen=call.query.get,
    )


def _asked(call: PageCall) -> RunQuery:
    """The question of the address, without what only groups need. Raises ``InputError``."""
    return asked_in((name, value) for name, value in call.query.pairs() if name not in ("order", "start"))


def _shown_groups(call: PageCall, links: ListLinks, groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Some groups in the order of the address, each with the interval of the share that passes."""
    order, start = call.query.get("order", "value"), call.query.whole("start")
    by, down = order.removeprefix("-"), order.startswith("-")
    by = by if by in GROUP_HEADS else "value"
    known = [one for one in groups if one[by] is not None]
    known.sort(key=lambda one: one[by], reverse=down)
    rows = [*known, *(one for one in groups if one[by] is None)]
    return {
        "heads": [
            (
                word or COLUMNS[links.asked.group or "task"],
                "number" if word else "",
                links.groups(f"-{name}" if name == by and not down else name),
                ("descending" if down else "ascending") if name == by else "",
            )
            for name, word in GROUP_HEADS.items()
        ],
        "rows": [
            (one, rate_interval(one["pass_share"], one["scored"]) if one["scored"] else None)
            for one in rows[start : start + GROUPS]
        ],
        "total": len(rows),
        "before": links.groups(order, max(0, start - GROUPS)) if start else None,
        "after": links.groups(order, start + GROUPS) if start + GROUPS < len(rows) else None,
    }


_MORE: Final = ("axis", "metadata", "text", "name", "where")


def _choices(call: PageCall) -> dict[str, Sequence[str]]:
    """Values to choose from, where there are few."""
    fields = ("task", "model", "job", "agent", "failure_mode", "reason")
    found = {name: [one["value"] for one in groups_by(call.source, name)] for name in fields}
    return {name: [*values, NONE] for name, values in found.items() if 0 < len(values) <= MOST_CHOICES}


@routes.add("GET", "/runs.csv", *READ)
def runs_as_csv(call: PageCall) -> PageAnswer:
    """Every run of the list, a row each."""
    return _file(csv_file(_every(call), _FIELDS), "text/csv; charset=utf-8", "runs.csv")


@routes.add("GET", "/runs.jsonl", *READ)
def runs_as_json_lines(call: PageCall) -> PageAnswer:
    """Every run of the list, a line of JSON each."""
    return _file(json_file(_every(call)), "application/x-ndjson", "runs.jsonl")


_FIELDS: Final = tuple(dict.fromkeys(("id", "name", *BY_NAME)))


def _every(call: PageCall) -> Iterator[dict[str, Any]]:
    return (line.shown() for line in call.source.lists.every_line(_asked(call)))


def _file(content: Iterator[bytes], kind: str, name: str) -> PageAnswer:
    return PageAnswer(content, 200, kind, {"Content-Disposition": f'attachment; filename="{name}"'})
