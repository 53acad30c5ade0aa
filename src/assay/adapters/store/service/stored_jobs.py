"""A job as far as it can be had from the runs of a store. What its own files said isn't there."""

from typing import Final

from sqlalchemy import select

from assay.adapters.store.limits import is_text
from assay.adapters.store.run_tables import runs
from assay.adapters.store.service.run_values import run_of_row
from assay.adapters.store.store import Store
from assay.engine.compare_arms import ReadJob
from assay.engine.job_view import job_of_runs
from assay.engine.service.errors import NotFoundError

MOST_RUNS: Final = 20_000
"""How many runs of a job are looked at."""


def job_in_store(store: Store, organisation: str, name: str) -> ReadJob:
    """The job of that name with its runs. Raises ``NotFoundError``."""
    mine = (runs.c.organisation == organisation) & (runs.c.job == name)
    query = select(runs).where(mine).order_by(runs.c.id).limit(MOST_RUNS + 1)
    found = [run_of_row(row) for row in store.rows(query)] if is_text(name) else []
    if not found:
        raise NotFoundError("there is no such job")
    notes = [f"only the first {MOST_RUNS} runs are looked at"] if len(found) > MOST_RUNS else []
    return job_of_runs(name, found[:MOST_RUNS], notes)
