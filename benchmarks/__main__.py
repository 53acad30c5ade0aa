"""Run benchmarks, each in a process of its own, and print each number beside its goal.

A missed goal is a failure (exit code 1) only where cost grows faster than the text that is read; other numbers
depend on the machine, so that a missed goal is only shown. One that breaks or takes too long is named at the end,
and the others go on; all together end within ten minutes.

They need Linux, the packages of requirements/runtime.txt and about 1 GB for temporary files. Start them in the
folder of the project.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from benchmarks import (
    aggregate,
    bite,
    coding,
    criteria,
    explorer,
    growth,
    hostile_records,
    job_cost,
    judge,
    large_change,
    memory,
    pages,
    ray_items,
    read,
    rewards,
    service,
    service_load,
    service_queue,
    start_up,
    statistics,
    test_code,
    text_growth,
    trial_cost,
    verifying,
    watched_files,
)
from benchmarks.made_job import MadeJobs
from benchmarks.measure import MISSED, SMOKE_VARIABLE, Result

Benchmark: TypeAlias = Callable[[MadeJobs], Iterator[Result]]

BENCHMARKS: dict[str, Benchmark] = {
    "start_up": start_up.run,
    "read": read.run,
    "growth": growth.run,
    "text_growth": text_growth.run,
    "memory": memory.run,
    "aggregate": aggregate.run,
    "verifying": verifying.run,
    "job_cost": job_cost.run,
    "trial_cost": trial_cost.run,
    "coding": coding.run,
    "large_change": large_change.run,
    "test_code": test_code.run,
    "bite": bite.run,
    "criteria": criteria.run,
    "statistics": statistics.run,
    "judge": judge.run,
    "rewards": rewards.run,
    "ray_items": ray_items.run,
    "service": service.run,
    "pages": pages.run,
    "service_load": service_load.run,
    "service_queue": service_queue.run,
    "explorer": explorer.run,
    "hostile_records": hostile_records.run,
    "watched_files": watched_files.run,
}

IN_MEMORY = "/dev/shm"  # noqa: S108 - the folder made in it has a name of its own
ROOM_NEEDED = 2 * 10**9
COVERAGE = "coverage"
"""It has options of its own, and is a module of its own therefore."""
LIMIT_SEC = 120.0
ALL_SEC = 600.0
"""The most that all may take together; those that are left over then are named."""


def main(argv: list[str]) -> int:
    options = _parser().parse_args(argv)
    if options.inside is not None:
        return _measure(options.names[0], MadeJobs(options.inside))
    names = options.names or [*BENCHMARKS, COVERAGE]
    # Numbers are only right if nothing else runs.
    at_a_time = (os.cpu_count() or 1) if options.smoke else 1
    with (
        tempfile.TemporaryDirectory(prefix="assay-benchmarks-", dir=_place()) as folder,
        ThreadPoolExecutor(at_a_time) as pool,
    ):
        until = time.monotonic() + ALL_SEC
        problems = dict(
            zip(names, pool.map(lambda name: _run_apart(name, folder, options, until), names), strict=True)
        )
    failed = [f"FAILED {name}: {problem}" for name, problem in problems.items() if problem is not None]
    print("\n".join(failed) or "all benchmarks ran")
    return 1 if failed else 0


def _run_apart(name: str, folder: str, options: argparse.Namespace, until: float) -> str | None:
    """Run a benchmark in a process of its own, and end it in time. Returns what went wrong."""
    limit = min(options.limit, until - time.monotonic())
    if limit <= 0:
        return f"it wasn't run: all together took more than {ALL_SEC:g} s"
    if options.smoke:
        folder = tempfile.mkdtemp(dir=folder)
    command = [sys.executable, "-m", "benchmarks", name, "--inside", folder]
    if name == COVERAGE:
        command = [sys.executable, "-m", "benchmarks.coverage", "--check"]
    env = {**os.environ, SMOKE_VARIABLE: "1"} if options.smoke else dict(os.environ)
    shown = subprocess.DEVNULL if options.smoke else None
    with subprocess.Popen(command, env=env, stdout=shown, start_new_session=True) as process:
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"it took more than {limit:.0f} s"
    if code == MISSED:
        # So few numbers say nothing.
        return None if options.smoke else "a number that depends on the code alone missed its goal"
    return f"it ended with exit code {code}" if code else None


def _measure(name: str, jobs: MadeJobs) -> int:
    failed = 0
    for result in BENCHMARKS[name](jobs):
        print(_line(result), flush=True)
        failed += result.missed and result.fails
    return MISSED if failed else 0


def _line(result: Result) -> str:
    """What, how much, the goal, the verdict, and the numbers behind it."""
    goal = verdict = ""
    if result.goal is not None:
        goal, verdict = f"(goal ≤ {result.goal:.2f})", "MISSED" if result.missed else "ok"
    return f"{result.what:<33}{result.value:>7.2f} {result.unit:<17}{goal:<16}{verdict:<8}{result.detail}".rstrip()


def _parser() -> argparse.ArgumentParser:
    lines = [f"  {name:<11} {run.__doc__}" for name, run in BENCHMARKS.items()]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog="\n".join(["benchmarks:", *lines]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", metavar="NAME", nargs="*", type=_name, help="which to run (default: all)")
    parser.add_argument("--smoke", action="store_true", help="make everything tiny, to see that all of them run")
    parser.add_argument("--limit", metavar="SEC", type=float, default=LIMIT_SEC, help="the most that one may take")
    parser.add_argument("--inside", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    return parser


def _name(text: str) -> str:
    if text not in (*BENCHMARKS, COVERAGE):
        names = ", ".join([*BENCHMARKS, COVERAGE])
        raise argparse.ArgumentTypeError(f"there is no benchmark {text!r}; there are {names}")
    return text


def _place() -> str | None:
    """A file system in memory, if it has room: on a disk, 100,000 folders take a minute to make and remove."""
    roomy = os.path.isdir(IN_MEMORY) and shutil.disk_usage(IN_MEMORY).free > ROOM_NEEDED
    return IN_MEMORY if roomy else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
