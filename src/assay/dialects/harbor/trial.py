"""A finished trial as the statistics need it, and how to read it from a trial's result.json.

Only the fields that count are decoded, because a file may have megabytes of configuration and rollouts. The fast
decoder is exact for the files that it accepts. The rare file that it refuses (NaN, numbers in strings, numbers out
of range) goes through the standard library and harbor's own validation.
"""

import json
import sys
from typing import Any

import msgspec

from assay.core.errors import AssayError
from assay.dialects.harbor.errors import RewardValidationError
from assay.dialects.harbor.rewards import Rewards

MESSAGE_LIMIT = 500

# Harbor itself fails to add larger ints.
_LARGEST = int(sys.float_info.max)


class TrialFileError(AssayError):
    """A trial's result.json can't be used; the message says why in one sentence."""


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One run: its agent and task, its rewards, its exception, and its cost.

    ``rewards`` is None if there was no verifier result, and also if its rewards were null; ``verified`` tells the
    two apart. ``lost`` names the reward keys whose value was NaN or infinite: JSON has no such numbers, so the
    trial's file has null instead.
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

    @property
    def evals_key(self) -> str:
        """The group that the trial counts in: agent, model if there is one, and dataset."""
        return evals_key(self.agent, self.model, self.dataset)


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


class TrialDecoder:
    """Decodes the trials of one job. Values that many trials share are kept once."""

    def __init__(self) -> None:
        self._share_text = dict[str, str]().setdefault
        self._share_slot = dict[tuple[str, ...], tuple[str, ...]]().setdefault

    def decode(self, data: bytes) -> Trial:
        """The trial in the bytes of its result.json. Raises ``TrialFileError``."""
        try:
            file = _DECODER.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            file = _decode_slowly(data)
        return self._trial(file)

    def _trial(self, file: "_TrialFile") -> Trial:
        share = self._share_text
        verified, raised, agent = file.verifier_result, file.exception_info, file.agent_info
        rewards, lost = _without_nulls(verified.rewards) if verified is not None else (None, ())
        slot = _slot(file)
        return Trial(
            name=file.trial_name,
            task=share(file.task_name, file.task_name),
            agent=share(agent.name, agent.name),
            model=share(agent.model_info.name, agent.model_info.name) if agent.model_info is not None else None,
            dataset=share(file.source, file.source) if file.source else "adhoc",
            rewards=rewards,
            verified=verified is not None,
            exception_type=share(raised.exception_type, raised.exception_type) if raised is not None else None,
            exception_message=raised.exception_message[:MESSAGE_LIMIT] if raised is not None else "",
            usage=_usage(file),
            started_at=file.started_at,
            slot=self._share_slot(slot, slot),
            lost=lost,
            steps=tuple(step.step_name for step in file.step_results) if file.step_results else (),
        )


class _Model(msgspec.Struct, gc=False):
    name: str


class _AgentInfo(msgspec.Struct, gc=False):
    name: str
    model_info: _Model | None = None


class _VerifierResult(msgspec.Struct, gc=False):
    rewards: dict[str, float | int | None] | None = None


class _ExceptionInfo(msgspec.Struct, gc=False):
    exception_type: str
    exception_message: str = ""


class _StepResult(msgspec.Struct, gc=False):
    step_name: str
    agent_result: Usage | None = None
    verifier_result: _VerifierResult | None = None


class _TaskConfig(msgspec.Struct, gc=False):
    path: str | None = None
    name: str | None = None


class _AgentConfig(msgspec.Struct, gc=False):
    name: str | None = None
    import_path: str | None = None
    model_name: str | None = None


class _Config(msgspec.Struct, gc=False):
    task: _TaskConfig | None = None
    agent: _AgentConfig | None = None


class _TrialFile(msgspec.Struct, gc=False):
    task_name: str
    trial_name: str
    agent_info: _AgentInfo
    source: str | None = None
    config: _Config | None = None
    agent_result: Usage | None = None
    verifier_result: _VerifierResult | None = None
    exception_info: _ExceptionInfo | None = None
    started_at: str | None = None
    step_results: list[_StepResult] | None = None


_DECODER = msgspec.json.Decoder(_TrialFile)


def _decode_slowly(data: bytes) -> _TrialFile:
    try:
        found = json.loads(data)
        _coerce_rewards(found)
        return msgspec.convert(found, _TrialFile, strict=False)
    except RewardValidationError as error:
        raise TrialFileError(f"rewards must be numbers: {str(error).splitlines()[-2].strip()}") from error
    except msgspec.MsgspecError as error:
        raise TrialFileError(f"not the result of a trial: {error}") from error
    except ValueError as error:
        raise TrialFileError(f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise TrialFileError("not valid JSON: nested too deeply") from error


def _coerce_rewards(found: Any) -> None:
    """Validate and convert the rewards in a decoded file as harbor does. Null values stay."""
    from assay.dialects.harbor.verifier_result import validate_rewards  # noqa: PLC0415 - slow, seldom needed

    steps = found.get("step_results") if isinstance(found, dict) else None
    for part in [found, *(steps if isinstance(steps, list) else [])]:
        result = part.get("verifier_result") if isinstance(part, dict) else None
        rewards = result.get("rewards") if isinstance(result, dict) else None
        if isinstance(result, dict) and isinstance(rewards, dict):
            known = validate_rewards({k: v for k, v in rewards.items() if v is not None}) or {}
            result["rewards"] = {k: known.get(k) for k in rewards}


def _without_nulls(rewards: dict[str, float | int | None] | None) -> tuple[Any, tuple[str, ...]]:
    """The rewards, and the keys whose value JSON could not hold. There are rarely any."""
    if rewards is None:
        return None, ()
    lost = False
    for key, value in rewards.items():
        lost = lost or value is None
        if value.__class__ is int and abs(value) > _LARGEST:
            raise TrialFileError(f"the reward {key} must fit into a float, but it is too large")
    if not lost:
        return rewards, ()
    return {k: v for k, v in rewards.items() if v is not None}, tuple(k for k, v in rewards.items() if v is None)


def _usage(file: _TrialFile) -> Usage | None:
    """The usage of the trial, or the sum over its steps if the trial has none."""
    if file.agent_result is not None:
        return None if file.agent_result == NO_USAGE else file.agent_result
    if not file.step_results:
        return None
    used = UsageSum()
    for step in file.step_results:
        if step.agent_result is not None:
            used.add(step.agent_result)
    total = used.total()
    return None if total == NO_USAGE else total


def _slot(file: _TrialFile) -> tuple[str, ...]:
    """The slot of this trial in the plan: its task and its agent."""
    task = file.config.task if file.config is not None else None
    agent = file.config.agent if file.config is not None else None
    if task is None or agent is None:
        return (file.task_name, file.agent_info.name)
    return slot(task.path, task.name or file.task_name, agent.name, agent.import_path, agent.model_name)


def slot(
    path: str | None, task: str, agent: str | None, import_path: str | None, model: str | None
) -> tuple[str, ...]:
    """The key that matches trials with planned ones."""
    return (path or task, agent or import_path or "", model or "")
