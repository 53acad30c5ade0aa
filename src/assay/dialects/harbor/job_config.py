"""The metrics that a job's config.json configures for each dataset."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from assay.dialects.harbor.job_stats import MEAN, METRICS, Metric

SCRIPT_METRIC = "uv-script"


@dataclass(frozen=True, slots=True)
class ConfiguredMetrics:
    """The metrics of each dataset, or of a single group.

    ``complete`` is False if a configured script isn't available. ``registered`` names the datasets whose registry
    may have brought metrics of its own, and ``taken`` the groups whose metrics only the job's result knows.
    """

    by_dataset: dict[str, list[Metric]]
    complete: bool = True
    script_used: bool = False
    of_job: tuple[Metric, ...] = ()
    registered: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sources:
    """The datasets that the trials of a job name: all of them, and by the folder that a task was in."""

    names: frozenset[str] = frozenset()
    by_folder: Mapping[str, str] = field(default_factory=dict)
    # Since harbor 0.22, a dataset that config.json doesn't declare has metrics too.
    all_count: bool = False


NO_SOURCES = Sources()


def metrics_of_config(
    config: bytes,
    script: Metric | None = None,
    sources: Sources = NO_SOURCES,
) -> ConfiguredMetrics:
    """The metrics in config.json; ``script`` replaces every script metric. Raises ``ValueError``."""
    found = json.loads(config)
    if not isinstance(found, dict):
        raise ValueError(f"it must be an object, got {type(found).__name__}")
    names = [_metric_name(entry) for entry in _list(found, "metrics")]
    known: list[Metric] = [_find_metric(name, script) for name in names if name in METRICS or script is not None]
    chosen: list[Metric] = known if names else [MEAN]
    entries = _list(found, "datasets")
    datasets = ["adhoc", *(name for entry in entries for name in _dataset_name(entry, sources))]
    # A dataset that is listed twice gets the metrics twice: harbor extends its list, it doesn't replace it.
    by_dataset = {name: chosen * (datasets.count(name) if names else 1) for name in datasets}
    undeclared = sources.names - set(by_dataset)
    if sources.all_count:
        # A job that grades another one again gives the mean to the datasets of that one.
        by_dataset |= dict.fromkeys(undeclared, [MEAN] if _list(found, "source_jobs") else chosen)
    return ConfiguredMetrics(
        by_dataset=by_dataset,
        complete=len(known) == len(names),
        script_used=script is not None and SCRIPT_METRIC in names,
        of_job=tuple(known),
        registered=frozenset(_registered_names(entries, undeclared)),
    )


def metrics_for(datasets: Iterable[str], names: Iterable[str] = ()) -> dict[str, list[Metric]]:
    """The named metrics for every dataset; the mean if no name is given."""
    chosen: list[Metric] = [METRICS[name] for name in names] or [MEAN]
    return dict.fromkeys(("adhoc", *datasets), chosen)


def _metric_name(entry: Any) -> str:
    name = entry.get("type", "mean") if isinstance(entry, dict) else None
    if not isinstance(name, str) or (name not in METRICS and name != SCRIPT_METRIC):
        raise ValueError(f"a metric must be one of {', '.join([*METRICS, SCRIPT_METRIC])}, got {name!r}")
    return name


def _find_metric(name: str, script: Metric | None) -> Metric:
    metric = METRICS.get(name, script)
    if metric is None:
        raise ValueError(f"the metric {name} needs its script")
    return metric


def _dataset_name(entry: Any, sources: Sources) -> list[str]:
    """Harbor's name of a dataset: that of the resolved folder, or the registered name.

    Only the trials know what a path such as "." or a link led to. Without trials, it is the last part of the path.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"a dataset must be an object, got {type(entry).__name__}")
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        folder = PurePosixPath(path)
        return [sources.by_folder.get(str(folder), folder.name)]
    return [name] if isinstance(name, str) else []


def _registered_names(entries: list[Any], undeclared: Iterable[str]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry.get("name"), str):
            yield entry["name"]
        if isinstance(entry.get("repo"), str):
            # The dataset's name is in the repository.
            yield from undeclared


def _list(found: dict[str, Any], key: str) -> list[Any]:
    value = found.get(key) or []
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list, got {type(value).__name__}")
    return value
