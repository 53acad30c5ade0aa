"""Whether a trial of a large job takes as long to read as one of a small job."""

from collections.abc import Iterator
from functools import partial

from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, best_cpu, sized
from benchmarks.read import read_and_report

SMALLEST = sized(1_000, 10)
LARGER = (sized(10_000, 20), sized(100_000, 40))
ROUNDS = sized(4)

# A small job fits into the processor's caches, a large one does not. Work that is not linear would show as 10.
GOAL = 1.5


def run(jobs: MadeJobs) -> Iterator[Result]:
    """CPU a trial of reading and reporting on 10,000 and 100,000 trials, against that of 1,000."""
    sizes = (SMALLEST, *LARGER)
    times = best_cpu(ROUNDS, *(partial(read_and_report, jobs.job(size)) for size in sizes))
    base, *costs = (time / size * 1e6 for time, size in zip(times, sizes, strict=True))
    for size, cost in zip(LARGER, costs, strict=True):
        detail = f"{cost:.1f} µs against {base:.1f} µs"
        yield Result(f"read a trial of {size:,}", cost / base, f"{TIMES} one of {SMALLEST:,}", GOAL, detail)
