"""The recorded result of a job, field by field, and its metrics: those of its config.json and of its result."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, isfinite
from pathlib import PurePosixPath
from sys import intern
from typing import Any

from assay.dialects.harbor.job_config import ConfiguredMetrics, Sources, metrics_for, metrics_of_config
from assay.dialects.harbor.job_stats import MEAN, METRICS, Aggregate, Metric
from assay.dialects.harbor.plan import HarborVersion
from assay.dialects.harbor.rewards import Rewards
from assay.dialects.harbor.trial import Trial
from assay.evidence.files import Content, File, Refused


def recorded_fields(recorded: bytes | None) -> dict[str, Any] | None:
    """The content of a result.json; None if it isn't an object."""
    try:
        found = None if recorded is None else load_record(recorded.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def load_record(text: str) -> Any:
    """Parse JSON. Lists under a repeated key are joined, because harbor writes one "nan" key for each NaN.

    Names in lists are those of trials, which are many, and kept once in the process.
    """
    return json.loads(text, object_pairs_hook=_merged)


def _merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in pairs:
        if isinstance(value, list):
            before = merged.get(key)
            value = [intern(one) if type(one) is str else one for one in value]  # noqa: PLW2901 - the same, shared
            value = before + value if isinstance(before, list) else value  # noqa: PLW2901
        merged[key] = value
    return merged


def fields_of(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields to compare: those of the job, of its statistics and of each group."""
    for name, value in result.items():
        if name != "stats" or not isinstance(value, dict):
            yield name, value
            continue
        for field, part in value.items():
            if field != "evals" or not isinstance(part, dict):
                yield f"stats.{field}", part
                continue
            for key, group in part.items():
                if not isinstance(group, dict) or not group:
                    yield f"stats.evals.{key}", group
                    continue
                for inner, found in group.items():
                    yield f"stats.evals.{key}.{inner}", found


def groups_of(result: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The groups of a record by their key."""
    match result:
        case {"stats": {"evals": dict(evals)}}:
            yield from ((key, group) for key, group in evals.items() if isinstance(group, dict))


def whole_number(fields: Mapping[str, Any], name: str) -> int:
    """A count of a record; 0 if it isn't a whole number."""
    value = fields.get(name)
    return value if type(value) is int else 0


@dataclass(frozen=True, slots=True)
class RecordedMetric:
    """A metric of which only the result is known."""

    result: Mapping[str, object]

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:  # noqa: ARG002 - a Metric has them
        return dict(self.result)


def job_metrics(
    config: File, trials: Sequence[Trial], script: Metric | None, version: HarborVersion, notes: list[str]
) -> ConfiguredMetrics:
    """The metrics that config.json configures. Notes say why it can't be used, or what is missing."""
    sources = _sources(trials, version)
    found = ConfiguredMetrics(metrics_for(sources.names))
    if isinstance(config, Content):
        try:
            found = metrics_of_config(config.data, script, sources)
        except (ValueError, RecursionError) as error:
            notes.append(f"config.json can't be used ({error}), so the metric is the mean")
    elif isinstance(config, Refused):
        notes.append(f"config.json is {config.why.value}, so the metric is the mean")
    if not found.complete:
        notes.append("the job's metric is a script that was not run; pass it with --metric-script")
    if script is not None and not found.script_used:
        notes.append("the metric script was not run: the job configures no script metric")
    return found


def _sources(trials: Iterable[Trial], version: HarborVersion) -> Sources:
    # Taking paths apart is slow, and most tasks are in the same few folders: one path of each is enough.
    paths: dict[tuple[str, str], str] = {}
    names: set[str] = set()
    for trial in trials:
        if trial.dataset != "adhoc":
            names.add(trial.dataset)
            if trial.slot:
                paths[_before_name(trial.slot[0]), trial.dataset] = trial.slot[0]
    return Sources(
        names=frozenset(names),
        by_folder={str(PurePosixPath(path).parent): dataset for (_, dataset), path in paths.items()},
        all_count=version.every_source_counts,
    )


def _before_name(path: str) -> str:
    """The text before the last name of a path; the whole text if it doesn't end with a name."""
    before, slash, name = path.rpartition("/")
    return path if name in ("", ".") else before + slash


def with_registered(
    metrics: ConfiguredMetrics, trials: Sequence[Trial], recorded: bytes | None, notes: list[str]
) -> ConfiguredMetrics:
    """Add the metrics that a registry brought, as far as the job's result shows them.

    One that is harbor's own metric of the same rewards is computed like any other. For all others, the number is
    taken as recorded, and a note says so.
    """
    groups = _registered_groups(metrics, trials) if metrics.registered else {}
    result = recorded_fields(recorded) if groups else None
    by_group: dict[str, list[Metric]] = {}
    taken: set[str] = set()
    for key, members in groups.items():
        known = _recorded_metrics(result, key)
        brought = known[: len(known) - len(metrics.of_job)]
        if not brought:
            continue
        rewards = [trial.rewards for trial in members]
        own = [_harbors_own(one, rewards) for one in brought]
        by_group[key] = [
            *(known or RecordedMetric(one) for known, one in zip(own, brought, strict=True)),
            *metrics.of_job,
        ]
        notes += _sayings(members[0].dataset, own)
        taken |= {key} if None in own else set()
    if not by_group:
        return metrics
    return replace(metrics, by_dataset=metrics.by_dataset | by_group, taken=frozenset(taken))


def _sayings(dataset: str, own: Sequence[Aggregate | None]) -> Iterator[str]:
    """Remarks on metrics that a registry brought. A single mean is what every dataset has."""
    origin = f"the metric of {dataset} comes from its registry, not from config.json"
    if None in own:
        yield f"{origin}: its value is taken as recorded"
    elif own != [MEAN]:
        names = ", ".join(one.name for one in own if one is not None)
        yield f"{origin}: by its recorded value it is {names}"


def _registered_groups(metrics: ConfiguredMetrics, trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.dataset in metrics.registered:
            groups.setdefault(trial.evals_key, []).append(trial)
    return groups


def _recorded_metrics(result: Mapping[str, Any] | None, key: str) -> list[dict[str, object]]:
    found = dict(groups_of(result or {})).get(key, {}).get("metrics")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _harbors_own(recorded: Mapping[str, object], rewards: Sequence[Rewards | None]) -> Aggregate | None:
    """The metric of harbor that gives this result; None if none does."""
    return next((one for one in METRICS.values() if _alike(one.compute(rewards), recorded)), None)


def _alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return set(one) == set(other) and all(_same_number(one[key], other[key]) for key in one)


def _same_number(one: object, other: object) -> bool:
    if isinstance(other, bool) or not isinstance(one, int | float) or not isinstance(other, int | float | None):
        return False
    # NaN and infinity are recorded as null.
    return not isfinite(one) if other is None else isclose(one, other, rel_tol=1e-12)
