"""Reading a job folder: what counts, what can't, in which order, and nothing dropped."""

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assay import harbor
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import MAX, MEAN
from assay.engine.jobs.job import Job, Problem, read_job
from tests.builders import HARBOR_JOBS, trial_record, typed_values, within, write_config, write_lock, write_trial

MISSING, MALFORMED = "harbor_trial_result_missing", "harbor_trial_result_malformed"


def read(folder: Path) -> Job:
    with within(60):
        return harbor.read_job(folder)


def names(job: Job) -> list[str]:
    return [trial.name for trial in job.trials]


def test_a_job_that_harbor_wrote() -> None:
    job = read(HARBOR_JOBS / "j1")
    assert (job.name, job.n_total, job.problems, job.notes) == ("j1", 14, [], [])
    # As lock.json plans them: each task once, and then each again.
    tasks = [trial.task for trial in job.trials]
    assert tasks[:7] == tasks[7:]
    assert len(set(tasks)) == 7
    assert job.recorded == (HARBOR_JOBS / "j1" / "result.json").read_bytes()
    assert job.metrics.by_dataset == {"adhoc": [MEAN], "ds": [MEAN]}


@pytest.mark.statement("harbor.text", "harbor.pipeline")
@pytest.mark.parametrize("name", ["j1", "j4"])
def test_its_result_follows_byte_for_byte(name: str) -> None:
    job = read(HARBOR_JOBS / name)
    recorded = json.loads(job.recorded or b"")
    stats = harbor.job_stats(job.trials, job.metrics.by_dataset, n_total=job.n_total)
    times = {key: recorded[key] for key in ("id", "started_at", "updated_at", "finished_at")}
    result = harbor.JobResult(**times, n_total_trials=job.n_total, stats=stats)
    assert harbor.job_text(result).encode() == job.recorded


def put(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


# How a trial's result.json can be unusable, and what is said of it.
UNUSABLE = [
    pytest.param(put(b""), MALFORMED, "result.json: not valid JSON", id="empty"),
    pytest.param(put(b'{"task_name": "t", '), MALFORMED, "result.json: not valid JSON", id="half written"),
    pytest.param(put(b"\0" * 100), MALFORMED, "result.json: not valid JSON", id="NUL bytes"),
    pytest.param(put(b"{}"), MALFORMED, "result.json: not the result of a trial", id="not a trial's"),
    pytest.param(put(b"[]"), MALFORMED, "result.json: not the result of a trial", id="a list"),
    pytest.param(os.mkfifo, MALFORMED, "result.json is a named pipe", id="named pipe"),
    pytest.param(lambda path: path.mkdir(), MALFORMED, "result.json is a folder", id="folder"),
    pytest.param(
        lambda path: path.symlink_to("/etc/passwd"), MALFORMED, "result.json is a symbolic link", id="link"
    ),
    pytest.param(lambda path: path.symlink_to("nowhere"), MISSING, "no result.json", id="dangling link"),
    pytest.param(lambda _path: None, MISSING, "no result.json", id="missing"),
]


@pytest.mark.parametrize(("make", "reason", "detail"), UNUSABLE)
def test_a_trial_that_can_not_be_counted_is_a_problem(
    tmp_path: Path, make: Callable[[Path], object], reason: str, detail: str
) -> None:
    write_trial(tmp_path, "fine__1", rewards={"reward": 1})
    (tmp_path / "bad__1").mkdir()
    make(tmp_path / "bad__1" / "result.json")
    job = read(tmp_path)
    assert names(job) == ["fine__1"]
    [problem] = job.problems
    assert (problem.trial, problem.reason_code) == ("bad__1", reason)
    assert problem.detail.startswith(detail)
    assert problem.missing is (reason == MISSING)
    assert job.n_total == 2


def test_a_result_of_more_than_the_limit_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "big__1").mkdir()
    with (tmp_path / "big__1" / "result.json").open("wb") as file:
        file.truncate(1 << 40)
    [problem] = read(tmp_path).problems
    assert problem == Problem(
        "big__1", MALFORMED, f"result.json is larger than the limit of {256 * 1024 * 1024} bytes"
    )


@pytest.mark.parametrize("depth", [50_000, 100_000])
def test_a_result_nested_too_deeply_is_a_problem(tmp_path: Path, depth: int) -> None:
    write_trial(tmp_path, "fine__1", rewards={"reward": 1})
    (tmp_path / "deep__1").mkdir()
    record = json.dumps(trial_record("deep__1", rollout="HERE")).replace('"HERE"', "[" * depth + "]" * depth)
    (tmp_path / "deep__1" / "result.json").write_text(record)
    job = read(tmp_path)
    assert names(job) == ["fine__1"]
    assert [(problem.trial, problem.reason_code) for problem in job.problems] == [("deep__1", MALFORMED)]


def test_foreign_files_and_folders_are_left_alone_and_named(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".cache").mkdir()
    (tmp_path / "plots").mkdir()
    (tmp_path / "plots" / "one.png").write_bytes(b"")
    job = read(tmp_path)
    assert (names(job), job.problems) == (["t__1"], [])
    assert job.notes == [
        "ignored notes.txt: harbor didn't write it",
        "ignored the folder .cache: it isn't a trial",
        "ignored the folder plots: it isn't a trial",
    ]


def test_a_linked_trial_folder_is_left_alone(tmp_path: Path) -> None:
    write_trial(tmp_path / "elsewhere", "t__2", rewards={"reward": 1})
    write_trial(tmp_path / "job", "t__1", rewards={"reward": 0})
    (tmp_path / "job" / "t__2").symlink_to(tmp_path / "elsewhere" / "t__2")
    job = read(tmp_path / "job")
    assert names(job) == ["t__1"]
    assert job.notes == ["ignored t__2: harbor didn't write it"]


def test_planned_but_never_started(tmp_path: Path) -> None:
    write_lock(tmp_path, [("a", "solver"), ("b", "solver"), ("a", "solver")])
    write_trial(tmp_path, "a__1", rewards={"reward": 1})
    job = read(tmp_path)
    assert job.problems == [
        Problem("b", MISSING, "planned for solver, but it has no folder"),
        Problem("a", MISSING, "planned for solver, but it has no folder"),
    ]
    assert job.n_total == 3


def test_a_folder_that_can_not_be_read_fills_a_planned_slot(tmp_path: Path) -> None:
    write_lock(tmp_path, [("a", "solver"), ("b", "solver"), ("c", "solver")])
    write_trial(tmp_path, "a__1", rewards={"reward": 1})
    (tmp_path / "b__1").mkdir()
    job = read(tmp_path)
    assert [(problem.trial, problem.detail) for problem in job.problems] == [
        ("b__1", "no result.json"),
        ("c", "planned for solver, but it has no folder"),
    ]
    assert job.n_total == 3


@pytest.mark.statement("harbor.trial-order")
def test_the_order_is_the_plans_then_the_starts_then_the_names(tmp_path: Path) -> None:
    write_lock(tmp_path, [("b", "solver"), ("a", "solver"), ("b", "solver")])
    write_trial(tmp_path, "a__1", started_at="2026-01-01T00:00:00Z")
    write_trial(tmp_path, "b__1", started_at="2026-01-01T00:00:09Z")
    write_trial(tmp_path, "b__2", started_at="2026-01-01T00:00:03Z")
    write_trial(tmp_path, "x__2", started_at="2026-01-01T00:00:01Z")
    write_trial(tmp_path, "x__1", started_at="2026-01-01T00:00:01Z")
    write_trial(tmp_path, "x__0")
    assert names(read(tmp_path)) == ["b__2", "a__1", "b__1", "x__1", "x__2", "x__0"]


@pytest.mark.parametrize(
    ("make", "note"),
    [
        (put(b"{"), "lock.json can't be used"),
        (put(b"[" * 100_000), "lock.json can't be used"),
        (put(b'{"trials": 1}'), "lock.json can't be used"),
        (os.mkfifo, "lock.json is a named pipe"),
        (lambda path: path.symlink_to("/etc/passwd"), "lock.json is a symbolic link"),
    ],
)
def test_a_lock_that_can_not_be_used_leaves_the_order_of_the_starts(
    tmp_path: Path, make: Callable[[Path], object], note: str
) -> None:
    write_trial(tmp_path, "a__1", started_at="2026-01-01T00:00:02Z")
    write_trial(tmp_path, "b__1", started_at="2026-01-01T00:00:01Z")
    make(tmp_path / "lock.json")
    job = read(tmp_path)
    assert names(job) == ["b__1", "a__1"]
    assert [found for found in job.notes if found.startswith(note)] == job.notes
    assert job.notes[0].endswith("trials are in the order of their start")


@pytest.mark.parametrize(
    ("make", "note"),
    [
        (put(b"{"), "config.json can't be used"),
        (put(b"[" * 100_000), "config.json can't be used"),
        (
            put(b'{"metrics": [{"type": "median"}]}'),
            "config.json can't be used (a metric must be one of mean, max, min, sum, uv-script, got 'median')",
        ),
        (os.mkfifo, "config.json is a named pipe"),
        (lambda path: path.symlink_to("/etc/passwd"), "config.json is a symbolic link"),
    ],
)
def test_a_config_that_can_not_be_used_leaves_the_mean_and_says_so(
    tmp_path: Path, make: Callable[[Path], object], note: str
) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    make(tmp_path / "config.json")
    job = read(tmp_path)
    assert job.metrics.by_dataset == {"adhoc": [MEAN], "ds": [MEAN]}
    assert [found[: len(note)] for found in job.notes] == [note]


def test_a_record_that_can_not_be_read_is_no_record(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    os.mkfifo(tmp_path / "result.json")
    job = read(tmp_path)
    assert (job.recorded, job.notes) == (None, ["the job's result.json is a named pipe"])


@pytest.mark.statement("harbor.configured-metrics")
def test_configured_metrics_are_used(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    write_config(tmp_path, metrics=["max"])
    assert read(tmp_path).metrics.by_dataset == {"adhoc": [MAX], "ds": [MAX]}


class Counts:
    """Stands in for a dataset's own metric."""

    def compute(self, rewards: Sequence[harbor.Rewards | None]) -> dict[str, object]:
        return {"n": len(rewards)}


@pytest.mark.statement("harbor.script-metric")
def test_a_script_is_used_where_the_job_configures_one(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    write_config(tmp_path, metrics=["uv-script"])
    without, script = read(tmp_path), Counts()
    assert without.metrics.by_dataset == {"adhoc": [], "ds": []}
    assert without.notes == ["the job's metric is a script that was not run; pass it with --metric-script"]
    named = read_job(DiskJobFolder(tmp_path), script=script)
    assert (named.metrics.by_dataset, named.notes) == ({"adhoc": [script], "ds": [script]}, [])


def test_a_script_that_the_job_does_not_configure_is_not_used(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    job = read_job(DiskJobFolder(tmp_path), script=Counts())
    assert job.metrics.by_dataset == {"adhoc": [MEAN], "ds": [MEAN]}
    assert job.notes == ["the metric script was not run: the job configures no script metric"]


# A reward that JSON could not hold is null in result.json. What the verifier wrote says which it was.
@pytest.mark.parametrize(
    ("rewards", "files", "expected"),
    [
        ({"reward": None}, {"verifier/reward.txt": "nan"}, {"reward": math.nan}),
        ({"reward": None}, {"verifier/reward.txt": "-inf"}, {"reward": -math.inf}),
        ({"reward": None}, {"verifier/reward.json": '{"reward": Infinity}'}, {"reward": math.inf}),
        (
            {"speed": 0.5, "reward": None},
            {"verifier/reward.json": '{"speed": 0.5, "reward": NaN}'},
            {"speed": 0.5, "reward": math.nan},
        ),
    ],
)
def test_lost_rewards_are_found_again(
    tmp_path: Path, rewards: dict[str, float], files: dict[str, str], expected: dict[str, float]
) -> None:
    write_trial(tmp_path, "t__1", rewards=rewards, files=files)
    job = read(tmp_path)
    assert job.problems == []
    assert typed_values(job.trials[0].rewards) == typed_values(expected)
    assert job.trials[0].lost == ()


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"verifier/reward.txt": "1"},
        {"verifier/reward.txt": "pass"},
        {"verifier/reward.json": '{"other": NaN}'},
        {"verifier/reward.json": '{"reward": NaN, "other": 1}'},
        {"verifier/reward.json": "null"},
        {"verifier/reward.json": '{"reward": 1' + "0" * 400 + "}"},
    ],
)
def test_lost_rewards_that_no_file_explains_are_a_problem(tmp_path: Path, files: dict[str, str]) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": None}, files=files)
    job = read(tmp_path)
    assert job.trials == []
    [problem] = job.problems
    assert problem.reason_code == MALFORMED
    assert "the reward reward is null" in problem.detail


def steps(*texts: str) -> dict[str, str]:
    return {f"steps/step{i}/verifier/reward.json": text for i, text in enumerate(texts)}


@pytest.mark.parametrize(
    ("recorded", "files", "expected"),
    [
        # The mean over the steps, or the last one: whichever fits what is recorded.
        ({"a": None}, steps('{"a": NaN}', '{"a": 1}'), {"a": math.nan}),
        ({"a": None, "b": 0.5}, steps('{"a": NaN, "b": 1}', '{"a": 1}'), {"a": math.nan, "b": 0.5}),
        ({"a": None, "b": 0}, steps('{"a": 1, "b": 1}', '{"a": NaN, "b": 0}'), {"a": math.nan, "b": 0}),
        # A step whose rewards are null or empty counts in the mean's denominator.
        ({"a": None, "b": 0.5}, steps('{"a": NaN, "b": 1}', "{}"), {"a": math.nan, "b": 0.5}),
        ({"a": None, "b": 0.5}, steps('{"a": NaN, "b": 1}', "null"), {"a": math.nan, "b": 0.5}),
    ],
)
def test_lost_rewards_of_a_trial_with_steps(
    tmp_path: Path, recorded: dict[str, float], files: dict[str, str], expected: dict[str, float]
) -> None:
    write_trial(tmp_path, "t__1", rewards=recorded, steps=["step0", "step1"], files=files)
    job = read(tmp_path)
    assert job.problems == []
    assert typed_values(job.trials[0].rewards) == typed_values(expected)


@pytest.mark.parametrize(
    "step", ["../../x", "..", "/", "/etc", "a/../../../x", "no\0name", "", "\ud800", "y" * 1000]
)
def test_the_name_of_a_step_never_leads_out_of_the_trial(tmp_path: Path, step: str) -> None:
    for place in (tmp_path / "x", tmp_path / "job" / "x", tmp_path):
        (place / "verifier").mkdir(parents=True)
        (place / "verifier" / "reward.txt").write_text("nan")
    write_trial(tmp_path / "job", "t__1", rewards={"reward": None}, steps=[step])
    job = read(tmp_path / "job")
    assert job.trials == []
    assert "no reward file says which" in job.problems[0].detail


def test_a_linked_verifier_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "reward.txt").write_text("nan")
    write_trial(tmp_path / "job", "t__1", rewards={"reward": None})
    (tmp_path / "job" / "t__1" / "verifier").symlink_to(tmp_path / "outside")
    assert len(read(tmp_path / "job").problems) == 1


@pytest.mark.parametrize(
    ("planned", "message"),
    [([], "has no trials$"), ([("a", "x"), ("b", "x")], r"has no trials \(2 are planned\)$")],
)
def test_a_folder_without_trials_can_not_be_used(
    tmp_path: Path, planned: list[tuple[str, str]], message: str
) -> None:
    write_lock(tmp_path, planned)
    (tmp_path / "plots").mkdir()
    with pytest.raises(InputError, match=message):
        read(tmp_path)


def test_progress_goes_from_the_first_folder_to_the_last(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1})
    (tmp_path / "broken__1").mkdir()
    (tmp_path / "plots").mkdir()
    seen: list[tuple[int, int]] = []
    read_job(DiskJobFolder(tmp_path), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
