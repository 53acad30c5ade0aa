"""Metrics over the rewards of a group of trials, with harbor's rule for the keys of the answer.

With at most one reward key in the whole group, the answer is keyed by the metric (``{"mean": …}``) and the
reward key is lost; with more, it is keyed by reward key and the metric's name is lost. A trial without rewards
counts 0, and so does a key that a trial does not have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from assay.core.total import mean, total
from assay.dialects.harbor.rewards import Rewards

Values: TypeAlias = Sequence[float]


class Metric(Protocol):
    """Anything that turns the rewards of a group into named numbers."""

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        """The metric of these rewards, in trial order."""
        ...


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One of harbor's own metrics: a name and a function from values to a value."""

    name: str
    fold: Callable[[Values], float]

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        keys = sorted(set[str]().union(*filter(None, rewards)))
        if len(keys) <= 1:
            return {self.name: self.fold([r[keys[0]] if r else 0 for r in rewards])}
        return {key: self.fold([r.get(key, 0) if r else 0 for r in rewards]) for key in keys}


MEAN = Aggregate("mean", mean)
MAX = Aggregate("max", max)
MIN = Aggregate("min", min)
SUM = Aggregate("sum", total)

METRICS = {metric.name: metric for metric in (MEAN, MAX, MIN, SUM)}
