"""Read logs of inspect as a job: a sample is a task, an epoch an attempt, and a scorer's value a reward.

Inspect gives what goes wrong in a tool back to the agent, and ends a sample with an error where the evaluation
itself broke. Such a sample, and one that was planned and never ran, has no reward.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.errors import MeasurementError
from assay.dialects.harbor.trial import Seconds, Trial, Usage
from assay.evidence.coding_run import StatedUsage
from assay.formats.trajectories.inspect_log import InspectLog, sample_name, sample_usage
from assay.formats.trajectories.values import json_of, name_of, objects_in

# Inspect's own values of the words that its scorers answer with.
_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


@dataclass(frozen=True, slots=True)
class ReadLog:
    """One log: the evaluation that it is of, its samples as trials, and what was planned and isn't there."""

    task_id: str | None
    trials: list[Trial]
    missing: list[str]
    notes: list[str] = field(default_factory=list)


def read_samples(log: InspectLog, suffix: str = "") -> ReadLog:
    """The samples of a log. ``suffix`` tells their names apart from those of other logs."""
    about = log.header["eval"]
    dataset = name_of(about.get("task")) or "inspect"
    agent, model = _solver(log.header), name_of(about.get("model"))
    trials: dict[str, Trial] = {}
    for sample in log.samples:
        name = _name(sample_name(sample), sample.get("epoch"), suffix)
        trials.setdefault(name, _trial(name, sample, agent, model, dataset))
    ended = log.header.get("status")
    notes = [] if ended == "success" else [f"the log's status is {json_of(ended) or 'unknown'}"]
    return ReadLog(
        name_of(about.get("task_id")),
        list(trials.values()),
        [name for name in _planned(about, suffix) if name not in trials],
        [*notes, *log.remarks],
    )


def _name(sample: str, epoch: object, suffix: str) -> str:
    number = epoch if isinstance(epoch, int) and not isinstance(epoch, bool) and 0 < epoch < 10**6 else 1
    return f"{name_of(sample) or '?'}__{number}{suffix}"


def _planned(about: Mapping[str, Any], suffix: str) -> Iterator[str]:
    """The samples that the log was to have, as far as its header names them."""
    dataset, config = about.get("dataset"), about.get("config")
    ids = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    epochs = config.get("epochs") if isinstance(config, dict) else None
    rounds = epochs if isinstance(epochs, int) and 0 < epochs <= 1000 else 1
    for one in ids[:20_000] if isinstance(ids, list) else ():
        yield from (_name(sample_name({"id": one}), number, suffix) for number in range(1, rounds + 1))


def _trial(name: str, sample: dict[str, Any], agent: str, model: str | None, dataset: str) -> Trial:
    rewards = dict(_rewards(sample.get("scores")))
    error = sample.get("error")
    broke = not rewards and isinstance(error, dict)
    return Trial(
        name=name,
        task=name_of(sample_name(sample)) or "?",
        agent=agent,
        model=model,
        dataset=dataset,
        rewards=rewards or None,
        verified=bool(rewards),
        exception_type=MeasurementError.__name__ if broke else None,
        exception_message=json_of(error.get("message")) if broke and isinstance(error, dict) else "",
        usage=_usage(sample_usage(sample)),
        started_at=name_of(sample.get("started_at")),
        finished_at=name_of(sample.get("completed_at")),
        seconds=Seconds(total=_number(sample.get("total_time")), agent=_number(sample.get("working_time"))),
    )


def _usage(used: StatedUsage) -> Usage:
    return Usage(used.input_tokens, used.cached_tokens, used.output_tokens, used.cost_usd)


def _rewards(scores: object) -> Iterable[tuple[str, float]]:
    """Each scorer's value as a number. A value that is none, such as a free text, is left out."""
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else None
        parts = value if isinstance(value, dict) else {"": value}
        for key, part in parts.items():
            number = _WORDS.get(part) if isinstance(part, str) else _number(part)
            if number is not None:
                yield f"{name_of(scorer)}{'/' if key else ''}{name_of(key) or ''}", number


def _number(value: object) -> float | None:
    """A finite number; true and false are 1 and 0."""
    if not isinstance(value, int | float) or abs(value) > 2**53 or not math.isfinite(value):
        return None
    return float(value)


def _solver(header: Mapping[str, Any]) -> str:
    """The name of the agent: the solver that was asked for, or the last one of the plan."""
    asked, plan = header["eval"].get("solver"), header.get("plan")
    steps = list(objects_in(plan.get("steps"))) if isinstance(plan, dict) else []
    return name_of(asked) or (name_of(steps[-1].get("solver")) if steps else None) or "inspect"
