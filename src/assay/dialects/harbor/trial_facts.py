"""What a trial's result.json tells beyond its rewards: times, models, and the trial that it grades again.

None of it decides a score. So a value of another type is left out instead of refused.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from assay.dialects.harbor.trial import NO_USAGE, PhaseTimes, SourceTrial, Usage, UsageSum


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def exception_types(infos: Iterable[Any]) -> tuple[str, ...]:
    """The types of the exceptions that are recorded."""
    found = (info.get("exception_type") for info in infos if isinstance(info, dict))
    return tuple(name for name in found if isinstance(name, str))


def is_disabled(verifier: Any) -> bool:
    """Whether the settings of a trial's verifier switch it off."""
    return isinstance(verifier, dict) and verifier.get("disable") is True


def phase_times(*, setup: Sequence[Any], agent: Sequence[Any], verifier: Sequence[Any]) -> PhaseTimes | None:
    """The phases of a trial that began and ended; None if there are none."""
    times = PhaseTimes(_spans(setup), _spans(agent), _spans(verifier))
    return times if times.setup or times.agent or times.verifier else None


def _spans(phases: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    found = ((p.get("started_at"), p.get("finished_at")) for p in phases if isinstance(p, dict))
    return tuple((start, end) for start, end in found if isinstance(start, str) and isinstance(end, str))


def model_usage(agent_results: Iterable[Any]) -> Mapping[str, Usage] | None:
    """The usage by model, added up over the steps of a trial; None if the agent didn't report it."""
    sums: dict[str, UsageSum] = {}
    for result in agent_results:
        found = None if result is None else result.model_usage
        for name, value in found.items() if isinstance(found, dict) else ():
            usage = _usage(value)
            if usage is not None:
                sums.setdefault(name, UsageSum()).add(usage)
    return {name: used.total() for name, used in sums.items()} or None


def _usage(value: Any) -> Usage | None:
    try:
        usage = msgspec.convert(value, Usage)
    except msgspec.ValidationError:
        return None
    return None if usage == NO_USAGE else usage


def source_trial(value: Any) -> SourceTrial | None:
    """The trial that this one grades again; None if it grades none again."""
    if not isinstance(value, dict) or value.get("action") != "regrade":
        return None
    return SourceTrial(text_or_none(value.get("path")), text_or_none(value.get("trial_id")))
