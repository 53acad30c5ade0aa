"""Scenarios with their versions, the archives that workspaces are seeded from, and the judges of coding runs."""

from collections.abc import Collection
from typing import Any, ClassVar

from assay.core.errors import InputError
from assay.dialects.scorers.resources import ArchiveResource, ScenarioResource, ScenarioVersion
from assay.dialects.scorers.scenario import Scenario, scenario_hash, scenario_record
from assay.engine.criteria import stored_limits
from assay.engine.explorer.blobs import BlobStore
from assay.engine.explorer.list_slices import Slice, SliceRequest
from assay.engine.service.coding_policy import PREFIX, archive_of
from assay.engine.service.errors import NotFoundError
from assay.engine.service.host import ServiceHost
from assay.engine.service.storage import EMPTY, Resources, Row, RowReader, Storage, Transaction, require, tag_of


class Archives:
    """Archives that were sent. A blob alone belongs to nobody, and knowing its hash is no right to it."""

    def __init__(self, storage: Storage, host: ServiceHost, blobs: BlobStore) -> None:
        self._storage = storage
        self._host = host
        self._blobs = blobs

    def add(self, organisation: str, content: bytes) -> ArchiveResource:
        """Keep an archive. The same one twice is there once."""
        blob, now = self._blobs.put([content]), self._host.now()
        with self._storage.transaction() as rows:
            rows.add("archives", organisation=organisation, digest=blob.digest, size=blob.size, created_at=now)
        return self.get(organisation, blob.digest)

    def get(self, organisation: str, digest: str) -> ArchiveResource:
        """Raises ``NotFoundError``."""
        row = require(self._storage.find("archives", organisation=organisation, digest=digest), "archive")
        return ArchiveResource(path=f"{PREFIX}{row['digest']}", size=row["size"], created_at=row["created_at"])


class ScenarioVersions(Resources[ScenarioVersion]):
    """Versions of scenarios. They never change, and stay when the scenario is removed."""

    table, prefix, word, model = "scenario_versions", "", "version", ScenarioVersion
    renamed: ClassVar = {"scenario_id": "scenario", "scenario": "content"}

    def version(self, organisation: str, identity: str, version: int) -> ScenarioVersion:
        """Raises ``NotFoundError``."""
        return self._resource(self._version_row(self.storage, organisation, identity, version))

    def _version_row(self, rows: RowReader, organisation: str, identity: str, version: int) -> Row:
        wanted: Row = {"organisation": organisation, "scenario": identity, "version": version}
        return require(rows.find(self.table, **wanted), self.word)

    def within(self, organisation: str, identity: str, asked: SliceRequest) -> Slice[ScenarioVersion]:
        wanted: Row = {"organisation": organisation, "scenario": identity}
        return self.storage.slice(self.table, asked, by="version", **wanted).each(self._resource)

    def is_changed(self, rows: RowReader, organisation: str, identity: str, version: int, new: Scenario) -> bool:
        return bool(self._version_row(rows, organisation, identity, version)["sha256"] != scenario_hash(new))

    def add(self, rows: Transaction, organisation: str, identity: str, version: int, new: Scenario) -> None:
        values = {
            "scenario": identity,
            "version": version,
            "organisation": organisation,
            "sha256": scenario_hash(new),
            "content": stored_limits.checked_data(scenario_record(new), "the scenario"),
            "created_at": self.host.now(),
        }
        rows.insert(self.table, [values])


class Scenarios(Resources[ScenarioResource]):
    """Scenarios with their newest versions. A change is a new version."""

    table, prefix, word, model = "listed_scenarios", "scen", "scenario", ScenarioResource
    written = "scenarios"
    renamed: ClassVar = {"scenario": "content", "version": "latest"}

    def __init__(self, versions: ScenarioVersions) -> None:
        super().__init__(versions.storage, versions.host)
        self._versions = versions

    def _resource(self, row: Row, **more: Any) -> ScenarioResource:
        return super()._resource(row, name=row["content"].get("name"), **more)

    def row(self, rows: RowReader, organisation: str, identity: str) -> Row:
        """Raises ``NotFoundError``, also for one that was removed."""
        return require(rows.find(self.table, organisation=organisation, id=identity, removed_at=EMPTY), self.word)

    def lock_row(self, rows: Transaction, organisation: str, identity: str) -> Row:
        """The same without its content. Raises ``NotFoundError``."""
        return require(rows.lock("scenarios", organisation=organisation, id=identity, removed_at=EMPTY), self.word)

    def tag(self, rows: RowReader, row: Row) -> str:  # noqa: ARG002 - as the others
        return tag_of([{name: row[name] for name in ("id", "latest")}])

    def slice(self, organisation: str, asked: SliceRequest, **wanted: Any) -> Slice[ScenarioResource]:
        return super().slice(organisation, asked, removed_at=EMPTY, **wanted)

    def add(self, organisation: str, new: Scenario) -> ScenarioResource:
        """Raises ``InputError`` if the organisation hasn't sent the archive that the scenario names."""
        with self.storage.transaction() as rows:
            _check_archive(rows, organisation, new)
            identity = self._insert(rows, organisation, latest=1)
            self._versions.add(rows, organisation, identity, 1, new)
        return self.get(organisation, identity)

    def replace(
        self, organisation: str, identity: str, new: Scenario, expected: Collection[str] | None = None
    ) -> ScenarioResource:
        """A new version, unless nothing changed. Raises ``NotFoundError``, ``OutdatedError``."""
        with self.storage.transaction() as rows:
            _check_archive(rows, organisation, new)
            row = self.lock_row(rows, organisation, identity)
            self.check_tag(rows, row, expected)
            latest = row["latest"]
            if self._versions.is_changed(rows, organisation, identity, latest, new):
                self._versions.add(rows, organisation, identity, latest + 1, new)
                rows.change("scenarios", {"latest": latest + 1}, id=identity)
        return self.get(organisation, identity)

    def remove(self, organisation: str, identity: str, expected: Collection[str] | None = None) -> None:
        """Seeded tasks and versions stay. Raises ``NotFoundError``, ``OutdatedError``."""
        with self.storage.transaction() as rows:
            self.check_tag(rows, self.lock_row(rows, organisation, identity), expected)
            rows.change("scenarios", {"removed_at": self.host.now()}, id=identity)


def _check_archive(rows: RowReader, organisation: str, new: Scenario) -> None:
    digest = archive_of(new)
    if digest is not None and rows.find("archives", organisation=organisation, digest=digest) is None:
        raise InputError("workspace_seed.path must be an archive that was sent to /v1/archives, but it wasn't")


class OrganisationJudges:
    """The judge that reads the coding runs of an organisation: where it is, and its key, encrypted."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def put(self, organisation: str, settings: dict[str, Any], secrets: bytes | None) -> None:
        with self._storage.transaction() as rows:
            rows.put("judges", {"organisation": organisation}, {"settings": settings, "secrets": secrets})

    def find(self, organisation: str) -> tuple[dict[str, Any], bytes | None] | None:
        row = self._storage.find("judges", organisation=organisation)
        return None if row is None else (row["settings"], row["secrets"])

    def remove(self, organisation: str) -> None:
        """Raises ``NotFoundError``."""
        with self._storage.transaction() as rows:
            if not rows.remove("judges", organisation=organisation):
                raise NotFoundError("there is no judge")
