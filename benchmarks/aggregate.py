"""From trials in memory to the text of a job's result: statistics, mean, pass@k, JSON."""

from collections.abc import Iterator
from functools import partial

from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.trial import Trial
from benchmarks.made_job import MadeJobs
from benchmarks.made_trials import DATASET, made_trials
from benchmarks.measure import TIMES, Result, best_cpu, peak_mb, sized
from benchmarks.naive_aggregate import naive_result, naive_text

FEW, MANY = sized(10_000, 100), sized(100_000, 200)
ROUNDS = sized(7)

# What harbor 0.13.1 takes for the same, recorded once: CPU a trial, and the peak for 100,000. We want a quarter.
HARBOR_US = 12.0
HARBOR_MB = 1200.0
GOAL = 0.25
GROWTH_GOAL = 1.25

_OURS = f"""
from benchmarks.aggregate import aggregate
from benchmarks.made_trials import made_trials
text = aggregate(list(made_trials({MANY})))
"""
_NAIVE = f"""
from benchmarks.made_trials import made_trials
from benchmarks.naive_aggregate import naive_result, naive_text
text = naive_text([naive_result(trial) for trial in made_trials({MANY})])
"""


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """CPU and peak memory of aggregating 10,000 and 100,000 trials, against a naive program over pydantic."""
    naive, few, many = _us_per_trial()
    recorded = f"harbor took {HARBOR_US:.0f} µs"
    against = f"{few:.2f} µs against {naive:.2f} µs"
    yield Result(f"aggregate {FEW:,} trials", few / naive, f"{TIMES} naive pydantic", GOAL, against)
    yield Result(f"aggregate {FEW:,} trials", few, "µs a trial", GOAL * HARBOR_US, recorded)
    yield Result(f"aggregate {MANY:,} trials", many, "µs a trial", GOAL * HARBOR_US, recorded)
    yield Result(f"aggregate a trial of {MANY:,}", many / few, f"{TIMES} one of {FEW:,}", GROWTH_GOAL)
    detail = f"naive pydantic {peak_mb(_NAIVE):.0f} MB, harbor took {HARBOR_MB:.0f} MB"
    yield Result(f"memory, aggregate {MANY:,}", peak_mb(_OURS), "MB above bare", GOAL * HARBOR_MB, detail)


def aggregate(trials: list[Trial]) -> str:
    """The text of the result.json of a job with these trials."""
    stats = job_stats(trials, metrics_for([DATASET]), n_total=len(trials))
    started, finished = "2026-11-15T18:18:26.936052", "2026-11-15T18:19:36.388984"
    return job_text(JobResult("made", started, finished, finished, len(trials), stats))


def _us_per_trial() -> tuple[float, float, float]:
    """CPU a trial, in microseconds: of the naive program, of ours for few trials, and of ours for many."""
    few, many = list(made_trials(FEW)), list(made_trials(MANY))
    results = [naive_result(trial) for trial in few]
    works = (partial(naive_text, results), partial(aggregate, few), partial(aggregate, many))
    naive_sec, few_sec, many_sec = best_cpu(ROUNDS, *works)
    return naive_sec / FEW * 1e6, few_sec / FEW * 1e6, many_sec / MANY * 1e6
