"""Seeded tasks: frozen copies of scenarios, made by a worker."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from assay.dialects.scorers.resources import CodingTask, TaskState
from assay.dialects.scorers.scenario import Scenario
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.coding_policy import archive_of
from assay.engine.service.errors import ConflictError
from assay.engine.service.scenarios import Scenarios, ScenarioVersions
from assay.engine.service.storage import Resources, Row
from assay.evidence.bounds import json_text

_FROZEN: Final = ("scenario", "scenario_sha256", "baseline_sha256", "workspace_sha256")


@dataclass(frozen=True, slots=True)
class SeededTask:
    """A task as it is kept: its record, and the archives of the whole and of the workspace that agents get."""

    record: Mapping[str, Any]
    notes: Sequence[str]
    archive: bytes
    workspace: bytes


class CodingTasks(Resources[CodingTask]):
    """Seeded tasks with the scenarios that they are of."""

    table, prefix, word, model = "seeded_tasks", "ctask", "coding task", CodingTask
    written = "coding_tasks"
    renamed: ClassVar = {"scenario_id": "scenario", "scenario_version": "version"}

    def __init__(self, scenarios: Scenarios, versions: ScenarioVersions, blobs: BlobStore) -> None:
        super().__init__(scenarios.storage, scenarios.host)
        self._scenarios = scenarios
        self._versions = versions
        self._blobs = blobs

    def _resource(self, row: Row, **more: Any) -> CodingTask:
        record: dict[str, Any] = row["record"] or {}
        written = record.get("scenario") or row["content"]
        return super()._resource(
            row,
            moved_on=row["removed_at"] is not None or row["latest"] != row["version"],
            name=written.get("name"),
            instruction=written.get("user_instruction") or "",
            turns=written.get("turns") or [],
            notes=row["notes"] or [],
            commands_on_baseline=record.get("commands_on_baseline") or {},
            **{name: record.get(name) for name in _FROZEN},
            **more,
        )

    def add(self, organisation: str, scenario: str) -> CodingTask:
        """A task of a scenario's newest version, to be seeded. Raises ``NotFoundError``, ``ConflictError``."""
        newest = self._scenarios.get(organisation, scenario)
        if newest.scenario.get("workspace_seed") is None:
            raise ConflictError("the scenario must have a workspace_seed to be seeded")
        seeding = {"scenario": newest.id, "version": newest.version, "state": TaskState.SEEDING.value}
        with self.storage.transaction() as rows:
            identity = self._insert(rows, organisation, **seeding)
        return self.get(organisation, identity)

    def workspace(self, organisation: str, identity: str) -> bytes:
        """The archive that agents get. Raises ``NotFoundError``, ``ConflictError`` if the task isn't ready."""
        task = self.get(organisation, identity)
        if task.workspace_sha256 is None:
            raise ConflictError(f"the coding task must be ready, but it is {task.state.value}")
        return b"".join(self._blobs.read(task.workspace_sha256))

    def seeded_from(self, organisation: str, identity: str) -> tuple[Scenario, bytes | None]:
        """The version of the scenario that a task is made from, and the archive of its workspace."""
        task = self.get(organisation, identity)
        version = self._versions.version(organisation, task.scenario_id, task.scenario_version)
        # As JSON, because a strict model accepts plain values from nowhere else.
        scenario = Scenario.model_validate_json(json.dumps(version.scenario))
        digest = archive_of(scenario)
        return scenario, None if digest is None else b"".join(self._blobs.read(digest))

    def keep(self, organisation: str, identity: str, made: SeededTask, at: datetime) -> None:
        """Unless the task is ready or refused already."""
        archive, workspace = self._blobs.put([made.archive]), self._blobs.put([made.workspace])
        values = {
            "state": TaskState.READY.value,
            "record": json_text(made.record),
            "notes": json_text(list(made.notes)),
            "archive": archive.digest,
            "workspace": workspace.digest,
            "seeded_at": at,
        }
        self._end_seeding(organisation, identity, values)

    def refuse(self, organisation: str, identity: str, reason: str) -> None:
        """Unless the task is ready or refused already."""
        text = json_text(reason).replace("\0", "")
        self._end_seeding(organisation, identity, {"state": TaskState.REFUSED.value, "reason": text})

    def _end_seeding(self, organisation: str, identity: str, values: Row) -> None:
        seeding = {"organisation": organisation, "id": identity, "state": TaskState.SEEDING.value}
        with self.storage.transaction() as rows:
            rows.change("coding_tasks", values, **seeding)
