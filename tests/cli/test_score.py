"""``assay score``: real folders, the real sandbox, exit codes, a table for people and JSON for programs."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assay.cli.output.score_table import render
from assay.evidence.coding_run import RunStatus
from assay.scorers import (
    Judge,
    JudgeState,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
    json_schemas,
)
from tests.cli.running import Cli, raw_characters
from tests.coding import FIXED, GUARD, PROJECT, TEST, TESTS, pack, seed, write_files, write_scenario

SCHEMA = Draft202012Validator(json_schemas()["ScorersReport"])


def report(cli: Cli, *argv: object, code: int) -> dict[str, Any]:
    """The report as JSON. It fits the published schema whatever it says."""
    done = cli("score", *argv, "--json")
    assert (done.code, done.err) == (code, "")
    found: dict[str, Any] = json.loads(done.out)
    SCHEMA.validate(found)
    assert ScorersReport.model_validate_json(done.out).model_dump(mode="json") == found
    return found


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["verdict"] for row in found["scorers"]}


def unchanged(cli: Cli, folder: Path, *scorers: dict[str, Any]) -> Any:
    """What is said of a workspace that nobody touched, without a task."""
    scenario = write_scenario(folder, *scorers)
    return cli("score", folder / "project", "--scenario", scenario, "--baseline", folder / "project")


# --- Exit codes ---


@pytest.mark.statement("scorers.overall")
def test_0_the_required_scorers_passed(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path)
    write_files(workspace, {"calc.py": FIXED})
    found = report(cli, workspace, "--task", task, code=0)
    assert found["overall"] == {
        "verdict": "PASS",
        "score": 1.0,
        "warnings": 0,
        "headline": "PASS",
        "broken": False,
    }
    assert verdicts(found) == {"tests": "PASS", "guard": "PASS"}
    assert found["workspace"]["changed"] == [
        {"path": "calc.py", "change": "modified", "old_path": None, "detail": None}
    ]


@pytest.mark.statement("scorers.overall")
def test_1_they_failed(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path)
    write_files(workspace, {"tests/test_calc.py": TEST.replace("5", "-1")})
    found = report(cli, workspace, "--task", task, code=1)
    assert verdicts(found) == {"tests": "PASS", "guard": "FAIL"}
    assert found["scorers"][1]["evidence"]["findings"][0]["path"] == "tests/test_calc.py"
    assert found["scorers"][0]["output"].endswith("\nOK\n")


@pytest.mark.parametrize("scorer", [{"type": "llm_judge", "rubric": "x"}, {"type": "no_new_skips"}])
def test_2_no_scorer_applied(cli: Cli, tmp_path: Path, scorer: dict[str, Any]) -> None:
    done = unchanged(cli, tmp_path, scorer)
    assert done.code == 2
    assert done.out.startswith("OVERALL  N/A\n")


def test_a_run_without_a_workspace(cli: Cli, tmp_path: Path) -> None:
    found = report(cli, "--no-workspace", "--scenario", write_scenario(tmp_path), code=0)
    assert (found["overall"], found["scorers"], found["workspace"]) == (None, [], None)
    done = cli("score", "--no-workspace", "--scenario", tmp_path / "scenario.json", "--run-status", "failed")
    assert (
        done.out == "scorers  none, because the run had no workspace\n"
        "judge    NOT APPLICABLE: the run is failed\n"
        "run      failed\n"
    )


def test_a_run_that_failed_is_scored_all_the_same(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path, GUARD)
    write_files(workspace, {"calc.py": FIXED})
    found = report(cli, workspace, "--task", task, "--run-status", "failed", code=0)
    assert (found["overall"]["verdict"], found["run"]["status"]) == ("PASS", "failed")


def test_a_command_that_takes_too_long_fails(cli: Cli, tmp_path: Path) -> None:
    done = unchanged(cli, tmp_path, {"name": "slow", "type": "command", "command": "sleep 9", "timeout_s": 1})
    assert done.code == 1
    assert "slow: it was still running after 1 second\n" in done.out


def test_4_nothing_could_be_measured(cli: Cli, tmp_path: Path) -> None:
    """A scorer that breaks fails the gate, and the headline has another word for it: the agent did nothing."""
    done = unchanged(cli, tmp_path, {**GUARD, "paths": ["tests"]})
    assert done.code == 4
    assert done.out.startswith("OVERALL  ERROR: couldn't measure guard\njudge ")
    assert done.out.splitlines()[-3:] == [
        "guard   tests_unmodified  ERROR",
        "",
        "guard: a path must be a file, got the folder tests: name the files in it",
    ]


# --- Where the baseline comes from ---


def test_a_baseline_may_be_a_folder_or_an_archive_and_so_may_the_workspace(cli: Cli, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, {"type": "max_files_changed", "limit": 0})
    before = write_files(tmp_path / "before", PROJECT)
    after = write_files(tmp_path / "after", {**PROJECT, "calc.py": FIXED})
    for baseline in (before, pack(before, tmp_path / "before.tar.gz")):
        for workspace in (after, pack(after, tmp_path / "after.tar.gz")):
            found = report(cli, workspace, "--scenario", scenario, "--baseline", baseline, code=1)
            assert found["scorers"][0]["evidence"]["paths"] == ["calc.py"]


@pytest.mark.statement("scorers.task-hash")
def test_the_hash_of_scenario_and_baseline_is_on_every_report(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path)
    record = json.loads((task / "task.json").read_text())
    provenance = report(cli, workspace, "--task", task, code=1)["provenance"]
    assert {key: provenance[key] for key in ("scenario_sha256", "baseline_sha256")} == {
        key: record[key] for key in ("scenario_sha256", "baseline_sha256")
    }
    assert provenance["isolation"] in ("bubblewrap", "container", "process")


@pytest.mark.statement("scorers.deterministic")
def test_scoring_changes_nothing_and_can_be_repeated(cli: Cli, tmp_path: Path) -> None:
    """The command runs on a copy, so what it writes is no change of the agent's."""
    scorers: list[dict[str, Any]] = [
        {"type": "command", "command": "touch made; rm README.md"},
        {"type": "max_files_changed", "limit": 1},
    ]
    task, workspace = seed(tmp_path, *scorers)
    write_files(workspace, {"calc.py": FIXED})
    first, second = (report(cli, workspace, "--task", task, code=0) for _ in range(2))
    for found in (first, second):
        found["scorers"][0]["evidence"].pop("duration_sec")
    assert first == second
    assert sorted(os.listdir(workspace)) == [".git", "README.md", "calc.py", "tests"]


def test_the_diff_is_written_on_request(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path, GUARD)
    write_files(workspace, {"calc.py": FIXED})
    assert cli("score", workspace, "--task", task, "--diff", tmp_path / "d").code == 0
    assert (tmp_path / "d").read_text().endswith(" def add(a, b):\n-    return a - b\n+    return a + b\n")


def test_a_diff_that_can_not_be_written_costs_no_command(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path, {"type": "command", "command": "true"})
    done = cli("score", workspace, "--task", task, "--diff", tmp_path / "none/d", "--isolation", "magic")
    assert done == (2, "", f"assay: the diff can't be written to {tmp_path}/none/d: No such file or directory\n")


# --- The table ---


def test_what_a_scorer_notes_beside_a_pass_is_shown(cli: Cli, tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, {"name": "ci", "type": "forbid_paths", "patterns": ["tests"]})
    after = write_files(tmp_path / "after", {**PROJECT, "tests/test_calc.py": "changed"})
    done = cli("score", after, "--scenario", scenario, "--baseline", tmp_path / "project")
    assert done.code == 0
    assert done.out.splitlines()[-2:] == [
        "",
        "note: ci: 1 changed path, none forbidden; 'tests' is a folder: 'tests/*' matches what is in it",
    ]


def test_a_disagreement_of_the_gates_is_explained_below_the_table() -> None:
    row = Row(name="a", type="forbid_secrets", required=True, verdict=RowVerdict.PASS, score=1.0, detail="fine")
    found = ScorersReport(
        overall=Overall(verdict=OverallVerdict.PASS, score=1.0),
        scorers=[row],
        judge=Judge(state=JudgeState.FAIL),
        run=StatusGate(status=RunStatus.COMPLETED),
        disagreement="Why they differ.",
        provenance=Provenance(engine="0", scenario_sha256=""),
    )
    assert render(found).splitlines()[-2:] == ["", "Why they differ."]
    assert "differ" not in render(found.model_copy(update={"disagreement": None}))


@pytest.mark.statement("scorers.rows-expand")
def test_hard_failures_start_expanded_and_others_do_not(cli: Cli, tmp_path: Path) -> None:
    limit = {"name": "limit", "type": "max_files_changed", "limit": 9}
    task, workspace = seed(tmp_path, TESTS, GUARD, limit, {"type": "llm_judge", "rubric": "Is it kind?"})
    write_files(workspace, {"tests/test_calc.py": TEST + "\n"})
    lines = cli("score", workspace, "--task", task).out.splitlines()
    assert lines.pop(2) == "suspect  0.80 of 1 (guard 0.8)"
    assert lines[:12] == [
        "OVERALL  FAIL",
        "mean     0.3333 of 3 scores",
        "judge    PENDING: the scenario has notes for a judge, and none was asked yet",
        "run      completed",
        "changed  1 file",
        "",
        "scorer     type               verdict  score",
        "tests      command            FAIL     0.00",
        "guard      tests_unmodified   FAIL     0.00",
        "limit      max_files_changed  PASS     1.00",
        "llm_judge  llm_judge          N/A             advisory",
        "",
    ]
    assert lines[12] == "tests: exit code 1"
    assert "  | FAILED (failures=1)" in lines
    assert "guard: tests/test_calc.py was edited (1 in all)" in lines
    assert not any(line.startswith("limit:") for line in lines)
    assert (
        "limit: 1 changed path, the limit is 9"
        in cli("score", workspace, "--task", task, "--all").out.splitlines()
    )


NAMES = [b"red\x1b[31m", b"line\nbreak", b"clear\x1b[2J\x07", b"not\xfftext", b"\xe2\x80\xaereversed"]


def test_names_and_output_of_an_agent_do_not_reach_the_terminal_raw(cli: Cli, tmp_path: Path) -> None:
    before, after = write_files(tmp_path / "before", {"a": "x"}), write_files(tmp_path / "after", {"a": "x"})
    for name in NAMES:
        (after / os.fsdecode(name)).write_text("x")
    repository = after / os.fsdecode(b"nested\x1b[31m")
    write_files(repository, {".git/HEAD": "x"})
    scenario = write_scenario(
        tmp_path,
        {"name": "label\x1b[31m", "type": "allowed_paths", "patterns": ["src/*"]},
        {"type": "command", "command": r"printf '\033[31mred\033[2J\007'; exit 1"},
        {"type": "max_files_changed", "limit": 0},
    )
    done = cli("score", after, "--scenario", scenario, "--baseline", before, "--all")
    assert done.code == 1
    assert not raw_characters(done.out)
    assert "red\\x1b[31m" in done.out
    found = report(cli, after, "--scenario", scenario, "--baseline", before, code=1)
    assert len(found["workspace"]["changed"]) == len(NAMES)


# --- What can't be used ---


def test_what_can_not_be_used_is_said_in_one_sentence(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path)
    scenario = tmp_path / "scenario.json"
    (tmp_path / "text").write_text("no archive")
    wrong: list[tuple[list[object], str]] = [
        ([workspace.parent], "pass --task, or --scenario with --baseline, or run inside a git repository, but "),
        ([workspace, "--task", task, "--scenario", scenario], "pass --task or --scenario, got both"),
        (["--task", task], "pass a workspace or --no-workspace, got neither"),
        ([workspace, "--task", task, "--no-workspace"], "pass a workspace or --no-workspace, got both"),
        (
            [tmp_path / "none", "--task", task],
            f"the workspace must be a folder, an archive or REPOSITORY@BRANCH, got {tmp_path}/none",
        ),
        (
            [workspace, "--task", tmp_path / "none"],
            f"{tmp_path}/none isn't a seeded task: task.json can't be read",
        ),
        ([workspace, "--task", workspace], f"{workspace} isn't a seeded task: task.json can't be read"),
        ([workspace, "--task", task, "--baseline", workspace], "a task has its own baseline: "),
        ([workspace.parent, "--scenario", scenario], "pass --task, or --scenario with --baseline, or run inside "),
        (
            [workspace, "--scenario", scenario, "--baseline", "none"],
            "the baseline must be a folder, an archive or REPOSITORY@COMMIT, got none, ",
        ),
        ([workspace, "--scenario", tmp_path / "none", "--baseline", workspace], "the scenario "),
        ([tmp_path / "text", "--task", task], f"{tmp_path}/text can't be unpacked: "),
        ([workspace, "--task", task, "--run-status", "lost"], "argument --run-status: invalid choice: 'lost'"),
        ([workspace, "--task", task, "--isolation", "magic"], "isolation must be one of auto, "),
    ]
    for arguments, sentence in wrong:
        done = cli("score", *arguments)
        assert (done.code, done.out) == (2, ""), sentence
        assert done.err.startswith(f"assay: {sentence}")
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("scorer", "sentence"),
    [
        ({"type": "tests_pass"}, "scorers[0].type must be one of allowed_paths, "),
        ({**TESTS, "shell": "bash"}, "scorers[0].shell must be one of the fields command, timeout_s, "),
        ({**TESTS, "timeout_s": 9999}, "scorers[0].timeout_s must be from 1 to 3600, got 9999"),
        ({**GUARD, "paths": []}, "scorers[0].paths must have at least one path, got an empty list"),
    ],
)
def test_a_scenario_that_is_refused(cli: Cli, tmp_path: Path, scorer: dict[str, Any], sentence: str) -> None:
    done = unchanged(cli, tmp_path, scorer)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"assay: {tmp_path}/scenario.json: {sentence}")


def edit_json(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize("what", ["scenario", "manifest", "record", "half"])
def test_a_task_that_was_tampered_with_is_refused(cli: Cli, tmp_path: Path, what: str) -> None:
    task, workspace = seed(tmp_path, GUARD)
    if what == "scenario":
        record = json.loads((task / "task.json").read_text())
        record["scenario"]["scorers"][0]["paths"] = ["README.md"]
        edit_json(task / "task.json", **record)
    elif what == "manifest":
        lines = (task / "baseline" / "manifest").read_bytes().splitlines(keepends=True)
        (task / "baseline" / "manifest").write_bytes(b"".join(lines[1:]))
    elif what == "record":
        (task / "task.json").write_text("[1]")
    else:
        shutil.rmtree(task / "baseline")
    done = cli("score", workspace, "--task", task)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert str(task) in done.err


def test_contents_that_were_tampered_with_are_not_used(cli: Cli, tmp_path: Path) -> None:
    task, workspace = seed(tmp_path, {"type": "command", "command": "cat calc.py", "restore": ["*"]})
    contents = task / "baseline" / "contents"
    contents.write_bytes(contents.read_bytes().replace(b"a - b", b"a + b"))
    done = cli("score", workspace, "--task", task)
    assert done.code in (2, 4)
    assert "was changed: calc.py is not what was recorded" in done.out + done.err
