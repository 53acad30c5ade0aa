"""Task runs that ended, as runs of the explorer."""

from typing import Any, Final

from sqlalchemy import Connection, insert, select
from sqlalchemy.engine import Row

from assay.adapters.store.run_tables import runs
from assay.adapters.store.service.run_values import insert_beside, run_values
from assay.adapters.store.service_tables import benchmark_runs, task_runs
from assay.dialects.criteria.resources import Status
from assay.engine.service.imported_runs import Kept
from assay.engine.service.ports import Ending
from assay.evidence.run import Run

# What is needed of the row of a task run.
ENDED: Final = (
    *(task_runs.c.id, task_runs.c.benchmark_run, task_runs.c.snapshot, task_runs.c.created_at),
    *(task_runs.c.started_at, task_runs.c.scored),
)
KIND: Final = "task_run"


def list_ended(
    connection: Connection,
    organisation: str,
    identity: str,
    task: str,
    row: "Row[*tuple[Any, ...]]",
    ending: Ending,
) -> None:
    """Add the run of the explorer in the transaction that ends a task run. It is counted later."""
    run = _run(task, _benchmark(connection, row.benchmark_run), row, ending)
    connection.execute(insert(runs).values(run_values(organisation, identity, run, ending.at)))
    insert_beside(connection, organisation, [(identity, run)])


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
