"""Migrations make the tables that the code has, from nothing, once, and never half."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, Table, inspect, text
from sqlalchemy.engine import make_url

from assay.adapters.store.database import engine_for
from assay.adapters.store.migrate import NEWEST, alembic_config, upgrade
from assay.adapters.store.opening import open_store
from assay.adapters.store.tables import metadata
from assay.core.errors import MeasurementError

# What each database searches texts with has no equal in the other, and only one has a queue of another project.
SEARCH = ("run_search", "search_", "procrastinate_")
COMPARED = {
    "compare_type": True,
    "include_name": lambda name, _kind, _parents: not (name or "").startswith(SEARCH),
}


def tables_on(engine: Engine) -> dict[str, Table]:
    """On PostgreSQL, work is a view."""
    postgres = engine.dialect.name == "postgresql"
    return {name: table for name, table in metadata.tables.items() if not (postgres and name == "work")}


def compared(connection: Connection) -> MigrationContext:
    left_out = set(metadata.tables) - set(tables_on(connection.engine))

    def include(_object: object, name: str | None, *_: object) -> bool:
        return name not in left_out

    return MigrationContext.configure(connection, opts={**COMPARED, "include_object": include})


@pytest.fixture
def engine(where: str) -> Iterator[Engine]:
    url = (
        make_url(where).set(drivername="postgresql+psycopg") if "://" in where else make_url(f"sqlite:///{where}")
    )
    made = engine_for(url)
    yield made
    made.dispose()


def test_an_empty_database_gets_the_tables_of_the_code(engine: Engine) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        context = compared(connection)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == NEWEST
    assert {"events", "playgrounds", "state_rows", "turns", "x12_responses"} <= set(
        inspect(engine).get_table_names()
    )


def test_the_newest_migration_is_known() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == NEWEST


def test_the_comparison_would_notice_a_difference(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_events_playground_type_at"))
        context = compared(connection)
        assert [kind for kind, *_ in compare_metadata(context, metadata)] == ["add_index"]


def test_the_names_of_keys_are_those_of_the_code(engine: Engine) -> None:
    upgrade(engine)
    found = inspect(engine)
    for table in tables_on(engine).values():
        assert found.get_pk_constraint(table.name)["name"] == table.primary_key.name
        named = {key["name"] for key in found.get_foreign_keys(table.name)}
        assert named == {key.name for key in table.foreign_key_constraints}


def test_a_second_upgrade_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    upgrade(engine)
    names = {name for name in inspect(engine).get_table_names() if not name.startswith(SEARCH)}
    assert names == {*tables_on(engine), "alembic_version"}


def test_several_may_open_a_new_store_at_once(where: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        for store in list(pool.map(lambda _: open_store(where, create=True), range(6))):
            store.close()


def test_a_migration_that_breaks_leaves_nothing(engine: Engine) -> None:
    """The last table is there already, so its creation fails after all others were made."""
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE turns (x INTEGER)"))
    with pytest.raises(Exception, match="already exists"):
        upgrade(engine)
    assert inspect(engine).get_table_names() == ["turns"]


def test_a_store_of_a_newer_version_is_not_touched(where: str, engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MeasurementError, match="created by a newer version of Assay"):
        open_store(where)
