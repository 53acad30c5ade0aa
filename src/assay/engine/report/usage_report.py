"""What a job cost: tokens, money and time, over all trials that say so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.dialects.harbor.trial import Seconds, Trial, Usage, UsageSum


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Sums over trials, and how many trials they cover. ``mean`` has the mean length of a trial and its phases."""

    usage: Usage
    trials_with_tokens: int
    trials_with_cost: int
    by_model: Mapping[str, Usage]
    mean: Seconds
    trials_with_times: int


def report_usage(trials: Sequence[Trial], total: Usage) -> UsageReport:
    """The usage of trials, of which the sum is known."""
    used = [usage for trial in trials if (usage := trial.usage) is not None]
    lengths = [seconds for trial in trials if (seconds := trial.seconds) is not None]
    return UsageReport(
        usage=total,
        trials_with_tokens=len([1 for u in used if u.n_input_tokens is not None or u.n_output_tokens is not None]),
        trials_with_cost=len([1 for usage in used if usage.cost_usd is not None]),
        by_model=_by_model([trial for trial in trials if trial.model_usage is not None]),
        mean=mean_seconds(lengths),
        trials_with_times=len([1 for seconds in lengths if seconds.total is not None]),
    )


def sum_of_usage(trials: Iterable[Trial]) -> Usage:
    """The usage of trials, added up in harbor's order of addition."""
    total = UsageSum()
    for trial in trials:
        if trial.usage is not None:
            total.add(trial.usage)
    return total.total()


def mean_seconds(lengths: Sequence[Seconds]) -> Seconds:
    """The mean of each length over those that are known."""
    return Seconds(
        _mean([length for one in lengths if (length := one.total) is not None]),
        _mean([length for one in lengths if (length := one.agent) is not None]),
        _mean([length for one in lengths if (length := one.verifier) is not None]),
    )


def _by_model(trials: Iterable[Trial]) -> dict[str, Usage]:
    sums: dict[str, UsageSum] = {}
    for trial in trials:
        for model, usage in (trial.model_usage or {}).items():
            sums.setdefault(model, UsageSum()).add(usage)
    return {model: used.total() for model, used in sums.items()}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
