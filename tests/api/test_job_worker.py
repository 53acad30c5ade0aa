"""Workers of procrastinate: new work is announced to them, and work of those that died is taken over."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from assay.adapters.service.job_worker import JobWorker
from assay.adapters.store.opening import open_store
from assay.api.service import Service
from assay.engine.service.work import MOST_TRIES, WorkKind, WorkState
from tests.adapters.store.databases import copied_database
from tests.adapters.store.databases import execute as execute_at

KIND = WorkKind.COMPLETE_TASK_RUN
DEAD = "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'"
TAKE = "SELECT procrastinate_fetch_job_v2(NULL, (SELECT worker_id FROM procrastinate_register_worker_v1()))"
PATIENCE_SEC = 120.0


@pytest.fixture
def service(migrated_database: str) -> Iterator[Service]:
    made = Service(open_store(copied_database(migrated_database)), claim_sec=1)
    yield made
    made.close()


@contextmanager
def working(service: Service) -> Iterator[None]:
    worker = service.worker(1)
    assert isinstance(worker, JobWorker)
    worker.start()
    try:
        yield
    finally:
        worker.end()


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_SEC
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def execute(service: Service, statement: str) -> None:
    with service.store.writing() as connection:
        connection.execute(text(statement))


def do(service: Service, doer: Callable[[Any], None]) -> None:
    """From now on, work is done in this way."""
    object.__setattr__(service.doing, "coding", lambda: {KIND.value: doer})


def test_new_work_is_announced(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that only looked by itself would have to be lucky five times."""
    monkeypatch.setattr("assay.adapters.service.job_worker.LOOK_EVERY_SEC", 30)
    taken, soon = threading.Event(), 0
    do(service, lambda _: taken.set())
    with working(service):
        for number in range(6):
            taken.clear()
            began = time.monotonic()
            service.work.add("default", KIND, f"t{number}")
            assert taken.wait(PATIENCE_SEC)
            soon += time.monotonic() - began < 15
            # One that comes while the worker looks is found when it looks again.
            time.sleep(0.2)
    assert soon >= 4


def test_work_and_what_it_belongs_to_are_written_together(service: Service) -> None:
    """Who rolls back has deferred nothing."""
    row = {"id": "work_x", "organisation": "default", "kind": KIND.value, "target": "x", "tries": 0}
    now = service.host.now()
    more = {"state": "queued", "priority": 0, "turn": None, "created_at": now, "not_before": now}
    with service.storage.transaction() as rows:
        rows.insert("work", [{**row, **more}])
        assert rows.find("work", id="work_x")
        rows._connection.rollback()
    assert service.storage.find("work", id="work_x") is None
    assert not service.store.rows(text("SELECT id FROM procrastinate_jobs"))


def test_work_of_a_worker_that_died_is_taken_over(service: Service) -> None:
    added = service.work.add("default", KIND, "x")
    execute(service, TAKE)
    assert service.work.get("default", added.id).state is WorkState.RUNNING
    tries = list[int]()
    do(service, lambda work: tries.append(work.tries))
    with working(service):
        time.sleep(0.3)
        assert not tries, "its worker may be alive"
        execute(service, DEAD)
        until(lambda: service.work.get("default", added.id).state is WorkState.DONE)
    assert tries == [2]


def test_work_that_takes_its_worker_with_it_is_set_aside(service: Service) -> None:
    added = service.work.add("default", KIND, "x")
    for _ in range(MOST_TRIES):
        execute(service, TAKE)
        execute(service, "UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1")
    do(service, lambda _: pytest.fail("it was begun too often"))
    with working(service):
        until(lambda: service.work.get("default", added.id).state is WorkState.SET_ASIDE)
    found = service.work.get("default", added.id)
    assert (found.tries, found.reason) == (MOST_TRIES, "its worker ended without a word, three times")


def test_a_worker_finishes_what_it_began(service: Service) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(_work: object) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_SEC)

    do(service, slow)
    added = service.work.add("default", KIND, "x")
    with working(service):
        assert begun.wait(PATIENCE_SEC)
        threading.Timer(0.2, go_on.set).start()
    assert service.work.get("default", added.id).state is WorkState.DONE


def test_a_database_that_knows_no_encoding(postgres: str) -> None:
    """As PostgreSQL makes them in the locale C: what is a text here is one there."""
    as_bytes = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    execute_at(postgres, f"CREATE DATABASE texts {as_bytes}")
    url = make_url(postgres).set(database="texts").render_as_string(hide_password=False)
    made, seen = Service(open_store(url, create=True), claim_sec=1), list[str]()
    try:
        do(made, lambda work: seen.append(work.target))
        with working(made):
            made.work.add("default", KIND, "bücher")
            until(lambda: seen)
    finally:
        made.close()
    assert seen == ["bücher"]


def test_the_queue_is_asked_by_indexes(service: Service) -> None:
    """However much waits and is done, adding, finding and forgetting work reads a few rows."""
    with service.store.writing() as connection:
        connection.execute(
            text(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status)"
                " SELECT 'x', 'work', -n, jsonb_build_object('id', 'w' || n, 'organisation', 'o' || n % 10,"
                " 'target', 't' || n, 'created_at', now()),"
                " (ARRAY['todo', 'succeeded'])[1 + n % 2]::procrastinate_job_status"
                " FROM generate_series(1, 4000) AS n"
            )
        )
        connection.execute(text("ANALYZE procrastinate_jobs"))
        connection.execute(text("ANALYZE procrastinate_events"))
        for question in (
            "SELECT * FROM work WHERE organisation = 'o1' AND id = 'w1'",
            "SELECT * FROM work WHERE organisation = 'o1' ORDER BY id DESC LIMIT 10",
            "SELECT * FROM work WHERE organisation = 'o1' AND kind = 'x' AND target = 't1' AND state = 'queued'",
            "SELECT min(priority) FROM procrastinate_jobs WHERE args->>'organisation' = 'o2' AND status = 'todo'"
            " AND priority BETWEEN -99999999 AND 0",
            "SELECT job_id FROM procrastinate_events WHERE type = 'succeeded' AND at <= now() LIMIT 500",
        ):
            plan = "\n".join(connection.execute(text(f"EXPLAIN {question}")).scalars())
            assert "Seq Scan" not in plan, plan
