"""What reviewers said of a run, as the explorer lists it: how many there are, and whether one disagrees."""

from sqlalchemy import Connection, select, update

from assay.adapters.store.run_tables import annotations, runs


def note_reviews(connection: Connection, run: str) -> None:
    """Bring the row of a run up to date after an annotation. Only the last judgment of each reviewer counts.

    A reviewer disagrees who says pass where the verdict isn't pass, or fail where it is. Who defers says nothing,
    and nobody can disagree with a run that has no verdict.
    """
    row = connection.execute(
        select(runs.c.organisation, runs.c.verdict).where(runs.c.id == run).with_for_update()
    ).one()
    mine = (annotations.c.organisation == row.organisation) & (annotations.c.run == run)
    said = list(connection.scalars(select(annotations.c.record).where(mine).order_by(annotations.c.id)))
    last = {one["reviewer_id"]: one["judgment"] for one in said}
    passed = row.verdict == "pass"
    disagrees = row.verdict is not None and any(
        (judgment == "pass") != passed for judgment in last.values() if judgment in ("pass", "fail")
    )
    values = {"reviewers": len(said), "reviewer_disagrees": disagrees}
    connection.execute(update(runs).where(runs.c.id == run).values(values))
