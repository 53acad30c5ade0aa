"""Read rewards from the bytes of the reward files, under a named profile.

``harbor-0.13.1`` reads them as harbor does from 0.7 to 0.22: any float, NaN and infinity included, booleans as 1.0
and 0.0, numeric strings as floats. ``harbor-0.24`` reads them as harbor does from 0.23 on: a value that isn't a
finite number is a parse error. ``harbor-0.6`` reads them as harbor does up to 0.6: reward.txt takes precedence.
In all other profiles reward.json does, even if it is empty or broken. ``strict`` accepts only finite numbers from
0 to 1.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, TypeAlias

from assay.core.total import total
from assay.dialects.harbor.errors import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    RewardFileRefusedError,
    RewardNestingError,
    RewardValidationError,
    VerifierOutputParseError,
)
from assay.evidence.files import Absent, Content, File, Refused, RewardFiles

# An int is no float where one is read again from a file of ours.
Rewards: TypeAlias = Mapping[str, float | int]

_REPR_LIMIT = 500

# float() also accepts 1_0, digits of other scripts, infinity and the like; the strict profile refuses them.
_PLAIN_NUMBER = re.compile(r"[ \t\r\n]*+[+-]?(\d++(?:\.\d*+)?|\.\d++)([eE][+-]?\d++)?[ \t\r\n]*+", re.ASCII)


class Profile(Enum):
    """The rules for reading a reward. A result records which rules were used."""

    HARBOR_0_6 = "harbor-0.6"
    HARBOR_0_13_1 = "harbor-0.13.1"
    HARBOR_0_24 = "harbor-0.24"
    STRICT = "strict"

    @property
    def order(self) -> tuple[str, str]:
        """The reward files in the order in which they count."""
        names = ("reward.json", "reward.txt")
        return names if self is not Profile.HARBOR_0_6 else (names[1], names[0])


@dataclass(frozen=True, slots=True)
class RewardReading:
    """Rewards, the file they came from, and the profile they were read under. ``rewards`` may be None."""

    rewards: Rewards | None
    path: str
    profile: Profile


def parse_reward_files(files: RewardFiles, profile: Profile = Profile.HARBOR_0_13_1) -> RewardReading:
    """The rewards in the files. Raises a ``RewardError`` if they can't be used."""
    json_counts = not isinstance(files.json, Absent)
    if profile is Profile.HARBOR_0_6 and not isinstance(files.text, Absent):
        json_counts = False
    if json_counts:
        content = _content(files.json)
        return RewardReading(_JSON_READERS[profile](content), content.path, profile)
    if not isinstance(files.text, Absent):
        content = _content(files.text)
        return RewardReading({"reward": _number(content, profile)}, content.path, profile)
    raise RewardFileNotFoundError(f"No reward file found at {files.text.path} or {files.json.path}")


def _content(file: File) -> Content:
    """The content of a file that isn't empty. White space counts as content."""
    if isinstance(file, Refused):
        raise RewardFileRefusedError(file)
    assert isinstance(file, Content)  # noqa: S101 - narrows the type: absent files are handled above
    if not file.data:
        raise RewardFileEmptyError(f"Reward file is empty at {file.path}")
    return file


def _number(content: Content, profile: Profile) -> float:
    try:
        text = content.data.decode()
        number = float(text)
    except ValueError as error:
        raise VerifierOutputParseError(f"Failed to parse rewards from text file {content.path}") from error
    if profile is Profile.STRICT:
        if not _PLAIN_NUMBER.fullmatch(text):
            raise VerifierOutputParseError(f"{content.path} must be a plain decimal number")
        _check_strict("reward", number, content.path)
    if profile is Profile.HARBOR_0_24 and not math.isfinite(number):
        raise VerifierOutputParseError(f"Non-finite reward {number!r} in text file {content.path}")
    return number


def _harbor_json(content: Content) -> Rewards | None:
    return _valid_rewards(_loads(content))


def _finite_json(content: Content) -> Rewards | None:
    found = _loads(content)
    for value in found.values() if isinstance(found, dict) else [found]:
        if not isinstance(value, int | float):
            raise VerifierOutputParseError(f"Non-numeric reward {_repr(value)} in JSON file {content.path}")
        if isinstance(value, float) and not math.isfinite(value):
            raise VerifierOutputParseError(f"Non-finite reward {value!r} in JSON file {content.path}")
    return _valid_rewards(found)


def _loads(content: Content) -> Any:
    try:
        return json.loads(content.data.decode())
    except ValueError as error:
        raise _not_json(content) from error
    except RecursionError as error:
        raise RewardNestingError(str(error)) from error


def _valid_rewards(found: Any) -> Rewards | None:
    if type(found) is dict and all(type(value) in (int, float) for value in found.values()):
        return found
    # Everything else is validated by pydantic with harbor's own model, which is slow to import and rarely needed.
    from assay.dialects.harbor.verifier_result import validate_rewards  # noqa: PLC0415

    return validate_rewards(found)


def _strict_json(content: Content) -> Rewards:
    path = content.path
    try:
        found = json.loads(content.data.decode(), object_pairs_hook=_Pairs, parse_constant=_refuse_constant)
    except ValueError as error:
        raise _not_json(content) from error
    except RecursionError as error:
        raise RewardNestingError(str(error)) from error
    if not isinstance(found, _Pairs):
        raise VerifierOutputParseError(f"{path} must be a JSON object of rewards, got {type(found).__name__}")
    if not found:
        raise RewardValidationError(f"{path} must have at least one reward, but it has none")
    rewards: dict[str, float] = {}
    for key, value in found:
        if key in rewards:
            raise VerifierOutputParseError(f"{path} must have each key once, but it has {key!r} twice")
        rewards[key] = _check_strict(key, value, path)
    return rewards


_JSON_READERS: Mapping[Profile, Callable[[Content], Rewards | None]] = {
    Profile.HARBOR_0_6: _harbor_json,
    Profile.HARBOR_0_13_1: _harbor_json,
    Profile.HARBOR_0_24: _finite_json,
    Profile.STRICT: _strict_json,
}


class _Pairs(list[tuple[str, object]]):
    """A JSON object as it was written, duplicate keys included."""


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_strict(key: str, value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(_as_float(value)):
        raise VerifierOutputParseError(
            f"the reward {key!r} in {path} must be a finite number, got {_format_value(value)}"
        )
    if not 0 <= value <= 1:
        raise RewardValidationError(f"the reward {key!r} in {path} must be from 0 to 1, got {value}")
    return value


def _format_value(value: object) -> str:
    """A value for an error message. Only scalars are shown, because others may be huge or deeply nested."""
    if value is None or isinstance(value, bool | int | float | str):
        return json.dumps(value)[:60]
    return "an object" if isinstance(value, _Pairs) else "a list"


def _repr(value: object) -> str:
    """A value as harbor's messages have it, cut where it is long."""
    try:
        text = repr(value)
    except RecursionError as error:
        raise RewardNestingError(str(error)) from error
    return text if len(text) <= _REPR_LIMIT else f"{text[:_REPR_LIMIT]}…"


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _not_json(content: Content) -> VerifierOutputParseError:
    return VerifierOutputParseError(f"Failed to parse rewards from JSON file {content.path}")


class Strategy(Enum):
    """How a trial's rewards follow from those of its steps. Harbor's default is MEAN."""

    MEAN = "mean"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of one step: whether the verifier gave a result, its rewards (may be None), and an exception."""

    verified: bool
    rewards: Rewards | None = None
    exception_type: str | None = None


@dataclass(frozen=True, slots=True)
class TrialRewards:
    """The verifier result of a whole trial. In harbor, no result and a result without rewards are different."""

    rewards: Rewards | None


def stops_after(step: Step, min_reward: float | Mapping[str, float] | None) -> bool:
    """Whether the trial ends after this step.

    An exception stops the trial unless the verifier gave a result. A reward below the threshold stops it too: a
    missing key counts as minus infinity, and NaN is not below anything.
    """
    if step.exception_type is not None and not step.verified:
        return True
    if min_reward is None:
        return False
    thresholds = min_reward if isinstance(min_reward, Mapping) else {"reward": min_reward}
    rewards = (step.rewards or {}) if step.verified else {}
    return any(rewards.get(key, -math.inf) < threshold for key, threshold in thresholds.items())


def trial_rewards(steps: Sequence[Step], strategy: Strategy | None = None) -> TrialRewards | None:
    """The trial's verifier result from the steps that ran; None if there is no result."""
    if strategy is Strategy.FINAL:
        return TrialRewards(steps[-1].rewards) if steps and steps[-1].verified else None
    verified = [step.rewards or {} for step in steps if step.verified]
    keys = dict.fromkeys(key for rewards in verified for key in rewards)
    if not keys:
        return None
    count = len(verified)
    return TrialRewards({key: total(rewards.get(key, 0) for rewards in verified) / count for key in keys})
