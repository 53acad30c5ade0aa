"""The explorer's row of a run, whatever its kind: added, and brought up to date, with what reviewers said."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, bindparam, insert, select, update

from assay.adapters.store.run_tables import annotations, runs
from assay.adapters.store.runs.run_values import insert_beside, replace_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.engine.explorer.imported_runs import Kept
from assay.engine.jobs.job_runs import disagree
from assay.engine.service.storage import require
from assay.evidence.run import State

# Making a statement takes longer than running it.
_BY_ID: Final = select(runs).where(runs.c.id == bindparam("run"))
_BY_NAME: Final = select(runs).where(
    *(runs.c[name] == bindparam(f"of_{name}") for name in ("organisation", "job", "name"))
)
_CHANGED: Final = update(runs).where(runs.c.id == bindparam("run"))


def list_run(
    connection: Connection,
    organisation: str,
    identity: str | None,
    kept: Kept,
    at: datetime,
    *,
    beside: bool = True,
) -> None:
    """Add a run, or bring it up to date, with its files and words if ``beside``. Only what changed is written.

    Without an id, it is the one of that name, which is there. It is counted later, so that runs that end at the
    same time don't wait for each other.
    """
    of_name = {"of_organisation": organisation, "of_job": kept.run.job, "of_name": kept.run.name}
    by = (_BY_NAME, of_name) if identity is None else (_BY_ID, {"run": identity})
    known = connection.execute(*by).mappings().first()
    if known is None:
        new = require(identity, "run")
        connection.execute(insert(runs).values(run_values(organisation, new, kept, at)))
        insert_beside(connection, organisation, [(new, kept)])
        return
    identity = str(known["id"])
    values = run_values(organisation, identity, kept, at)
    del values["created_at"]
    changed = {name: value for name, value in values.items() if not _same(known[name], value)}
    if known["counted"]:
        uncount(connection, organisation, [identity])
    if changed:
        connection.execute(_CHANGED, {**changed, "run": identity})
    replace_beside(connection, organisation, identity, kept, changed, files=beside)
    if known["reviewers"]:
        note_reviews(connection, identity)


def _same(known: object, value: object) -> bool:
    """To the last bit, and true isn't 1."""
    return known == value and (not isinstance(value, dict) or repr(known) == repr(value))


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
