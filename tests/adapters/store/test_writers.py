"""Several writers at once, and one that is killed in the middle."""

import subprocess
import sys
import textwrap
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from assay.adapters.store.opening import open_store
from assay.adapters.store.store import EventRecorder, Store
from assay.engine.criteria.watched_sources import NewEvent, Playground
from assay.evidence.playground import StateRow
from tests.sampling import SEARCHING

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WRITERS, EACH = (4, 15) if SEARCHING else (2, 10)

WRITER = """
    import os, sys
    from datetime import UTC, datetime
    from assay.adapters.store.opening import open_store
    from assay.engine.criteria.watched_sources import NewEvent
    where, writer, each, killed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "killed"
    now = datetime.now(UTC)

    def records():
        yield NewEvent("e", writer.encode(), now)
        if killed:
            os.kill(os.getpid(), 9)

    with open_store(where) as store:
        for _ in range(each):
            store.record("box", records())
"""


def writer(where: str, name: str, each: int, killed: bool = False) -> "subprocess.Popen[bytes]":
    arguments = [where, name, str(each), "killed" if killed else "lives"]
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(WRITER), *arguments])


def test_processes_write_side_by_side_and_lose_nothing(where: str) -> None:
    with open_store(where, create=True) as store:
        store.add_playground(Playground("box", START))
        running = [writer(where, str(number), EACH) for number in range(WRITERS)]
        assert [process.wait(60) for process in running] == [0] * WRITERS
        found = Counter(event.payload for event in store.events("box", "e"))
    assert found == {str(number).encode(): EACH for number in range(WRITERS)}


def test_threads_write_to_one_row_and_the_last_one_stays(store: Store) -> None:
    store.add_playground(Playground("box", START))
    rows = [StateRow("r", "k", {"n": number}, START) for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda row: store.record("box", [row]), rows))
    (left,) = store.state_rows("box", "r")
    assert left in rows


def test_a_killed_writer_leaves_no_half_and_stops_nobody(where: str) -> None:
    with open_store(where, create=True) as store:
        store.add_playground(Playground("box", START))
        assert writer(where, "dead", 1, killed=True).wait(60) == -9
        assert store.events("box", "e") == []
        store.record("box", [NewEvent("e", b"alive", START)])
        assert [event.payload for event in store.events("box", "e")] == [b"alive"]


def test_a_reader_does_not_wait_for_a_writer(where: str) -> None:
    with open_store(where, create=True) as store, open_store(where) as reader:
        store.add_playground(Playground("box", START))
        seen: list[int] = []

        def records() -> "list[NewEvent]":
            seen.append(len(reader.events("box", "e")))
            return [NewEvent("e", b"", START)]

        store.record("box", (record for make in (records, records) for record in make()))
        assert (seen, len(reader.events("box", "e"))) == ([0, 0], 2)


def test_a_listener_s_messages_become_events(store: Store) -> None:
    store.add_playground(Playground("box", START))
    EventRecorder(store, "box").record(b"MSH|^~\\&|\xff\0", START, "127.0.0.1:9")
    (event,) = store.events("box", "hl7_outbound")
    assert (event.payload, event.at) == (b"MSH|^~\\&|\xff\0", START)
