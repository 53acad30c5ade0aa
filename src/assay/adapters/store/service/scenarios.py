"""Scenarios of organisations with all of their versions, and the archives that workspaces are seeded from."""

from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from assay.adapters.store import limits
from assay.adapters.store.coding_tables import archives, scenario_versions, scenarios
from assay.adapters.store.service.paging import AddedRows, PageRequest, Rows, mine, of_row, one, page
from assay.adapters.store.store import Store
from assay.adapters.store.writing import added
from assay.core.errors import InputError
from assay.dialects.scorers.resources import ArchiveResource, ScenarioResource, ScenarioVersion
from assay.dialects.scorers.scenario import Scenario, scenario_hash, written
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.coding_policy import PREFIX, archive_of
from assay.engine.service.host import ServiceHost

_NEWEST: Final = (scenario_versions.c.scenario == scenarios.c.id) & (
    scenario_versions.c.version == scenarios.c.latest
)
_WITH_CONTENT: Final = (
    scenarios.c.id,
    scenarios.c.latest,
    scenarios.c.created_at,
    scenario_versions.c.sha256,
    scenario_versions.c.content,
    scenario_versions.c.created_at.label("updated_at"),
)


class StoredScenarios(AddedRows):
    """Scenarios. A change is a new version; the old ones stay, and can be read."""

    def __init__(self, store: Store, host: ServiceHost, blobs: BlobStore) -> None:
        super().__init__(store, host)
        self._blobs = blobs

    def add_archive(self, organisation: str, content: bytes) -> ArchiveResource:
        """Keep an archive. The same one twice is there once."""
        blob = self._blobs.put([content])
        values = {
            "organisation": organisation,
            "digest": blob.digest,
            "size": blob.size,
            "created_at": self._host.now(),
        }
        with self._store.writing() as connection:
            added(connection, archives, values)
        return self.archive(organisation, blob.digest)

    def archive(self, organisation: str, digest: str) -> ArchiveResource:
        """Raises ``NotFoundError``."""
        row = one(self._store.rows(mine(archives, organisation, digest=digest)), "archive")
        return of_row(ArchiveResource, row, path=f"{PREFIX}{row.digest}")

    def add(self, organisation: str, new: Scenario) -> ScenarioResource:
        """Raises ``InputError`` if the organisation hasn't sent the archive that the scenario names."""
        with self._store.writing() as connection:
            self._check_archive(connection, organisation, new)
            identity = self._insert(connection, scenarios, "scen", organisation, latest=1)
            self._add_version(connection, organisation, identity, 1, new)
        return self.scenario(organisation, identity)

    def replace(self, organisation: str, identity: str, new: Scenario) -> ScenarioResource:
        """A new version, unless nothing changed. Raises ``NotFoundError``."""
        with self._store.writing() as connection:
            self._check_archive(connection, organisation, new)
            locked = _present(organisation, identity).with_for_update()
            row = one(connection.execute(locked).all(), "scenario")
            before = connection.execute(_version(organisation, identity, row.latest)).one()
            if before.sha256 != scenario_hash(new):
                self._add_version(connection, organisation, identity, row.latest + 1, new)
                changed = update(scenarios).where(scenarios.c.id == identity)
                connection.execute(changed.values(latest=row.latest + 1))
        return self.scenario(organisation, identity)

    def remove(self, organisation: str, identity: str) -> None:
        """Seeded tasks and versions stay. Raises ``NotFoundError``."""
        with self._store.writing() as connection:
            one(connection.execute(_present(organisation, identity)).all(), "scenario")
            gone = update(scenarios).where(scenarios.c.id == identity)
            connection.execute(gone.values(removed_at=self._host.now()))

    def scenario(self, organisation: str, identity: str) -> ScenarioResource:
        """Raises ``NotFoundError``, also for one that was removed."""
        known = identity if limits.is_text(identity) else ""
        query = _listed(organisation).where(scenarios.c.id == known)
        return _scenario(one(self._store.rows(query), "scenario"))

    def page(self, organisation: str, asked: PageRequest) -> Rows[ScenarioResource]:
        return page(self._store, _listed(organisation), scenarios.c.id, asked).each(_scenario)

    def version(self, organisation: str, identity: str, version: int) -> ScenarioVersion:
        """Also of a scenario that was removed. Raises ``NotFoundError``."""
        return _scenario_version(one(self._store.rows(_version(organisation, identity, version)), "version"))

    def versions(self, organisation: str, identity: str, asked: PageRequest) -> Rows[ScenarioVersion]:
        query = mine(scenario_versions, organisation, scenario=identity)
        return page(self._store, query, scenario_versions.c.version, asked).each(_scenario_version)

    def _add_version(
        self, connection: Connection, organisation: str, identity: str, version: int, new: Scenario
    ) -> None:
        values = {
            "scenario": identity,
            "version": version,
            "organisation": organisation,
            "sha256": scenario_hash(new),
            "content": limits.checked_data(written(new), "the scenario"),
            "created_at": self._host.now(),
        }
        connection.execute(insert(scenario_versions).values(values))

    @staticmethod
    def _check_archive(connection: Connection, organisation: str, new: Scenario) -> None:
        digest = archive_of(new)
        if digest is not None and not connection.execute(mine(archives, organisation, digest=digest)).all():
            raise InputError("workspace_seed.path must be an archive that was sent to /v1/archives, but it wasn't")


def _scenario(row: Any) -> ScenarioResource:
    name = row.content.get("name")
    return of_row(ScenarioResource, row, name=name, version=row.latest, scenario=row.content)


def _scenario_version(row: Any) -> ScenarioVersion:
    return of_row(ScenarioVersion, row, scenario_id=row.scenario, scenario=row.content)


def _present(organisation: str, identity: str) -> Any:
    return mine(scenarios, organisation, id=identity).where(scenarios.c.removed_at.is_(None))


def _listed(organisation: str) -> Any:
    there = (scenarios.c.organisation == organisation) & scenarios.c.removed_at.is_(None)
    return select(*_WITH_CONTENT).join(scenario_versions, _NEWEST).where(there)


def _version(organisation: str, identity: str, version: int) -> Any:
    return mine(scenario_versions, organisation, scenario=identity).where(scenario_versions.c.version == version)
