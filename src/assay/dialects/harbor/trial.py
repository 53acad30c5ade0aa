"""A finished trial as the statistics need it."""

from collections.abc import Mapping

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
