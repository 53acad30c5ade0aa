"""``assay report``: tables for people, Markdown, and JSON."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from assay.evidence.run import State
from tests.builders import DATA, HARBOR_JOBS, write_config, write_lock, write_run_folder, write_trial
from tests.cli.running import Cli


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job with a bit of everything."""
    folder = tmp_path / "night-run"
    write_trial(folder, "easy__1", rewards={"reward": 1})
    write_trial(folder, "easy__2", rewards={"reward": 1}, exception="AgentTimeoutError")
    write_trial(folder, "hard__1", rewards={"reward": 0})
    write_trial(folder, "hard__2", exception="CancelledError")
    (folder / "hard__3").mkdir()
    (folder / "hard__3" / "result.json").write_text("{")
    write_lock(folder, [("easy", "solver"), ("hard", "solver")] * 2 + [("hard", "solver"), ("new", "solver")])
    write_config(folder)
    (folder / "notes.txt").write_text("")
    return folder


TEXT = """\
night-run · harbor-0.13.1

solver__ds
  mean             0.6667 of 3 runs, 95 % 0.1034 to 0.9720
  bounds           0.5000 to 0.7500, whatever 1 broken run would have got
  reward ≥ 1       pass@1 0.5000  pass@2 1.0000 (1 of 2 tasks)
  reward ≥ 1       pass^1 0.5000  pass^2 1.0000 (1 of 2 tasks)
  pass@k, 95 %     pass@1 0.0945 to 0.9055  pass@2 can't be said
  pass^k, 95 %     pass^1 0.0945 to 0.9055  pass^2 can't be said
  score (harbor)   mean 0.5000
  pass@k (harbor)  pass@2 0.5000
  variance         0.5000: tasks 100 %, attempts 0 %

runs        total  pending  passed  partial  failed  unusable  broken  cancelled
solver__ds      4        0       2        0       1         0       0          1
all             6        1       2        0       1         0       1          1
"""


def test_tables_for_people(cli: Cli, job: Path) -> None:
    found = cli("report", job)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(TEXT)
    rest = found.out[len(TEXT) :].splitlines()
    assert [line.split("  ")[0] for line in rest if line] == [
        "reason",
        "harbor_agent_timeout_error",
        "harbor_cancelled_error",
        "harbor_trial_result_malformed",
        "harbor_trial_result_missing",
        "note: ignored notes.txt: harbor didn't write it",
    ]
    for what in (
        "result.json: not valid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        "planned for solver, but it has no folder",
    ):
        assert f"  {what}  " in found.out


def test_markdown(cli: Cli, job: Path) -> None:
    lines = cli("report", "--markdown", job).out.splitlines()
    assert lines[0] == "## night-run · harbor-0.13.1"
    assert lines[2].startswith("| solver__ds ")
    assert "| reward ≥ 1      | pass@1 0.5000  pass@2 1.0000 (1 of 2 tasks) " in "\n".join(lines)
    assert lines[-1] == "> note: ignored notes.txt: harbor didn't write it"
    tables = [line for line in lines if line.startswith("|")]
    assert all(line.endswith("|") for line in tables)
    header = next(line for line in tables if line.startswith("| runs"))
    assert header.split(" | ")[1:4] == ["total", "pending", "passed"]


def test_a_pipe_in_a_name_does_not_break_a_markdown_table(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1}, agent="a|b")
    for line in cli("report", "--markdown", tmp_path).out.splitlines():
        assert "a|b" not in line


def as_json(found: Any) -> Any:
    """Parsed by the letter: NaN is not JSON."""
    return json.loads(found.out, parse_constant=pytest.fail)["jobs"]


def test_json(cli: Cli, job: Path) -> None:
    [found] = as_json(cli("report", "--json", job))
    assert found["job"] == "night-run"
    assert (found["profile"], found["finished"]) == ("harbor-0.13.1", None)
    counts = {state.value: 0 for state in State} | {"passed": 2, "failed": 1, "cancelled": 1}
    assert found["counts"] == {"total": 6} | counts | {"pending": 1, "broken": 1}
    group = found["evals"]["solver__ds"]
    assert group["harbor"] == {"n_trials": 3, "n_errors": 2, "metrics": [{"mean": 0.5}], "pass_at_k": {"2": 0.5}}
    assert group["success"] == {"key": "reward", "threshold": 1.0}
    assert group["counts"] == {"total": 4} | counts
    assert (group["mean"], group["n"], group["tasks"]) == (2 / 3, 3, 2)
    assert group["pass_at_k"][1] == {"k": 2, "value": 1.0, "tasks": 1, "tasks_with_too_few_attempts": 1}
    assert group["intervals"]["bounds"] == {
        "low": 0.5,
        "high": 0.75,
        "broken": 1,
        "uncontrolled": 0,
        "unplaced": 0,
        "reason": None,
    }
    assert [(one["reason"], one["state"], one["cause"]) for one in found["troubles"]] == [
        ("harbor_agent_timeout_error", "passed", None),
        ("harbor_cancelled_error", "cancelled", None),
        ("harbor_trial_result_malformed", "broken", "machine"),
        ("harbor_trial_result_missing", "pending", None),
    ]


def test_the_counts_of_json_add_up(cli: Cli, job: Path) -> None:
    for found in as_json(cli("report", "--json", job, HARBOR_JOBS / "j1", HARBOR_JOBS / "j4")):
        for counts in (found["counts"], *(group["counts"] for group in found["evals"].values())):
            assert sum(counts[state.value] for state in State) == counts["total"]


def test_json_has_harbors_numbers_to_the_last_bit(cli: Cli) -> None:
    [found] = as_json(cli("report", "--json", HARBOR_JOBS / "j1"))
    recorded = json.loads((HARBOR_JOBS / "j1" / "result.json").read_text())["stats"]
    for name in ("n_completed_trials", "n_errored_trials", "n_cancelled_trials", "n_input_tokens", "cost_usd"):
        assert found["harbor"][name] == recorded[name]
    for key, group in recorded["evals"].items():
        assert found["evals"][key]["harbor"] == {
            name: group[name] for name in ("n_trials", "n_errors", "metrics", "pass_at_k")
        }


@pytest.mark.statement("harbor.nan-infinity")
def test_nan_is_null_in_json_and_itself_in_text(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": None}, files={"verifier/reward.txt": "nan"})
    [found] = as_json(cli("report", "--json", tmp_path))
    assert found["evals"]["solver__ds"]["harbor"]["metrics"] == [{"mean": None}]
    assert "mean nan" in cli("report", tmp_path).out


def test_several_jobs_one_after_the_other(cli: Cli) -> None:
    titles = [
        line
        for line in cli("report", HARBOR_JOBS / "j4", HARBOR_JOBS / "j1").out.splitlines()
        if "harbor-0" in line
    ]
    assert titles == ["j4 · harbor-0.13.1 · finished", "j1 · harbor-0.13.1 · finished"]


def test_a_job_that_has_not_finished(cli: Cli, job: Path) -> None:
    (job / "result.json").write_text('{"finished_at": null}')
    assert cli("report", job).out.startswith("night-run · harbor-0.13.1 · not finished\n")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--key", "speed"), "speed ≥ 1        pass@1 0.0000"),
        (("--key", "speed", "--threshold", "0.25"), "speed ≥ 0.25     pass@1 0.1429  pass@2 0.1429"),
        (("-k", "2"), "reward ≥ 1       pass@2 0.1667"),
        (("-k", "9"), "reward ≥ 1       pass@9 - (0 of 6 tasks)"),
        (("--threshold", "-5"), "reward ≥ -5      pass@1 0.5000"),
    ],
)
def test_questions_of_ones_own(cli: Cli, options: tuple[str, ...], line: str) -> None:
    assert f"  {line}" in cli("report", HARBOR_JOBS / "j1", *options).out


def test_a_reward_that_no_run_has_is_refused(cli: Cli) -> None:
    found = cli("report", HARBOR_JOBS / "j1", "--key", "other")
    assert (found.code, found.err) == (2, "assay: no run has the reward other; there are correct, reward, speed\n")


def test_a_dataset_without_a_metric_says_so(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"a": 1, "b": 0}, dataset="my__ds")
    out = cli("report", tmp_path).out
    assert "score (harbor)   none: the job configures no metric for this dataset" in out
    assert "mean             none: several rewards and none decides; choose one with --key (a, b)" in out


def test_trials_without_any_reward(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", exception="RuntimeError")
    out = cli("report", tmp_path).out
    assert "  mean             0.0000 of 1 run, interval can't be said" in out
    assert "  bounds           0.0000 to 1.0000, whatever 1 unusable run without" in out


def test_trials_without_any_score(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", exception="CancelledError")
    assert "  mean             none: no run has a score\n" in cli("report", tmp_path).out


def test_many_trials_with_the_same_trouble_are_counted_not_listed(cli: Cli, tmp_path: Path) -> None:
    for i in range(5):
        write_trial(tmp_path, f"t__{i}", exception="RuntimeError")
    assert (
        "harbor_trial_failed  RuntimeError  5     unusable         t__0, t__1, t__2 and 2 more"
        in cli("report", tmp_path).out
    )


@pytest.mark.parametrize("count", [1, 3])
def test_a_few_trials_with_the_same_trouble_are_all_listed(cli: Cli, tmp_path: Path, count: int) -> None:
    names = [f"t__{i}" for i in range(count)]
    for name in names:
        write_trial(tmp_path, name, exception="RuntimeError")
    line = next(
        line for line in cli("report", tmp_path).out.splitlines() if line.startswith("harbor_trial_failed")
    )
    assert line.endswith(f"unusable         {', '.join(names)}")


def test_runs_of_terminal_bench(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"trial_name": "t.1", "task_id": "t", "is_resolved": True}
    write_run_folder(tmp_path / "submission" / "run", {"results": [entry]})
    assert cli("report", f"{tmp_path}/submission/").out.startswith(
        "submission · harbor-0.13.1\n\ntb-agent__tb-model__tb-core"
    )
    monkeypatch.chdir(tmp_path / "submission")
    assert cli("report", ".").out.startswith("submission · ")


@pytest.mark.statement("harbor.script-metric")
def test_a_metric_of_ones_own(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    script = tmp_path / "metric.py"
    body = """\
        import json, sys
        rewards = [json.loads(line) for line in open(sys.argv[2])]
        json.dump({"seen": len(rewards)}, open(sys.argv[4], "w"))
    """
    script.write_text(textwrap.dedent(body))
    write_trial(tmp_path / "job", "t__1", rewards={"reward": 1})
    write_config(tmp_path / "job", metrics=["uv-script", "max"])
    assert (
        "score (harbor)   seen 1\n  score (harbor)   max 1\n"
        in cli("report", tmp_path / "job", "--metric-script", script).out
    )
    without = cli("report", tmp_path / "job").out
    assert "score (harbor)   max 1" in without
    assert "note: the job's metric is a script" in without


VERSIONS = DATA / "harbor_versions"


def test_the_title_names_the_version_that_was_read(cli: Cli) -> None:
    assert cli("report", VERSIONS / "0.24.0").out.startswith("0.24.0 · harbor 0.24.0 (harbor-0.24) · finished\n")
    assert cli("report", VERSIONS / "0.3.0").out.startswith("0.3.0 · harbor 0.1 to 0.3 (harbor-0.6) · finished\n")
    assert cli("report", VERSIONS / "0.13.1-dot").out.startswith("0.13.1-dot · harbor-0.13.1 · finished\n")
    found = json.loads(cli("report", "--json", VERSIONS / "0.24.0").out)["jobs"][0]
    assert (found["harbor_version"], found["profile"]) == ("0.24.0", "harbor-0.24")


def block(text: str, first_word: str) -> list[list[str]]:
    """The words of a table's rows, without its titles."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{first_word} "))
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return [line.split() for line in lines[start + 1 : end]]


def test_a_table_by_task(cli: Cli, job: Path) -> None:
    rows = block(cli("report", "--by", "task", job).out, "task")
    assert rows == [
        ["easy", "solver__ds", "2", "2", "2", "1.0000", "1", "harbor_agent_timeout_error"],
        ["hard", "solver__ds", "2", "1", "0", "0.0000", "1", "harbor_cancelled_error"],
        # Nobody knows whose these are.
        ["hard", "1", "0", "1", "harbor_trial_result_malformed"],
        ["new", "1", "0", "1", "harbor_trial_result_missing"],
    ]
    found = json.loads(cli("report", "--by", "task", "--json", job).out)["jobs"][0]
    assert [(row["task"], row["runs"], row["passed"], row["reasons"]) for row in found["tasks"]] == [
        ("easy", 2, 2, {"harbor_agent_timeout_error": 1}),
        ("hard", 2, 0, {"harbor_cancelled_error": 1}),
        ("hard", 1, 0, {"harbor_trial_result_malformed": 1}),
        ("new", 1, 0, {"harbor_trial_result_missing": 1}),
    ]
    assert [row["states"] for row in found["tasks"][:2]] == [{"passed": 2}, {"failed": 1, "cancelled": 1}]
    assert "trials" not in found


def test_a_table_by_trial(cli: Cli, job: Path) -> None:
    rows = block(cli("report", "--by", "trial", job).out, "run")
    assert [row[0] for row in rows] == ["easy__1", "hard__1", "easy__2", "hard__2", "hard__3", "new#1"]
    assert rows[2] == ["easy__2", "passed", "1", "1", "harbor_agent_timeout_error"]
    assert rows[3] == ["hard__2", "cancelled", "harbor_cancelled_error"]
    assert rows[4] == ["hard__3", "broken", "harbor_trial_result_malformed", "machine"]
    found = json.loads(cli("report", "--by", "trial", "--json", job).out)["jobs"][0]
    assert [(row["state"], row["score"], row["cause"]) for row in found["trials"]] == [
        ("passed", 1.0, None),
        ("failed", 0.0, None),
        ("passed", 1.0, None),
        ("cancelled", None, None),
        ("broken", None, "machine"),
        ("pending", None, None),
    ]
    assert found["trials"][2]["detail"] == "AgentTimeoutError"
    assert found["trials"][0]["usage"] is None
    assert "tasks" not in found


def test_rows_as_markdown(cli: Cli, job: Path) -> None:
    out = cli("report", "--by", "task", "--markdown", job).out
    assert "| task | group      | runs | scored | passed |" in out
    assert "input tokens" in out


def test_rows_by_something_else_are_refused(cli: Cli, job: Path) -> None:
    found = cli("report", "--by", "agent", job)
    assert (found.code, found.out) == (2, "")
    assert "--by" in found.err


def test_tokens_cost_and_time_are_in_the_text(cli: Cli) -> None:
    out = cli("report", VERSIONS / "0.13.1-agent-errors").out
    assert "800 input tokens (80 cached), 40 output tokens (8 trials); cost $0.7000 (7 trials)\n" in out
    assert "\ntime per trial 0." in out
    assert ": agent 0.0 s, verifier 0." in out


def test_the_usage_of_models(cli: Cli, tmp_path: Path) -> None:
    models = {
        "big/one": {"n_input_tokens": 1500, "n_output_tokens": 2, "cost_usd": 12.5},
        "small": {"n_input_tokens": 1},
    }
    write_trial(tmp_path, "a__1", rewards={"reward": 1}, usage={"cost_usd": 12.5, "model_usage": models})
    rows = block(cli("report", tmp_path).out, "model")
    assert rows == [["big/one", "1,500", "unknown", "2", "$12.50"], ["small", "1", *["unknown"] * 3]]
    found = json.loads(cli("report", "--json", tmp_path).out)["jobs"][0]
    assert found["model_usage"]["big/one"]["n_input_tokens"] == 1500


def test_old_and_new_rewards_of_a_job_that_grades_again(cli: Cli) -> None:
    rows = block(cli("report", VERSIONS / "0.24.0-regrade").out, "graded")
    assert rows[0] == ["fail__mXZdDH8", "fail__56dAVSE", "0", "0.5", "changed"]
    assert rows[2] == ["pass__QGguYbw", "pass__9bQMd3Y", "1", "1"]
    found = json.loads(cli("report", "--json", VERSIONS / "0.24.0-regrade").out)["jobs"][0]["regrades"]
    first = {name: found[0][name] for name in ("old", "new", "changed")}
    assert first == {"old": {"reward": 0.0}, "new": {"reward": 0.5}, "changed": True}


def test_a_folder_of_jobs_is_reported_as_one_submission(cli: Cli, tmp_path: Path) -> None:
    for name, reward in {"one": 1, "two": 0}.items():
        write_trial(tmp_path / name, f"t__{name}", rewards={"reward": reward})
        write_config(tmp_path / name)
        (tmp_path / name / "lock.json").write_text('{"trials": []}')
    found = cli("report", tmp_path)
    assert found.code == 0
    assert "pass@2 1.0000" in found.out
    assert "note: 2 jobs as one submission: one, two" in found.out
    audited = cli("audit", "--json", tmp_path)
    assert (audited.code, "must have a result.json to audit" in audited.err) == (2, True)


def test_names_in_rows_can_not_move_the_cursor(cli: Cli, tmp_path: Path) -> None:
    write_trial(
        tmp_path,
        "a__1",
        task="\x1b[2J",
        exception="\x1b[31m",
        usage={"model_usage": {"\x1b[0m": {"n_input_tokens": 1}}},
    )
    for by in ("task", "trial"):
        assert "\x1b" not in cli("report", "--by", by, tmp_path).out
