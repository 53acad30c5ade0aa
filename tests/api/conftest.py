"""A test of the service has an organisation of its own, on a server for all.

It runs on SQLite; where the database matters, on PostgreSQL, too (``pytest.mark.both_databases``; with ``False``,
a test of a file that has the mark runs on SQLite only). ``make search`` runs every test on both.
"""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from assay.adapters.store.opening import open_store
from tests.adapters.store.conftest import postgres
from tests.adapters.store.databases import copied_database, empty_database
from tests.api.clinic import Clinic, Served, clinic_of, serve_on
from tests.sampling import SEARCHING

__all__ = ["postgres"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker("both_databases")
    both = SEARCHING or (mark is not None and mark.args != (False,))
    for name in ("where", "served"):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, ["sqlite", "postgresql"][: 1 + both], indirect=True)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "store.db"
    open_store(str(path), create=True).close()
    return path


@pytest.fixture(scope="session")
def migrated_database(postgres: str) -> str:
    url = empty_database(postgres)
    open_store(url).close()
    return url


def database(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """A database with the tables of the service: a path or a URL. Migrating takes long, so a copy will do."""
    if kind == "sqlite":
        path = folder / "store.db"
        shutil.copy(request.getfixturevalue("migrated_file"), path)
        return str(path)
    return copied_database(request.getfixturevalue("migrated_database"))


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database for one test."""
    return database(request.param, request, tmp_path)


@pytest.fixture(scope="session")
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for all tests."""
    with serve_on(database(request.param, request, tmp_path_factory.mktemp("served"))) as opened:
        yield opened


@pytest.fixture
def clinic(served: Served) -> Iterator[Clinic]:
    """A new organisation with a key of each scope."""
    real = served.service.grade
    with httpx.Client(base_url=served.url, timeout=60) as client:
        yield clinic_of(served, client, uuid.uuid4().hex)
    object.__setattr__(served.service, "grade", real)
