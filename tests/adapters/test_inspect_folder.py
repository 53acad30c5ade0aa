"""Logs of inspect are jobs: samples are tasks, epochs attempts, and what broke has no score."""

import copy
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.results_folder import read_results
from assay.core.errors import InputError
from assay.engine.jobs.job_runs import runs_of
from assay.evidence.run import Run, State
from tests.cli.running import run_assay
from tests.formats.trajectories.inspect_samples import HEADER, SAMPLE, eval_log

ERROR = {"message": "RateLimitError: 429", "traceback": ""}


def header(model: str = "openai/a", task_id: str = "t1", **fields: Any) -> dict[str, Any]:
    found = copy.deepcopy({**HEADER, **fields})
    found["eval"].update(model=model, task_id=task_id)
    found["eval"]["dataset"]["sample_ids"] = ["total", "mean", 3]
    found["eval"]["config"]["epochs"] = 2
    return found


def sample(task: str | int, epoch: int, value: object, **more: Any) -> dict[str, Any]:
    return {**SAMPLE, "id": task, "epoch": epoch, "scores": {"includes": {"value": value}}, **more}


SAMPLES = [
    *(sample("total", 1, "C"), sample("total", 2, "I"), sample("mean", 1, True)),
    *(sample("mean", 2, 0.25), sample(3, 1, "C", scores={}, error=ERROR)),
]


def write(folder: Path, name: str, model: str = "openai/a", task_id: str = "t1", **fields: Any) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(eval_log(fields.pop("samples", SAMPLES), header(model, task_id, **fields)))
    return path


def runs(path: Path) -> Sequence[Run]:
    found = read_results(str(path))
    return runs_of(found.job, ())


def test_each_sample_is_a_run_in_its_state(tmp_path: Path) -> None:
    found = {run.name: run for run in runs(write(tmp_path, "a.eval"))}
    assert {name: (run.state, run.score) for name, run in found.items()} == {
        "total__1": (State.PASSED, 1.0),
        "total__2": (State.FAILED, 0.0),
        "mean__1": (State.PASSED, 1.0),
        "mean__2": (State.PARTIAL, 0.25),
        "3__1": (State.BROKEN, None),
        "3__2": (State.BROKEN, None),
    }
    one = found["total__1"]
    assert (one.task, one.agent, one.model, one.dataset) == ("total", "react", "openai/a", "sums")
    assert (one.tokens, one.cost_usd, one.duration_sec) == (2060, 0.02, 12.5)


def test_a_score_beside_an_error_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval", samples=[sample("total", 1, "I", error=ERROR)])
    assert runs(path)[0].state is State.FAILED


@pytest.mark.parametrize("value", ["a text", None, [1], float("nan"), 10**400, {}])
def test_a_value_that_is_no_number_is_no_reward(tmp_path: Path, value: object) -> None:
    path = write(tmp_path, "a.eval", samples=[sample("total", 1, value)])
    assert runs(path)[0].rewards is None


def test_a_value_of_several_numbers_has_a_reward_for_each(tmp_path: Path) -> None:
    path = write(tmp_path, "a.eval", samples=[sample("total", 1, {"right": 1, "kind": "C"})])
    assert runs(path)[0].rewards == {"includes/right": 1.0, "includes/kind": 1.0}


def test_a_folder_of_logs_is_one_submission(tmp_path: Path) -> None:
    write(tmp_path / "logs", "1.eval", "openai/a", "t1")
    write(tmp_path / "logs", "2.eval", "openai/b", "t2")
    log = {**header("openai/c", "t3"), "samples": [sample("total", 1, "C")]}
    (tmp_path / "logs" / "3.json").write_text(json.dumps(log))
    (tmp_path / "logs" / "settings.json").write_text("{}")
    found = Counter(run.model for run in runs(tmp_path / "logs") if run.model)
    assert found == {"openai/a": 5, "openai/b": 5, "openai/c": 1}


def test_of_an_evaluation_that_was_tried_again_the_last_log_counts(tmp_path: Path) -> None:
    write(tmp_path / "logs", "1.eval", samples=SAMPLES[:1], status="error")
    write(tmp_path / "logs", "2.eval")
    job = read_results(str(tmp_path / "logs")).job
    assert len(job.trials) == len(SAMPLES)
    assert any("1.eval isn't counted" in note for note in job.notes)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"{}", eval_log([], {**HEADER, "eval": []})])
def test_a_log_that_can_not_be_read_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.eval").write_bytes(data)
    with pytest.raises(InputError, match=r"a\.eval must be"):
        read_results(str(tmp_path / "a.eval"))
    with pytest.raises(InputError, match=r"a\.eval must be a log of inspect"):
        read_results(str(tmp_path))


def test_reports_and_comparisons_of_logs(tmp_path: Path) -> None:
    one, other = write(tmp_path, "1.eval", "openai/a", "t1"), write(tmp_path, "2.eval", "openai/b", "t2")
    report = run_assay("report", tmp_path)
    assert (report.code, report.err) == (0, "")
    assert "react__openai/b__sums" in report.out
    compared = run_assay("compare", one, other)
    assert (compared.code, "tasks       2 compared" in compared.out) == (0, True)
    audit = run_assay("audit", one)
    assert (audit.code, audit.err) == (
        2,
        f"assay: {one} must be a job of harbor or terminal-bench; for logs of inspect, 'assay report'\n",
    )
