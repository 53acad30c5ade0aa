"""What whole trials cost with bubblewrap around agent and verifier: processor time of the runner, and the rate.

The baseline is the same pair of bwrap commands for each trial, started by themselves, as many at a time. Both
share the machine with its kernel, which takes most of the time to make and unmake namespaces. The thinnest command
that has namespaces and nothing else of ours is shown beside it.
"""

import contextlib
import io
import resource
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.adapters.sandbox.view_sandbox import probe_bubblewrap
from assay.adapters.tasks.task_folder import load_task
from assay.cli.main import main
from assay.core.errors import MeasurementError
from benchmarks.made_job import MadeJobs
from benchmarks.made_task import write_task
from benchmarks.measure import TIMES, Result, best_cpu_of_commands, sized, wall
from benchmarks.verifying import bare_line, seeded, started

FEW, MANY, CONCURRENT = sized(100, 2), sized(500, 4), 4
CPU_GOAL_MS, WHOLE_GOAL_MS, RATE_GOAL, MEMORY_GOAL = 15.0, 16.0, 1.0, 1.1
THIN = ("--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true")


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Processor time of the runner for a trivial trial, the rate against bare bwrap, and its memory."""
    try:
        sandbox = probe_bubblewrap()
    except MeasurementError as error:
        yield Result("trivial trials", 0.0, "", detail=f"not measured: {error}")
        return
    with tempfile.TemporaryDirectory() as folder:
        task = write_task(Path(folder, "task"), "echo 1 > /logs/verifier/reward.txt")
        _trials(task, Path(folder, "warm"), sized(10))
        _trials(task, Path(folder, "few"), FEW)
        before = _memory_mb()
        began = time.process_time()
        ours = wall(lambda: _trials(task, Path(folder, "many"), MANY))
        cpu = (time.process_time() - began) / MANY
        after = _memory_mb()
        with seeded(sandbox, load_task(str(task))) as bench:
            line = bare_line(sandbox, bench, load_task(str(task)))
            theirs = wall(lambda: _each(started(sandbox, line), 2 * MANY))
            thin = wall(lambda: _each(started(sandbox, [line[0], *THIN]), 2 * MANY))
        (whole,) = best_cpu_of_commands(1, _command(task, Path(folder, "children")))
    yield Result("trivial trial, runner", cpu * 1e3, "ms of CPU", CPU_GOAL_MS)
    yield Result("  with children and start-up", whole / MANY * 1e3, "ms of CPU", WHOLE_GOAL_MS)
    rates = f"{MANY / ours:.0f} a second against {MANY / theirs:.0f}"
    yield Result(f"{MANY} trivial trials", ours / theirs, f"{TIMES} bare bwrap", RATE_GOAL, rates)
    thinnest = f"{MANY / thin:.0f} a second: {shlex.join(('bwrap', *THIN))}"
    yield Result("  against the thinnest bwrap", ours / thin, TIMES, detail=thinnest)
    yield Result("  words of bare bwrap", len(line), "words", detail=shlex.join(line))
    what = f"{after:.0f} MB against {before:.0f} MB after {FEW}"
    yield Result(f"  memory after {MANY}", after / before, f"{TIMES} fewer", MEMORY_GOAL, what)


def _trials(task: Path, jobs: Path, count: int) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        options = ["-k", str(count), "-n", str(CONCURRENT), "--jobs-dir", str(jobs), "--isolation", "bubblewrap"]
        main(["run", str(task), "-a", "true", *options])


def _command(task: Path, jobs: Path) -> list[str]:
    run = "import sys; from assay.cli.main import main; main(sys.argv[1:])"
    options = [
        "-k",
        str(MANY),
        "-n",
        str(CONCURRENT),
        "--jobs-dir",
        str(jobs),
        "--isolation",
        "bubblewrap",
        "--quiet",
    ]
    return [sys.executable, "-c", run, "run", str(task), "-a", "true", *options]


def _each(work: Callable[[], object], count: int) -> None:
    with ThreadPoolExecutor(CONCURRENT) as pool:
        for done in [pool.submit(work) for _ in range(count)]:
            done.result()


def _memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
