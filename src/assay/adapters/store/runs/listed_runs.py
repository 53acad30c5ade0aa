"""Task runs as runs of the explorer: from their creation, and with their result when they end."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.engine import Row

from assay.adapters.store.run_tables import runs
from assay.adapters.store.runs.run_values import insert_beside, run_values
from assay.adapters.store.runs.totals import uncount
from assay.adapters.store.service.paging import mine
from assay.adapters.store.service_tables import benchmark_runs, task_runs
from assay.dialects.criteria.resources import Status
from assay.engine.explorer.imported_runs import Kept
from assay.engine.service.ports import Ending
from assay.evidence.run import Run, State

# What is needed of the row of a task run.
ENDED: Final = (
    *(task_runs.c.id, task_runs.c.benchmark_run, task_runs.c.snapshot, task_runs.c.created_at),
    *(task_runs.c.started_at, task_runs.c.scored),
)
KIND: Final = "task_run"
_KEPT: Final = ("id", "organisation", "created_at")


def list_created(
    connection: Connection, organisation: str, identity: str, task: str, row: Mapping[str, Any]
) -> None:
    """Add the run of the explorer in the transaction that creates a task run. It is counted later."""
    run = Run(
        job=row["benchmark_run"] or "",
        name=row["id"],
        task=task,
        dataset=_benchmark(connection, row["benchmark_run"]),
        kind=KIND,
        run_status=State.PENDING.value,
        metadata={"scored": row["scored"]},
    )
    connection.execute(insert(runs).values(run_values(organisation, identity, Kept(run), row["created_at"])))
    insert_beside(connection, organisation, [(identity, Kept(run))])


def list_started(connection: Connection, organisation: str, row: "Row[*tuple[Any, ...]]", at: datetime) -> None:
    """Bring the run of the explorer up to date when its task run starts."""
    identity = _listed(connection, organisation, row)
    state = State.RUNNING.value
    values = {"state": state, "run_status": state, "started_at": at.isoformat(), "began_at": at}
    connection.execute(update(runs).where(runs.c.id == identity).values(values))


def list_ended(
    connection: Connection, organisation: str, task: str, row: "Row[*tuple[Any, ...]]", ending: Ending
) -> None:
    """Bring the run of the explorer up to date in the transaction that ends a task run."""
    identity = _listed(connection, organisation, row)
    run = _run(task, _benchmark(connection, row.benchmark_run), row, ending)
    values = run_values(organisation, identity, run, ending.at)
    changed = {name: value for name, value in values.items() if name not in _KEPT}
    connection.execute(update(runs).where(runs.c.id == identity).values(changed))
    insert_beside(connection, organisation, [(identity, run)], anew=True)


def _listed(connection: Connection, organisation: str, row: "Row[*tuple[Any, ...]]") -> str:
    """The id of the run of a task run, which isn't counted any more: it is counted again later."""
    named = mine(runs, organisation, job=row.benchmark_run or "", name=row.id)
    found = connection.execute(named.with_only_columns(runs.c.id, runs.c.counted)).one()
    if found.counted:
        uncount(connection, organisation, [found.id])
    return str(found.id)


def _benchmark(connection: Connection, benchmark_run: str | None) -> str:
    if benchmark_run is None:
        return ""
    query = select(benchmark_runs.c.benchmark).where(benchmark_runs.c.id == benchmark_run)
    return str(connection.execute(query).scalar() or "")


def _run(task: str, benchmark: str, row: "Row[*tuple[Any, ...]]", ending: Ending) -> Kept:
    began = row.started_at or row.created_at
    decision = ending.decision
    return Kept(
        Run(
            job=row.benchmark_run or "",
            name=row.id,
            task=task,
            dataset=benchmark,
            state=decision.state,
            score=decision.score,
            reason=decision.reason,
            started_at=began.isoformat(),
            finished_at=ending.at.isoformat(),
            kind=KIND,
            run_status=ending.status.value,
            validity="valid" if ending.status is Status.COMPLETED else "not_completed",
            duration_sec=max(0.0, (ending.at - began).total_seconds()),
            axes={name: one.score for name, one in (ending.axes or {}).items()},
            metadata={"scored": row.scored},
        )
    )
