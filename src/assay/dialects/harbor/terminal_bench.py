"""Read results of terminal-bench, an older benchmark: its runs as trials, and its binary reward.

A run folder has a results.json with one entry per run. ``is_resolved`` becomes a reward of 1 or 0; null means no
reward, which is not the same as failed. ``failure_mode`` becomes a reason code, and also the name of an exception
if the run has no outcome because of it.
"""

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from assay.core.errors import AssayError
from assay.dialects.harbor.trial import Seconds, Trial, Usage, seconds_between_texts

# The reason code of each failure mode of terminal-bench. "unset" and "none" are not failures.
FAILURE_REASONS: dict[str, str | None] = {
    "unset": None,
    "none": None,
    "unknown": "harbor_trial_failed",
    "test_timeout": "harbor_verifier_timeout_error",
    "agent_timeout": "harbor_agent_timeout_error",
    "unknown_agent_error": "harbor_trial_failed",
    "parse_error": "harbor_reward_parse_error",
    "fatal_llm_parse_error": "harbor_trial_failed",
    "context_length_exceeded": "harbor_trial_failed",
    "output_length_exceeded": "harbor_trial_failed",
    "agent_installation_failed": "harbor_submission_code_failed",
}


class TerminalBenchError(AssayError):
    """A results file of terminal-bench can't be used."""


class Published(msgspec.Struct, frozen=True):
    """The figures that a run folder publishes about itself."""

    accuracy: float | None = None
    pass_at_k: dict[str, float | None] = msgspec.field(default_factory=dict)
    n_resolved: int | None = None
    n_unresolved: int | None = None


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """An entry of results.json that can't be used: its place, its run if it names one, and the reason."""

    where: str
    run: str | None
    why: str


@dataclass(frozen=True, slots=True)
class ImportedFolder:
    """One run folder: its runs in order, its published figures, and the entries that can't be used."""

    runs: list[Trial]
    published: Published
    problems: list["BrokenEntry"]
    notes: list[str]


class _RunResult(msgspec.Struct):
    trial_name: str
    task_id: str
    is_resolved: bool | None = None
    failure_mode: str = "unset"
    total_input_tokens: int | None = None
    total_output_tokens: int | None = None
    trial_started_at: str | None = None
    trial_ended_at: Any = None
    agent_started_at: Any = None
    agent_ended_at: Any = None
    test_started_at: Any = None
    test_ended_at: Any = None


class _Shape(msgspec.Struct):
    """The fields that tell the results of a run folder from those of a single run."""

    results: list[msgspec.Raw] | None = None
    trial_name: str | None = None
    task_id: str | None = None


def is_list_of_runs(data: bytes) -> bool:
    """Whether these are the results of a run folder."""
    shape = _shape(data)
    return shape is not None and shape.results is not None


def is_run(data: bytes) -> bool:
    """Whether these are the results of a single run."""
    shape = _shape(data)
    return shape is not None and shape.trial_name is not None and shape.task_id is not None


def _shape(data: bytes) -> _Shape | None:
    try:
        return msgspec.json.decode(data, type=_Shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class Metadata(msgspec.Struct, frozen=True):
    """The parts of run_metadata.json that name the group of the runs."""

    agent_name: str = "unknown"
    model_name: str | None = None
    dataset_name: str | None = None


def import_metadata(metadata: bytes) -> Metadata:
    """The metadata of a run folder. Raises ``TerminalBenchError``."""
    try:
        return msgspec.convert(_object(metadata, "run_metadata.json"), Metadata)
    except msgspec.ValidationError as error:
        raise TerminalBenchError(f"run_metadata.json can't be used: {error}") from error


def import_results(results: bytes, metadata: Metadata) -> ImportedFolder:
    """The runs in the bytes of a run folder's results.json. A broken entry doesn't affect the others."""
    found = _object(results, "results.json")
    entries = found.get("results")
    if not isinstance(entries, list):
        raise TerminalBenchError("results.json must have a list named results, but it has none")
    runs: list[Trial] = []
    problems: list[BrokenEntry] = []
    for index, entry in enumerate(entries):
        try:
            runs.append(_import_result(msgspec.convert(entry, _RunResult), metadata))
        except msgspec.ValidationError as error:
            name = entry.get("trial_name") if isinstance(entry, dict) else None
            known = name if isinstance(name, str) else None
            problems.append(BrokenEntry(f"results[{index}]", known, str(error)))
    published, notes = _published_figures(found)
    return ImportedFolder(runs, published, problems, notes)


def import_run(result: bytes, metadata: Metadata) -> Trial:
    """One run from the bytes of its own results.json."""
    try:
        return _import_result(msgspec.convert(_object(result, "results.json"), _RunResult), metadata)
    except msgspec.ValidationError as error:
        raise TerminalBenchError(f"results.json must be the result of a run: {error}") from error


def binary_reward(exit_status: int) -> str:
    """The text of reward.txt that terminal-bench writes for the exit status of its tests."""
    return "1\n" if exit_status == 0 else "0\n"


def _import_result(run: _RunResult, metadata: Metadata) -> Trial:
    reason = FAILURE_REASONS.get(run.failure_mode, "harbor_trial_failed")
    return Trial(
        name=run.trial_name,
        task=run.task_id,
        agent=metadata.agent_name,
        model=metadata.model_name,
        dataset=metadata.dataset_name or "terminal-bench",
        rewards=None if run.is_resolved is None else {"reward": int(run.is_resolved)},
        verified=run.is_resolved is not None,
        exception_type=run.failure_mode if reason is not None else None,
        # The message is the reason code, so that the trial is classified like any other.
        exception_message=reason or "",
        usage=Usage(n_input_tokens=run.total_input_tokens, n_output_tokens=run.total_output_tokens),
        started_at=run.trial_started_at,
        finished_at=_text(run.trial_ended_at),
        seconds=Seconds(
            total=seconds_between_texts(run.trial_started_at, _text(run.trial_ended_at)),
            agent=seconds_between_texts(_text(run.agent_started_at), _text(run.agent_ended_at)),
            verifier=seconds_between_texts(_text(run.test_started_at), _text(run.test_ended_at)),
        ),
    )


def _text(value: Any) -> str | None:
    """A time, if it is a text. Times don't decide whether a run counts."""
    return value if isinstance(value, str) else None


def _published_figures(found: dict[str, Any]) -> tuple[Published, list[str]]:
    """The figures, or a note why they can't be read. Bad figures must not lose a run."""
    try:
        return msgspec.convert({k: v for k, v in found.items() if k != "results"}, Published), []
    except msgspec.ValidationError as error:
        return Published(), [f"the published figures of results.json can't be read: {error}"]


def _object(data: bytes, name: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TerminalBenchError(f"{name} must be JSON: {error}") from error
    if not isinstance(found, dict):
        raise TerminalBenchError(f"{name} must be an object, got {type(found).__name__}")
    return found
