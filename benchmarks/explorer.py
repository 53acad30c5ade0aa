"""The explorer over many runs: every kind of question, on SQLite and on PostgreSQL, and how it grows.

``ASSAY_BENCH_RUNS`` says how many runs; 100,000 unless it is set. Plans that go through a whole table are printed.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.store.opening import open_store
from assay.adapters.store.runs.imported import StoredImports
from assay.api.routes.runs import NewAnnotation, annotate
from assay.api.service import Service
from assay.engine.explorer.review_queue import MOST_REVIEWED, agreement, two_by_two
from assay.engine.explorer.run_fields import GROUPED
from assay.engine.explorer.run_query import SORTS, RunQuery, parse_run_query
from benchmarks.made_job import MadeJobs
from benchmarks.made_runs import fill
from benchmarks.measure import TIMES, Result, best_cpu, sized
from benchmarks.run_plans import scanned

HERE = "default"
FEW = sized(10_000, 200)
MANY = sized(int(os.environ.get("ASSAY_BENCH_RUNS", "100000")), 400)
ROUNDS = sized(10, 2)
GOAL_MS = 100.0
MIDDLE = 20
REVIEWERS, REVIEW_GOAL_MS = 2, 60.0

LISTS = (
    *("kind=coding", "kind=task_run", "job=job-100", "task=task-007", "agent=agent-3", "model=model-7", "model="),
    *("dataset=set-1", "state=unusable", "state=passed", "state=partial", "checks=FAIL", "judge=unparseable"),
    *(
        "judge=FAIL",
        "run_status=failed",
        "validity=unparseable",
        "failure_mode=mode-3",
        "reason=agent_timeout",
    ),
    *("run_metrics_passed=false", "gates_disagree=true", "reviewer_disagrees=true", "state=broken"),
    *("score=0.5..0.500001", "score=0.9..", "duration_sec=..1", "duration_sec=3600..", "cost_usd=0.5..0.50001"),
    *("tokens=..100", "began_at=2026-01-01", "began_at=2026-02-01..2026-02-02", "reviewers=1.."),
    *("axis=safety=0.99..", "axis=safety=0.1..", "axis=safety=2..", "axis=none=0..", "metadata=seed=77"),
    *("metadata=seed=nothing", "name=task-007__0", "name=zzz", "text=word42", "text=common", "text=word1 word2"),
    *(
        "text=neverthere",
        "task=task-007&model=model-7",
        "task=task-007&sort=-score",
        "model=model-7&sort=-cost_usd",
    ),
    *(
        "kind=coding&judge=FAIL&checks=PASS",
        "kind=coding&sort=-duration_sec&score=0.5..",
        "task=nothing&sort=score",
    ),
    *("gates_disagree=true&sort=-tokens", "state=unusable&cause=agent", "text=common&sort=-score"),
    *(
        "metadata=seed=77&sort=-score",
        "axis=safety=0.9..&sort=cost_usd",
        "task=task-007&task=task-008&sort=-began_at",
    ),
)
GROUPS = (
    "task=task-007",
    "kind=coding",
    "gates_disagree=true",
    "text=word42",
    "metadata=seed=77",
    "model=model-7",
)


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds at the 95th percentile of the rounds."""

    wall: float
    cpu: float


def run(jobs: MadeJobs) -> Iterator[Result]:
    """Lists, orders and groups of few and of many runs, the slowest of them, and what they grow by."""
    folder = jobs.root / "explorer"
    folder.mkdir()
    yield from _on("SQLite", lambda count: _file(folder, count))
    try:
        with _postgres() as databases:
            yield from _on("PostgreSQL", databases)
    except ImportError as error:
        print(f"no PostgreSQL: {error}", file=sys.stderr)


def _file(folder: Path, count: int) -> str:
    return str(folder / f"{count}.db")


@contextmanager
def _postgres() -> Iterator[Callable[[int], str]]:
    from tests.adapters.store.databases import empty_database, postgres_server  # noqa: PLC0415

    with postgres_server() as server:
        yield lambda _count: empty_database(server)


def _on(name: str, where: Callable[[int], str]) -> Iterator[Result]:
    spent: dict[int, dict[str, Spent]] = {}
    for count in (FEW, MANY):
        store = open_store(where(count), create=True)
        service = Service(store)
        try:
            began = time.perf_counter()
            fill(store, HERE, count)
            filled = time.perf_counter() - began
            spent[count] = {asked: _spent(service.imports, query) for asked, query in _queries()}
            if count == MANY:
                reviewing = list(_reviewing(service, name))
                for line in scanned(store, HERE, _queries()):
                    print(f"    {name}: {line}", file=sys.stderr)
        finally:
            service.close()
    yield from _told(name, spent, filled)
    yield from reviewing


def _reviewing(service: Service, name: str) -> Iterator[Result]:
    """What the pages of the queue and of agreement ask for, where some runs have been reviewed."""
    reviews, asked = service.reviews, parse_run_query([])
    ids = [one.id for one in service.imports.slice(HERE, parse_run_query([("limit", "100")])).rows]
    for one in ids * REVIEWERS:
        annotate(service, HERE, one, NewAnnotation(reviewer_id="ana", judgment="pass"))

    def agreed() -> None:
        reviewed = reviews.reviewed(HERE, asked, MOST_REVIEWED)
        agreement(reviewed)
        assert reviewed
        two_by_two(reviews.gates(HERE, asked))

    def queued() -> None:
        assert reviews.queue(HERE, asked, "ana", 25)
        reviews.waiting(HERE, asked)

    for page, work in (("review queue", queued), ("agreement", agreed)):
        [spent] = best_cpu(ROUNDS, work)
        yield Result(f"  {page}, {name}", spent * 1e3, "ms of CPU", REVIEW_GOAL_MS)


def _spent(imports: StoredImports, query: RunQuery) -> Spent:
    """On the clock, and of this process's CPU, which has all of SQLite's work and none of PostgreSQL's."""
    walls, cpus = [], []
    for _ in range(ROUNDS):
        began, cpu = time.perf_counter(), time.process_time()
        if query.group is not None:
            imports.groups(HERE, query)
        else:
            imports.slice(HERE, query)
        walls.append(time.perf_counter() - began)
        cpus.append(time.process_time() - cpu)
    return Spent(_p95(walls), _p95(cpus))


def _told(name: str, spent: dict[int, dict[str, Spent]], filled: float) -> Iterator[Result]:
    slowest = sorted(spent[MANY].items(), key=lambda one: -one[1].wall)
    over = [f"{asked} {1e3 * one.wall:.0f} ms" for asked, one in slowest if one.wall * 1e3 > GOAL_MS]
    walls = {count: _p95([one.wall for one in of.values()]) for count, of in spent.items()}
    cpus = {count: _p95([one.cpu for one in of.values()]) for count, of in spent.items()}
    detail = f"{len(slowest)} questions, filled in {filled:.0f} s; above the goal: {', '.join(over) or 'none'}"
    yield Result(f"{name}, {MANY:,} runs, p95", walls[MANY] * 1e3, "ms", GOAL_MS, detail)
    yield Result("  of that, CPU of this process", cpus[MANY] * 1e3, "ms")
    yield Result("  median", 1e3 * statistics.median(one.wall for one in spent[MANY].values()), "ms")
    yield Result("  growth of the p95", walls[MANY] / walls[FEW], f"{TIMES} {FEW:,} runs")


def _p95(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[18]


def _queries() -> list[tuple[str, RunQuery]]:
    asked = ["", *LISTS, *(f"sort={sign}{one}" for one in SORTS for sign in ("", "-"))]
    asked += [f"by={one}" for one in GROUPED]
    asked += [f"by=model&{one}" for one in GROUPS]
    return [(one, _query(one)) for one in asked[: sized(len(asked), 8)]]


def _query(written: str) -> RunQuery:
    parts = [one.split("=", 1) for one in written.split("&") if one]
    return parse_run_query([("limit", "50"), *((name, value) for name, value in parts)])
