"""What a job cost: tokens, money and time, over all trials that say so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.dialects.harbor.trial import Trial, Usage, UsageSum
from assay.engine.durations import Durations, durations_of


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Sums over trials, and how many trials they cover. ``mean`` has the mean length of a trial and its phases."""

    usage: Usage
    trials_with_tokens: int
    trials_with_cost: int
    by_model: Mapping[str, Usage]
    mean: Durations
    trials_with_times: int


def report_usage(trials: Sequence[Trial]) -> UsageReport:
    """The usage of trials."""
    total = UsageSum()
    used = [trial.usage for trial in trials if trial.usage is not None]
    for usage in used:
        total.add(usage)
    lengths = [durations_of(trial) for trial in trials]
    return UsageReport(
        usage=total.total(),
        trials_with_tokens=sum(
            usage.n_input_tokens is not None or usage.n_output_tokens is not None for usage in used
        ),
        trials_with_cost=sum(usage.cost_usd is not None for usage in used),
        by_model=_by_model(trials),
        mean=Durations(
            _mean(one.total for one in lengths),
            _mean(one.setup for one in lengths),
            _mean(one.agent for one in lengths),
            _mean(one.verifier for one in lengths),
        ),
        trials_with_times=sum(one.total is not None for one in lengths),
    )


def _by_model(trials: Iterable[Trial]) -> dict[str, Usage]:
    sums: dict[str, UsageSum] = {}
    for trial in trials:
        for model, usage in (trial.model_usage or {}).items():
            sums.setdefault(model, UsageSum()).add(usage)
    return {model: used.total() for model, used in sums.items()}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
