"""The intervals and bounds in the report of a job."""

import math
from typing import Any

import pytest

from assay.dialects.harbor.job_config import ConfiguredMetrics, metrics_for
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, Problem
from assay.engine.report.intervals import GroupBounds
from assay.engine.report.report import JobReport, report_job
from assay.stats.interval import Interval
from assay.stats.means import Bounds


def trial(name: str, reward: float | None, agent: str = "solver") -> Trial:
    rewards = None if reward is None else {"reward": reward}
    return Trial(
        name=name, task=name.partition("__")[0], agent=agent, rewards=rewards, verified=reward is not None
    )


def report(*trials: Trial, problems: int = 0) -> JobReport:
    broken = [Problem(f"p__{number}", "harbor_trial_result_malformed", "bad") for number in range(problems)]
    return report_job(Job("job", list(trials), broken, ConfiguredMetrics(metrics_for(["adhoc"])), None, []))


def test_a_mean_with_its_interval_and_bounds() -> None:
    found = report(trial("a__1", 1), trial("b__1", 0), trial("c__1", None), problems=1)
    [group] = found.groups
    assert group.intervals is not None
    assert isinstance(group.intervals.mean.interval, Interval)
    assert (group.intervals.mean.tasks, group.intervals.mean.n) == (3, 3)
    # One of three passed; the unusable one and the one that can't be read could have passed too: 3 of 4.
    assert group.mean == 1 / 3
    assert found.bounds == {"solver__adhoc": GroupBounds(Bounds(0.25, 0.75, 1, 1), 0)}


def test_a_job_without_open_runs_has_no_bounds() -> None:
    spoilt = Trial(name="c__1", task="c", agent="solver", exception_type="AgentTimeoutError")
    assert report(trial("a__1", 1), trial("b__1", 0), spoilt).bounds == {}


def test_what_cant_be_read_belongs_to_no_group_if_there_are_several() -> None:
    found = report(trial("a__1", 1), trial("a__2", 0, agent="other"), problems=2)
    assert found.bounds["solver__adhoc"] == GroupBounds(Bounds(1, 1, 0), 2)


@pytest.mark.parametrize("reward", [math.nan, math.inf])
def test_a_reward_that_is_not_finite_counts_as_0(reward: Any) -> None:
    found = report(trial("a__1", 1), trial("b__1", 0), trial("c__1", reward))
    [group] = found.groups
    assert group.intervals is not None
    assert (group.mean, group.intervals.mean.n) == (1 / 3, 3)
    assert found.bounds["solver__adhoc"].bounds == Bounds(1 / 3, 2 / 3, 0, 1)


def test_without_a_score_there_is_no_interval() -> None:
    several = Trial(name="a__1", task="a", agent="solver", rewards={"x": 1, "y": 0}, verified=True)
    [group] = report(several).groups
    assert group.intervals is None
