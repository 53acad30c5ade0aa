"""Two versions of the service on one database: what the old one does while the new one migrates, and after.

The next version is made here: a migration that is one ahead of ours, and adds as migrations of Assay do.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from alembic import command
from sqlalchemy import text

from assay.adapters.store.database import WRITE, engine_for, transaction
from assay.adapters.store.migrate import MIGRATIONS, NEWEST, alembic_config
from assay.adapters.store.opening import _url, open_store
from assay.core.errors import MeasurementError
from tests.api.clinic import Clinic, clinic_of, portal, serve_on
from tests.cli.running import run_assay

pytestmark = pytest.mark.both_databases
HELD_SEC = 1.0
NEXT = f'''
"""A column and a table more."""
import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = "{NEWEST}"


def upgrade() -> None:
    op.add_column("task_runs", sa.Column("of_the_next_version", sa.Text))
    op.create_table("of_the_next_version", sa.Column("id", sa.Text, primary_key=True))
'''


def migrate(where: str, folder: Path, before_commit: Callable[[], None]) -> None:
    """Bring a database to the next version, as that would: all or nothing, in one transaction."""
    versions = folder / "next"
    versions.mkdir()
    (versions / "next.py").write_text(NEXT)
    config = alembic_config()
    config.set_main_option("version_locations", f"{MIGRATIONS / 'versions'}:{versions}")
    engine = engine_for(_url(where if "://" in where else f"sqlite:///{where}"))
    with transaction(engine, WRITE) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "next")
        before_commit()
    engine.dispose()


def completed(clinic: Clinic) -> Any:
    return clinic.post(f"/v1/task-runs/{clinic.run(portal('status', 'booked'))}/complete")["verdict"]


def test_the_version_before_works_on_while_the_next_one_migrates(where: str, tmp_path: Path) -> None:
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        clinic = clinic_of(served, client, "upgrade")
        for _ in range(6):
            # So often that PostgreSQL keeps the plans of our questions, which must survive the change.
            assert completed(clinic) == "pass"
        begun, verdicts = threading.Event(), list[str]()

        def go_on() -> None:
            begun.wait(120)
            verdicts.extend(completed(clinic) for _ in range(5))

        other = threading.Thread(target=go_on)
        other.start()

        def hold() -> None:
            begun.set()
            time.sleep(HELD_SEC)

        migrate(where, tmp_path, hold)
        other.join(300)
        assert verdicts == ["pass"] * 5
        assert completed(clinic) == "pass"
        rows = served.service.store.rows(text("SELECT of_the_next_version FROM task_runs"))
        assert {row[0] for row in rows} == {None}


@pytest.mark.both_databases(False)
def test_a_new_process_of_the_version_before_says_that_it_is_too_old(where: str, tmp_path: Path) -> None:
    migrate(where, tmp_path, lambda: None)
    with pytest.raises(MeasurementError, match="the store was created by a newer version of Assay"):
        open_store(where)
    refused = run_assay("serve", "--store", where, "--port", "0")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "assay: the store was created by a newer version of Assay\n"
