"""Does a job's record follow from its trials? Every field that does not is found."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import harbor
from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.engine.jobs.job import read_job
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.audit_rewards import AuditFinding, Standing
from tests.builders import HARBOR_JOBS, HARBOR_VECTORS, edit_json, within, write_config, write_lock, write_trial
from tests.conformance import rows_of

TAKEN = {"id", "started_at", "updated_at", "finished_at", "stats.n_retries"}


def audit(path: Path) -> Audit:
    folder = DiskJobFolder(path)
    with within(60):
        return audit_job(folder, read_job(folder))


def differing(found: Audit) -> list[str]:
    return [finding.field for finding in found.findings if finding.standing is Standing.DIFFERS]


def standing(found: Audit, field: str) -> Standing:
    return next(finding.standing for finding in found.findings if finding.field == field)


@pytest.fixture
def j1(tmp_path: Path) -> Path:
    """A job that harbor wrote, to be tampered with."""
    return Path(shutil.copytree(HARBOR_JOBS / "j1", tmp_path / "j1", symlinks=True))


@pytest.mark.parametrize("name", ["j1", "j4"])
def test_what_harbor_wrote_is_consistent_and_identical(name: str) -> None:
    found = audit(HARBOR_JOBS / name)
    assert differing(found) == []
    assert (found.consistent, found.identical, found.finished, found.notes) == (True, True, True, [])
    assert {finding.field for finding in found.findings if finding.standing is Standing.TAKEN} == TAKEN


def set_at(*path: str, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


GROUP = ("stats", "evals", "oracle__ds")
G = ".".join(GROUP)
MULTI = ["t-multi__e8VDxVN", "t-multi__f8xEgns"]
PASSED = ["t-pass__a57vv8Y", "t-pass__dEcevTJ"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (set_at("n_total_trials", value=15), "n_total_trials"),
        (set_at("n_total_trials", value=14.0), "n_total_trials"),
        (set_at("stats", "n_completed_trials", value=13), "stats.n_completed_trials"),
        (set_at("stats", "n_errored_trials", value=0), "stats.n_errored_trials"),
        (set_at("stats", "n_errored_trials", value="6"), "stats.n_errored_trials"),
        (set_at("stats", "n_pending_trials", value=1), "stats.n_pending_trials"),
        (set_at("stats", "n_cancelled_trials", value=1), "stats.n_cancelled_trials"),
        (set_at("stats", "n_input_tokens", value=0), "stats.n_input_tokens"),
        (set_at("stats", "n_cache_tokens", value=1), "stats.n_cache_tokens"),
        (set_at("stats", "n_output_tokens", value=1), "stats.n_output_tokens"),
        (set_at("stats", "cost_usd", value=0.0), "stats.cost_usd"),
        (set_at(*GROUP, "n_trials", value=14), f"{G}.n_trials"),
        (set_at(*GROUP, "n_errors", value=0), f"{G}.n_errors"),
        (set_at(*GROUP, "metrics", value=[]), f"{G}.metrics"),
        (set_at(*GROUP, "metrics", value=[{"mean": 1.0}]), f"{G}.metrics"),
        (lambda content: content["stats"]["evals"]["oracle__ds"]["metrics"][0].update(speed=1), f"{G}.metrics"),
        (set_at(*GROUP, "pass_at_k", value={"2": 1.0}), f"{G}.pass_at_k"),
        (set_at(*GROUP, "reward_stats", "reward", "1.0", value=[*PASSED, "t-fail__6xskRbX"]), f"{G}.reward_stats"),
        (set_at(*GROUP, "reward_stats", "reward", "0.7", value=[MULTI[0]]), f"{G}.reward_stats"),
        (set_at(*GROUP, "reward_stats", "reward", "0.8", value=MULTI), f"{G}.reward_stats"),
        (set_at(*GROUP, "exception_stats", value={}), f"{G}.exception_stats"),
        (set_at(*GROUP, "unknown", value=1), f"{G}.unknown"),
        (set_at("stats", "unknown", value=None), "stats.unknown"),
        (set_at("unknown", value=None), "unknown"),
        (lambda content: content["stats"].pop("cost_usd"), "stats.cost_usd"),
        (lambda content: content.pop("n_total_trials"), "n_total_trials"),
        (lambda content: content["stats"]["evals"].pop("oracle__ds"), f"{G}.n_trials"),
        (set_at("stats", "evals", "oracle__ds", value=None), f"{G}.n_trials"),
        (set_at("stats", "evals", value=[]), "stats.evals"),
        (set_at("stats", "evals", "ghost__ds", value={"n_trials": 7}), "stats.evals.ghost__ds.n_trials"),
    ],
)  # fmt: skip
def test_a_tampered_field_differs(j1: Path, change: Callable[[Any], None], field: str) -> None:
    edit_json(j1 / "result.json", change)
    found = audit(j1)
    assert field in differing(found)
    assert not found.consistent
    assert not found.identical


@pytest.mark.parametrize("group", [{}, None, [], "a group"])
def test_a_group_that_no_trial_belongs_to_differs_even_if_it_says_nothing(j1: Path, group: Any) -> None:
    edit_json(j1 / "result.json", set_at("stats", "evals", "ghost__ds", value=group))
    assert any("ghost__ds" in field for field in differing(audit(j1)))


@pytest.mark.parametrize("field", sorted(TAKEN))
def test_what_only_the_run_could_know_is_taken_as_it_is(j1: Path, field: str) -> None:
    value: Any = {"stats.n_retries": 3}.get(field, "another")
    edit_json(j1 / "result.json", set_at(*field.split("."), value=value))
    found = audit(j1)
    assert (standing(found, field), found.consistent, found.identical) == (Standing.TAKEN, True, True)


def test_another_order_of_trials_is_told_apart_from_another_result(j1: Path) -> None:
    edit_json(j1 / "result.json", set_at(*GROUP, "reward_stats", "reward", "0.7", value=MULTI[::-1]))
    found = audit(j1)
    assert standing(found, f"{G}.reward_stats") is Standing.SAME_BUT_FOR_ORDER
    assert (found.consistent, found.identical) == (True, False)


def test_another_layout_is_consistent_but_not_identical(j1: Path) -> None:
    path = j1 / "result.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    found = audit(j1)
    assert (found.consistent, found.identical) == (True, False)


def test_a_trials_tampered_reward_is_found_in_the_trial_and_in_the_job(j1: Path) -> None:
    edit_json(j1 / "t-fail__6xskRbX" / "result.json", set_at("verifier_result", "rewards", "reward", value=1.0))
    found = audit(j1)
    assert differing(found) == [f"{G}.metrics", f"{G}.reward_stats", "trial t-fail__6xskRbX"]
    assert found.findings[-1] == AuditFinding(
        "trial t-fail__6xskRbX", Standing.DIFFERS, recorded={"reward": 1.0}, derived={"reward": 0.0}
    )


@pytest.mark.parametrize(
    ("file", "text", "derived"),
    [
        ("t-pass__a57vv8Y/verifier/reward.txt", "0", {"reward": 0.0}),
        ("t-pass__a57vv8Y/verifier/reward.txt", "", "RewardFileEmptyError"),
        (
            "t-json__A4PL3EP/verifier/reward.json",
            '{"correct": 1.0, "speed": 0.25}',
            {"correct": 1.0, "speed": 0.25},
        ),
        ("t-json__A4PL3EP/verifier/reward.json", '{"correct": 1}', {"correct": 1}),
        ("t-pass__a57vv8Y/verifier/reward.json", "null", None),
        ("t-none__oCxN7zt/verifier/reward.txt", "1", {"reward": 1.0}),
        ("t-list__bh8d8p2/verifier/reward.json", '{"reward": 1}', {"reward": 1}),
        ("t-multi__e8VDxVN/steps/one/verifier/reward.txt", "0.5", {"reward": 0.45}),
    ],
)
def test_a_tampered_reward_file_is_found(j1: Path, file: str, text: str, derived: object) -> None:
    (j1 / file).write_text(text)
    found = audit(j1)
    trial = file.partition("/")[0]
    assert differing(found) == [f"trial {trial}"]
    assert found.findings[-1].derived == derived


def test_either_strategy_explains_a_trial_with_steps(j1: Path) -> None:
    # One step gave 1.0 and the other 0.4: the mean is 0.7, and the last one is 0.4.
    edit_json(j1 / "t-multi__e8VDxVN" / "result.json", set_at("verifier_result", "rewards", "reward", value=0.4))
    assert "trial t-multi__e8VDxVN" not in differing(audit(j1))


def test_trials_without_reward_files_have_nothing_to_compare(j1: Path) -> None:
    shutil.rmtree(j1 / "t-pass__a57vv8Y" / "verifier")
    found = audit(j1)
    kept = next(finding for finding in found.findings if finding.field == "trials")
    assert kept.recorded == "11 agree with their reward files, 3 have no reward files"
    assert found.consistent


def test_a_trial_that_is_gone_is_missed(j1: Path) -> None:
    shutil.rmtree(j1 / "t-pass__a57vv8Y")
    found = audit(j1)
    assert "stats.n_completed_trials" in differing(found)
    # It was planned, so the total stands.
    assert standing(found, "n_total_trials") is Standing.SAME


def unfinished(job: Path, *, running: int = 0, **changed: Any) -> None:
    """A job of two attempts each, recorded while it ran: harbor writes no pass@k before the end."""
    for task in "ab":
        for i in range(2):
            write_trial(job, f"{task}__{i}", rewards={"reward": i}, started_at=f"2026-01-01T00:00:0{i}Z")
    for i in range(2):
        (job / f"c__{i}").mkdir()
    write_config(job)
    read = harbor.read_job(job)
    stats = harbor.job_stats(read.trials, read.metrics.by_dataset, n_total=read.n_total)
    assert stats.evals["solver__ds"].pass_at_k == {2: 1.0}
    stats.evals["solver__ds"].pass_at_k = {}
    stats.n_running_trials = running
    stats.n_pending_trials = 2 - running
    result = harbor.JobResult("an-id", "then", "now", None, 6, stats)
    (job / "result.json").write_text(harbor.job_text(result))
    edit_json(job / "result.json", lambda content: content["stats"].update(changed))


@pytest.mark.parametrize("running", [0, 1, 2])
def test_an_unfinished_job_is_consistent_without_pass_at_k(tmp_path: Path, running: int) -> None:
    unfinished(tmp_path, running=running)
    found = audit(tmp_path)
    assert differing(found) == []
    assert (found.consistent, found.identical, found.finished) == (True, True, False)


def test_an_unfinished_job_that_lies_about_its_pending_trials(tmp_path: Path) -> None:
    unfinished(tmp_path, running=1, n_pending_trials=0)
    assert differing(audit(tmp_path)) == ["stats.n_pending_trials"]


@pytest.mark.parametrize("value", [None, "one", 1.0, True])
def test_a_count_of_running_trials_that_is_none_counts_0(tmp_path: Path, value: Any) -> None:
    unfinished(tmp_path, n_running_trials=value)
    found = audit(tmp_path)
    assert differing(found) == []
    assert not found.identical


def test_a_finished_job_must_have_its_pass_at_k(tmp_path: Path) -> None:
    unfinished(tmp_path)
    edit_json(tmp_path / "result.json", set_at("finished_at", value="then"))
    assert differing(audit(tmp_path)) == ["stats.evals.solver__ds.pass_at_k"]


def test_the_metric_of_a_script_that_is_not_at_hand_is_taken_as_it_is(j1: Path) -> None:
    edit_json(j1 / "config.json", set_at("metrics", value=[{"type": "uv-script"}]))
    edit_json(j1 / "result.json", set_at(*GROUP, "metrics", value=[{"mine": 7}]))
    found = audit(j1)
    assert (standing(found, f"{G}.metrics"), found.consistent) == (Standing.TAKEN, True)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "must have a result.json to audit, but it has none"),
        (b"", "must be JSON: "),
        (b"\xff", "must be JSON: "),
        (b"[" * 100_000, "must be JSON: "),
        (b"[]", "it has no stats"),
        (b"{}", "it has no stats"),
        (b'{"stats": []}', "it has no stats"),
    ],
)
def test_a_record_that_can_not_be_used(j1: Path, record: bytes | None, message: str) -> None:
    (j1 / "result.json").unlink()
    if record is not None:
        (j1 / "result.json").write_bytes(record)
    with pytest.raises(InputError, match=message):
        audit(j1)


@pytest.mark.parametrize(
    "record",
    [
        b'{"stats": {}}',
        b'{"stats": {"evals": {"a": 1}, "n_retries": "x", "n_running_trials": -5}, "id": 7, "finished_at": []}',
        b'{"stats": {"n_running_trials": 99999999999999999999}}',
        b'{"stats": {"x": NaN, "y": 1e999}}',
        b'{"stats": {"x": ' + b"[" * 300 + b"]" * 300 + b"}}",
        b'{"id": "\\ud800", "stats": {}}',
        b'{"stats": {"evals": {"\\ud800": {"metrics": []}}}}',
    ],
)
def test_a_strange_record_differs_and_crashes_nothing(j1: Path, record: bytes) -> None:
    (j1 / "result.json").write_bytes(record)
    assert not audit(j1).consistent


def test_a_strange_name_of_a_trial_crashes_nothing(j1: Path) -> None:
    path = j1 / "t-pass__a57vv8Y" / "result.json"
    path.write_text(path.read_text().replace('"trial_name": "t-pass', r'"trial_name": "\ud800'))
    assert not audit(j1).consistent


def _simple_rows() -> list[dict[str, Any]]:
    """Recorded jobs that a folder can hold as they are: one list of metrics, no trials from elsewhere."""
    rows = list(rows_of(HARBOR_VECTORS / "stats.jsonl"))
    jobs = [row | {"job": row["job"] if isinstance(row["job"], dict) else {"trials": row["job"]}} for row in rows]
    return [row for row in jobs if set(row["job"]) <= {"trials"} and row["expect"]["ok"]]


def _write_recorded_job(folder: Path, row: dict[str, Any]) -> None:
    trials = row["job"]["trials"]
    for i, raw in enumerate(trials):
        rewards = harbor.validate_rewards(raw.get("rewards"))
        exists = rewards is not None or raw.get("verifier_result") == "null"
        name = f"{raw['task_name'][:32]}__{i:07d}"
        fields: dict[str, Any] = (
            {"rewards": json.loads(harbor.dump_verifier_result(rewards))["rewards"]} if exists else {}
        )
        files = {"verifier/reward.json": json.dumps(rewards)} if rewards is not None else {}
        if raw.get("exception"):
            fields["exception"] = raw["exception"]
        dataset = raw.get("dataset") or raw.get("source")
        started = f"2026-01-01T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}Z"
        identity = {"task": raw["task_name"], "agent": raw["agent"], "model": raw.get("model"), "dataset": dataset}
        write_trial(folder, name, files=files, started_at=started, **identity, **fields)
    write_config(folder, datasets=sorted({raw.get("dataset") or "adhoc" for raw in trials}))
    (folder / "result.json").write_text(row["expect"]["result_json"])


def test_every_recorded_job_that_fits_into_a_folder_is_identical(tmp_path: Path) -> None:
    rows = _simple_rows()
    assert len(rows) > 100
    different = {}
    for i, row in enumerate(rows):
        folder = tmp_path / str(i)
        folder.mkdir()
        _write_recorded_job(folder, row)
        found = audit(folder)
        if not (found.consistent and found.identical):
            different[row["name"]] = differing(found)
    assert different == {}


def retried(job: Path, *, rewards: dict[str, float] | None, cost: float | None = None) -> None:
    """A job of harbor whose record counts an attempt that is about to be retried."""
    write_trial(job, "a__1", rewards={"reward": 1.0}, dataset="d__s", usage={"cost_usd": 0.7})
    write_config(job, datasets=["d__s"])
    write_lock(job, [("a", "solver"), ("a", "solver")])
    read = harbor.read_job(job)
    gone = harbor.Trial("a__gone", "a", "solver", None, "d__s", rewards, True, "RuntimeError")
    stats = harbor.job_stats([*read.trials, gone], read.metrics.by_dataset, n_total=2, running=True)
    result = harbor.JobResult("an-id", "then", "now", None, 2, stats)
    (job / "result.json").write_text(harbor.job_text(result))
    edit_json(job / "result.json", lambda content: content["stats"].update(n_retries=1))
    if cost is not None:
        edit_json(job / "result.json", lambda content: content["stats"].update(cost_usd=cost))


@pytest.mark.parametrize("rewards", [None, {"reward": 0}, {"reward": 0.25, "other": 1.0}])
def test_an_attempt_that_only_the_record_knows(tmp_path: Path, rewards: dict[str, float] | None) -> None:
    retried(tmp_path, rewards=rewards)
    found = audit(tmp_path)
    assert differing(found) == []
    assert standing(found, "stats.evals.solver__d__s.metrics") is Standing.SAME
    assert standing(found, "stats.cost_usd") is Standing.TAKEN


def test_a_finished_job_has_no_attempts_that_only_the_record_knows(tmp_path: Path) -> None:
    retried(tmp_path, rewards=None)
    edit_json(tmp_path / "result.json", set_at("finished_at", value="then"))
    assert "stats.n_completed_trials" in differing(audit(tmp_path))


@pytest.mark.parametrize(("cost", "differs"), [(0.0, False), (0.1, False), (0.8, True), (-1.0, True)])
def test_after_a_retry_the_cost_may_be_lower(tmp_path: Path, cost: float, differs: bool) -> None:
    """Harbor takes the cost of the failed attempt away. If that was NaN, 0.0 is left."""
    retried(tmp_path, rewards=None, cost=cost)
    write_trial(tmp_path, "a__gone", exception="RuntimeError", dataset="d__s")
    assert ("stats.cost_usd" in differing(audit(tmp_path))) is differs


def test_buckets_of_rewards_may_be_named_by_another_trial(j1: Path) -> None:
    """1 and 1.0 share a bucket, which has the name of the first that was seen."""

    def rename(content: Any) -> None:
        buckets = content["stats"]["evals"]["oracle__ds"]["reward_stats"]["reward"]
        buckets["1"] = buckets.pop("1.0")

    edit_json(j1 / "result.json", rename)
    found = audit(j1)
    assert (standing(found, f"{G}.reward_stats"), found.consistent) == (Standing.SAME_BUT_FOR_ORDER, True)
