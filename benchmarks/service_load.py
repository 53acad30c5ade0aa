"""The service under load: both databases, ten thousand idle connections, memory, and ids that are unknown."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit

import httpx
from sqlalchemy import text

from assay.adapters.store.opening import open_store
from assay.api.connections import most_connections
from assay.api.service import Service
from assay.dialects.criteria.resources import NewBenchmark, NewBenchmarkRun, NewTask, NewVersion
from assay.engine.service.keys import Owner, Scope, issue_key
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, sized, spent_by
from benchmarks.service import CLIENTS, HERE, completions, opened, served, started

IDLE = sized(10_000, 20)
IDLE_GOAL_MS = 1_000.0
# As many as two a second are in an hour.
REQUESTS, QUARTERS = sized(7_200, 48), 4
MEMORY_GOAL = 1.1
SAMPLES, TIMING_GOAL = sized(1_500, 4), 1.1

# Opens connections, says how long that took, and holds them until its input ends.
CONNECT = """
import resource, socket, sys, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
began = time.perf_counter()
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60) for _ in range(int(sys.argv[2]))]
print(time.perf_counter() - began, flush=True)
sys.stdin.read()
"""


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Completions on PostgreSQL, if there is one; idle connections; memory; how long unknown ids take."""
    folder = jobs.root / "service-load"
    folder.mkdir()
    yield from _postgres()
    with opened(folder / "load.db") as service:
        yield _idle(service)
        yield from _memory(service)
        yield _unknown_ids(service)


def _postgres() -> Iterator[Result]:
    """The same completions as on SQLite."""
    with databases() as empty_database:
        if empty_database is not None:
            service = Service(open_store(empty_database()))
            try:
                # Its parent is the server, which has a process for each connection.
                [[connected]] = service.store.rows(text("SELECT pg_backend_pid()"))
                server = int(Path(f"/proc/{connected}/stat").read_text().rpartition(")")[2].split()[1])
                for clients in CLIENTS:
                    yield completions(service, clients, "PostgreSQL", partial(spent_by, server))
            finally:
                service.close()


@contextmanager
def databases() -> Iterator[Callable[[], str] | None]:
    """Makes empty databases, on the server of the tests, which needs their packages; None where there is none."""
    try:
        from tests.adapters.store.databases import StoppableServer, empty_database  # noqa: PLC0415

        server = StoppableServer()
    except Exception as error:  # noqa: BLE001 - whatever it is, the reader learns of it
        print(f"no PostgreSQL could be started here, so nothing was measured on it: {error!r}")
        yield None
        return
    try:
        yield lambda: empty_database(server.url)
    finally:
        server.end()


def _idle(service: Service) -> Result:
    """The slowest of some requests while so many connections wait, as many as the system allows a process."""
    count = min(IDLE, most_connections())
    with (
        served(service) as url,
        subprocess.Popen(
            [sys.executable, "-c", CONNECT, str(urlsplit(url).port), str(count)],
            stdin=PIPE,
            stdout=PIPE,
            text=True,
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        opening = float(child.stdout.readline())
        with httpx.Client(base_url=url, timeout=60) as client:
            seconds = [_timed(client, "/readyz") for _ in range(20)]
        detail = f"{count:,} connections, opened in {opening:.1f} s; {_resident():.0f} MB"
        child.stdin.close()
    return Result("slowest request beside idle ones", max(seconds) * 1e3, "ms", IDLE_GOAL_MS, detail)


def _timed(client: httpx.Client, path: str) -> float:
    began = time.perf_counter()
    assert client.get(path).status_code == 200
    return time.perf_counter() - began


def _memory(service: Service) -> Iterator[Result]:
    """How much more memory the process has after an hour's worth of requests than after a quarter of them."""
    key = issue_key(service.keys, Owner(HERE), Scope.GRADER, "benchmark").secret
    found = []
    with served(service) as url, ThreadPoolExecutor(8) as pool, httpx.Client(base_url=url, timeout=120) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        for _ in range(QUARTERS):
            for _ in range(4):
                _mixed(service, client, pool, REQUESTS // QUARTERS // 4)
            found.append(_resident())
    told = ", ".join(f"{one:.0f}" for one in found)
    detail = f"{told} MB after each quarter of {REQUESTS:,} requests"
    yield Result("memory of the server", found[-1] / found[0], f"{TIMES} a quarter", MEMORY_GOAL, detail)


def _mixed(service: Service, client: httpx.Client, pool: ThreadPoolExecutor, count: int) -> None:
    """A third each: completions, lists, and refusals."""
    runs = started(service, count // 3)
    asked = [("POST", f"/v1/task-runs/{one}/complete", 200) for one in runs]
    asked += [("GET", "/v1/task-runs?limit=50", 200), ("GET", "/v1/task-runs/trun_0", 404)] * (count // 3)

    def send(one: tuple[str, str, int]) -> None:
        assert client.request(one[0], one[1]).status_code == one[2]

    list(pool.map(send, asked))


def _resident() -> float:
    """Megabytes that the process has now."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


def _unknown_ids(service: Service) -> Result:
    """How much longer an agent waits for the refusal of a run that exists than for that of one that doesn't.

    The two take turns, so that they share the noise; the medians are compared.
    """
    token = _token(service)
    other, unknown = started(service, 1)[0], service.host.new_id("trun")
    spent: dict[str, list[float]] = {other: [], unknown: []}
    with served(service) as url, httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        for _ in range(SAMPLES):
            for run, seconds in spent.items():
                began = time.perf_counter()
                assert client.post(f"/v1/task-runs/{run}/complete").status_code == 404
                seconds.append(time.perf_counter() - began)
    there, not_there = (statistics.median(one) for one in spent.values())
    return Result(
        "refusal of a run of others",
        max(there, not_there) / min(there, not_there),
        f"{TIMES} an unknown one",
        TIMING_GOAL,
        _spread(list(spent.values())),
    )


def _spread(samples: Sequence[Sequence[float]]) -> str:
    """The medians beside the noise of a single request, which an agent would have to see through."""
    medians = " and ".join(f"{statistics.median(one) * 1e3:.2f}" for one in samples)
    quartiles = statistics.quantiles(samples[1], n=4)
    noise = (quartiles[2] - quartiles[0]) * 1e3
    return f"medians {medians} ms of {len(samples[0]):,} each; the middle half is {noise:.2f} ms wide"


def _token(service: Service) -> str:
    task = service.tasks.add(HERE, NewTask(name="x")).id
    service.benchmarks.add(HERE, NewBenchmark(slug="unknown-ids"))
    version = service.versions.add(HERE, "unknown-ids", NewVersion(tasks=[task]))
    made = service.runs.add_benchmark_run(HERE, version, NewBenchmarkRun(benchmark="unknown-ids@1"))
    ends = service.host.now() + timedelta(hours=1)
    return issue_key(service.keys, Owner(HERE, made), Scope.RUN, "token", ends).secret
