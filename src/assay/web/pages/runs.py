"""The Data Explorer: all runs, filtered, sorted and grouped as the address says, and the same as files."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from assay.core.errors import InputError
from assay.engine.explorer.page_source import LinePage, groups_by
from assay.engine.explorer.run_export import csv_file, json_file
from assay.engine.explorer.run_fields import BY_NAME, GROUPED
from assay.engine.explorer.run_query import RunQuery
from assay.evidence.run import Cause, State
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.run_list import COLUMNS, NONE, USUAL, ListLinks, asked_in, query_fields

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


@routes.add("GET", "/runs", *READ, word="Runs")
def list_runs(call: PageCall) -> PageAnswer:
    """The list, or the groups."""
    asked, wrong = RunQuery(), ""
    try:
        asked = asked_in(call.query.pairs())
        page = call.source.lines(asked)
        groups = call.source.groups(asked) if asked.group is not None else None
    except InputError as error:
        wrong, page, groups = str(error), LinePage([], None, None, 0), None
    links = ListLinks(call.site, asked)
    shown = [name for name in COLUMNS if name in (asked.columns or USUAL)]
    return call.page(
        "runs.html",
        title="Runs",
        status=422 if wrong else 200,
        wrong=wrong,
        asked=asked,
        page=page,
        groups=groups,
        links=links,
        shown=shown,
        heads=links.heads(shown),
        active=[(name, value) for name, value in query_fields(asked.at(None)) if name in BY_NAME or name in _MORE],
        choices={**{name: (*values, NONE) for name, values in FIXED.items()}, **_choices(call)},
        grouped=[(name, COLUMNS[name]) for name in GROUPED],
        columns=COLUMNS,
        flags=FLAGS,
        ranges=RANGES,
        chosen=call.query.get,
    )


_MORE: Final = ("axis", "metadata", "text", "name")


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
    return (line.shown() for line in call.source.every_line(asked_in(call.query.pairs())))


def _file(content: Iterator[bytes], kind: str, name: str) -> PageAnswer:
    return PageAnswer(content, 200, kind, {"Content-Disposition": f'attachment; filename="{name}"'})
