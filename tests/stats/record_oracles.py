"""Record what scipy, statsmodels, scikit-learn, krippendorff and inspect's formula answer, for the tests.

They are too heavy to be installed for every run of the tests. To record again, install them anywhere and run::

    python -m venv oracles
    oracles/bin/pip install scipy==1.17.1 statsmodels==0.15.0 scikit-learn==1.9.1 krippendorff==0.9.0
    oracles/bin/python tests/stats/record_oracles.py

It writes tests/data/stats/oracles.json: for each question its input and the answer. The data are made by a small
generator of whole numbers, so they are the same each time.
"""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[1] / "data" / "stats" / "oracles.json"
PACKAGES = ("scipy", "statsmodels", "scikit-learn", "krippendorff")


def main() -> None:
    version = importlib.import_module("importlib.metadata").version
    answers: dict[str, Any] = {
        "made_by": {name: version(name) for name in PACKAGES},
        "distributions": list(distributions()),
        "rates": list(rates()),
        "kappas": list(kappas()),
        "alphas": list(alphas()),
        "clustered": list(clustered()),
        "paired": list(paired()),
        "mcnemar": list(mcnemar()),
        "holm": list(holm()),
        "power": list(power()),
    }
    TARGET.write_text(json.dumps(answers, indent=1) + "\n")


def numbers(seed: int) -> Iterator[int]:
    """Whole numbers from 0 to 2**31 - 1, always the same ones for a seed (a Lehmer generator)."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state


def draws(seed: int, count: int, below: int) -> list[int]:
    source = numbers(seed)
    return [next(source) // 7 % below for _ in range(count)]


def distributions() -> Iterator[dict[str, Any]]:
    stats = importlib.import_module("scipy.stats")
    for p in (1e-6, 0.005, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9995):
        yield {"of": "normal", "args": [], "p": p, "quantile": stats.norm.ppf(p)}
        for df in (1, 2, 3, 9, 29.5, 499, 24999):
            yield {"of": "t", "args": [df], "p": p, "quantile": stats.t.ppf(p, df)}
        for a, b in ((0.5, 0.5), (1, 10), (3, 8), (40, 2), (500, 700), (24000, 1000)):
            yield {"of": "beta", "args": [a, b], "p": p, "quantile": stats.beta.ppf(p, a, b)}


def rates() -> Iterator[dict[str, Any]]:
    confint = importlib.import_module("statsmodels.stats.proportion").proportion_confint
    for c, n in ((0, 5), (1, 5), (5, 5), (3, 10), (17, 60), (59, 60), (400, 1000), (24990, 25000)):
        for level in (0.9, 0.95, 0.99):
            yield {
                "c": c,
                "n": n,
                "level": level,
                "wilson": list(confint(c, n, 1 - level, "wilson")),
                "exact": list(confint(c, n, 1 - level, "beta")),
            }


def kappas() -> Iterator[dict[str, Any]]:
    raters = importlib.import_module("statsmodels.stats.inter_rater")
    sklearn = importlib.import_module("sklearn.metrics")
    for seed, count, kinds in ((11, 12, 2), (12, 40, 3), (13, 200, 4), (14, 25, 5)):
        truth, noise = draws(seed, count, kinds), draws(seed + 100, count, 3)
        other = [(a + (1 if b == 0 else 0)) % kinds for a, b in zip(truth, noise, strict=True)]
        third = [(a + (1 if b == 1 else 0)) % kinds for a, b in zip(truth, noise, strict=True)]
        names = {"none": None, "linear": "linear", "quadratic": "quadratic"}
        table = [[sum(a == i and b == j for a, b in zip(truth, other, strict=True)) for j in range(kinds)]
                 for i in range(kinds)]  # fmt: skip
        counts, _ = raters.aggregate_raters(list(zip(truth, other, third, strict=True)))
        yield {
            "raters": [truth, other, third],
            "kappa": {
                name: sklearn.cohen_kappa_score(truth, other, weights=weights) for name, weights in names.items()
            },
            "error": {name: raters.cohens_kappa(table, wt=weights).std_kappa for name, weights in names.items()},
            "fleiss": raters.fleiss_kappa(counts),
        }


def alphas() -> Iterator[dict[str, Any]]:
    alpha = importlib.import_module("krippendorff").alpha
    nan = float("nan")
    for seed, count, kinds, people in ((21, 15, 3, 3), (22, 40, 5, 4), (23, 100, 2, 5)):
        truth = draws(seed, count, kinds)
        rows = []
        for person in range(people):
            noise, absent = draws(seed + 10 * person + 1, count, 4), draws(seed + 10 * person + 2, count, 5)
            rows.append([
                None if gone == 0 else min(kinds - 1, a + (1 if b == 0 else 0))
                for a, b, gone in zip(truth, noise, absent, strict=True)
            ])  # fmt: skip
        data = [[nan if one is None else float(one) for one in row] for row in rows]
        measures = ("nominal", "ordinal", "interval")
        yield {
            "raters": rows,
            "alpha": {name: float(alpha(data, level_of_measurement=name)) for name in measures},
        }


def clustered() -> Iterator[dict[str, Any]]:
    numpy, api = importlib.import_module("numpy"), importlib.import_module("statsmodels.api")
    for seed, tasks, most, top in ((31, 6, 3, 2), (32, 25, 5, 2), (33, 60, 8, 101), (34, 12, 1, 11)):
        sizes = [1 + one % most for one in draws(seed, tasks, 1000)]
        values, names = [], []
        for task, size in enumerate(sizes):
            names += [task] * size
            values += [one / (top - 1) for one in draws(seed * 100 + task, size, top)]
        fit = api.OLS(numpy.array(values), numpy.ones(len(values))).fit()
        robust = fit.get_robustcov_results(cov_type="cluster", groups=numpy.array(names))
        yield {
            "tasks": [[v for v, name in zip(values, names, strict=True) if name == task] for task in range(tasks)],
            "mean": float(robust.params[0]),
            "error": float(robust.bse[0]),
            "inspect": _inspect_error(numpy, values, names),
            "interval": [float(end) for end in robust.conf_int()[0]],
        }


def _inspect_error(numpy: Any, values: list[float], names: list[int]) -> float:
    """The clustered standard error by inspect_ai's formula, written anew: sums of products within clusters."""
    x, groups = numpy.array(values), numpy.array(names)
    spread = sum(float(numpy.outer(d := x[groups == g] - x.mean(), d).sum()) for g in set(names))
    count = len(set(names))
    return float(numpy.sqrt(spread * count / (count - 1)) / len(values))


def paired() -> Iterator[dict[str, Any]]:
    stats, numpy = importlib.import_module("scipy.stats"), importlib.import_module("numpy")
    for seed, tasks, top, gain in ((41, 8, 5, 1), (42, 10, 3, 0), (43, 11, 9, 2), (44, 9, 101, 20)):
        first = [one / (top - 1) for one in draws(seed, tasks, top)]
        second = [min(top - 1, one + gain * (one % 2)) / (top - 1) for one in draws(seed + 7, tasks, top)]
        test = stats.permutation_test(
            (numpy.array(second), numpy.array(first)),
            lambda x, y, axis: numpy.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=numpy.inf,
        )
        interval = stats.ttest_rel(second, first).confidence_interval()
        yield {"first": first, "second": second, "p": float(test.pvalue), "t": [interval.low, interval.high]}


def mcnemar() -> Iterator[dict[str, Any]]:
    test = importlib.import_module("statsmodels.stats.contingency_tables").mcnemar
    for only_first, only_second in ((0, 1), (2, 9), (5, 5), (0, 12), (40, 61), (300, 345)):
        yield {
            "only_first": only_first,
            "only_second": only_second,
            "p": float(test([[7, only_first], [only_second, 3]], exact=True).pvalue),
        }


def holm() -> Iterator[dict[str, Any]]:
    multiple = importlib.import_module("statsmodels.stats.multitest").multipletests
    for p in ([0.01, 0.04, 0.03], [0.5, 0.9, 0.2, 0.001, 0.013, 0.04], [1.0, 1.0, 0.3]):
        yield {"p": p, "adjusted": [float(one) for one in multiple(p, method="holm")[1]]}


def power() -> Iterator[dict[str, Any]]:
    test = importlib.import_module("statsmodels.stats.power").TTestPower()
    for effect, alpha, wanted in ((0.2, 0.05, 0.8), (0.5, 0.05, 0.9), (0.1, 0.01, 0.8), (1.0, 0.05, 0.8)):
        n = float(test.solve_power(effect_size=effect, alpha=alpha, power=wanted, alternative="two-sided"))
        yield {"effect": effect, "alpha": alpha, "power": wanted, "n": n}


if __name__ == "__main__":
    main()
