"""Migrations make the tables that the code has, from nothing, once, and never half."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, insert, inspect, select, text
from sqlalchemy.engine import make_url

from assay.adapters.store import service_tables, writing
from assay.adapters.store.database import engine_for
from assay.adapters.store.migrate import NEWEST, alembic_config, upgrade
from assay.adapters.store.opening import open_store
from assay.adapters.store.tables import metadata
from assay.core.errors import MeasurementError
from assay.engine.playground_store import Playground

pytestmark = pytest.mark.xdist_group("postgres")
# What each database searches texts with has no equal in the other.
SEARCH = ("run_search", "search_")
COMPARED = {
    "compare_type": True,
    "include_name": lambda name, _kind, _parents: not (name or "").startswith(SEARCH),
}


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
        context = MigrationContext.configure(connection, opts=COMPARED)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == NEWEST
    assert {"events", "sandboxes", "state_rows", "turns", "x12_responses"} <= set(
        inspect(engine).get_table_names()
    )


def test_the_newest_migration_is_known() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == NEWEST


def test_the_comparison_would_notice_a_difference(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_events_sandbox_type_at"))
        context = MigrationContext.configure(connection, opts=COMPARED)
        assert [kind for kind, *_ in compare_metadata(context, metadata)] == ["add_index"]


def test_the_names_of_keys_are_those_of_the_code(engine: Engine) -> None:
    upgrade(engine)
    found = inspect(engine)
    for table in metadata.sorted_tables:
        assert found.get_pk_constraint(table.name)["name"] == table.primary_key.name
        named = {key["name"] for key in found.get_foreign_keys(table.name)}
        assert named == {key.name for key in table.foreign_key_constraints}


def test_a_second_upgrade_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    upgrade(engine)
    names = {name for name in inspect(engine).get_table_names() if not name.startswith(SEARCH)}
    assert names == {*metadata.tables, "alembic_version"}


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


def test_work_that_waits_was_accepted(engine: Engine) -> None:
    """In stores of before, acceptance was not written down; whoever waits must not be timed out by the upgrade."""
    now, runs = datetime(2026, 3, 1, 12, tzinfo=UTC), service_tables.task_runs
    late = {"in time": now + timedelta(minutes=1), "too late": now - timedelta(minutes=1), "no limit": None}
    upgrade(engine)
    ours = dict.fromkeys(("organisation", "task", "snapshot", "playground"), "default")
    with engine.begin() as connection:
        writing.add_playground(connection, Playground("default", now))
        for name, deadline in {**late, "not asked": None}.items():
            values = {**ours, "id": name, "scored": False, "status": "active", "phase": "started"}
            connection.execute(insert(runs).values(**values, created_at=now, deadline_at=deadline))
        for name in late:
            values = {"id": name, "organisation": "default", "kind": "complete_task_run", "target": name}
            counted = {"state": "queued", "priority": 0, "turn": 1, "tries": 0, "not_before": now}
            connection.execute(insert(service_tables.work).values(**values, **counted, created_at=now))
        connection.execute(text(acceptance().ACCEPTED))
        found = {row.id: row.completion_requested_at for row in connection.execute(select(runs))}
    assert found == {"in time": now, "too late": None, "no limit": now, "not asked": None}


def acceptance() -> Any:
    return ScriptDirectory.from_config(alembic_config()).get_revision("0007").module
