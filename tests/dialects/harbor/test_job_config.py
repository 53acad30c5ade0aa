"""Which metrics a job's config.json asks for."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.dialects.harbor.job_config import ConfiguredMetrics, Sources, metrics_for, metrics_of_config
from assay.dialects.harbor.job_stats import MAX, MEAN, MIN, SUM, Metric
from assay.dialects.harbor.rewards import Rewards


class Script:
    """Stands in for a dataset's own metric."""

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        return {"n": len(rewards)}


SCRIPT = Script()


def config(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.statement("harbor.default-mean", "harbor.configured-metrics")
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"adhoc": [MEAN]}),
        ({"metrics": [], "datasets": []}, {"adhoc": [MEAN]}),
        ({"metrics": None, "datasets": None}, {"adhoc": [MEAN]}),
        ({"datasets": [{"path": "a/b/ds"}]}, {"adhoc": [MEAN], "ds": [MEAN]}),
        ({"datasets": [{"path": "ds/"}]}, {"adhoc": [MEAN], "ds": [MEAN]}),
        ({"datasets": [{"name": "terminal-bench"}]}, {"adhoc": [MEAN], "terminal-bench": [MEAN]}),
        ({"datasets": [{"path": "p", "name": "n"}]}, {"adhoc": [MEAN], "p": [MEAN]}),
        ({"datasets": [{}]}, {"adhoc": [MEAN]}),
        ({"metrics": [{"type": "max"}, {"type": "sum"}]}, {"adhoc": [MAX, SUM]}),
        ({"metrics": [{}]}, {"adhoc": [MEAN]}),
        (
            {"metrics": [{"type": "min"}], "datasets": [{"path": "a"}, {"path": "b"}]},
            {"adhoc": [MIN], "a": [MIN], "b": [MIN]},
        ),
        # The same dataset twice gets the configured metrics twice; the mean it gets once.
        ({"datasets": [{"path": "a"}, {"path": "x/a"}]}, {"adhoc": [MEAN], "a": [MEAN]}),
        (
            {"metrics": [{"type": "min"}], "datasets": [{"path": "a"}, {"path": "x/a"}]},
            {"adhoc": [MIN], "a": [MIN] * 2},
        ),
    ],
)
def test_metrics_by_dataset(fields: dict[str, Any], expected: dict[str, list[Metric]]) -> None:
    found = metrics_of_config(config(**fields))
    assert (found.by_dataset, found.complete) == (expected, True)


TRIALS = Sources(frozenset({"real", "data", "org/hub", "reg"}), {".": "real", "../link": "data", "/abs/x": "reg"})


@pytest.mark.statement("harbor.dataset-name")
@pytest.mark.parametrize(
    ("path", "name"),
    [(".", "real"), ("./", "real"), ("../link", "data"), ("../link/", "data"), ("/abs/x", "reg"), ("a/b", "b")],
)
def test_the_name_of_a_dataset_is_that_of_the_folder_that_its_path_led_to(path: str, name: str) -> None:
    found = metrics_of_config(config(datasets=[{"path": path}], metrics=[{"type": "max"}]), None, TRIALS)
    assert found.by_dataset == {"adhoc": [MAX], name: [MAX]}


def test_since_harbor_0_22_datasets_that_are_not_declared_have_metrics() -> None:
    later = replace(TRIALS, all_count=True)
    found = metrics_of_config(config(datasets=[{"path": "."}], metrics=[{"type": "max"}]), None, later)
    assert found.by_dataset == {name: [MAX] for name in ("adhoc", *TRIALS.names)}
    again = metrics_of_config(config(source_jobs=[{}], metrics=[{"type": "max"}]), None, later)
    assert again.by_dataset == {"adhoc": [MAX]} | {name: [MEAN] for name in TRIALS.names}


@pytest.mark.parametrize(
    ("datasets", "registered"),
    [
        ([{"path": "."}], set()),
        ([{"name": "reg"}, {"name": "org/hub"}], {"reg", "org/hub"}),
        ([{"repo": "some/where"}, {"path": "."}], {"data", "org/hub", "reg"}),
    ],
)
def test_datasets_whose_registry_may_bring_metrics(datasets: list[Any], registered: set[str]) -> None:
    assert metrics_of_config(config(datasets=datasets), None, TRIALS).registered == registered


def test_a_script_that_is_not_at_hand_leaves_the_metrics_incomplete() -> None:
    found = metrics_of_config(config(metrics=[{"type": "max"}, {"type": "uv-script"}]))
    assert found == ConfiguredMetrics({"adhoc": [MAX]}, complete=False, of_job=(MAX,))
    # The mean does not take its place: the job did not ask for it.
    alone = metrics_of_config(config(metrics=[{"type": "uv-script"}], datasets=[{"path": "a"}]))
    assert alone == ConfiguredMetrics({"adhoc": [], "a": []}, complete=False)


def test_a_script_stands_where_it_was_configured() -> None:
    found = metrics_of_config(config(metrics=[{"type": "uv-script"}, {"type": "max"}]), SCRIPT)
    assert found == ConfiguredMetrics(
        {"adhoc": [SCRIPT, MAX]}, complete=True, script_used=True, of_job=(SCRIPT, MAX)
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        config(metrics={}, datasets={"a": 1}),
        config(metrics="mean"),
        config(metrics=["mean"]),
        config(metrics=[{"type": "median"}]),
        config(metrics=[{"type": ["mean"]}]),
        config(datasets=["ds"]),
    ],
)
def test_a_config_that_can_not_be_used(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - some words are the decoder's
        metrics_of_config(data)


def test_the_same_metrics_for_every_dataset() -> None:
    assert metrics_for(["a", "b"]) == {"adhoc": [MEAN], "a": [MEAN], "b": [MEAN]}
    assert metrics_for(["a"], ["max", "min"]) == {"adhoc": [MAX, MIN], "a": [MAX, MIN]}
