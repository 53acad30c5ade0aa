"""Seeded tasks: frozen copies of scenarios, made by a worker."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import select, update

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import coding_tasks, scenario_versions, scenarios
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, of_row, one, page
from assay.adapters.store.service.scenarios import StoredScenarios
from assay.adapters.store.store import Store
from assay.adapters.tasks.scenario_file import scenario_of
from assay.dialects.scorers.report import json_text
from assay.dialects.scorers.resources import CodingTask, TaskState
from assay.dialects.scorers.scenario import Scenario
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.coding_grading import SeededTask
from assay.engine.service.coding_policy import ORIGIN, archive_of
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost

_FROZEN: Final = ("scenario", "scenario_sha256", "baseline_sha256", "workspace_sha256")
_OF_SCENARIO: Final = (
    *coding_tasks.c,
    scenarios.c.latest,
    scenarios.c.removed_at,
    scenario_versions.c.content,
)


class StoredCodingTasks(AddedRows):
    """Fulfils ``CodingTaskStore``."""

    def __init__(self, store: Store, host: ServiceHost, blobs: BlobStore, found: StoredScenarios) -> None:
        super().__init__(store, host)
        self._blobs = blobs
        self._scenarios = found

    def add(self, organisation: str, scenario: str) -> CodingTask:
        """A task of a scenario's newest version, to be seeded. Raises ``NotFoundError``, ``ConflictError``."""
        newest = self._scenarios.scenario(organisation, scenario)
        if newest.scenario.get("workspace_seed") is None:
            raise ConflictError("the scenario must have a workspace_seed to be seeded")
        values = {"scenario": newest.id, "version": newest.version, "state": TaskState.SEEDING.value}
        with self._store.writing() as connection:
            identity = self._insert(connection, coding_tasks, "ctask", organisation, **values)
        return self.coding_task(organisation, identity)

    def coding_task(self, organisation: str, identity: str) -> CodingTask:
        """Raises ``NotFoundError``."""
        known = identity if limits.is_text(identity) else ""
        found = self._store.rows(_mine(organisation).where(coding_tasks.c.id == known))
        return _task(one(found, "coding task"))

    def page(self, organisation: str, scenario: str | None, asked: PageRequest) -> Rows[CodingTask]:
        query = _mine(organisation)
        if scenario is not None:
            query = query.where(coding_tasks.c.scenario == scenario)
        return page(self._store, query, coding_tasks.c.id, asked).each(_task)

    def workspace(self, organisation: str, identity: str) -> bytes:
        """The archive that agents get. Raises ``NotFoundError``, ``ConflictError`` if the task isn't ready."""
        task = self.coding_task(organisation, identity)
        if task.workspace_sha256 is None:
            raise ConflictError(f"the coding task must be ready, but it is {task.state.value}")
        return b"".join(self._blobs.read(task.workspace_sha256))

    def seeded_from(self, organisation: str, identity: str) -> tuple[Scenario, bytes | None]:
        task = self.coding_task(organisation, identity)
        version = self._scenarios.version(organisation, task.scenario_id, task.scenario_version)
        scenario = scenario_of(version.scenario, ORIGIN)
        digest = archive_of(scenario)
        return scenario, None if digest is None else b"".join(self._blobs.read(digest))

    def keep_task(self, organisation: str, identity: str, made: SeededTask, at: datetime) -> None:
        archive, workspace = self._blobs.put([made.archive]), self._blobs.put([made.workspace])
        self._change(
            organisation,
            identity,
            state=TaskState.READY.value,
            record=json_text(made.record),
            notes=json_text(list(made.notes)),
            archive=archive.digest,
            workspace=workspace.digest,
            seeded_at=at,
        )

    def refuse_task(self, organisation: str, identity: str, reason: str) -> None:
        said = json_text(reason).replace("\0", "")
        self._change(organisation, identity, state=TaskState.REFUSED.value, reason=said)

    def _change(self, organisation: str, identity: str, **values: object) -> None:
        mine = (coding_tasks.c.organisation == organisation) & (coding_tasks.c.id == identity)
        seeding = mine & (coding_tasks.c.state == TaskState.SEEDING.value)
        with self._store.writing() as connection:
            connection.execute(update(coding_tasks).where(seeding).values(values))


def _mine(organisation: str) -> Any:
    version = (scenario_versions.c.scenario == coding_tasks.c.scenario) & (
        scenario_versions.c.version == coding_tasks.c.version
    )
    joined = select(*_OF_SCENARIO).join(scenarios, scenarios.c.id == coding_tasks.c.scenario)
    return joined.join(scenario_versions, version).where(coding_tasks.c.organisation == organisation)


def _task(row: Any) -> CodingTask:
    record: dict[str, Any] = row.record or {}
    written = record.get("scenario") or row.content
    return of_row(
        CodingTask,
        row,
        scenario_id=row.scenario,
        scenario_version=row.version,
        moved_on=row.removed_at is not None or row.latest != row.version,
        state=TaskState(row.state),
        name=written.get("name"),
        instruction=written.get("user_instruction") or "",
        turns=written.get("turns") or [],
        notes=row.notes or [],
        commands_on_baseline=record.get("commands_on_baseline") or {},
        **{name: record.get(name) for name in _FROZEN},
    )
