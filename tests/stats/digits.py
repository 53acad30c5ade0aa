"""Prints results of the statistics to the last bit, for a Python without any packages: they must be the same ones.

Run as ``PYTHONPATH=src python tests/stats/digits.py``.
"""

from collections.abc import Iterator

from assay.stats.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha
from assay.stats.corrected_rate import Calibration, corrected_rate
from assay.stats.interval import beta_quantile, normal_quantile, t_quantile
from assay.stats.means import clustered_mean
from assay.stats.noise import variance_parts
from assay.stats.paired import PairedTask, paired_difference
from assay.stats.passes import Attempts, pass_curves
from assay.stats.power import Goal, Variances, tasks_needed


def main() -> None:
    for result in results():
        print(repr(result))


def results() -> Iterator[object]:
    rewards = [[draw(31 * task + attempt) for attempt in range(1 + task % 3)] for task in range(40)]
    others = [[draw(57 * task + attempt + 7) for attempt in range(2)] for task in range(40)]
    passed = [[float(reward > 0.6) for reward in task] for task in rewards]
    for p in (0.001, 0.025, 0.8, 0.975):
        yield normal_quantile(p), t_quantile(p, 7.5), beta_quantile(p, 3.5, 8)
    for tasks in (rewards, passed, [[20 * reward * reward * reward] for [reward, *_] in rewards]):
        yield clustered_mean(tasks)
    yield pass_curves([Attempts(len(task), round(sum(task))) for task in passed])
    pairs = [PairedTask(str(i), a, b) for i, (a, b) in enumerate(zip(rewards, others, strict=True))]
    yield paired_difference(pairs)
    yield paired_difference([PairedTask("t", [round(p.first[0])], [round(p.second[0])]) for p in pairs])
    ratings = [[round(3 * reward) for reward in task[:2]] for task in others]
    yield krippendorff_alpha(ratings, "interval"), fleiss_kappa(ratings)
    yield cohen_kappa([a for a, _ in ratings], [b for _, b in ratings], "quadratic")
    yield corrected_rate(45, 100, Calibration(40, 50, 45, 50))
    yield variance_parts([[task] for task in rewards]), tasks_needed(Variances(0.01, 0.2), 3, Goal(0.05))


def draw(number: int) -> float:
    """A number from 0 to 1 that looks random."""
    return (number + 1) * 48271 % 2147483647 % 1009 / 1008


if __name__ == "__main__":
    main()
