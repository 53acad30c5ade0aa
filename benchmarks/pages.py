"""How fast pages open, and the parts that they load after themselves: lists of 100,000 runs, a run with a huge
trace and diff, and a job of 10,000 trials.
"""

import contextlib
import io
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
from msgspec.structs import replace

from assay.adapters.jobs.folder_pages import FolderPages, ViewedJob
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.api.service import Service
from assay.cli.view import source_of
from assay.engine.explorer.blobs import DIFF, TRAJECTORY, KeptFile
from assay.engine.explorer.imported_runs import Kept
from assay.engine.explorer.run_query import RunQuery
from assay.engine.jobs.job import read_job
from assay.engine.service.keys import Owner, Scope, issue_key
from assay.evidence.run import Run, State
from assay.web.assets import NAMES, asset
from assay.web.local_server import LocalServer
from assay.web.one_file import one_file
from benchmarks.made_job import MadeJobs
from benchmarks.made_trace import large_atif, large_diff
from benchmarks.measure import TIMES, Result, best_cpu, sized
from benchmarks.service import opened, served

HERE = "default"
RUNS, TRIALS = sized(100_000, 500), sized(10_000, 20)
TRACE, DIFFED = sized(100 * 10**6, 10**6), sized(20 * 10**6, 10**5)
FIRST_BYTE_MS, VIEW_KB, HUGE_MS, HUGE_MB = 60.0, 150.0, 1000.0, 150.0
FILE_SEC = 2.0
ROUNDS = sized(5)


def run(jobs: MadeJobs) -> Iterator[Result]:
    """The first byte and the size of every page; the huge run; what a viewed job takes beyond reading it."""
    folder = jobs.root / "pages"
    folder.mkdir()
    with opened(folder / "store.db") as service:
        _fill(service)
        yield from _pages(service)
    yield from _huge(folder)
    yield _viewed(jobs.job(TRIALS))
    yield _written(jobs.job(TRIALS))


def _fill(service: Service) -> None:
    for start in range(0, RUNS, 10_000):
        service.imports.add_runs(HERE, [_run(number) for number in range(start, min(RUNS, start + 10_000))])


def _run(number: int) -> Kept:
    passed = number % 3 == 0
    run = Run(
        job=f"job-{number * 100 // RUNS:03d}",
        name=f"run-{number:06d}",
        task=f"task-{number % 100:02d}",
        agent="solver",
        model=f"model-{number // 1000 % 5}",
        dataset="made",
        state=State.PASSED if passed else State.FAILED,
        rewards={"reward": float(passed)},
        score=float(passed),
        cost_usd=number % 97 / 100,
        started_at=f"2026-01-{number % 28 + 1:02d}T00:00:00Z",
        checks="PASS" if passed else "FAIL",
        judge="PASS" if number % 4 else "FAIL",
        run_status="completed",
        validity="valid",
        duration_sec=number % 600,
        gates_disagree=number % 500 == 0,
        metadata={"seed": number % 10},
    )
    return Kept(run, text=f"word{number % 1000} and some more words of a trace")


def _pages(service: Service) -> Iterator[Result]:
    key = issue_key(service.keys, Owner(HERE), Scope.READER, "bench").secret
    found = service.imports.slice(HERE, RunQuery()).rows[0].id
    places = {
        "home": "",
        "runs": "runs",
        "runs of a task, by score": "runs?task=task-07&sort=-score",
        "runs that disagree": "runs?gates_disagree=true",
        "runs with a word": "runs?text=word7",
        "runs by model": "runs?by=model",
        "runs by an expression": "runs?where=state+%3D+failed+and+cost+%3E+0.5+and+not+judge+%3D+FAIL",
        "a run": f"runs/{found}?list=task%3Dtask-07",
        "jobs": "jobs",
        "a job": "jobs/job-007",
        "a comparison": "compare?job=job-007&job=job-008",
        "runs by job": "runs?by=job",
        "review": "review",
        "agreement": "review/agreement",
        "a review": f"review/runs/{found}",
    }
    parts: dict[str, str] = {}
    loaded = sum(len(file.packed) for name in NAMES if (file := asset(name)) is not None)
    with served(service) as url, httpx.Client(base_url=url, timeout=60, headers={"Origin": url}) as client:
        assert client.post("/ui/sign-in", data={"key": key}).status_code == 303
        for name, place in places.items():
            took = _first_byte(client, f"/ui/{place}")
            yield _page(f"page: {name}", took)
            yield Result(f"size: {name}", (took.size + loaded) / 1e3, "KB with all it loads", VIEW_KB)
            parts |= {
                address.rpartition("/")[2]: address for address in _PART.findall(client.get(f"/ui/{place}").text)
            }
        assert parts.keys() >= {"newest", "flaky", "headline"}
        for name, address in parts.items():
            yield _page(f"part: {name}", _first_byte(client, address))


_PART = re.compile(r' hx-get="([^"?]*)" hx-trigger="(?:load|revealed)"')
"""What a page loads after itself. The last part of its address says what it is."""


def _page(name: str, took: "_Took") -> Result:
    detail = f"{took.wall_ms:.0f} ms on the clock"
    return Result(name, took.cpu_ms, f"ms of CPU, {RUNS // 1000} k runs", FIRST_BYTE_MS, detail)


@dataclass(frozen=True, slots=True)
class _Took:
    """The least that a page took until its first byte, in CPU of server and client together and on the clock."""

    cpu_ms: float
    wall_ms: float
    size: int


def _first_byte(client: httpx.Client, place: str) -> _Took:
    wall, cpu, size = [], [], 0
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), time.process_time()
        with client.stream("GET", place) as answer:
            chunks = answer.iter_bytes()
            first = next(chunks, b"")
            wall.append(time.perf_counter() - began)
            cpu.append(time.process_time() - used)
            size = len(first) + sum(map(len, chunks))
            assert answer.status_code == 200, place
    return _Took(min(cpu) * 1e3, min(wall) * 1e3, size)


def _huge(folder: Path) -> Iterator[Result]:
    """A run with a trace of 100 MB and a diff of 20 MB, in a server of its own, and what memory that takes."""
    with opened(folder / "huge.db") as service:
        trace = service.blobs.put(piece.encode() for piece in large_atif(TRACE))
        diff = service.blobs.put(piece.encode() for piece in large_diff(DIFFED))
        files = (KeptFile(TRAJECTORY, trace), KeptFile(DIFF, diff))
        service.imports.add_runs(HERE, [replace(_run(1), files=files)])
        key = issue_key(service.keys, Owner(HERE), Scope.READER, "bench").secret
        found = service.imports.slice(HERE, RunQuery()).rows[0].id
    command = [
        sys.executable,
        "-c",
        "from assay.cli.main import run; run()",
        "serve",
        "--store",
        str(folder / "huge.db"),
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2]
        try:
            with httpx.Client(base_url=url, timeout=60, headers={"Origin": url}) as client:
                assert client.post("/ui/sign-in", data={"key": key}).status_code == 303
                for name, place in (("trace", f"runs/{found}"), ("diff", f"runs/{found}?tab=diff")):
                    times, size = _whole(client, f"/ui/{place}")
                    detail = f"{size / 1e3:.0f} KB of page"
                    yield Result(f"huge run, {name}", times, "ms until the page is there", HUGE_MS, detail)
            yield Result("huge run, memory", _peak_mb(server.pid), "MB of the server at its peak", HUGE_MB)
        finally:
            server.terminate()
    shutil.rmtree(folder)


def _whole(client: httpx.Client, place: str) -> tuple[float, int]:
    """The least milliseconds until a page is there as a whole, and its size."""
    times, size = [], 0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = client.get(place)
        times.append(time.perf_counter() - began)
        assert answer.status_code == 200
        size = len(answer.content)
    return min(times) * 1e3, size


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


def _viewed(job: Path) -> Result:
    """The first page of a job beside reading it."""
    read = read_job(DiskJobFolder(job))

    def first_page() -> None:
        source = FolderPages([ViewedJob(str(job), read)])
        server = LocalServer(lambda: source, 0, source.title)
        thread = threading.Thread(target=server.serve)
        thread.start()
        answer = httpx.get(server.address, follow_redirects=True, timeout=60)
        server.stop()
        thread.join()
        assert answer.status_code == 200

    reading, page = best_cpu(2, lambda: read_job(DiskJobFolder(job)), first_page)
    detail = f"{page:.2f} s of CPU for the first page, {reading:.2f} for reading"
    return Result(
        f"first page of {TRIALS:,} trials",
        page,
        "s of CPU after reading",
        1.0,
        f"{detail} ({TIMES} {page / reading:.1f})",
    )


def _written(job: Path) -> Result:
    """The one file of a job, with reading it."""
    with contextlib.redirect_stderr(io.StringIO()):
        [took] = best_cpu(2, lambda: one_file(source_of([str(job)])))
    return Result(f"one file of {TRIALS:,} trials", took, "s of CPU", FILE_SEC)
