"""Watch reward hacking while a model trains: how often each detector found something, step by step."""

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.adapters.machine.atomic_write import write_text
from assay.rewards.graded import GradedOutput
from assay.stats.pictures import lines

NO_REWARD = "no reward"
ANY = "any flag"


@dataclass(slots=True)
class _Step:
    graded: int = 0
    rewarded: int = 0
    total: float = 0.0
    flags: Counter[str] = field(default_factory=Counter)


class HackMonitor:
    """Counts the flags of gradings by step. Kept by one process; use from one thread."""

    def __init__(self) -> None:
        self._steps: dict[int, _Step] = {}

    def add(self, step: int, gradings: Iterable[GradedOutput]) -> None:
        """Count the gradings of a step. A step may be added to again."""
        counted = self._steps.setdefault(step, _Step())
        for grading in gradings:
            counted.graded += 1
            counted.flags.update([*grading.flags, *([ANY] if grading.flags else [])])
            if grading.reward is None:
                counted.flags[NO_REWARD] += 1
            else:
                counted.rewarded += 1
                counted.total += grading.reward

    @property
    def detectors(self) -> list[str]:
        """The names of detectors with at least one finding."""
        return sorted({name for one in self._steps.values() for name in one.flags})

    def rates(self) -> dict[int, dict[str, float]]:
        """For each step: the share of the outputs that each detector found something in."""
        names = self.detectors
        return {
            step: {name: one.flags[name] / one.graded for name in names}
            for step, one in sorted(self._steps.items())
            if one.graded
        }

    def mean_rewards(self) -> dict[int, float]:
        """For each step with a reward: the mean."""
        return {step: one.total / one.rewarded for step, one in sorted(self._steps.items()) if one.rewarded}

    def csv(self) -> str:
        """A line for each step."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["step", "graded", "mean reward", *self.detectors])
        means = self.mean_rewards()
        for step, rates in self.rates().items():
            table.writerow([step, self._steps[step].graded, means.get(step, ""), *rates.values()])
        return text.getvalue()

    def picture(self, title: str = "Rewards and what the detectors found") -> str:
        """The mean reward and the rate of each detector over the steps, as an SVG."""
        rates = self.rates()
        found = {name: {step: rate[name] for step, rate in rates.items()} for name in self.detectors}
        return lines(title, {"mean reward": self.mean_rewards(), **found})

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write monitor.csv and monitor.svg into a folder."""
        os.makedirs(folder, exist_ok=True)
        write_text(os.path.join(folder, "monitor.csv"), self.csv())
        write_text(os.path.join(folder, "monitor.svg"), self.picture())
