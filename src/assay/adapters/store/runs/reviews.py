"""Reviewers' verdicts on a run, as the explorer lists them: how many, and whether one disagrees."""

from sqlalchemy import Connection, select, update

from assay.adapters.store.run_tables import annotations, runs
from assay.engine.jobs.job_runs import disagree
from assay.evidence.run import State


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
