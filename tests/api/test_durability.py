"""What was acknowledged is on disk: each request that changes something waits for one write that is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from assay.adapters.store.opening import open_store
from assay.adapters.store.store import Store
from tests.api.clinic import ROW, Clinic, portal


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each write from here on waits for the disk."""
    noted: list[bool] = []
    real: Callable[..., Any] = Store.writing

    @contextmanager
    def writing(self: Store, *, durable: bool = True) -> Iterator[Connection]:
        with real(self, durable=durable) as connection:
            yield connection
        noted.append(durable)

    monkeypatch.setattr(Store, "writing", writing)
    return noted


def test_every_change_waits_for_the_disk(clinic: Clinic, durable: list[bool]) -> None:
    done = clinic.run(portal("status", "booked"))
    later, cancelled = clinic.run(), clinic.run()
    box = clinic.get(f"/v1/task-runs/{later}")["playground_id"]
    for path, body, headers in (
        ("/v1/tasks", {"name": "x"}, {}),
        ("/v1/keys", {"name": "x", "scope": "reader"}, {}),
        (f"/v1/playgrounds/{box}/rows", ROW, {}),
        (f"/v1/task-runs/{done}/complete", {}, {}),
        (f"/v1/task-runs/{later}/complete", {}, {"Prefer": "respond-async"}),
        (f"/v1/task-runs/{cancelled}/cancel", {}, {}),
    ):
        durable.clear()
        assert clinic.ask("POST", path, json=body, headers=headers).status_code in (200, 201, 202)
        assert True in durable, path


@pytest.mark.parametrize(("waits", "level"), [(True, 2), (False, 1)])
def test_sqlite_syncs_what_is_durable(tmp_path: Path, waits: bool, level: int) -> None:
    """2 is FULL: after each transaction. 1 is NORMAL: the file stays whole."""
    with open_store(str(tmp_path / "store.db"), create=True) as store, store.writing(durable=waits) as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == level
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"


def test_postgres_waits_for_its_log(migrated_database: str) -> None:
    with open_store(migrated_database) as store, store.writing() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
