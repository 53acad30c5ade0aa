"""Read a trial from the bytes of its result.json.

Only the fields that count are decoded, because a file may have megabytes of configuration and rollouts. The fast
decoder is exact for the files that it accepts. The rare file that it refuses (NaN, numbers in strings, numbers out
of range) goes through the standard library and harbor's own validation.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.core.errors import AssayError
from assay.dialects.harbor.errors import RewardValidationError
from assay.dialects.harbor.trial import (
    NO_USAGE,
    Seconds,
    Source,
    StepException,
    Timing,
    Trial,
    Usage,
    UsageSum,
    Verification,
    added,
    drop_unusable_facts,
    length,
    seconds_between_texts,
    slot,
    source_trial,
    sum_by_model,
)

MESSAGE_LIMIT = 500

# Harbor itself fails to add larger ints.
_LARGEST = int(sys.float_info.max)


class TrialFileError(AssayError):
    """A trial's result.json can't be used; the message says why in one sentence."""


class TrialDecoder:
    """Decodes the trials of one job."""

    def decode(self, data: bytes) -> Trial:
        """The trial in the bytes of its result.json. Raises ``TrialFileError``."""
        try:
            file = _DECODER.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            file = _decode_slowly(data)
        return self._trial(file)

    def _trial(self, file: "_ResultFile") -> Trial:
        verified, raised, agent = file.verifier_result, file.exception_info, file.agent_info
        rewards, lost = _without_nulls(verified.rewards) if verified is not None else (None, ())
        place = _slot(file)
        steps = file.step_results or ()
        # By position: so many keywords take six times as long, and this is done for every trial of a job.
        return Trial(
            file.trial_name,
            file.task_name,
            agent.name,
            agent.model_info.name if agent.model_info is not None else None,
            file.source or "adhoc",
            rewards,
            verified is not None,
            raised.exception_type if raised is not None else None,
            raised.exception_message[:MESSAGE_LIMIT] if raised is not None else "",
            _usage(file),
            file.started_at,
            place,
            lost,
            tuple(step.step_name for step in steps) if steps else (),
            _step_exceptions(steps) if steps else (),
            file.config is not None and file.config.verifier is not None and file.config.verifier.disable,
            file.task_checksum,
            file.finished_at,
            _seconds(file, steps),
            _model_usage(file, steps),
            None if file.config is None else source_trial(file.config.source_trial),
        )


class _FileModel(msgspec.Struct, gc=False):
    name: str


class _AgentInfo(msgspec.Struct, gc=False):
    name: str
    model_info: _FileModel | None = None


class _VerifierResult(msgspec.Struct, gc=False):
    rewards: dict[str, float | int | None] | None = None


class _ExceptionInfo(msgspec.Struct, gc=False):
    exception_type: str
    exception_message: str = ""


class _AgentResult(msgspec.Struct, gc=False):
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
    model_usage: dict[str, Usage] | None = None


class _StepResult(msgspec.Struct, gc=False):
    step_name: str
    agent_result: _AgentResult | None = None
    verifier_result: _VerifierResult | None = None
    exception_info: StepException | None = None
    agent_execution: Timing | None = None
    verifier: Timing | None = None


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
    verifier: Verification | None = None
    source_trial: Source | None = None


class _ResultFile(msgspec.Struct, gc=False):
    task_name: str
    trial_name: str
    agent_info: _AgentInfo
    source: str | None = None
    config: _Config | None = None
    agent_result: _AgentResult | None = None
    verifier_result: _VerifierResult | None = None
    exception_info: _ExceptionInfo | None = None
    started_at: str | None = None
    finished_at: str | None = None
    task_checksum: str | None = None
    agent_execution: Timing | None = None
    verifier: Timing | None = None
    step_results: list[_StepResult] | None = None


_DECODER = msgspec.json.Decoder(_ResultFile)


def _decode_slowly(data: bytes) -> _ResultFile:
    try:
        found = json.loads(data)
        _coerce_rewards(found)
        drop_unusable_facts(found)
        return msgspec.convert(found, _ResultFile, strict=False)
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


def _usage(file: _ResultFile) -> Usage | None:
    """The usage of the trial, or the sum over its steps if the trial has none."""
    if file.agent_result is not None:
        total = _own_usage(file.agent_result)
    else:
        used = UsageSum()
        for step in file.step_results or ():
            if step.agent_result is not None:
                used.add(_own_usage(step.agent_result))
        total = used.total()
    return None if total == NO_USAGE else total


def _own_usage(result: _AgentResult) -> Usage:
    return Usage(result.n_input_tokens, result.n_cache_tokens, result.n_output_tokens, result.cost_usd)


def _seconds(file: _ResultFile, steps: Sequence[_StepResult]) -> Seconds | None:
    total = seconds_between_texts(file.started_at, file.finished_at)
    agent, verifier = length(file.agent_execution), length(file.verifier)
    for step in steps:
        agent = added(agent, length(step.agent_execution))
        verifier = added(verifier, length(step.verifier))
    if total is None and agent is None and verifier is None:
        return None
    return Seconds(total, agent, verifier)


def _model_usage(file: _ResultFile, steps: Sequence[_StepResult]) -> Mapping[str, Usage] | None:
    own = None if file.agent_result is None else file.agent_result.model_usage
    if not steps:
        return own or None
    return sum_by_model([own, *(step.agent_result.model_usage for step in steps if step.agent_result is not None)])


def _step_exceptions(steps: Sequence[_StepResult]) -> tuple[str, ...]:
    infos = [step.exception_info for step in steps if step.exception_info is not None]
    return tuple(info.exception_type for info in infos if info.exception_type is not None)


def _slot(file: _ResultFile) -> tuple[str, ...]:
    """The slot of this trial in the plan: its task and its agent."""
    task = file.config.task if file.config is not None else None
    agent = file.config.agent if file.config is not None else None
    if task is None or agent is None:
        return (file.task_name, file.agent_info.name)
    return slot(task.path, task.name or file.task_name, agent.name, agent.import_path, agent.model_name)
