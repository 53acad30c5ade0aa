"""Runs of tasks, in the store."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, and_, exists, func, insert, literal, or_, select, update
from sqlalchemy.engine import Row

from assay.adapters.store import writing
from assay.adapters.store.columns import UtcTime
from assay.adapters.store.runs.listed_runs import ENDED, list_created, list_ended, list_started
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, one
from assay.adapters.store.service.run_rows import criterion_run_of_row, criterion_run_values, run_of_row
from assay.adapters.store.service.tasks import freeze
from assay.adapters.store.service_tables import benchmark_runs, criterion_runs, snapshots, task_runs, work
from assay.adapters.store.store import Store
from assay.adapters.store.tables import playgrounds
from assay.core.errors import InputError
from assay.dialects.criteria.models import CriterionRun
from assay.dialects.criteria.resources import (
    NewBenchmarkRun,
    NewTaskRun,
    Phase,
    Snapshot,
    Status,
    TaskRun,
    Version,
)
from assay.engine.criteria.watched_sources import Playground
from assay.engine.service.benchmark_result import TaskResult, benchmark_result
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.ports import Ending
from assay.engine.service.work import WorkKind

KEPT_SNAPSHOTS: Final = 500


class StoredRuns(AddedRows):
    """Fulfils ``RunStore``."""

    def __init__(self, store: Store, host: ServiceHost) -> None:
        super().__init__(store, host)
        self._snapshots: dict[tuple[str, str], Snapshot] = {}

    def add(self, organisation: str, new: NewTaskRun) -> TaskRun:
        """A run of one task. Raises ``NotFoundError``."""
        with self._store.writing() as connection:
            snapshot = freeze(connection, organisation, new.task_id)
            identity = self._add(connection, organisation, snapshot, new.playground_id, new.scored)
        return self.task_run(Owner(organisation), identity)

    def add_benchmark_run(self, organisation: str, version: Version, new: NewBenchmarkRun) -> str:
        """A run of all tasks of a version; returns its id."""
        unknown = sorted(set(new.playgrounds) - {task.task_id for task in version.tasks})
        if unknown:
            raise InputError(f"playgrounds must name tasks of the benchmark, got {unknown[0]!r}")
        values = {"version": version.id, "benchmark": version.benchmark, "scored": new.scored}
        with self._store.writing() as connection:
            active = {**values, "status": Status.ACTIVE.value}
            run = self._insert(connection, benchmark_runs, "brun", organisation, **active)
            for task in version.tasks:
                snapshot = _snapshot(connection.execute(_frozen(organisation, task.digest)).all())
                playground = new.playgrounds.get(task.task_id)
                self._add(connection, organisation, snapshot, playground, new.scored, run)
        return run

    def _add(
        self,
        connection: Connection,
        organisation: str,
        snapshot: Snapshot,
        playground: str | None,
        scored: bool,
        benchmark_run: str | None = None,
    ) -> str:
        if playground is None:
            playground = self._host.new_id("play")
            writing.add_playground(connection, Playground(playground, self._host.now()), organisation)
        else:
            one(connection.execute(mine(playgrounds, organisation, id=playground)).all(), "playground")
        values = {
            "benchmark_run": benchmark_run,
            "task": snapshot.task_id,
            "snapshot": snapshot.digest,
            "playground": playground,
            "scored": scored,
            "status": Status.ACTIVE.value,
            "phase": Phase.CREATED.value,
        }
        identity = self._insert(connection, task_runs, "trun", organisation, **values)
        listed = {**values, "id": identity, "created_at": self._host.now()}
        list_created(connection, organisation, self._host.new_id("run"), snapshot.name, listed)
        return identity

    def task_run(self, owner: Owner, identity: str) -> TaskRun:
        return run_of_row(one(self._store.rows(_mine(owner, identity)), "task run"))

    def page(self, owner: Owner, asked: PageRequest, **wanted: str | None) -> Rows[TaskRun]:
        """Those with the columns as they are wanted."""
        return self._page(task_runs, owner.organisation, asked, **wanted).each(run_of_row)

    def of_benchmark_run(self, organisation: str, benchmark_run: str) -> Sequence[TaskRun]:
        """All of them, in the order of the benchmark's tasks."""
        query = mine(task_runs, organisation, benchmark_run=benchmark_run).order_by(task_runs.c.id)
        return [run_of_row(row) for row in self._store.rows(query)]

    def start(self, owner: Owner, identity: str, now: datetime) -> TaskRun:
        with self._store.writing() as connection:
            row = one(connection.execute(_mine(owner, identity)).all(), "task run")
            _lock(connection, row.benchmark_run)
            row = one(connection.execute(_mine(owner, identity)).all(), "task run")
            if row.status != Status.ACTIVE.value or row.phase != Phase.CREATED.value:
                return run_of_row(row)
            _refuse_second(connection, row)
            time_out = _snapshot(connection.execute(_frozen(owner.organisation, row.snapshot)).all()).timeout_s
            deadline = None if time_out is None else now + timedelta(seconds=time_out)
            changed = {"phase": Phase.STARTED.value, "started_at": now, "deadline_at": deadline}
            connection.execute(update(task_runs).where(task_runs.c.id == row.id).values(changed))
            list_started(connection, owner.organisation, row, now)
            # Records of the command line ask the playground when its run began.
            began = update(playgrounds).where(playgrounds.c.id == row.playground)
            connection.execute(began.values(run_start=now))
            return run_of_row(one(connection.execute(_mine(owner, identity)).all(), "task run"))

    def claim(self, owner: Owner, identity: str, claim: str, now: datetime, until: datetime) -> TaskRun | None:
        free = or_(task_runs.c.claim.is_(None), task_runs.c.claimed_until <= now)
        row = self._accepted(owner, identity, now, free, {"claim": claim, "claimed_until": until})
        return None if row is None else run_of_row(row)

    def accept(self, owner: Owner, identity: str, now: datetime) -> TaskRun:
        row = self._accepted(owner, identity, now, task_runs.c.completion_requested_at.is_(None), {})
        return self.task_run(owner, identity) if row is None else run_of_row(row)

    def _accepted(
        self, owner: Owner, identity: str, now: datetime, condition: Any, more: dict[str, object]
    ) -> "Row[*tuple[Any, ...]] | None":
        """Change a run that is accepted or just in time for it. A caller is told after a durable write only."""
        requested, deadline = task_runs.c.completion_requested_at, task_runs.c.deadline_at
        going_on = and_(
            _mine(owner, identity).whereclause,
            task_runs.c.status == Status.ACTIVE.value,
            task_runs.c.phase == Phase.STARTED.value,
            or_(requested.is_not(None), deadline.is_(None), deadline > now),
            condition,
        )
        first = func.coalesce(requested, literal(now, UtcTime))
        changed = update(task_runs).where(going_on).values(completion_requested_at=first, **more)
        with self._store.writing(durable=False) as connection:
            return connection.execute(changed.returning(task_runs)).first()

    def renew(self, claims: Iterable[str], until: datetime) -> None:
        """Keep claims from running out."""
        held = list(claims)
        if held:
            with self._store.writing(durable=False) as connection:
                connection.execute(
                    update(task_runs).where(task_runs.c.claim.in_(held)).values(claimed_until=until)
                )

    def release(self, claim: str) -> None:
        # What is durable makes durable what was written before it: the caller learns that it may come back.
        with self._store.writing() as connection:
            freed = update(task_runs).where(task_runs.c.claim == claim)
            connection.execute(freed.values(claim=None, claimed_until=None))

    def end(self, organisation: str, identity: str, ending: Ending, claim: str | None) -> bool:
        active = and_(
            task_runs.c.organisation == organisation,
            task_runs.c.id == identity,
            task_runs.c.status == Status.ACTIVE.value,
        )
        if claim is not None:
            active = and_(active, task_runs.c.claim == claim)
        if ending.status is Status.TIMED_OUT:
            active = and_(active, task_runs.c.completion_requested_at.is_(None))
        with self._store.writing() as connection:
            written = update(task_runs).where(active).values(_ended(ending)).returning(*ENDED)
            found = connection.execute(written).first()
            if found is None:
                return False
            _lock(connection, found.benchmark_run)
            if ending.criterion_runs:
                values = [
                    criterion_run_values(organisation, n, run) for n, run in enumerate(ending.criterion_runs)
                ]
                connection.execute(insert(criterion_runs), values)
            name = self.snapshot(organisation, found.snapshot).name
            list_ended(connection, organisation, name, found, ending)
            if found.benchmark_run is not None:
                _settle(connection, found.benchmark_run, ending.at)
        return True

    def run_with_key(self, organisation: str, idempotency_key: str) -> str | None:
        found = self._store.rows(mine(task_runs, organisation, idempotency_key=idempotency_key))
        return str(found[0].id) if found else None

    def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, TaskRun]]:
        """Active runs whose time is over, with their organisations.

        Of those whose completion was accepted, the ones that nobody grades or will grade.
        """
        waiting = exists().where(
            (work.c.kind == WorkKind.COMPLETE_TASK_RUN.value) & (work.c.target == task_runs.c.id)
        )
        forgotten = or_(task_runs.c.claim.is_(None), task_runs.c.claimed_until <= now) & ~waiting
        late = and_(
            task_runs.c.status == Status.ACTIVE.value,
            task_runs.c.deadline_at <= now,
            or_(task_runs.c.completion_requested_at.is_(None), forgotten),
        )
        return [
            (row.organisation, run_of_row(row))
            for row in self._store.rows(select(task_runs).where(late).limit(limit))
        ]

    def criterion_runs_of(self, owner: Owner, task_run: str) -> Sequence[CriterionRun]:
        query = mine(criterion_runs, owner.organisation, task_run=task_run).order_by(criterion_runs.c.position)
        return [criterion_run_of_row(row) for row in self._store.rows(query)]

    def criterion_run(self, organisation: str, identity: str) -> CriterionRun:
        """Raises ``NotFoundError``."""
        return criterion_run_of_row(self._one(criterion_runs, organisation, identity, "criterion run"))

    def criterion_runs(self, organisation: str, task_run: str | None, asked: PageRequest) -> Rows[CriterionRun]:
        return self._page(criterion_runs, organisation, asked, task_run=task_run).each(criterion_run_of_row)

    def snapshot(self, organisation: str, digest: str) -> Snapshot:
        """It never changes, so it is read once."""
        known = self._snapshots.get((organisation, digest))
        if known is None:
            known = _snapshot(self._store.rows(_frozen(organisation, digest)))
            if len(self._snapshots) >= KEPT_SNAPSHOTS:
                self._snapshots.clear()
            self._snapshots[organisation, digest] = known
        return known


def _mine(owner: Owner, identity: str) -> Any:
    return mine(task_runs, owner.organisation, id=identity, benchmark_run=owner.benchmark_run)


def _lock(connection: Connection, benchmark_run: str | None) -> None:
    """Those who change runs of the same benchmark run do so one after the other. SQLite has one writer anyway."""
    if benchmark_run is not None and connection.dialect.name == "postgresql":
        connection.execute(
            select(benchmark_runs.c.id).where(benchmark_runs.c.id == benchmark_run).with_for_update()
        )


def _refuse_second(connection: Connection, row: "Row[*tuple[Any, ...]]") -> None:
    if row.benchmark_run is None:
        return
    going_on = and_(
        task_runs.c.benchmark_run == row.benchmark_run,
        task_runs.c.status == Status.ACTIVE.value,
        task_runs.c.phase == Phase.STARTED.value,
    )
    if connection.execute(select(task_runs.c.id).where(going_on)).first() is not None:
        raise ConflictError("another task run of this benchmark run must end before this one is started")


def _ended(ending: Ending) -> dict[str, object]:
    values: dict[str, object] = {
        "status": ending.status.value,
        "verdict": None if ending.verdict is None else ending.verdict.value,
        "score": ending.score,
        "axes": None if ending.axes is None else {name: axis.model_dump() for name, axis in ending.axes.items()},
        "reason": ending.reason,
        "completed_at": ending.at,
        "claim": None,
        "claimed_until": None,
        "idempotency_key": ending.idempotency_key,
    }
    if ending.status is Status.COMPLETED:
        values["phase"] = Phase.COMPLETED.value
    return values


def _settle(connection: Connection, benchmark_run: str, now: datetime) -> None:
    """End a benchmark run with the last of its task runs."""
    rows = connection.execute(
        select(task_runs.c.status, task_runs.c.score).where(task_runs.c.benchmark_run == benchmark_run)
    ).all()
    result = benchmark_result([TaskResult(Status(row.status), row.score) for row in rows])
    if result.status is Status.ACTIVE:
        return
    values = {
        "status": result.status.value,
        "score": result.score,
        "verdict": None if result.verdict is None else result.verdict.value,
        "completed_at": now,
    }
    connection.execute(update(benchmark_runs).where(benchmark_runs.c.id == benchmark_run).values(values))


def _frozen(organisation: str, digest: str) -> Any:
    return mine(snapshots, organisation, digest=digest)


def _snapshot(rows: Sequence[Any]) -> Snapshot:
    row = one(rows, "snapshot")
    return Snapshot(digest=row.digest, **row.content)
