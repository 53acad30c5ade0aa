"""Every test of a store runs on both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.store.opening import open_store
from assay.adapters.store.store import Store
from tests.adapters.store.databases import empty_database, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    starting = postgres_server()
    try:
        url = starting.__enter__()
    except Exception as error:  # noqa: BLE001 - whatever it is, the reader of the test report learns of it
        pytest.skip(f"no PostgreSQL could be started here, so nothing was tested on it: {error!r}")
    try:
        yield url
    finally:
        starting.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without tables: a path or a URL."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    return empty_database(request.getfixturevalue("postgres"))


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    with open_store(where, create=True) as opened:
        yield opened
