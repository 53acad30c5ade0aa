"""What the service costs: completions over HTTP, beside the same criteria in this process; lists of many runs."""

import gc
import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import httpx
import uvicorn
from sqlalchemy import insert

from assay.adapters.machine.local_machine import ThisServer
from assay.adapters.service.import_runs import Importing
from assay.adapters.store.bulk import batches
from assay.adapters.store.opening import open_store
from assay.adapters.store.service_tables import task_runs
from assay.api.app import make_app
from assay.api.connections import ConnectionLimits
from assay.api.service import Service
from assay.api.serving import uvicorn_config
from assay.cli.output.read_jobs import read_results
from assay.dialects.criteria.resources import NewPlayground, NewTask, NewTaskRun
from assay.engine.criteria.bounded_evidence import criterion_of
from assay.engine.criteria.complete_run import Stamp, ask, compile_criteria
from assay.engine.criteria.stored_playground import StoredPlayground
from assay.engine.criteria.watched_sources import NewEvent, NewResponse, Record
from assay.engine.explorer.list_slices import SliceRequest
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.evidence.playground import StateRow, Turn
from benchmarks.made_job import MadeJobs
from benchmarks.made_messages import hl7_event, hl7_rules, x12_event, x12_rules
from benchmarks.measure import TIMES, Result, best_cpu, sized
from benchmarks.read import read_and_report

HERE = "default"
COMPLETIONS, TURNS, ROUNDS = sized(320, 4), sized(5), sized(30)
CLIENTS = (1, 8, sized(32, 9))
FEW, MANY = sized(10_000, 50), sized(200_000, 100)
TRIALS = sized(10_000, 20)
SMALL_GOAL_MS, LIST_GOAL_MS, IMPORT_GOAL = 0.8, 100.0, 2.5
GOALS = {"SQLite": 2.5, "PostgreSQL": 3.0}
AT_ONCE = sized(20, 2)
SAID = (
    "Good morning, this is the clinic on Main Street, you are speaking with agent {n}.",
    "Let me look into the calendar of that week, one moment please, there may be a few free places left.",
    "I can't find a slot in June, but it's possible to see Dr. Miller on the {n}th at half past three instead.",
    "Thank you for waiting, and please tell me your date of birth and the name of your insurance.",
)
LAST = "Your appointment is confirmed for Monday at nine, at the clinic on Main Street."


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Completions by the library and over HTTP at 1, 8 and 32 clients; lists of many runs; an import."""
    folder = jobs.root / "service"
    folder.mkdir()
    with opened(folder / "completions.db") as service:
        yield _small(service)
        yield Result("ten criteria, stored records", _asked(service, 10) * 1e3, "ms of CPU")
        for clients in CLIENTS:
            yield completions(service, clients, "SQLite")
    yield from _lists(folder)
    yield _imported(folder, jobs.job(TRIALS))


def _imported(folder: Path, job: Path) -> Result:
    """What ``assay import`` does, beside what ``assay report`` does before it prints."""
    with opened(folder / "imported.db") as service:
        began = time.process_time()
        read_and_report(job)
        reading = time.process_time() - began
        began = time.process_time()
        Importing(service.imports, service.blobs, HERE).job(str(job), read_results(str(job)), None)
        whole = time.process_time() - began
    detail = f"{whole:.1f} s of CPU against {reading:.1f} for {TRIALS:,} trials"
    return Result("importing a job", whole / reading, f"{TIMES} a report on it", IMPORT_GOAL, detail)


@contextmanager
def opened(path: Path) -> Iterator[Service]:
    service = Service(open_store(str(path), create=True))
    try:
        yield service
    finally:
        service.close()


def _criteria(count: int) -> list[dict[str, Any]]:
    """The five kinds that look at records, in turn."""
    portal = {
        "correlate_by": {"resource": "visits", "key": "v1"},
        "assertions": [{"path": "status", "expected": "booked"}],
    }
    made: list[dict[str, Any]] = [
        {"assert": "hl7-structural", "fields": hl7_rules(1)[:5]},
        {"assert": "x12-response", "fields": x12_rules(1)[:5]},
        {"assert": "portal-state-match", **portal},
        {"assert": "voice-transcript", "speaker": "agent", "contains": ["is confirmed"]},
        {"assert": "voice-transcript", "speaker": "agent", "contains": ["at nine"], "not_contains": ["diagnosis"]},
    ]
    return [{"label": f"criterion {n}", "assertion": made[n % len(made)]} for n in range(count)]


def _records(service: Service) -> list[Record]:
    now = service.host.now()
    turns = [
        Turn(n, "patient" if n % 2 else "agent", SAID[n // 2 % len(SAID)].format(n=n), now) for n in range(1, 20)
    ]
    turns.append(Turn(20, "agent", LAST, now))
    row = StateRow("visits", "v1", {"status": "booked"}, now)
    return [
        NewEvent("hl7_outbound", hl7_event(1).payload, now),
        NewResponse(x12_event(1).payload, now),
        row,
        *turns,
    ]


def _small(service: Service) -> Result:
    """Five small criteria and twenty turns, compiled once and read anew each time."""
    spent = _asked(service, 5)
    return Result("five criteria, stored records", spent * 1e3, "ms of CPU", SMALL_GOAL_MS)


def _library(service: Service, runs: Sequence[str]) -> float:
    """The CPU seconds of a completion without the service: the same criteria and playgrounds, each once."""
    asked = compile_criteria([criterion_of(one, n) for n, one in enumerate(_criteria(10))], {})
    stored = [service.store.playground(service.runs.task_run(Owner(HERE), one).playground_id) for one in runs]
    stamp = Stamp(service.host.now(), lambda: service.host.new_id("crun"))
    gc.collect()
    began = time.process_time()
    for one in stored:
        with service.store.reading() as records:
            ask(asked, StoredPlayground(records, one), stamp)
    return (time.process_time() - began) / len(runs)


def _asked(service: Service, count: int) -> float:
    box = service.playgrounds.add(HERE, NewPlayground()).id
    service.playgrounds.record(HERE, box, _records(service))
    asked = compile_criteria([criterion_of(one, n) for n, one in enumerate(_criteria(count))], {})
    stored = service.store.playground(box)
    stamp = Stamp(service.host.now(), lambda: service.host.new_id("crun"))

    def work() -> None:
        for _ in range(AT_ONCE):
            with service.store.reading() as records:
                done = ask(asked, StoredPlayground(records, stored), stamp)
            assert done.score == 1, [one.details for one in done.criterion_runs]

    [spent] = best_cpu(ROUNDS, work)
    return spent / AT_ONCE


def started(service: Service, count: int) -> list[str]:
    task = service.tasks.add(HERE, NewTask(name="ten criteria", criteria=_criteria(10))).id
    runs = []
    for _ in range(count):
        made = service.runs.add(HERE, NewTaskRun(task_id=task))
        service.playgrounds.record(HERE, made.playground_id, _records(service))
        service.runs.start(Owner(HERE), made.id, service.host.now())
        runs.append(made.id)
    return runs


def completions(
    service: Service, clients: int, where: str, database_cpu: Callable[[], float] = lambda: 0.0
) -> Result:
    """The CPU of the server, which is this process, and of a database beside it, for what another process asks."""
    key = issue_key(service.keys, Owner(HERE), Scope.GRADER, "benchmark").secret
    runs = started(service, COMPLETIONS)
    seconds: list[float] = []
    library = cost = wall = 0.0

    def spent() -> float:
        return time.process_time() + database_cpu()

    with served(service) as url, clients_process(url, key, clients) as load:
        load.ask(["/healthz"] * clients, "GET")
        # The two take turns, so that both share the noise.
        for some in batches(runs, len(runs) // TURNS):
            library += _library(service, some) * len(some) / len(runs)
            gc.collect()
            began, before = time.perf_counter(), spent()
            seconds += load.ask([f"/v1/task-runs/{one}/complete" for one in some], "POST")
            cost += (spent() - before) / len(runs)
            wall += time.perf_counter() - began
    quantiles = statistics.quantiles(seconds, n=100)
    detail = (
        f"{len(runs) / wall:.0f} a second, p50 {quantiles[49] * 1e3:.0f} ms, p99 {quantiles[98] * 1e3:.0f} ms, "
        f"{cost * 1e3:.1f} ms of CPU of server and database, without the clients', against {library * 1e3:.1f}"
    )
    return Result(f"{where}, {clients} clients", cost / library, f"{TIMES} the library", GOALS[where], detail)


class ClientsProcess:
    """Clients in a process of their own, so that their CPU isn't the server's."""

    def __init__(self, child: "subprocess.Popen[str]") -> None:
        self._child = child

    def ask(self, paths: Sequence[str], method: str) -> list[float]:
        """Ask for these, as many at once as there are clients. How many seconds each took."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps([method, *paths]) + "\n")
        self._child.stdin.flush()
        seconds: list[float] = json.loads(self._child.stdout.readline())
        return seconds


@contextmanager
def clients_process(url: str, key: str, clients: int) -> Iterator[ClientsProcess]:
    command = [sys.executable, "-m", "benchmarks.service", url, key, str(clients)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as child:
        yield ClientsProcess(child)
        child.communicate()


def main(argv: Sequence[str]) -> None:
    """Asks for what each line of the input names, and answers with how long each request took."""
    url, key, clients = argv
    headers = {"Authorization": f"Bearer {key}"}
    with (
        httpx.Client(base_url=url, headers=headers, timeout=120) as client,
        ThreadPoolExecutor(int(clients)) as pool,
    ):
        for line in sys.stdin:
            method, *paths = json.loads(line)

            def one(path: str, method: str = method) -> float:
                began = time.perf_counter()
                answer = client.request(method, path)
                assert answer.status_code == 200, answer.text
                return time.perf_counter() - began

            print(json.dumps(list(pool.map(one, paths))), flush=True)


@contextmanager
def served(service: Service) -> Iterator[str]:
    config = uvicorn_config(make_app(service), ConnectionLimits())
    config.port = 0
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def _lists(folder: Path) -> Iterator[Result]:
    """The first page, a page in the middle, and pages with filters."""
    spent = {}
    for count in (FEW, MANY):
        with opened(folder / f"{count}.db") as service:
            _fill(service, count)
            spent[count] = _p95(service)
            if count == MANY:
                yield Result(f"lists of {count:,} runs, p95", spent[count] * 1e3, "ms", LIST_GOAL_MS)
    yield Result("  growth", spent[MANY] / spent[FEW], f"{TIMES} {FEW:,} runs")


def _fill(service: Service, count: int) -> None:
    host, now = ThisServer(), service.host.now()
    made = service.runs.add(HERE, NewTaskRun(task_id=service.tasks.add(HERE, NewTask(name="x")).id))
    common = {
        "organisation": HERE,
        "task": made.task_id,
        "snapshot": made.snapshot,
        "playground": made.playground_id,
        "scored": False,
        "phase": "completed",
        "created_at": now,
    }
    rows = [
        {**common, "id": host.new_id("trun"), "status": "completed", "verdict": ("pass", "fail", "partial")[n % 3]}
        for n in range(count)
    ]
    with service.store.writing() as connection:
        for at in range(0, count, 5000):
            connection.execute(insert(task_runs), rows[at : at + 5000])


def _p95(service: Service) -> float:
    middle = None
    for _ in range(20):
        middle = service.runs.slice(HERE, SliceRequest(100, middle)).next
    asked: list[tuple[SliceRequest, dict[str, str]]] = [
        (SliceRequest(100), {}),
        (SliceRequest(100, middle), {}),
        (SliceRequest(100), {"status": "completed"}),
        (SliceRequest(100), {"verdict": "pass"}),
        (SliceRequest(100), {"status": "failed"}),
        (SliceRequest(100), {"benchmark_run": "brun_none"}),
    ]
    seconds = []
    for request, wanted in asked * 10:
        began = time.perf_counter()
        service.runs.slice(HERE, request, **wanted)
        seconds.append(time.perf_counter() - began)
    return statistics.quantiles(seconds, n=20)[18]


if __name__ == "__main__":
    main(sys.argv[1:])
