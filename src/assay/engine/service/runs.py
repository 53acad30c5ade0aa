"""Task runs as they are kept: added, started and ended, with the rows that the explorer shows of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final, Protocol, TypeAlias

import msgspec

from assay.dialects.criteria.models import AxisScore, CriterionRun, Verdict
from assay.dialects.criteria.resources import (
    NewBenchmarkRun,
    NewTaskRun,
    Phase,
    Snapshot,
    Status,
    TaskRun,
    Version,
)
from assay.engine.criteria.stored_limits import without_nul
from assay.engine.explorer.imported_runs import Kept
from assay.engine.service.benchmark_result import benchmark_result
from assay.engine.service.errors import ConflictError
from assay.engine.service.evaluation_results import run_id_of
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.storage import (
    EMPTY,
    Resources,
    Row,
    RowReader,
    Storage,
    Transaction,
    insert_owned,
    require,
)
from assay.engine.service.tasks import freeze, snapshot_in
from assay.evidence.run import Decision, Facts, Run, State, decide

KIND: Final = "task_run"
KEPT_SNAPSHOTS: Final = 500
LONGEST_REASON: Final = 200
# What is done together with a change, or neither.
Also: TypeAlias = Callable[[Transaction], object]


@dataclass(frozen=True, slots=True)
class Ending:
    """How a task run ends. Without a score for a run that was cancelled."""

    status: Status
    at: datetime
    verdict: Verdict | None = None
    score: float | None = None
    axes: Mapping[str, AxisScore] | None = None
    reason: str | None = None
    criterion_runs: Sequence[CriterionRun] = field(default=())

    @property
    def decision(self) -> Decision:
        """The run's outcome. One whose time was over before it handed in has failed."""
        if self.status is Status.CANCELLED:
            return decide(Facts(ended=State.CANCELLED, reason=self.status.value))
        verdict = "fail" if self.verdict is None else self.verdict.value
        reason: str | None = self.status.value
        if self.status is Status.COMPLETED:
            failed = [one.label for one in self.criterion_runs if not one.passed and verdict != "pass"]
            reason = ", ".join(failed)[:LONGEST_REASON] or None
        return decide(Facts(verdict=verdict, reward=self.score or 0.0, reason=reason))


class RunClaims(Protocol):
    """Claims on the grading of runs. Of two who ask at the same moment, one gets it."""

    def accept(
        self,
        owner: Owner,
        identity: str,
        now: datetime,
        claim: Row | None = None,
        also: Also | None = None,
    ) -> Row | None:
        """Note that a completion was asked for, if the run is going on and within its time. The first one counts.

        With the columns of a ``claim``, the run is taken as well, unless somebody else has it. What is done
        ``also`` is done with that, or neither. Returns the changed row.
        """

    def overdue(self, now: datetime, limit: int) -> Sequence[Row]:
        """Active runs whose time is over; of those whose completion was accepted, the ones that nobody grades."""


class TaskRuns(Resources[TaskRun]):
    """Task runs. One that the owner may not know of raises ``NotFoundError``, as one that doesn't exist does."""

    table, prefix, word, model = "task_runs", "trun", "task run", TaskRun
    renamed: ClassVar = {"benchmark_run_id": "benchmark_run", "task_id": "task", "playground_id": "playground"}

    def __init__(self, storage: Storage, host: ServiceHost, claims: RunClaims) -> None:
        super().__init__(storage, host)
        self.claims = claims
        self._snapshots: dict[tuple[str, str], Snapshot] = {}

    def add(self, organisation: str, new: NewTaskRun) -> TaskRun:
        """A run of one task. Raises ``NotFoundError``."""
        with self.storage.transaction() as rows:
            snapshot = freeze(rows, organisation, new.task_id)
            identity = self._add(rows, organisation, snapshot, new.playground_id, new.scored)
        return self.get(organisation, identity)

    def add_benchmark_run(self, organisation: str, version: Version, new: NewBenchmarkRun) -> str:
        """A run of all tasks of a version; returns its id."""
        told = {"benchmark": version.benchmark, "scored": new.scored, "status": Status.ACTIVE.value}
        with self.storage.transaction() as rows:
            run = insert_owned(rows, self.host, "benchmark_runs", "brun", organisation, version=version.id, **told)
            for task in version.tasks:
                snapshot = snapshot_in(rows, organisation, task.digest)
                self._add(rows, organisation, snapshot, new.playgrounds.get(task.task_id), new.scored, run)
        return run

    def _add(
        self,
        rows: Transaction,
        organisation: str,
        snapshot: Snapshot,
        playground: str | None,
        scored: bool,
        benchmark_run: str | None = None,
    ) -> str:
        now = self.host.now()
        if playground is None:
            empty = {"data": {}, "run_start": now}
            playground = insert_owned(rows, self.host, "playgrounds", "play", organisation, **empty)
        else:
            require(rows.find("playgrounds", organisation=organisation, id=playground), "playground")
        identity = self._insert(
            rows,
            organisation,
            benchmark_run=benchmark_run,
            task=snapshot.task_id,
            snapshot=snapshot.digest,
            playground=playground,
            scored=scored,
            status=Status.ACTIVE.value,
            phase=Phase.CREATED.value,
        )
        run = _explorer_run(
            rows, snapshot.name, {"id": identity, "benchmark_run": benchmark_run, "scored": scored}
        )
        rows.list_run(organisation, self.host.new_id("run"), Kept(run), now)
        return identity

    def task_run(self, owner: Owner, identity: str) -> TaskRun:
        """Raises ``NotFoundError``."""
        return self._resource(self._own(self.storage, owner, identity))

    def _own(self, rows: RowReader, owner: Owner, identity: str) -> Row:
        wanted: Row = {"organisation": owner.organisation, "id": identity, "benchmark_run": owner.benchmark_run}
        return require(rows.find(self.table, **wanted), self.word)

    def of_benchmark_run(self, organisation: str, benchmark_run: str) -> Sequence[TaskRun]:
        """All of them, in the order of the benchmark's tasks."""
        return self.to_resources(
            self.storage.every(self.table, organisation=organisation, benchmark_run=benchmark_run)
        )

    def start(self, owner: Owner, identity: str, now: datetime) -> TaskRun:
        """Start a run that was created. One that isn't just created is returned as it is.

        Raises ``ConflictError`` if another run of its benchmark run is going on.
        """
        with self.storage.transaction() as rows:
            row = self._own(rows, owner, identity)
            if row["benchmark_run"] is not None:
                rows.lock("benchmark_runs", id=row["benchmark_run"])
                row = self._own(rows, owner, identity)
            if row["status"] != Status.ACTIVE.value or row["phase"] != Phase.CREATED.value:
                return self._resource(row)
            self._refuse_second(rows, row)
            time_out = snapshot_in(rows, owner.organisation, row["snapshot"]).timeout_s
            deadline = None if time_out is None else now + timedelta(seconds=time_out)
            changed = {"phase": Phase.STARTED.value, "started_at": now, "deadline_at": deadline}
            [row] = rows.change(self.table, changed, id=row["id"])
            state = State.RUNNING.value
            began = {"state": state, "run_status": state, "started_at": now.isoformat(), "began_at": now}
            rows.note_run(owner.organisation, _explorer_id(rows, owner.organisation, row), began)
            # Records of the command line ask the playground when its run began.
            rows.change("playgrounds", {"run_start": now}, id=row["playground"])
            return self._resource(row)

    def _refuse_second(self, rows: Transaction, row: Row) -> None:
        going_on: Row = {"status": Status.ACTIVE.value, "phase": Phase.STARTED.value}
        if row["benchmark_run"] is not None and rows.find(
            self.table, benchmark_run=row["benchmark_run"], **going_on
        ):
            raise ConflictError("another task run of this benchmark run must end before this one is started")

    def accept(self, owner: Owner, identity: str, also: Also) -> TaskRun:
        """Note that a completion was asked for, if that is in time. Returns the run as it is then."""
        row = self.claims.accept(owner, identity, self.host.now(), also=also)
        return self.task_run(owner, identity) if row is None else self._resource(row)

    def claim(self, owner: Owner, identity: str, claim: str, now: datetime, until: datetime) -> TaskRun | None:
        """Take a run for grading: one whose completion is accepted, now or before, and that nobody else has."""
        row = self.claims.accept(owner, identity, now, {"claim": claim, "claimed_until": until})
        return None if row is None else self._resource(row)

    def release(self, claim: str) -> None:
        """Give a run back, so that anybody may complete it."""
        # What is durable makes durable what was written before it: the caller learns that it may come back.
        with self.storage.transaction() as rows:
            rows.change(self.table, {"claim": None, "claimed_until": None}, claim=claim)

    def overdue(self, now: datetime, limit: int) -> Sequence[tuple[str, TaskRun]]:
        """Active runs whose time is over, with their organisations."""
        return [(row["organisation"], self._resource(row)) for row in self.claims.overdue(now, limit)]

    def end(
        self, organisation: str, identity: str, ending: Ending, claim: str | None, also: Also | None = None
    ) -> bool:
        """Write how an active run ends, with all that belongs to it; the benchmark run ends with its last one.

        With a claim, only if that still holds. A run whose completion was accepted can't be timed out. Returns
        whether it was written.
        """
        active = {"organisation": organisation, "id": identity, "status": Status.ACTIVE.value, "claim": claim}
        in_time = {"completion_requested_at": EMPTY} if ending.status is Status.TIMED_OUT else {}
        with self.storage.transaction() as rows:
            ended = rows.change(self.table, _ending_values(ending), **active, **in_time)
            if not ended:
                return False
            [row] = ended
            if row["benchmark_run"] is not None:
                rows.lock("benchmark_runs", id=row["benchmark_run"])
            if ending.criterion_runs:
                rows.insert("criterion_runs", [*_criterion_rows(organisation, ending.criterion_runs)])
            run = _explorer_run(rows, self.snapshot(organisation, row["snapshot"]).name, row, ending)
            rows.list_run(organisation, None, Kept(run), ending.at, beside=False)
            told = {name: row[name] for name in ("id", "status", "verdict", "score", "task", "benchmark_run")}
            self.announce(rows, organisation, "task_run.ended", told)
            if row["benchmark_run"] is not None and (whole := _settle(rows, row["benchmark_run"], ending.at)):
                told = {name: whole[name] for name in ("id", "status", "verdict", "score", "benchmark")}
                self.announce(rows, organisation, "benchmark_run.ended", told)
            if also is not None:
                also(rows)
        return True

    def snapshot(self, organisation: str, digest: str) -> Snapshot:
        """The frozen task of a run. It never changes, so it is read once."""
        known = self._snapshots.get((organisation, digest))
        if known is None:
            known = snapshot_in(self.storage, organisation, digest)
            if len(self._snapshots) >= KEPT_SNAPSHOTS:
                self._snapshots.clear()
            self._snapshots[organisation, digest] = known
        return known

    def criterion_runs_of(self, owner: Owner, task_run: str) -> Sequence[CriterionRun]:
        """How the criteria of a run came out, in their order."""
        wanted = {"organisation": owner.organisation, "task_run": task_run}
        return [criterion_run(row) for row in self.storage.every("criterion_runs", order="position", **wanted)]


class CriterionRuns(Resources[CriterionRun]):
    """How criteria of task runs came out."""

    table, prefix, word, model = "criterion_runs", "crun", "criterion run", CriterionRun

    def _resource(self, row: Row, **_more: Any) -> CriterionRun:
        return criterion_run(row)


_RENAMED: Final = {"task_run_id": "task_run", "criterion_id": "criterion", "assert_": "assertion"}


def criterion_run(row: Row) -> CriterionRun:
    """As it was written, and not looked at again: evidence may be large."""
    return CriterionRun.model_construct(
        **{name: row[_RENAMED.get(name, name)] for name in CriterionRun.model_fields}
    )


def _criterion_rows(organisation: str, runs: Sequence[CriterionRun]) -> Iterable[dict[str, object]]:
    for position, run in enumerate(runs):
        values = {
            _RENAMED.get(name, name): without_nul(value) if isinstance(value, str) else value
            for name, value in vars(run).items()
        }
        yield {**values, "organisation": organisation, "position": position}


def _ending_values(ending: Ending) -> dict[str, object]:
    values: dict[str, object] = {
        "status": ending.status.value,
        "verdict": None if ending.verdict is None else ending.verdict.value,
        "score": ending.score,
        "axes": None if ending.axes is None else {name: axis.model_dump() for name, axis in ending.axes.items()},
        "reason": ending.reason,
        "completed_at": ending.at,
        "claim": None,
        "claimed_until": None,
    }
    if ending.status is Status.COMPLETED:
        values["phase"] = Phase.COMPLETED.value
    return values


def _settle(rows: Transaction, benchmark_run: str, now: datetime) -> Row | None:
    """End a benchmark run with the last of its task runs. Returns it if it has ended."""
    if rows.find("task_runs", benchmark_run=benchmark_run, status=Status.ACTIVE.value):
        return None
    runs = rows.every("task_runs", benchmark_run=benchmark_run)
    result = benchmark_result([(Status(row["status"]), row["score"]) for row in runs])
    verdict = None if result.verdict is None else result.verdict.value
    values = {"status": result.status.value, "score": result.score, "verdict": verdict, "completed_at": now}
    return rows.change("benchmark_runs", values, id=benchmark_run)[0]


def _explorer_id(rows: RowReader, organisation: str, row: Row) -> str:
    """The id of the explorer's run of a task run."""
    return run_id_of(rows, organisation, row["benchmark_run"] or "", row["id"])


def _explorer_run(rows: RowReader, task: str, row: Row, ending: Ending | None = None) -> Run:
    """A task run as a run of the explorer: pending until it has an ending."""
    benchmark_run = row["benchmark_run"]
    known = None if benchmark_run is None else rows.find("benchmark_runs", id=benchmark_run)
    fields: dict[str, Any] = {"run_status": State.PENDING.value}
    if ending is not None:
        began = row["started_at"] or row["created_at"]
        fields = {
            **msgspec.structs.asdict(ending.decision),
            "started_at": began.isoformat(),
            "finished_at": ending.at.isoformat(),
            "run_status": ending.status.value,
            "validity": "valid" if ending.status is Status.COMPLETED else "not_completed",
            "duration_sec": max(0.0, (ending.at - began).total_seconds()),
            "axes": {name: one.score for name, one in (ending.axes or {}).items()},
        }
    return Run(
        job=benchmark_run or "",
        name=row["id"],
        task=task,
        dataset="" if known is None else known["benchmark"],
        kind=KIND,
        metadata={"scored": row["scored"]},
        **fields,
    )
