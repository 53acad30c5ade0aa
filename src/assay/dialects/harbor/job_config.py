"""The metrics that a job's config.json configures for each dataset."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from assay.dialects.harbor.metrics import MEAN, METRICS, Metric

SCRIPT_METRIC = "uv-script"


@dataclass(frozen=True, slots=True)
class ConfiguredMetrics:
    """The metrics of each declared dataset. ``complete`` is False if a configured script isn't available."""

    by_dataset: dict[str, list[Metric]]
    complete: bool = True
    script_used: bool = False


def metrics_of_config(config: bytes, script: Metric | None = None) -> ConfiguredMetrics:
    """The metrics in config.json; ``script`` replaces every script metric. Raises ``ValueError``."""
    found = json.loads(config)
    if not isinstance(found, dict):
        raise ValueError(f"it must be an object, got {type(found).__name__}")
    names = [_metric_name(entry) for entry in _list(found, "metrics")]
    known: list[Metric] = [_named(name, script) for name in names if name in METRICS or script is not None]
    chosen: list[Metric] = known if names else [MEAN]
    datasets = ["adhoc", *(name for entry in _list(found, "datasets") for name in _dataset_name(entry))]
    return ConfiguredMetrics(
        # A dataset that is listed twice gets the metrics twice: harbor extends its list, it doesn't replace it.
        by_dataset={name: chosen * (datasets.count(name) if names else 1) for name in datasets},
        complete=len(known) == len(names),
        script_used=script is not None and SCRIPT_METRIC in names,
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


def _named(name: str, script: Metric | None) -> Metric:
    metric = METRICS.get(name, script)
    if metric is None:
        raise ValueError(f"the metric {name} needs its script")
    return metric


def _dataset_name(entry: Any) -> list[str]:
    """Harbor's name of a dataset: the last part of a local path, or the registered name."""
    if not isinstance(entry, dict):
        raise ValueError(f"a dataset must be an object, got {type(entry).__name__}")
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        return [PurePath(path).name]
    return [name] if isinstance(name, str) else []


def _list(found: dict[str, Any], key: str) -> list[Any]:
    value = found.get(key) or []
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list, got {type(value).__name__}")
    return value
