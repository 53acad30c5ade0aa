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
    used = [trial.usage for trial in trials if trial.usage is not None]
    lengths = [trial.seconds for trial in trials if trial.seconds is not None]
    return UsageReport(
        usage=total,
        trials_with_tokens=sum(one.n_input_tokens is not None or one.n_output_tokens is not None for one in used),
        trials_with_cost=sum(one.cost_usd is not None for one in used),
        by_model=_by_model(trials),
        mean=mean_seconds(lengths),
        trials_with_times=sum(one.total is not None for one in lengths),
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
        _mean([one.total for one in lengths]),
        _mean([one.setup for one in lengths]),
        _mean([one.agent for one in lengths]),
        _mean([one.verifier for one in lengths]),
    )


def _by_model(trials: Iterable[Trial]) -> dict[str, Usage]:
    sums: dict[str, UsageSum] = {}
    for trial in trials:
        for model, usage in trial.model_usage.items() if trial.model_usage is not None else ():
            sums.setdefault(model, UsageSum()).add(usage)
    return {model: used.total() for model, used in sums.items()}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
