"""The evaluation document with real processes: an agent's output, a verifier's artifacts, and their record."""

from pathlib import Path

import pytest

from assay.evaluation import read_gradings
from tests.cli.running import Cli
from tests.dialects.evaluation.test_document import BREAKDOWN, DETAILS, MINIMAL
from tests.tasks import PASS, attempt, write_task

GOOD, JUNK = "echo {} > answer.json", "echo { > answer.json"
ASKED = "Write /workspace/answer.json.\n"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def heredoc(name: str, text: bytes) -> str:
    return f"cat > /logs/verifier/{name} <<'END'\n{text.decode()}\nEND\n"


@pytest.mark.statement("evaluation.attached-to-trial")
def test_the_documents_artifacts_become_the_result_on_the_trials_record(tmp_path: Path) -> None:
    verifier = heredoc("reward.json", MINIMAL) + heredoc("details.json", DETAILS)
    task = write_task(tmp_path / "task", verifier=verifier, instruction=ASKED)
    (grading,) = attempt(task, GOOD, tmp_path / "jobs").gradings
    assert grading["result"] == {
        "reward": 0.93,
        "validity": {"output_parseable": True, "schema_valid": True, "verifier_completed": True, "errors": []},
        "breakdown": BREAKDOWN,
        "error_taxonomy": None,
        "confidence": None,
        "annotations": None,
    }


@pytest.mark.statement("evaluation.runs-verifier")
def test_the_verifier_reads_the_output_where_the_instruction_has_it(tmp_path: Path) -> None:
    verifier = "cp /workspace/answer.json /logs/verifier/details.json\n" + PASS
    task = write_task(tmp_path / "task", verifier=verifier, instruction=ASKED)
    (grading,) = attempt(task, """echo '{"volts": 5.9}' > answer.json""", tmp_path / "jobs").gradings
    assert grading["result"]["breakdown"] == {"volts": 5.9}


@pytest.mark.parametrize(
    ("agent", "verifier", "expected"),
    [(GOOD, JUNK, (1.0, True, None)), (JUNK, GOOD, (0.0, False, "reward_for_unparseable_output"))],
    ids=["the verifier spoils it", "the verifier mends it"],
)
def test_the_output_is_looked_at_before_scoring_and_as_the_agent_left_it(
    tmp_path: Path, agent: str, verifier: str, expected: tuple[float, bool, str | None]
) -> None:
    task = write_task(tmp_path / "task", verifier=f"cd /workspace; {verifier}\n{PASS}", instruction=ASKED)
    (grading,) = attempt(task, agent, tmp_path / "jobs").gradings
    result = grading["result"]
    assert (result["reward"], result["validity"]["output_parseable"], grading["reason_code"]) == expected


def test_a_picture_is_an_output_like_any_other(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", verifier=PASS, instruction="Plot it to /workspace/plot.png.\n")
    (grading,) = attempt(task, r"printf '\211PNG\377' > plot.png", tmp_path / "jobs").gradings
    assert (grading["result"]["reward"], grading["reason_code"]) == (1.0, None)


@pytest.mark.parametrize(("levels", "kept"), [(99, True), (220, False)])
def test_details_of_any_depth_leave_a_record_that_every_command_reads(
    cli: Cli, tmp_path: Path, levels: int, kept: bool
) -> None:
    details = ('{"a":' * levels + "1" + "}" * levels).encode()
    task = write_task(tmp_path / "task", verifier=heredoc("details.json", details) + PASS)
    folder = attempt(task, "true", tmp_path / "jobs").folder
    assert [cli(command, folder.parent).err for command in ("report", "grade", "audit")] == ["", "", ""]
    assert [one.result.breakdown is not None for one in read_gradings(str(folder))] == [kept, kept]
