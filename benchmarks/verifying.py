"""What Assay adds to a verifier run in bubblewrap, one by one and many at a time.

Wall time, because most of it is the kernel making and unmaking namespaces; baseline and subject take turns.
"""

import contextlib
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from assay.adapters.jobs.trial_folder import DiskTrial
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.sandbox.view_sandbox import ViewSandbox, probe_bubblewrap
from assay.adapters.tasks.task_folder import load_task, load_task_if_there
from assay.adapters.tasks.workbench import DiskWorkshop, Workbench
from assay.core.errors import MeasurementError
from assay.engine.machine import TrialSite
from assay.engine.run.grade_again import Regrading
from assay.engine.run.run_verifier import run_verifier
from assay.engine.sandbox import CommandLimits, SandboxCommand
from assay.engine.tasks.task import LoadedTask
from benchmarks.made_job import MadeJobs
from benchmarks.made_task import kept_trial, write_task
from benchmarks.measure import TIMES, Result, sized, wall

ROUNDS = sized(40, 2)
VERIFIERS, CONCURRENT, SLEEP_SEC = sized(200, 8), 8, 0.05
OVERHEAD_GOAL = 1.5
PARALLEL_GOAL = 1.3


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Wall time of a verifier in bubblewrap, against the bare bwrap command; and of 200, eight at a time."""
    try:
        sandbox = probe_bubblewrap()
    except MeasurementError as error:
        yield Result("verify in bubblewrap", 0.0, "", detail=f"not measured: {error}")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield _overhead(sandbox, Path(folder, "trivial"))
        yield from _in_parallel(sandbox, Path(folder))


def _overhead(sandbox: ViewSandbox, folder: Path) -> Result:
    task = load_task(str(write_task(folder, "echo 1 > /logs/verifier/reward.txt")))
    site = TrialSite(sandbox, ThisHost())
    with seeded(sandbox, task) as bench:
        bare, ours = _medians(
            bare_command(sandbox, bench, task), lambda: run_verifier(site, bench, task, task.steps[0])
        )
    detail = f"{ours * 1e3:.1f} ms against {bare * 1e3:.1f} ms"
    return Result("verify in bubblewrap", ours / bare, f"{TIMES} bare bwrap", OVERHEAD_GOAL, detail)


def bare_line(sandbox: ViewSandbox, bench: Workbench, task: LoadedTask) -> list[str]:
    """The same bwrap command line."""
    step = task.steps[0]
    mounts = tuple(bench.verifier_mounts(step))
    command = SandboxCommand((step.verifier.script,), task.environment.workdir, CommandLimits(60), mounts)
    return [*sandbox.command_line(command), "--", *command.argv]


def bare_command(sandbox: ViewSandbox, bench: Workbench, task: LoadedTask) -> Callable[[], object]:
    """It, started by itself."""
    return started(sandbox, bare_line(sandbox, bench, task))


def started(sandbox: ViewSandbox, line: list[str]) -> Callable[[], object]:
    """Starts a command line as the sandbox's user."""
    uid = sandbox.owner[0] if sandbox.owner is not None else None
    groups: list[int] | None = [] if uid is not None else None
    return lambda: subprocess.run(line, user=uid, group=uid, extra_groups=groups, capture_output=True, check=True)


def _medians(*works: Callable[[], object]) -> list[float]:
    rounds = [[wall(work) for work in works] for _ in range(ROUNDS)]
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def _in_parallel(sandbox: ViewSandbox, folder: Path) -> Iterator[Result]:
    """Against the ideal, and beside what bwrap alone needs for as many of the same commands."""
    script = f"sleep {SLEEP_SEC}\necho 1 > /logs/verifier/reward.txt"
    task = write_task(folder / "sleepy", script)
    trials = [kept_trial(folder / "trials" / str(i), task) for i in range(VERIFIERS)]
    kept = [DiskTrial(str(trial)) for trial in trials]
    with DiskWorkshop(sandbox) as workshop:
        again = Regrading(TrialSite(sandbox, ThisHost()), workshop, load_task_if_there, concurrent=CONCURRENT)
        ours = wall(lambda: _each(again.threads, again.grade, kept))
    bare = _bare_in_parallel(sandbox, load_task(str(task)))
    ideal = VERIFIERS * SLEEP_SEC / CONCURRENT
    what = f"verify {VERIFIERS}, {CONCURRENT} at a time"
    yield Result(what, ours / ideal, f"{TIMES} ideal", PARALLEL_GOAL, f"{ours:.2f} s against {ideal:.2f} s")
    yield Result("  bare bwrap, as many", bare / ideal, f"{TIMES} ideal", detail=f"{bare:.2f} s")


def _bare_in_parallel(sandbox: ViewSandbox, task: LoadedTask) -> float:
    with seeded(sandbox, task) as bench:
        bare_run = bare_command(sandbox, bench, task)
        return wall(lambda: _each(CONCURRENT, lambda _: bare_run(), range(VERIFIERS)))


def _each(threads: int, work: Callable[[Any], object], items: Iterable[object]) -> None:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, items))


@contextlib.contextmanager
def seeded(sandbox: ViewSandbox, task: LoadedTask) -> Iterator[Workbench]:
    with DiskWorkshop(sandbox) as workshop, contextlib.closing(workshop.bench(task.environment)) as bench:
        bench.seed()
        yield bench
