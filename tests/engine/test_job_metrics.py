"""The metrics of a job: from config.json, and from its result where a registry brought them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.dialects.harbor.job_stats import MAX, SUM
from assay.dialects.harbor.plan import UNKNOWN
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job import Job, read_job
from assay.engine.jobs.job_metrics import RecordedMetric, job_metrics
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.audit_rewards import Standing
from assay.engine.report.report import report_job
from assay.evidence.files import Content
from tests.builders import DATA, edit_json, write_trial

REGISTRY = DATA / "harbor_versions" / "0.13.1-registry"


def read(path: Path) -> Job:
    return read_job(DiskJobFolder(path))


def audit(path: Path) -> Audit:
    folder = DiskJobFolder(path)
    return audit_job(folder, read_job(folder))


@pytest.mark.statement("harbor.registry-metrics")
def test_the_metrics_of_a_registry_are_known_by_their_recorded_values() -> None:
    job = read(REGISTRY)
    assert job.metrics.by_dataset["oracle__reg"] == [MAX, SUM]
    assert job.notes == [
        "the metric of reg comes from its registry, not from config.json: by its recorded value it is max, sum"
    ]
    assert [group.harbor.metrics for group in report_job(job).groups] == [[{"max": 1.0}, {"sum": 1.25}]]


@pytest.mark.parametrize(
    ("path", "folder"),
    [("a/b/x", "a/b"), ("a/b/", "a"), ("a/b/.", "a"), ("a//x", "a"), ("/x", "/"), ("x", "."), ("a/b/..", "a/b")],
)
def test_a_dataset_is_known_by_the_folder_of_its_tasks(path: str, folder: str) -> None:
    trials = [Trial("t", "t", "agent", dataset="named", slot=(path,))]
    config = Content("config.json", json.dumps({"datasets": [{"path": folder}]}).encode())
    assert set(job_metrics(config, trials, None, UNKNOWN, []).by_dataset) == {"adhoc", "named"}


def test_paths_that_begin_alike_may_be_in_different_folders() -> None:
    slots = {"a/b/": "outer", "a/b/x": "inner", "a/b/y": "inner"}
    trials = [Trial(path, "t", "agent", dataset=name, slot=(path,)) for path, name in slots.items()]
    config = Content("config.json", b'{"datasets": [{"path": "a"}, {"path": "a/b"}]}')
    assert list(job_metrics(config, trials, None, UNKNOWN, []).by_dataset) == ["adhoc", "outer", "inner"]


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    return Path(shutil.copytree(REGISTRY, tmp_path / "job"))


@pytest.mark.parametrize("metrics", [[{"scored": 3}], [{"mean": 0.7}, {"max": 1.0}], [{"max": None}]])
def test_a_metric_that_is_not_harbors_is_taken_as_recorded_and_said_so(registry: Path, metrics: list[Any]) -> None:
    edit_json(
        registry / "result.json", lambda content: content["stats"]["evals"]["oracle__reg"].update(metrics=metrics)
    )
    job, found = read(registry), audit(registry)
    assert any(isinstance(metric, RecordedMetric) for metric in job.metrics.by_dataset["oracle__reg"])
    assert [group.harbor.metrics for group in report_job(job).groups] == [metrics]
    taken = [one.field for one in found.findings if one.standing is Standing.TAKEN]
    assert (found.consistent, "stats.evals.oracle__reg.metrics" in taken) == (True, True)
    assert found.notes == [
        "the metric of reg comes from its registry, not from config.json: its value is taken as recorded"
    ]


def test_the_jobs_own_metrics_come_after_those_of_the_registry(registry: Path) -> None:
    edit_json(registry / "config.json", lambda content: content.update(metrics=[{"type": "sum"}]))
    job = read(registry)
    assert job.metrics.by_dataset["oracle__reg"] == [MAX, SUM]
    assert job.notes == [
        "the metric of reg comes from its registry, not from config.json: by its recorded value it is max"
    ]
    edit_json(
        registry / "result.json",
        lambda content: content["stats"]["evals"]["oracle__reg"].update(metrics=[{"max": 1.0}, {"sum": 9.0}]),
    )
    assert not audit(registry).consistent


@pytest.mark.parametrize("metrics", [None, [], "x", [7], [{"mean": 1.25 / 3}]])
def test_without_another_metric_in_the_record_it_is_the_mean(registry: Path, metrics: Any) -> None:
    edit_json(
        registry / "result.json", lambda content: content["stats"]["evals"]["oracle__reg"].update(metrics=metrics)
    )
    job = read(registry)
    assert [group.harbor.metrics for group in report_job(job).groups] == [[{"mean": 1.25 / 3}]]
    assert job.notes == []


def test_a_local_dataset_takes_nothing_from_the_record(tmp_path: Path) -> None:
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, dataset="ds")
    (tmp_path / "config.json").write_text(json.dumps({"datasets": [{"path": "ds"}]}))
    evals = {"solver__ds": {"metrics": [{"mine": 7}]}}
    (tmp_path / "result.json").write_text(json.dumps({"stats": {"evals": evals}}))
    assert [group.harbor.metrics for group in report_job(read(tmp_path)).groups] == [[{"mean": 1.0}]]
