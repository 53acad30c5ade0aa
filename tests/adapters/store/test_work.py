"""Work in a SQLite file: however much waits and is done, taking, adding and forgetting it reads a few rows."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, text

from assay.adapters.store.opening import open_store
from assay.adapters.store.service.work import SPAN, StoredWork
from assay.adapters.store.store import Store
from assay.engine.service.work import WorkState

MANY = 100_000
NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
# Steps of SQLite's machine, in units of a hundred. Reading all that waits would be ten thousand units.
MOST_STEPS = 10
FILL = """
    INSERT INTO work (id, organisation, created_at, kind, target, state, priority, tries, turn, source_waits,
                      not_before, finished_at)
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2 * :many)
    SELECT 'w' || n, 'default', '2026-11-19 11:00:00.000000', 'x', 't' || n,
           CASE WHEN n <= :many THEN 'queued' ELSE 'done' END, 0, 0, n, 0, '2026-11-19 11:00:00.000000',
           CASE WHEN n > :many THEN '2026-11-19 11:00:00.000000' END
    FROM numbers
"""


@pytest.fixture(scope="module", params=["never", "when it was small", "now"])
def full(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with much work, whose rows SQLite has counted at some time or other."""
    path = tmp_path_factory.mktemp("full") / "store.db"
    with open_store(str(path), create=True) as store:
        for many in (3, MANY) if request.param == "when it was small" else (MANY,):
            with store.writing(durable=False) as connection:
                connection.execute(text("DELETE FROM work"))
                connection.execute(text(FILL), {"many": many})
            if (request.param == "now") == (many == MANY) and request.param != "never":
                store.gather_statistics()
        # What was counted is read once by each connection.
        StoredWork(store).next_turn("default", 0)
        yield store


def steps(store: Store, act: Callable[[], Any]) -> tuple[Any, int]:
    """What came of it, and how far SQLite's machine went for it."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    def watch(connection: Any, *_: Any) -> None:
        connection.set_progress_handler(step, 100)

    for engine in (store._engine, store._light):
        event.listen(engine, "checkout", watch)
    try:
        return act(), count
    finally:
        for engine in (store._engine, store._light):
            event.remove(engine, "checkout", watch)


def test_what_is_taken_is_found_by_an_index(full: Store) -> None:
    work = StoredWork(full)
    taken, cost = steps(full, lambda: work.take("c1", NOW, NOW + timedelta(seconds=60), ["x"]))
    assert (taken["id"], taken["state"]) == ("w1", WorkState.RUNNING.value)
    assert cost < MOST_STEPS
    again, cost = steps(full, lambda: work.take("c2", NOW + timedelta(seconds=60), NOW, ["x"]))
    assert (again["id"], again["tries"]) == ("w1", 2), "its claim ran out"
    assert cost < MOST_STEPS
    none, cost = steps(full, lambda: work.take("c3", NOW - timedelta(hours=2), NOW, ["x"]))
    assert none is None, "nothing was due then"


def test_a_turn_is_found_by_an_index(full: Store) -> None:
    work = StoredWork(full)
    turn, cost = steps(full, lambda: work.next_turn("default", 0))
    assert turn == MANY + 1
    assert cost < MOST_STEPS
    turn, cost = steps(full, lambda: work.next_turn("other", 0))
    assert turn in (1, 2, 3), "as early as what waits for longest"
    assert cost < MOST_STEPS
    assert work.next_turn("default", 1) == 1 - SPAN


def test_what_is_done_is_forgotten_in_pieces(full: Store) -> None:
    work = StoredWork(full)
    assert work.prune(NOW - timedelta(hours=2), 50) == 0
    pruned, cost = steps(full, lambda: work.prune(NOW, 50))
    assert pruned == 50
    assert cost < 10 * MOST_STEPS
    count = "SELECT count(*) FROM work WHERE state = 'done'"
    assert full.rows(text(count))[0][0] == MANY - 50
