"""What a trial's result.json tells beyond its rewards: times, models, and the trial that it grades again.

None of it decides a score. So a value that can't be used is left out, and the trial is read without it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from assay.dialects.harbor.trial import GradedSource, Usage, UsageSum


class Timing(msgspec.Struct, gc=False):
    """A phase of a trial."""

    started_at: datetime | None = None
    finished_at: datetime | None = None


class Verification(msgspec.Struct, gc=False):
    """The settings of a trial's verifier."""

    disable: bool = False


class Source(msgspec.Struct, gc=False):
    """The trial that a trial derives from, and how."""

    action: str | None = None
    path: str | None = None
    trial_id: str | None = None


class StepException(msgspec.Struct, gc=False):
    """The exception of a step."""

    exception_type: str | None = None


# The fields of a trial and of its steps that only describe it.
_FACTS: Mapping[str, Any] = {
    "finished_at": str | None,
    "task_checksum": str | None,
    "agent_execution": Timing | None,
    "verifier": Timing | None,
}
_STEP_FACTS = {
    "agent_execution": Timing | None,
    "verifier": Timing | None,
    "exception_info": StepException | None,
}
_CONFIG_FACTS = {"verifier": Verification | None, "source_trial": Source | None}
_RESULT_FACTS = {"model_usage": dict[str, Usage] | None}


def drop_unusable_facts(trial: Any) -> None:
    """Remove the facts of a decoded result.json that can't be used."""
    if not isinstance(trial, dict):
        return
    steps = trial.get("step_results")
    _drop(trial, _FACTS)
    _drop(trial.get("config"), _CONFIG_FACTS)
    _drop(trial.get("agent_result"), _RESULT_FACTS)
    for step in steps if isinstance(steps, list) else ():
        _drop(step, _STEP_FACTS)
        _drop(step.get("agent_result") if isinstance(step, dict) else None, _RESULT_FACTS)


def _drop(part: Any, facts: Mapping[str, Any]) -> None:
    for name, kind in facts.items() if isinstance(part, dict) else ():
        if name in part and not _is(part[name], kind):
            del part[name]


def _is(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def length(phase: Timing | None) -> float | None:
    """How many seconds a phase took; None if it doesn't say."""
    if phase is None or phase.started_at is None or phase.finished_at is None:
        return None
    return _seconds_between(phase.started_at, phase.finished_at)


def added(one: float | None, other: float | None) -> float | None:
    """Two lengths together. An unknown one is left out."""
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _seconds_between(start: datetime, end: datetime) -> float | None:
    """The time between two moments; None if there is none, or if only one of them has a zone."""
    try:
        seconds = (end - start).total_seconds()
    except TypeError:
        return None
    return seconds if seconds >= 0 else None


def seconds_between_texts(start: str | None, end: str | None) -> float | None:
    """The seconds between two times as they are written; None if they can't be read."""
    if start is None or end is None:
        return None
    try:
        return _seconds_between(datetime.fromisoformat(start), datetime.fromisoformat(end))
    except ValueError:
        return None


def sum_by_model(found: Iterable[Mapping[str, Usage] | None]) -> Mapping[str, Usage] | None:
    """The usage by model, added up over the steps of a trial; None if the agent didn't report it."""
    sums: dict[str, UsageSum] = {}
    for models in found:
        for name, usage in (models or {}).items():
            sums.setdefault(name, UsageSum()).add(usage)
    return {name: used.total() for name, used in sums.items()} or None


def source_trial(source: Source | None) -> GradedSource | None:
    """The trial that this one grades again; None if it grades none again."""
    if source is None or source.action != "regrade":
        return None
    return GradedSource(source.path, source.trial_id)
