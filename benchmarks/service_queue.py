"""The queue on PostgreSQL: work a second beside plain procrastinate, and how soon new work is picked up."""

import asyncio
import logging
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from subprocess import PIPE
from typing import Any

from procrastinate import App, PsycopgConnector
from sqlalchemy import insert, text

from assay.adapters.service.job_worker import JobWorker
from assay.adapters.store.opening import open_store
from assay.adapters.store.service_tables import work
from assay.api.service import Service
from assay.engine.service.work import Work, WorkKind
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, sized
from benchmarks.service_load import databases

JOBS, WAITING = sized(1_000, 20), sized(100_000, 40)
AT_ONCE = 4
PROCESSES = (1, 2, 4)
PICKED, PICK_UP_GOAL_MS = sized(200, 5), {"p50": 20.0, "p99": 100.0}
SHARE_GOAL = 1.25
KIND = WorkKind.COMPLETE_TASK_RUN.value


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Work that does nothing: by 1, 2 and 4 processes, with much that waits behind it, and one by one."""
    with databases() as empty_database:
        if empty_database is not None:
            for count in PROCESSES:
                yield _beside(empty_database(), empty_database(), count, 0)
            yield _beside(empty_database(), empty_database(), 2, WAITING)
            yield from _picked_up(Service(open_store(empty_database())), "PostgreSQL")
    yield from _picked_up(Service(open_store(str(jobs.root / "picked.db"), create=True)), "SQLite")


def _beside(ours: str, plain: str, processes: int, behind: int) -> Result:
    open_store(ours).close()
    open_store(plain).close()
    spent = []
    for url, kind in ((plain, "plain"), (ours, "ours")):
        _fill(url, kind, JOBS + behind)
        spent.append(_spent(url, kind, processes, JOBS))
    (plain_sec, plain_cpu), (our_sec, our_cpu) = spent
    detail = (
        f"{JOBS / our_sec:.0f} a second against {JOBS / plain_sec:.0f},"
        f" {our_cpu / JOBS * 1e3:.1f} ms of the workers' CPU each against {plain_cpu / JOBS * 1e3:.1f}"
    )
    name = f"work by {processes} processes" + (f", {behind:,} waiting" if behind else "")
    return Result(name, our_sec / plain_sec, f"{TIMES} the time of procrastinate", SHARE_GOAL, detail)


def _fill(url: str, kind: str, count: int) -> None:
    with open_store(url) as store, store.writing() as connection:
        if kind == "plain":
            connection.execute(text("DROP VIEW work"))
            connection.execute(text("DROP INDEX work_ids, work_targets, work_turns, work_done"))
            added = (
                "INSERT INTO procrastinate_jobs (queue_name, task_name) SELECT 'q', 'plain' FROM generate_series"
            )
            connection.execute(text(f"{added}(1, :count)"), {"count": count})
            connection.execute(text("ANALYZE procrastinate_jobs"))
            return
        now = datetime.now(UTC)
        common = {"organisation": "default", "created_at": now, "kind": KIND, "state": "queued", "priority": 0}
        rest = {"tries": 0, "not_before": now, "source_waits": 0}
        for at in range(0, count, 5_000):
            numbers = range(at, min(at + 5_000, count))
            rows = [{**common, **rest, "id": f"work_{n:09}", "target": f"t{n}", "turn": n + 1} for n in numbers]
            connection.execute(insert(work), rows)
        connection.execute(text("ANALYZE procrastinate_jobs"))


def _spent(url: str, kind: str, processes: int, count: int) -> tuple[float, float]:
    """Seconds on the clock until so much is done, and of the workers' CPU."""
    command = [sys.executable, "-m", "benchmarks.service_queue", url, kind]
    children = [subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(processes)]
    with open_store(url) as store:
        # They are taken in the order of their ids. Counting them would keep the database busy.
        query = text("SELECT count(*) FROM procrastinate_jobs WHERE id = :last AND status = 'succeeded'")
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        began = time.perf_counter()
        for child in children:
            child.stdin.write("go\n")  # type: ignore[union-attr] # It is a pipe.
            child.stdin.flush()  # type: ignore[union-attr]
        while not store.rows(query, {"last": count})[0][0]:
            time.sleep(0.02)
        seconds = time.perf_counter() - began
        cpu = 0.0
        for child in children:
            cpu += float(child.communicate("end\n")[0])
    return seconds, cpu


def _picked_up(service: Service, where: str) -> Iterator[Result]:
    taken = threading.Event()

    def take(_work: Work) -> None:
        taken.set()

    object.__setattr__(service.doing, "coding", lambda: {KIND: take})
    worker = service.worker(2)
    service.work.woken.append(worker.wake)
    worker.start()
    seconds = []
    for number in range(PICKED):
        taken.clear()
        began = time.perf_counter()
        service.work.add("default", WorkKind.COMPLETE_TASK_RUN, f"t{number}")
        taken.wait()
        seconds.append(time.perf_counter() - began)
        # Idle again.
        time.sleep(0.02)
    worker.end()
    service.close()
    quantiles = statistics.quantiles(seconds, n=100)
    for name, at in (("p50", 49), ("p99", 98)):
        yield Result(f"{where}, pick-up {name}", quantiles[at] * 1e3, "ms", PICK_UP_GOAL_MS[name])


def _plain(url: str) -> Any:
    app = App(connector=PsycopgConnector(conninfo=url.replace("+psycopg", "")))
    app.task(name="plain")(lambda: None)

    async def work_on() -> None:
        async with app.open_async():
            await app.run_worker_async(concurrency=AT_ONCE, install_signal_handlers=False)

    return work_on()


def main(argv: Sequence[str]) -> None:
    """A worker that begins with the first line of its input, and says at the second what CPU it took."""
    url, kind = argv
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    if kind == "plain":
        working = _plain(url)
    else:
        service = Service(open_store(url))
        object.__setattr__(service.doing, "coding", lambda: {KIND: lambda _work: None})
        working = JobWorker(service.store.url, service.doing, AT_ONCE)._work()
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.process_time()
    threading.Thread(target=asyncio.run, args=(working,), daemon=True).start()
    sys.stdin.readline()
    print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
