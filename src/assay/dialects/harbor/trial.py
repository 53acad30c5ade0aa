"""A finished trial as the statistics need it, and what its result.json tells beyond its rewards.

Times, models, and the trial that it grades again never decide a score. So a value that can't be used is left out,
and the trial is read without it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from assay.dialects.harbor.rewards import Rewards


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One run: its agent and task, its rewards, its exception, and its cost.

    ``rewards`` is None if there was no verifier result, and also if its rewards were null; ``verified`` tells the
    two apart. ``lost`` names the reward keys whose value was NaN or infinite: JSON has no such numbers, so the
    trial's file has null instead. ``disabled`` is true if the job was told not to run the verifier.
    """

    name: str
    task: str
    agent: str
    model: str | None = None
    dataset: str = "adhoc"
    rewards: Rewards | None = None
    verified: bool = False
    exception_type: str | None = None
    exception_message: str = ""
    usage: "Usage | None" = None
    started_at: str | None = None
    slot: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    step_exceptions: tuple[str, ...] = ()
    disabled: bool = False
    task_checksum: str | None = None
    finished_at: str | None = None
    seconds: "Seconds | None" = None
    model_usage: "Mapping[str, Usage] | None" = None
    source: "GradedSource | None" = None

    @property
    def evals_key(self) -> str:
        """The group that the trial counts in: agent, model if there is one, and dataset."""
        return evals_key(self.agent, self.model, self.dataset)


class Seconds(msgspec.Struct, frozen=True, gc=False):
    """How long a trial and its phases took; None where it doesn't say. Phases of several steps are added up."""

    total: float | None = None
    agent: float | None = None
    verifier: float | None = None


NO_SECONDS = Seconds()


class GradedSource(msgspec.Struct, frozen=True, gc=False):
    """The trial whose output a trial graded again: where it is, and its id. Either may be unknown."""

    path: str | None = None
    trial_id: str | None = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """Tokens and cost. None means not counted, which is not the same as 0."""

    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None


class UsageSum:
    """Adds up usage, field by field, in harbor's order of addition. A field that nobody counted stays None."""

    __slots__ = ("_cache", "_cost", "_input", "_output")

    def __init__(self) -> None:
        self._input: int | None = None
        self._cache: int | None = None
        self._output: int | None = None
        self._cost: float | None = None

    def add(self, usage: Usage) -> None:
        if usage.n_input_tokens is not None:
            self._input = (self._input or 0) + usage.n_input_tokens
        if usage.n_cache_tokens is not None:
            self._cache = (self._cache or 0) + usage.n_cache_tokens
        if usage.n_output_tokens is not None:
            self._output = (self._output or 0) + usage.n_output_tokens
        if usage.cost_usd is not None:
            self._cost = (self._cost or 0.0) + usage.cost_usd

    def total(self) -> Usage:
        return Usage(self._input, self._cache, self._output, self._cost)


NO_USAGE = Usage()


def evals_key(agent: str, model: str | None, dataset: str) -> str:
    """Harbor's key of a group of trials."""
    return f"{agent}__{model}__{dataset}" if model else f"{agent}__{dataset}"


def slot(
    path: str | None, task: str, agent: str | None, import_path: str | None, model: str | None
) -> tuple[str, ...]:
    """The key that matches trials with planned ones."""
    return (path or task, agent or import_path or "", model or "")


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
