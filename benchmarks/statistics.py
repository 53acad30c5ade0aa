"""The intervals of a report and the comparison of two jobs, over 100,000 trials of 25,000 tasks in memory."""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from assay.dialects.harbor.job_config import ConfiguredMetrics, metrics_for
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job
from assay.engine.jobs.job_runs import USUAL, ReadJob, run_of_trial
from assay.engine.report.compare import compare
from assay.engine.report.compare_arms import arms_of
from assay.engine.report.intervals import group_bounds, group_intervals
from assay.engine.report.run_groups import gather
from assay.evidence.run import Run
from benchmarks.made_job import MadeJobs
from benchmarks.made_trials import DATASET, made_trials
from benchmarks.measure import TIMES, Result, best_cpu, sized
from benchmarks.read import load_files

FEW, MANY = sized(10_000, 100), sized(100_000, 200)
READ = sized(10_000, 20)
ROUNDS = sized(5)
INTERVALS_SEC, COMPARE_SEC = 1.0, 2.0
OF_READING = 0.5
GROWTH = 1.5


def run(jobs: MadeJobs) -> Iterator[Result]:
    """CPU of the intervals of a report and of a comparison, over 100,000 trials, and how it grows."""
    few, many = list(made_trials(FEW)), list(made_trials(MANY))
    partly = [_with_reward(trial, number) for number, trial in enumerate(many)]
    works = [partial(intervals, [run_of_trial("made", one, None) for one in some]) for some in (few, many, partly)]
    few_sec, many_sec, partly_sec = best_cpu(ROUNDS, *works)
    what = f"intervals of {MANY:,} trials"
    yield Result(what, many_sec, "s", INTERVALS_SEC, "rewards of 0 or 1")
    yield Result(what, partly_sec, "s", INTERVALS_SEC, "partial rewards")
    yield Result("intervals, a trial of many", many_sec / few_sec / (MANY / FEW), f"{TIMES} one of few", GROWTH)
    files = [str(path) for path in jobs.job(READ).glob("*/result.json")]
    [reading] = best_cpu(ROUNDS, partial(load_files, files))
    share = (many_sec / MANY) / (reading / READ)
    yield Result(
        "intervals, a trial", share, f"{TIMES} json.loads", OF_READING, f"{reading / READ * 1e6:.1f} µs to load"
    )
    for name, first, second in (("0 or 1", many, _turned(many)), ("partial", partly, _turned(partly))):
        [sec] = best_cpu(2, partial(comparison, first, second))
        yield Result(f"compare two of {MANY:,}", sec, "s", COMPARE_SEC, f"rewards: {name}")


def intervals(runs: Sequence[Run]) -> object:
    """Everything that a report says about how sure it is."""
    [group] = gather(runs).groups.values()
    rewards = group.tasks.rewards
    return group_intervals(rewards, group.tasks.attempts()), group_bounds({"g": rewards}, 0, only_group=True)


def comparison(first: list[Trial], second: list[Trial]) -> object:
    """What ``assay compare`` does after it has read two jobs."""
    read = [ReadJob(name, _job(name, trials), ()) for name, trials in (("a", first), ("b", second))]
    return compare(arms_of(read, USUAL, (), successes=False), anyway=False)


def _job(name: str, trials: list[Trial]) -> Job:
    return Job(name, trials, [], ConfiguredMetrics(metrics_for([DATASET])), None, [])


def _turned(trials: Sequence[Trial]) -> list[Trial]:
    """The same tasks with the rewards of the neighbouring trial."""
    rewards = [trial.rewards for trial in trials[1:]] + [trials[0].rewards]
    return [msgspec.structs.replace(trial, rewards=one) for trial, one in zip(trials, rewards, strict=True)]


def _with_reward(trial: Trial, number: int) -> Trial:
    if trial.rewards is None:
        return trial
    return msgspec.structs.replace(trial, rewards={"reward": number * 7919 % 1009 / 1008})
