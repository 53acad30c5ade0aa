"""From a verifier's artifacts to an EvaluationResult.

reward.json is authoritative: nothing is computed from details.json, which is stored as breakdown. A reward that is
missing or unusable is 0.0 with ``verifier_completed = false`` and its own reason code, so that nobody mistakes it
for a real zero.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.dialects.evaluation.bounded_values import bounded, describe_value
from assay.dialects.evaluation.models import ErrorSource, ErrorTag, EvaluationResult, ValidityCheck
from assay.dialects.evaluation.output import Declared, Inspection, inspect_output
from assay.dialects.evaluation.verifier_words import read_details, read_words
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence
from assay.evidence.files import Absent, Content, File, Refusal, Refused, RewardFiles

MALFORMED = "malformed artifact"
MOST_STRAYS = 20
MISSING = "missing artifact"
# Harbor takes any names of metrics, so a file with others isn't malformed.
NO_REWARD_KEY = "no reward key"
KILLED = "killed"
DISAGREEMENT = "conflicting rewards"
# A reward of 0 for output that can't be used, whatever the verifier wrote.
FORFEITS = ("reward_for_unparseable_output", "reward_for_schema_violation")
# Why a strict reader doesn't take a reward that harbor takes: a program of the agent may have written it.
STRICTLY_UNUSABLE = (
    "reward_before_kill",
    "reward_files_disagree",
    "reward_after_startup_files",
    "reward_after_interference",
)
STARTUP = "start-up file left"
INTERFERENCE = "interference with the verifier"
# Many verifiers round the reward in one of their files.
_ROUNDING = 0.01


@dataclass(frozen=True, slots=True)
class Ingested:
    """The validated result, and the reason if its reward isn't the verifier's."""

    result: EvaluationResult
    reason_code: str | None = None


@dataclass(frozen=True, slots=True)
class _Reward:
    """A usable reward, or the reason why there is none, with the category of its tag if it has one."""

    value: float | None
    reason_code: str | None = None
    error: str | None = None
    category: str | None = MALFORMED


def ingest(
    evidence: VerifierEvidence,
    declared: Declared | None = None,
    *,
    schema_forbids_reward: bool = False,
    strict: bool = False,
) -> Ingested:
    """The result of one verifier run. With ``schema_forbids_reward``, a schema violation is also worth 0.

    With ``strict``, a reward of a verifier that was killed, or that wrote two different ones, can't be used.

    Raises ``MeasurementError`` where the declared schema can't be used: then nobody knows how good the output is.
    """
    inspection = _inspect(evidence.output, declared)
    conflict = _conflict(evidence.rewards)
    reward = _in_time(_read_reward(evidence.rewards), evidence.end)
    if strict:
        reward = _undisputed_reward(reward, evidence, conflict)
    reward = _usable(reward, inspection, schema_forbids_reward)
    breakdown, details_error = read_details(evidence.details)
    words = read_words(breakdown)
    complaints = [
        *([] if details_error is None else [details_error]),
        *_of_details(evidence.details, words.refused),
    ]
    errors = [bounded(error) for error in (*inspection.errors, reward.error, *complaints) if error]
    validity = ValidityCheck(
        output_parseable=inspection.parseable,
        schema_valid=inspection.schema_valid,
        verifier_completed=reward.value is not None,
        errors=errors,
    )
    tags = [*_mechanical_tags(evidence, inspection, reward, complaints, conflict), *words.tags]
    forfeited = reward.reason_code in FORFEITS
    return Ingested(
        EvaluationResult(
            reward=0.0 if forfeited else reward.value or 0.0,
            validity=validity,
            breakdown=breakdown,
            error_taxonomy=tags or None,
            confidence=words.confidence,
        ),
        reward.reason_code,
    )


def _of_details(file: File, refused: Sequence[str]) -> list[str]:
    return [f"{file.path}: {complaint}" for complaint in refused]


def _inspect(output: File | None, declared: Declared | None) -> Inspection:
    """If a task declares no output, there is nothing that could be unparseable."""
    if output is None:
        return Inspection(True, True)
    if isinstance(output, Absent):
        return Inspection(False, False, (f"there is no output at {output.path}",))
    if isinstance(output, Refused):
        fine = declared is not None and _is_fine(output.why, declared)
        return Inspection(True, True) if fine else Inspection(False, False, (f"the output {output}",))
    return inspect_output(output.data, declared) if declared else Inspection(True, True)


def _is_fine(why: Refusal, declared: Declared) -> bool:
    """Whether a file that wasn't read wouldn't have been parsed anyway."""
    return (declared.may_be_folder and why is Refusal.FOLDER) or (
        declared.asks_nothing and why is Refusal.TOO_LARGE
    )


def _in_time(reward: _Reward, end: ProcessEnd) -> _Reward:
    """A verifier that ran out of time wasn't done, so what it wrote before doesn't count."""
    if not end.timed_out and not end.excess:
        return reward
    if reward.reason_code == "reward_missing":
        before = "it ran out of time" if end.timed_out else "it was stopped"
        return replace(reward, error=f"{reward.error} before {before}")
    what = reward.error if reward.value is None else f"it had written {reward.value}"
    if end.excess:
        said = f"the verifier {end.excess}, so its reward doesn't count: {what}"
        return _Reward(None, "reward_before_disk_limit", said, None)
    said = f"the verifier ran out of time, so its reward doesn't count: {what}"
    return _Reward(None, "reward_before_time_out", said, None)


def _conflict(files: RewardFiles) -> str | None:
    """Says that the two reward files have different rewards, as if two programs had written them; else None."""
    if isinstance(files.json, Absent) or isinstance(files.text, Absent):
        return None
    values = [_read_reward(RewardFiles(files.json, Absent(""))).value]
    values.append(_read_reward(RewardFiles(Absent(""), files.text)).value)
    if None in values or abs((values[0] or 0.0) - (values[1] or 0.0)) <= _ROUNDING:
        return None
    return f"{files.json.path} has {values[0]}, but {files.text.path} has {values[1]}"


def _undisputed_reward(reward: _Reward, evidence: VerifierEvidence, conflict: str | None) -> _Reward:
    """Only a reward that the verifier must have written itself."""
    signal = evidence.end.signal
    killed = f"the verifier was killed by signal {signal}, so its reward doesn't count: {reward.value}"
    first = f"the agent left {', '.join(evidence.startup[:3])}, so the reward doesn't count: {reward.value}"
    other = f"{evidence.strange[0]}, so the reward doesn't count: {reward.value}" if evidence.strange else None
    doubts = (killed if signal is not None else None, conflict, first if evidence.startup else None, other)
    for reason, doubt in zip(STRICTLY_UNUSABLE, doubts, strict=True):
        if reward.value is not None and doubt is not None:
            return _Reward(None, reason, doubt, None)
    return reward


def _usable(reward: _Reward, inspection: Inspection, schema_forbids: bool) -> _Reward:
    """A reward above 0 for unusable output is forfeited, although the verifier completed."""
    if not reward.value:
        return reward
    if not inspection.parseable:
        said = f"the verifier gave {reward.value} for output that can't be parsed"
        return _Reward(reward.value, "reward_for_unparseable_output", said, None)
    if schema_forbids and not inspection.schema_valid:
        said = f"the verifier gave {reward.value} for output that violates its schema"
        return _Reward(reward.value, "reward_for_schema_violation", said, None)
    return reward


def _read_reward(files: RewardFiles) -> _Reward:
    """reward.json, or reward.txt where there is no reward.json, as many published tasks have it."""
    file = files.text if isinstance(files.json, Absent) else files.json
    if isinstance(file, Absent):
        return _Reward(None, "reward_missing", f"the verifier wrote no {files.json.path}", MISSING)
    if isinstance(file, Refused):
        return _Reward(None, "reward_refused", f"the reward file {file}")
    if not file.data:
        return _Reward(None, "reward_empty", f"{file.path} is empty")
    try:
        value = _reward_value(file) if file is files.json else float(file.data.decode())
    except _NoRewardKeyError as error:
        said = f"{file.path} has no key 'reward'{error}"
        return _Reward(None, "reward_key_missing", said, NO_REWARD_KEY if str(error) else MALFORMED)
    except _DuplicateKeyError as error:
        return _Reward(None, "reward_duplicate_key", f"{file.path} has the key {error} twice")
    except (ValueError, RecursionError) as error:
        return _Reward(None, "reward_malformed", f"can't parse {file.path}: {error}")
    return _in_range(value, file.path)


def _in_range(value: object, path: str) -> _Reward:
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "reward_boolean" if isinstance(value, bool) else "reward_not_a_number"
        return _Reward(None, kind, f"the reward in {path} must be a number, got {describe_value(value)}")
    if not _finite(value):
        return _Reward(None, "reward_not_finite", f"the reward in {path} must be a finite number, got {value}")
    if not 0 <= value <= 1:
        return _Reward(None, "reward_out_of_range", f"the reward in {path} must be from 0 to 1, got {value}")
    return _Reward(float(value))


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # An int beyond every float is finite, and out of range.
        return True


class _NoRewardKeyError(Exception):
    """A reward file without the key. The text names its metrics if it has any, as harbor's files may."""


class _DuplicateKeyError(Exception):
    """A JSON object says the same key twice."""


def _reward_value(file: Content) -> object:
    found = json.loads(file.data.decode(), object_pairs_hook=_no_duplicates)
    if not isinstance(found, dict):
        raise ValueError("it must be an object")
    if "reward" in found:
        return found["reward"]
    metrics = found if all(isinstance(value, int | float) for value in found.values()) else {}
    raise _NoRewardKeyError(f", only {', '.join(list(metrics)[:5])}" if metrics else "")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKeyError(repr(key))
        found[key] = value
    return found


def _mechanical_tags(
    evidence: VerifierEvidence,
    inspection: Inspection,
    reward: _Reward,
    complaints: Sequence[str],
    conflict: str | None,
) -> list[ErrorTag]:
    """The failures that the runner itself knows of."""
    return [
        ErrorTag(
            category=category,
            description=None if description is None else bounded(description),
            source=ErrorSource.MECHANICAL,
        )
        for category, description in (
            *_tags_of_end(evidence.end),
            *(("removed before verification", stray) for stray in evidence.strays[:MOST_STRAYS]),
            *(
                (STARTUP, f"{path}, which programs read when they start")
                for path in evidence.startup[:MOST_STRAYS]
            ),
            *_tags_of_output(evidence.output, inspection),
            *_tags_of_reward(reward),
            *((INTERFERENCE, said) for said in evidence.strange),
            *([] if conflict is None else [(DISAGREEMENT, conflict)]),
            *((MALFORMED, complaint) for complaint in complaints[:1]),
        )
    ]


def _tags_of_end(end: ProcessEnd) -> list[tuple[str, str | None]]:
    if end.timed_out:
        return [("time-out", "the verifier ran into its time limit")]
    if end.excess:
        return [("out of disk", f"the verifier {end.excess}")]
    if end.out_of_memory:
        return [("out of memory", "the verifier ran into its memory limit")]
    if end.signal is not None:
        return [(KILLED, f"the verifier was killed by signal {end.signal}")]
    if end.exit_code:
        return [("non-zero exit", f"the verifier ended with exit code {end.exit_code}")]
    return []


def _tags_of_output(output: File | None, inspection: Inspection) -> list[tuple[str, str | None]]:
    first = inspection.errors[0] if inspection.errors else None
    if isinstance(output, Absent):
        return [(MISSING, first)]
    if not inspection.parseable:
        return [("unparseable output", first)]
    return [] if inspection.schema_valid else [("schema violation", first)]


def _tags_of_reward(reward: _Reward) -> list[tuple[str, str | None]]:
    return [] if reward.reason_code is None or reward.category is None else [(reward.category, reward.error)]
