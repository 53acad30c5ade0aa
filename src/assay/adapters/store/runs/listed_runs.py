"""The explorer's row of a run, whatever its kind: added, and brought up to date."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from assay.adapters.store.run_tables import runs
from assay.adapters.store.runs.reviews import note_reviews
from assay.adapters.store.runs.run_values import insert_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.engine.explorer.imported_runs import Kept

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
