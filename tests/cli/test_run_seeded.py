"""A seeded task goes from agent to recorded verdict in one command."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.run_scoring import load_coding_run, read_scored
from assay.core.errors import InputError
from assay.evidence.coding_run import Form
from tests.cli.running import Cli
from tests.coding import FIXED, GUARD, PROJECT, TESTS, seed
from tests.judge.cases import FAIL as FAILED
from tests.judge.cases import said
from tests.servers.chat_server import Chat, chatting

FIX = f"cat > calc.py <<'EOF'\n{FIXED}EOF\n"
NOTE = {"name": "style", "type": "llm_judge", "rubric": "Is it short?"}
ATIF = json.dumps(
    {
        "schema_version": "ATIF-v1.7",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {
                "step_id": 1,
                "source": "agent",
                "message": "Fixed the sign.",
                "metrics": {"prompt_tokens": 70, "completion_tokens": 30, "cost_usd": 0.5},
            }
        ],
    }
)
TELL = f"cat > /logs/agent/trajectory.json <<'EOF'\n{ATIF}\nEOF\n"


def run(cli: Cli, task: Path, agent: str, *options: object) -> tuple[Path, str]:
    """The folder of the only trial of a job, and what was printed."""
    jobs = task.parent / "jobs"
    done = cli("run", task, "-a", agent, "--jobs-dir", jobs, "--job-name", "job", "--quiet", *options)
    (trial,) = [path for path in (jobs / "job").iterdir() if path.is_dir()]
    return trial, done.out + done.err


def result(trial: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((trial / "result.json").read_text())
    return found


@pytest.mark.statement(
    "scorers.graded-at-end", "scorers.trajectory-saved", "scorers.diff-captured", "scorers.results-on-run"
)
def test_one_command_from_agent_to_verdict(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(
        tmp_path, TESTS, GUARD, NOTE, user_instruction="Fix add().", limits={"tokens": 200, "time_s": 60}
    )
    trial, printed = run(cli, task, FIX + TELL + "echo done")
    assert "OVERALL  PASS" in printed
    assert "run      completed, metrics passed" in printed
    assert result(trial)["verifier_result"]["rewards"] == {"reward": 1.0}
    (record,) = read_scored(str(trial))
    assert [(row.name, row.verdict.value) for row in record.report.scorers] == [
        ("tests", "PASS"),
        ("guard", "PASS"),
        ("style", "N/A"),
    ]
    told = load_coding_run(str(trial))
    assert told.trajectory is not None
    assert (told.trajectory.form, told.final_response) == (Form.ATIF, "Fixed the sign.")
    assert told.diff is not None
    assert "+    return a + b" in told.diff.text
    assert (told.instruction, told.outputs[0].text) == ("Fix add().", "done\n")
    assert told.agent_end is not None
    assert (told.agent_end.end.exit_code, told.agent_end.limit_sec) == (0, 60.0)
    assert {metric.name: metric.value for metric in told.metrics}["tokens"] == 100
    assert (told.objective and told.objective.command, told.notes[0].name) == ("python3 -m unittest", "style")


def test_an_agent_that_did_nothing_and_failed(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path)
    trial, printed = run(cli, task, "exit 3")
    assert result(trial)["verifier_result"]["rewards"] == {"reward": 0.0}
    assert result(trial)["exception_info"]["exception_type"] == "NonZeroAgentExitCodeError"
    (record,) = read_scored(str(trial))
    assert record.report.run.passed is False
    assert "exit_code: the agent ended by itself with exit code 3" in printed


def test_a_broken_measurement_is_no_reward(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, {"name": "tests", "type": "command", "command": "python3 -m no_such_runner"})
    trial, _ = run(cli, task, FIX)
    assert result(trial)["verifier_result"] is None
    assert result(trial)["exception_info"]["exception_type"] == "MeasurementError"
    assert "Python has no module no_such_runner" in result(trial)["exception_info"]["exception_message"]


def test_an_agent_out_of_time_is_scored_all_the_same(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, limits={"time_s": 1})
    trial, printed = run(cli, task, FIX + "sleep 60")
    assert result(trial)["exception_info"]["exception_type"] == "AgentTimeoutError"
    assert result(trial)["verifier_result"]["rewards"] == {"reward": 1.0}
    assert "time_s: the agent ran out of time" in printed


@pytest.mark.statement("scorers.multi-turn")
def test_a_session_of_several_turns_is_scored_once_at_its_end(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, TESTS, user_instruction="Look at it.", turns=["Now fix it."])
    agent = f'case "$ASSAY_INSTRUCTION" in Now*) {FIX}\necho fixed;; *) echo looked; touch seen;; esac'
    trial, _ = run(cli, task, agent)
    assert len(read_scored(str(trial))) == 1
    told = load_coding_run(str(trial))
    assert [(turn.request, turn.response) for turn in told.turns] == [
        ("Look at it.", "looked\n"),
        ("Now fix it.", "fixed\n"),
    ]
    assert [row.verdict for row in told.rows] == ["PASS"]
    assert result(trial)["verifier_result"]["rewards"] == {"reward": 1.0}
    assert "seen" in (told.diff.text if told.diff else "")


@pytest.mark.statement("scorers.ledger-judge-only", "scorers.card-hidden")
def test_a_ledger_scenario_has_no_scorers_and_no_reward(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, user_instruction="Say hello.", workspace_seed="empty", scorers=[])
    trial, printed = run(cli, task, "echo hello")
    (record,) = read_scored(str(trial))
    assert (record.report.overall, record.report.scorers) == (None, [])
    assert "scorers  none, because the scenario has none" in printed
    assert result(trial)["verifier_result"] is None
    assert load_coding_run(str(trial)).final_response == "hello\n"


@pytest.mark.statement("scorers.live-sandbox")
def test_scorers_see_what_the_agent_saw(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/answer").write_text("42\n")
    read = {"name": "seen", "type": "command", "command": "cmp tools/answer copy"}
    task, _ = seed(tmp_path, read, environment={"folders": ["tools"]})
    trial, printed = run(cli, task, "cp tools/answer copy")
    assert "OVERALL  PASS" in printed
    (record,) = read_scored(str(trial))
    assert record.report.workspace is not None
    assert [change.path for change in record.report.workspace.changed] == ["copy"]


def test_several_attempts_are_a_table(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path)
    done = cli("run", task, "-a", FIX, "-k", 2, "--jobs-dir", tmp_path / "jobs", "--job-name", "j", "--quiet")
    rows = [line.split() for line in done.out.splitlines() if line.startswith("task__")]
    assert [row[1:3] for row in rows] == [["PASS", "1.0000"]] * 2
    assert "pass@2 1.0000" in done.out


def test_a_finished_run_is_scored_again_beside_the_first(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path)
    trial, _ = run(cli, task, FIX + TELL)
    done = cli("score", trial)
    assert (done.code, done.err) == (0, "")
    first, second = read_scored(str(trial))
    assert (second.number, second.report.overall) == (2, first.report.overall)
    assert second.report.run.metrics == first.report.run.metrics
    assert second.previous is not None
    other, _ = seed(tmp_path / "other", {"type": "max_files_changed", "limit": 0})
    assert cli("score", trial, "--task", other).code == 1


def test_a_run_that_harbor_made(cli: Cli, tmp_path: Path) -> None:
    """Without a record of Assay's, the result says how the agent ended."""
    task, _ = seed(tmp_path)
    trial, _ = run(cli, task, FIX + TELL)
    for path in (trial / "scores").iterdir():
        path.unlink()
    (trial / "scores").rmdir()
    done = cli("score", trial, "--json")
    assert json.loads(done.out)["run"]["passed"] is True
    assert load_coding_run(str(trial)).final_response == "Fixed the sign."


def test_what_can_not_be_scored(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path)
    trial, _ = run(cli, task, "true")
    with pytest.raises(InputError, match="must be a run that was scored"):
        load_coding_run(str(tmp_path))
    (trial / "scores/0001.diff").write_text("another")
    with pytest.raises(InputError, match="was changed since the run was scored"):
        load_coding_run(str(trial))
    task.rename(tmp_path / "moved")
    done = cli("score", trial)
    assert (done.code, "isn't a seeded task; pass one with --task" in done.err) == (2, True)
    (trial / "workspace.tar.gz").unlink()
    done = cli("score", trial, "--task", tmp_path / "moved")
    assert (done.code, "its workspace was not kept as a whole" in done.err) == (2, True)


def test_a_workspace_that_looks_like_a_run_is_scored_as_a_workspace(cli: Cli, tmp_path: Path) -> None:
    """An agent could leave an honest-looking archive beside its cheat."""
    task, workspace = seed(tmp_path, GUARD)
    for name in ("result.json", "config.json", "lock.json"):
        (workspace / name).write_text("{}")
    (workspace / "tests/test_calc.py").write_text("")
    assert cli("score", workspace, "--task", task).code == 1
    assert set(PROJECT) >= {"calc.py"}


@pytest.mark.statement("scorers.live-sandbox")
def test_what_setup_installed_at_home_is_there_for_agent_and_scorers(cli: Cli, tmp_path: Path) -> None:
    tool = "printf '#!/bin/sh\\necho forty-two\\n' > ~/.local/bin/answer"
    setup = f"mkdir -p ~/.local/bin; {tool}; chmod +x ~/.local/bin/answer"
    check = {"name": "same", "type": "command", "command": 'test "$(answer)" = "$(cat said)"'}
    task, _ = seed(tmp_path, check, setup=setup)
    trial, printed = run(cli, task, "answer > said; echo 'echo cheated' > ~/.local/bin/answer")
    assert "OVERALL  PASS" in printed
    assert (trial / "scores/0001.json").exists()
    with (task / "home.tar.gz").open("ab") as file:
        file.write(b"x")
    done = cli("score", tmp_path / "workspace", "--task", task)
    assert (done.code, "home.tar.gz was changed since the task was seeded" in done.err) == (2, True)


def test_a_run_is_judged_as_soon_as_it_is_scored(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, GUARD, user_instruction="Fix add().")
    with chatting(Chat(said(FAILED))) as talk:
        judge = ["--judge", "--judge-url", talk.url, "--judge-model", "m"]
        trial, printed = run(cli, task, FIX + TELL, *judge)
        again = cli("judge", trial, "--url", talk.url, "--model", "m")
        more = cli("judge", "replay", trial, "--url", talk.url, "--model", "m")
        scored = cli("score", trial, *judge)
    assert "Scorers PASS, judge FAIL" in printed
    assert result(trial)["verifier_result"]["rewards"] == {"reward": 1.0}
    assert all(words in talk.prompts[0] for words in ("Fix add().", "+    return a + b", "Fixed the sign."))
    assert "already judged" in again.out
    assert "changed  0 verdicts of 1" in more.out
    assert "Judge verdict  FAIL" in scored.out
    assert f"suspected reward hack: {trial}" in cli("judge", "gates", trial).out


def test_both_streams_of_the_agent_reach_the_judge_apart(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, GUARD)
    with chatting(Chat(said())) as talk:
        judge = ["--judge", "--judge-url", talk.url, "--judge-model", "m"]
        trial, _ = run(cli, task, f"{FIX}echo to the user; sleep 0.2; echo to the log >&2; {TELL}", *judge)
    assert (trial / "agent" / "agent-stdout.txt").read_text() == "to the user\n"
    assert (trial / "agent" / "agent-stderr.txt").read_text() == "to the log\n"
    assert (trial / "agent" / "output.txt").read_text() == "to the user\nto the log\n"
    for stream, text in (("stdout", "to the user"), ("stderr", "to the log")):
        told = {"stream": f"agent-{stream}.txt", "beginning_missing": False, "text": f"{text}\n"}
        assert json.dumps(told) in talk.prompts[0]
    assert "output.txt" not in talk.prompts[0]


def test_a_report_hears_the_judge_of_a_scored_run(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, GUARD)
    with chatting(Chat(said(FAILED))) as talk:
        trial, _ = run(cli, task, FIX, "--judge", "--judge-url", talk.url, "--judge-model", "m")
    assert not (trial / "judgements").exists()
    cli("annotate", trial, "--reviewer", "ada", "--judgment", "pass")
    (job,) = json.loads(cli("report", "--json", trial.parent).out)["jobs"]
    assert [one["contradicts"] for one in job["evaluation"]["disagreements"]] == [["judge"]]


def test_a_judge_that_nobody_names_is_asked_for_before_the_agent_runs(cli: Cli, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, GUARD)
    found = cli("run", task, "-a", "false", "--jobs-dir", tmp_path / "jobs", "--judge")
    assert (found.code, "name the judge's model" in found.err) == (2, True)
    assert not any((tmp_path / "jobs").rglob("result.json"))
