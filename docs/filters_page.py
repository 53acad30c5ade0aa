"""The reference of what runs can be filtered, sorted and grouped by, from the one list of their fields."""

from collections.abc import Iterator

from assay.adapters.jobs.trial_evidence import TEXT_BYTES
from assay.adapters.store.runs.run_search import MOST_MENTIONS
from assay.adapters.store.runs.run_values import SEARCHED_CHARACTERS, VALUE_BYTES
from assay.engine.explorer import run_expression, run_query
from assay.engine.explorer.run_fields import ALIASES, FIELDS
from assay.engine.explorer.run_query import FILTERS, MOST_FILTERS, SHAPES
from docs.markdown import from_docstring, table


def filters_page() -> Iterator[str]:
    """Every parameter of a question about runs."""
    yield "# Filters of runs"
    yield (
        "`GET /v1/runs`, `/v1/runs/groups`, `/v1/runs/export.csv` and `/v1/runs/export.jsonl` take these."
        " A name that isn't here is an error."
    )
    yield from_docstring((run_query.__doc__ or "").partition("\n\n")[2])
    yield "## Filters"
    yield table(("parameter", "meaning"), [(f"`{name}`", meaning) for name, meaning in FILTERS.items()])
    yield "## Expressions"
    yield from_docstring(run_expression.__doc__ or "")
    yield table(("shorter name", "column"), [(f"`{name}`", f"`{column}`") for name, column in ALIASES.items()])
    yield "## Order, groups and pages"
    yield table(("parameter", "meaning"), [(f"`{name}`", meaning) for name, meaning in SHAPES.items()])
    yield "## Columns"
    rows = [(f"`{one.name}`", one.holds.value, one.meaning, "yes" if one.grouped else "") for one in FIELDS]
    yield table(("column", "holds", "meaning", "groups"), rows)
    yield "## Bounds"
    ends, searched = TEXT_BYTES // 2 // 1024, SEARCHED_CHARACTERS // 2 // 1024
    yield (
        "`text` looks for whole words, in any order and case. Of each file with the agent's words (trajectory,"
        f" final response and log), the first and last {ends} KiB are looked at, and of all that the first and"
        f" last {searched} Ki characters are searched. It finds the newest {MOST_MENTIONS:,} runs that have them."
        f" Values in the metadata that are lists, objects or longer than {VALUE_BYTES} bytes are shown, but can't"
        f" be found. There may be {MOST_FILTERS} filters at once."
    )
