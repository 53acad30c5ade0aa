"""The explorer's row of a run, whatever its kind: added, and brought up to date, with what reviewers said."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from assay.adapters.store.run_tables import annotations, runs
from assay.adapters.store.runs.run_values import insert_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.engine.explorer.imported_runs import Kept
from assay.engine.jobs.job_runs import disagree
from assay.evidence.run import State

# What is decided when a run is added.
_FIRST: Final = ("id", "organisation", "created_at")


def list_run(
    connection: Connection, organisation: str, identity: str, kept: Kept, at: datetime, *, beside: bool = True
) -> None:
    """Add a run, or bring it up to date with what has tables of its own, if ``beside``.

    It is counted later, so that runs that end at the same time don't wait for each other.
    """
    values = run_values(organisation, identity, kept, at)
    known = connection.execute(select(runs.c.counted, runs.c.reviewers).where(runs.c.id == identity)).first()
    if known is None:
        connection.execute(insert(runs).values(values))
        insert_beside(connection, organisation, [(identity, kept)])
        return
    changed = {name: value for name, value in values.items() if name not in _FIRST}
    if known.counted:
        uncount(connection, organisation, [identity])
    connection.execute(update(runs).where(runs.c.id == identity).values(changed))
    if beside:
        insert_beside(connection, organisation, [(identity, kept)], anew=True)
    if known.reviewers:
        note_reviews(connection, identity)


def note_run(connection: Connection, organisation: str, identity: str, values: Mapping[str, Any]) -> None:
    """Change columns of a run that has no result yet. It is counted again later."""
    uncount(connection, organisation, [identity])
    connection.execute(update(runs).where(runs.c.id == identity).values(dict(values)))


def note_reviews(connection: Connection, run: str) -> None:
    """Bring the row of a run up to date after an annotation. Only the last judgment of each reviewer counts.

    Who defers says nothing, and nobody can disagree with a run that neither passed nor failed.
    """
    row = connection.execute(
        select(runs.c.organisation, runs.c.state).where(runs.c.id == run).with_for_update()
    ).one()
    mine = (annotations.c.organisation == row.organisation) & (annotations.c.run == run)
    said = list(connection.scalars(select(annotations.c.record).where(mine).order_by(annotations.c.id)))
    last = {one["reviewer_id"]: one["judgment"] for one in said}
    values = {"reviewers": len(said), "reviewer_disagrees": disagree(last.values(), State(row.state))}
    connection.execute(update(runs).where(runs.c.id == run).values(values))
