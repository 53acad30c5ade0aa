"""Do intervals cover as often as they promise? Simulated agents whose truth is known, in 24 shapes of jobs.

``python -m benchmarks.coverage`` runs all shapes and writes docs/evidence/interval-coverage.json, from which the
page on coverage is made. ``--jobs N`` runs fewer jobs, ``--check`` writes nothing and fails if a promise breaks.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from assay.stats.interval import CantSay, Interval
from assay.stats.means import clustered_mean
from assay.stats.paired import PairedTask, paired_difference
from assay.stats.passes import Attempts, PassRate, pass_curves
from benchmarks.measure import MISSED, SMOKE, sized

TARGET = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "interval-coverage.json"
JOBS = sized(2000, 2)
COVERED = (0.93, 0.97)
FALSE_ALARMS = (0.03, 0.06)
# What an attempt that isn't a full success gets, in shapes with partial rewards: a beta distribution.
PARTIAL = (1.2, 3.0)
# A second agent finds as many tasks as hard as the first one does; for the others it is as if they were new.
ALIKE = 0.5


@dataclass(frozen=True)
class Shape:
    """A kind of job: its size, how often attempts succeed, and how alike attempts at one task are."""

    tasks: int
    attempts: int
    rate: float
    likeness: float
    kind: str = "passed or failed"
    missing: float = 0.0

    @property
    def mean(self) -> float:
        """The true mean reward."""
        a, b = PARTIAL
        return self.rate if self.kind != "partial" else self.rate + (1 - self.rate) * a / (a + b)

    def at(self, k: int) -> float:
        """The true pass@k, a missing attempt being a failed one."""
        return 1 - math.fsum(
            math.comb(k, j) * (-(1 - self.missing)) ** j * self._moment(self.rate, j) for j in range(k + 1)
        )

    def hat(self, k: int) -> float:
        """The true pass^k."""
        return (1 - self.missing) ** k * self._moment(self.rate, k)

    def _moment(self, rate: float, j: int) -> float:
        """The mean of a task's chance of success to the power of j: a beta distribution."""
        size = 1 / self.likeness - 1
        return math.prod((rate * size + i) / (size + i) for i in range(j))


SHAPES = [
    Shape(10, 1, 0.5, 0.3),
    Shape(10, 4, 0.5, 0.3),
    Shape(10, 8, 0.1, 0.3),
    Shape(30, 1, 0.5, 0.3),
    Shape(30, 1, 0.1, 0.3),
    Shape(30, 2, 0.3, 0.3),
    Shape(30, 4, 0.5, 0.1),
    Shape(30, 4, 0.5, 0.7),
    Shape(30, 8, 0.9, 0.3),
    Shape(30, 4, 0.05, 0.5),
    Shape(100, 1, 0.3, 0.3),
    Shape(100, 2, 0.5, 0.3),
    Shape(100, 4, 0.5, 0.1),
    Shape(100, 4, 0.2, 0.7),
    Shape(100, 8, 0.9, 0.5),
    Shape(100, 8, 0.5, 0.3),
    Shape(500, 1, 0.02, 0.3),
    Shape(500, 2, 0.5, 0.3),
    Shape(500, 4, 0.9, 0.7),
    Shape(500, 8, 0.2, 0.3),
    Shape(30, 2, 0.3, 0.4, "partial"),
    Shape(100, 2, 0.5, 0.4, "partial"),
    Shape(30, 4, 0.5, 0.3, "missing", 0.15),
    Shape(100, 2, 0.3, 0.3, "missing", 0.15),
]


@dataclass
class Tally:
    """How often something held, of so many times that it could be said at all."""

    held: int = 0
    asked: int = 0

    def add(self, held: bool) -> None:
        self.held += held
        self.asked += 1

    @property
    def share(self) -> float | None:
        return self.held / self.asked if self.asked else None


@dataclass
class Row:
    """What became of one shape: how often each interval covered, and how often the test gave a false alarm."""

    shape: Shape
    covered: dict[str, Tally] = field(default_factory=dict)
    false_alarms: Tally = field(default_factory=Tally)

    def cover(self, name: str, interval: Interval | CantSay, truth: float) -> None:
        tally = self.covered.setdefault(name, Tally())
        if isinstance(interval, Interval):
            tally.add(interval.low <= truth <= interval.high)


def simulate(shape: Shape, jobs: int) -> Row:
    """So many jobs of one shape, with a seed of its own."""
    source = random.Random(f"{shape}")
    row = Row(shape)
    for _ in range(jobs):
        chances = [_chance(shape, source) for _ in range(shape.tasks)]
        first = [_attempts(shape, chance, source) for chance in chances]
        again = [chance if source.random() < ALIKE else _chance(shape, source) for chance in chances]
        second = [_attempts(shape, chance, source) for chance in again]
        _look(row, shape, first)
        _compare(row, first, second)
    return row


def _chance(shape: Shape, source: random.Random) -> float:
    size = 1 / shape.likeness - 1
    return source.betavariate(shape.rate * size, (1 - shape.rate) * size)


def _attempts(shape: Shape, chance: float, source: random.Random) -> list[float | None]:
    return [_attempt(shape, chance, source) for _ in range(shape.attempts)]


def _attempt(shape: Shape, chance: float, source: random.Random) -> float | None:
    if shape.missing and source.random() < shape.missing:
        return None
    if source.random() < chance:
        return 1.0
    return source.betavariate(*PARTIAL) if shape.kind == "partial" else 0.0


def _look(row: Row, shape: Shape, job: list[list[float | None]]) -> None:
    tasks = [[reward for reward in task if reward is not None] for task in job]
    row.cover("mean", clustered_mean(tasks).interval, shape.mean)
    row.cover("naive mean", _naive(tasks), shape.mean)
    if shape.kind == "partial":
        return
    curves = pass_curves([Attempts(len(task), sum(reward == 1 for reward in task)) for task in job])
    for k in sorted({2, shape.attempts} - {1}):
        if k <= shape.attempts:
            row.cover(_name("pass@", k, shape), _of(curves.at, k), shape.at(k))
            row.cover(_name("pass^", k, shape), _of(curves.hat, k), shape.hat(k))


def _name(sign: str, k: int, shape: Shape) -> str:
    return f"{sign}{'n' if k == shape.attempts else k}"


def _of(rates: list[PassRate], k: int) -> Interval | CantSay:
    return rates[k - 1].interval


def _naive(tasks: list[list[float]]) -> Interval | CantSay:
    """What is published most: 1.96 standard errors to either side, with all attempts taken as independent."""
    values = [reward for task in tasks for reward in task]
    mean = math.fsum(values) / len(values)
    spread = math.fsum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    half = 1.96 * math.sqrt(spread / len(values))
    return Interval(mean - half, mean + half, 0.95, "naive")


def _compare(row: Row, first: list[list[float | None]], second: list[list[float | None]]) -> None:
    pairs = [
        PairedTask(str(number), [r for r in one if r is not None], [r for r in other if r is not None])
        for number, (one, other) in enumerate(zip(first, second, strict=True))
    ]
    found = paired_difference([pair for pair in pairs if pair.first and pair.second])
    row.cover("difference", found.interval, 0.0)
    if not isinstance(found.test, CantSay):
        row.false_alarms.add(found.test.p < 0.05)


def promised(shape: Shape, name: str) -> bool:
    """Whether an interval promises its level: enough tasks, and enough of them for the rarer outcome."""
    if name == "naive mean":
        return False
    rarer = shape.tasks * min(shape.rate, 1 - shape.rate)
    if name in ("mean", "difference"):
        return shape.tasks >= 30 and rarer >= 6
    k = shape.attempts if name.endswith("n") else int(name[5:])
    truth = shape.at(k) if name.startswith("pass@") else shape.hat(k)
    return shape.tasks >= 100 and shape.tasks * min(truth, 1 - truth) >= 10


def broken(rows: list[Row]) -> Iterator[str]:
    """Every promise that is not kept, one line each."""
    for row in rows:
        for name, tally in row.covered.items():
            share = tally.share
            if share is not None and promised(row.shape, name) and not COVERED[0] <= share <= COVERED[1]:
                yield f"{name} covers {share:.1%} in {row.shape}"
        alarms = row.false_alarms.share
        promise = promised(row.shape, "difference")
        if alarms is not None and promise and not FALSE_ALARMS[0] <= alarms <= FALSE_ALARMS[1]:
            yield f"{alarms:.1%} false alarms in {row.shape}"


def content(rows: list[Row], jobs: int) -> str:
    """What the page is made from."""
    made = [
        {
            "shape": asdict(row.shape),
            "covered": {name: tally.share for name, tally in row.covered.items()},
            "promised": {name: promised(row.shape, name) for name in row.covered},
            "false_alarms": row.false_alarms.share,
        }
        for row in rows
    ]
    return json.dumps({"jobs": jobs, "rows": made}, indent=1) + "\n"


def _line(row: Row) -> str:
    shape = row.shape
    shares = [f"{name} {tally.share:.1%}" for name, tally in row.covered.items() if tally.share is not None]
    alarms = "" if row.false_alarms.share is None else f", false alarms {row.false_alarms.share:.1%}"
    return f"{shape.tasks} tasks, {shape.attempts} attempts, {shape.kind}: {', '.join(shares)}{alarms}"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--jobs", type=int, default=JOBS, help=f"jobs of each shape (default: {JOBS})")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args(argv)
    rows = []
    for shape in SHAPES:
        rows.append(simulate(shape, args.jobs))
        print(_line(rows[-1]), flush=True)
    if not args.check:
        TARGET.write_text(content(rows, args.jobs))
    problems = [] if SMOKE else list(broken(rows))
    print("\n".join(problems) or "all promises kept")
    return MISSED if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
