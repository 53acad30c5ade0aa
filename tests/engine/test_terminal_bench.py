"""Folders of terminal-bench results: every run counted, and the published figures derived again."""

import json
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.terminal_bench_folder import find_run_folders
from assay.core.errors import InputError
from assay.engine.report.audit_rewards import AuditFinding, Standing
from assay.engine.report.report import JobReport, report_job
from assay.engine.report.terminal_bench import Submission, audit_published, import_terminal_bench
from assay.stats.passes import Attempts
from tests.builders import REPO, run_entry, write_run_folder

SUBMISSION = REPO.parent / "shared/samples/terminal_bench/20250711_openhands_claude-4-sonnet"


def submit(folder: Path) -> Submission:
    return import_terminal_bench(folder.name, find_run_folders(folder))


def report(folder: Path) -> JobReport:
    return report_job(submit(folder).job)


def counted(found: JobReport) -> dict[str, int]:
    return {state.value: count for state, count in found.states.items() if count}


def exact_pass_at_k(attempts: dict[str, Attempts], k: int) -> float:
    enough = [task for task in attempts.values() if task.n >= k]
    estimates = (1 - Fraction(comb(task.n - task.c, k), comb(task.n, k)) for task in enough)
    return float(sum(estimates, Fraction()) / len(enough))


def five_attempts(**resolved: int) -> tuple[list[dict[str, Any]], dict[str, Attempts]]:
    """Five attempts at each task, of which so many were resolved, and what follows from them."""
    entries = [run_entry(task, i, resolved=i < c) for task, c in resolved.items() for i in range(5)]
    return entries, {task: Attempts(5, c) for task, c in resolved.items()}


def published(entries: list[dict[str, Any]], attempts: dict[str, Attempts], **changed: Any) -> dict[str, Any]:
    n_resolved = sum(task.c for task in attempts.values())
    figures = {
        "n_resolved": n_resolved,
        "n_unresolved": len(entries) - n_resolved,
        "accuracy": n_resolved / len(entries),
        "pass_at_k": {str(k): exact_pass_at_k(attempts, k) for k in (2, 4, 5)},
    }
    return {"results": entries} | figures | changed


def differing(folder: Path) -> list[str]:
    findings = audit_published(submit(folder))
    return [finding.field for finding in findings if finding.standing is Standing.DIFFERS]


def test_published_figures_that_follow_from_the_runs(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "run", published(*five_attempts(easy=5, hard=1, hopeless=0, half=3)))
    findings = audit_published(submit(tmp_path))
    assert [finding.field for finding in findings] == [
        "run.n_resolved",
        "run.n_unresolved",
        "run.accuracy",
        "run.pass_at_k.2",
        "run.pass_at_k.4",
        "run.pass_at_k.5",
    ]
    assert {finding.standing for finding in findings} == {Standing.SAME}


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"n_resolved": 10}, ["run.n_resolved"]),
        ({"n_unresolved": 0}, ["run.n_unresolved"]),
        ({"accuracy": 0.46}, ["run.accuracy"]),
        ({"accuracy": 0.45 + 2e-9}, ["run.accuracy"]),
        ({"pass_at_k": {"2": 0.9, "5": 0.75}}, ["run.pass_at_k.2"]),
        ({"pass_at_k": {"5": 1.0}}, ["run.pass_at_k.5"]),
        ({"accuracy": float("nan")}, ["run.accuracy"]),
        # Within the tolerance: nobody knows in which order they were added up.
        ({"accuracy": 0.45 + 1e-12}, []),
        # What was not published can't be wrong.
        ({"accuracy": None, "n_resolved": None, "pass_at_k": {}}, []),
    ],
)
def test_a_wrong_figure_differs(tmp_path: Path, changed: dict[str, Any], fields: list[str]) -> None:
    write_run_folder(tmp_path / "run", published(*five_attempts(easy=5, hard=1, hopeless=0, half=3), **changed))
    assert differing(tmp_path) == fields


def test_a_k_that_no_task_has_attempts_for_is_taken_as_it_is(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "run", published(*five_attempts(easy=5), pass_at_k={"10": 0.5}))
    assert audit_published(submit(tmp_path))[-1] == AuditFinding("run.pass_at_k.10", Standing.TAKEN, 0.5, None)


@pytest.mark.parametrize("k", ["0", "-1", "two", "", "1.5", "9" * 5000])
def test_a_published_k_that_is_none_crashes_nothing(tmp_path: Path, k: str) -> None:
    write_run_folder(tmp_path / "run", published(*five_attempts(easy=5), pass_at_k={k: 0.5}))
    found = {finding.field: finding.standing for finding in audit_published(submit(tmp_path))}
    assert found["run.accuracy"] is Standing.SAME
    assert Standing.SAME not in [standing for field, standing in found.items() if "pass_at_k" in field]


def test_runs_of_all_folders_are_pooled(tmp_path: Path) -> None:
    for i, resolved in enumerate([True, False, None]):
        write_run_folder(tmp_path / f"run{i}", {"results": [run_entry("t", i, resolved=resolved)]})
    found = report(tmp_path)
    assert counted(found) == {"passed": 1, "failed": 1, "unusable": 1}
    [group] = found.groups
    assert (group.key, group.tasks) == ("tb-agent__tb-model__tb-core", 1)
    # A run without an outcome is an attempt that failed.
    assert [one.k for one in group.pass_at_k] == [1, 2]
    assert [one.value for one in group.pass_at_k] == pytest.approx([1 / 3, 2 / 3])


def test_what_became_of_each_run(tmp_path: Path) -> None:
    modes = [
        ("unset", True),
        ("agent_timeout", True),
        ("agent_timeout", None),
        ("parse_error", None),
        ("unset", None),
    ]
    entries = [run_entry("t", i, resolved=resolved, failure_mode=mode) for i, (mode, resolved) in enumerate(modes)]
    write_run_folder(tmp_path / "run", {"results": [*entries, {"broken": "entry"}]})
    found = report(tmp_path)
    assert counted(found) == {"passed": 2, "unusable": 3, "broken": 1}
    assert [(t.reason, t.what, t.state, t.cause) for t in found.troubles[:4]] == [
        ("harbor_agent_timeout_error", "agent_timeout", "passed", None),
        ("harbor_agent_timeout_error", "agent_timeout", "unusable", "agent"),
        ("harbor_reward_parse_error", "parse_error", "unusable", None),
        ("harbor_reward_missing", "no verifier result and no error", "unusable", None),
    ]
    last = found.troubles[4]
    assert (last.reason, last.state, last.cause) == ("harbor_trial_result_malformed", "broken", "machine")
    assert last.trials == ["run results[5]"]


def write_run(folder: Path, entry: dict[str, Any] | None, name: str = "") -> None:
    target = folder / "t" / (name or (entry or {})["trial_name"])
    target.mkdir(parents=True)
    if entry is not None:
        (target / "results.json").write_text(json.dumps(entry))


def test_runs_that_the_list_leaves_out_are_read_one_by_one(tmp_path: Path) -> None:
    listed, left_out = run_entry("t", 1, resolved=False), run_entry("t", 2, resolved=True)
    folder = write_run_folder(tmp_path / "run", {"results": [listed]})
    write_run(folder, listed | {"is_resolved": True})  # The list counts, and each run once.
    write_run(folder, left_out)
    write_run(folder, None, "t.3-of-5.run")
    found = submit(folder)
    assert [(trial.name, trial.rewards) for trial in found.job.trials] == [
        ("t.1-of-5.run", {"reward": 0}),
        ("t.2-of-5.run", {"reward": 1}),
    ]
    assert [(p.trial, p.reason_code) for p in found.job.problems] == [
        ("t.3-of-5.run", "harbor_trial_result_missing")
    ]


def test_a_broken_entry_whose_run_has_its_own_file_is_one_run(tmp_path: Path) -> None:
    entry = run_entry("t", 1, resolved=True)
    folder = write_run_folder(tmp_path / "run", {"results": [entry | {"is_resolved": "yes"}]})
    write_run(folder, entry)
    assert submit(folder).job.n_total == 1


@pytest.mark.parametrize("results", [None, b"", b"[]", b'{"results": 7}', b"[" * 100_000])
def test_a_list_that_can_not_be_read_leaves_the_runs_own_files(tmp_path: Path, results: bytes | None) -> None:
    folder = write_run_folder(tmp_path / "run", None)
    if results is not None:
        (folder / "results.json").write_bytes(results)
    write_run(folder, run_entry("t", 1, resolved=True))
    found = submit(folder)
    assert [trial.rewards for trial in found.job.trials] == [{"reward": 1}]
    assert len(found.job.notes) == 1
    assert "results.json" in found.job.notes[0]


@pytest.mark.parametrize("figure", [{"accuracy": "n/a"}, {"pass_at_k": [1]}, {"n_resolved": 0.5}])
def test_published_figures_that_can_not_be_read_cost_no_run(tmp_path: Path, figure: dict[str, Any]) -> None:
    write_run_folder(tmp_path / "run", {"results": [run_entry("t", 1, resolved=True)]} | figure)
    found = submit(tmp_path)
    assert [trial.rewards for trial in found.job.trials] == [{"reward": 1}]
    assert len(found.job.notes) == 1


def test_metadata_that_can_not_be_read_is_noted(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", {"results": [run_entry("t", 1, resolved=True)]})
    (folder / "run_metadata.json").write_text("[]")
    found = submit(folder)
    assert found.job.notes == ["run: run_metadata.json must be an object, got list"]
    assert found.job.trials[0].agent == "unknown"


def test_no_runs_at_all(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "run", {"results": []})
    with pytest.raises(InputError, match="has no runs"):
        submit(tmp_path)


@pytest.mark.skipif(not SUBMISSION.is_dir(), reason="the real submission of terminal-bench is not at hand")
def test_a_real_submission() -> None:
    submission = submit(SUBMISSION)
    found = report_job(submission.job)
    # 32 + 33 + 35 + 32 + 33 were resolved; 17 have no outcome, and count as 0.
    assert counted(found) == {"passed": 165, "failed": 218, "unusable": 17}
    assert [(group.n, group.mean) for group in found.groups] == [(400, 165 / 400)]
    assert audit_published(submission) == [
        AuditFinding(f"{name}.{field}", Standing.SAME, figure, figure)
        for name, resolved in [("", 32), ("2", 33), ("3", 35), ("4", 32), ("5", 33)]
        for name, field, figure in [
            (f"openhands-sonnet{name}", "n_resolved", resolved),
            (f"openhands-sonnet{name}", "n_unresolved", 80 - resolved),
            (f"openhands-sonnet{name}", "accuracy", resolved / 80),
        ]
    ]


@pytest.mark.skipif(not SUBMISSION.is_dir(), reason="the real submission of terminal-bench is not at hand")
def test_the_pooled_estimates_of_a_real_submission() -> None:
    # Counted again from the files themselves, with nothing of Assay's in between.
    n: Counter[str] = Counter()
    c: Counter[str] = Counter()
    for path in SUBMISSION.glob("*/results.json"):
        for entry in json.loads(path.read_text())["results"]:
            n[entry["task_id"]] += 1
            c[entry["task_id"]] += entry["is_resolved"] is True
    attempts = {task: Attempts(n[task], c[task]) for task in n}
    [group] = report(SUBMISSION).groups
    ours = {one.k: one.value for one in group.pass_at_k}
    for k in (2, 4, 5):
        assert ours[k] == pytest.approx(exact_pass_at_k(attempts, k), abs=1e-9)
        assert group.harbor.pass_at_k[k] == pytest.approx(exact_pass_at_k(attempts, k), abs=1e-9)


def test_a_run_folder_without_metadata_is_reported(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", {"results": [run_entry("t", 1, resolved=True)]})
    (folder / "run_metadata.json").unlink()
    found = report(folder)
    assert [group.key for group in found.groups] == ["unknown__terminal-bench"]
    assert found.notes == ["run has no run_metadata.json, so its agent is unknown"]


def test_attempts_in_flat_files_are_matched_by_task(tmp_path: Path) -> None:
    for attempt, resolved in enumerate([True, False]):
        results = {"results": [run_entry("t", attempt, resolved=resolved)]}
        (tmp_path / f"attempt{attempt}_results.json").write_text(json.dumps(results))
    [group] = report(tmp_path).groups
    assert [(one.k, one.value) for one in group.pass_at_k] == [(1, 0.5), (2, 1.0)]


def test_a_run_folder_in_another_adds_no_missing_runs(tmp_path: Path) -> None:
    outer = write_run_folder(tmp_path / "outer", {"results": [run_entry("t", 1, resolved=True)]})
    inner = write_run_folder(outer / "inner", {"results": [run_entry("t", 2, resolved=False)]})
    write_run(inner, run_entry("t", 2, resolved=False))
    found = report(outer)
    assert counted(found) == {"passed": 1, "failed": 1}


def test_a_run_that_both_folders_list_counts_once(tmp_path: Path) -> None:
    entries = [run_entry("t", 1, resolved=True), run_entry("t", 2, resolved=False)]
    outer = write_run_folder(tmp_path / "outer", {"results": entries})
    write_run_folder(outer / "inner", {"results": entries[1:]})
    found = report(outer)
    assert counted(found) == {"passed": 1, "failed": 1}
    assert found.notes == ["outer/inner: left out 1 run that the folder around it lists"]


def test_how_long_runs_took(tmp_path: Path) -> None:
    times = {
        "trial_started_at": "2025-07-11T19:00:00+00:00",
        "trial_ended_at": "2025-07-11T19:01:00+00:00",
        "agent_started_at": "2025-07-11T19:00:01+00:00",
        "agent_ended_at": "2025-07-11T19:00:31+00:00",
        "test_started_at": 7,
    }
    write_run_folder(tmp_path / "run", {"results": [run_entry("t", 1, resolved=True, **times)]})
    usage = report(tmp_path).usage
    assert usage is not None
    assert (usage.mean.total, usage.mean.agent, usage.mean.verifier) == (60.0, 30.0, None)
