"""An output of which nobody said what it is: it has to be there, and is not held against a format."""

from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import load_task
from assay.dialects.evaluation.output import Declared, Format
from assay.evaluation import ingest
from assay.evidence.files import Absent, File, Refusal, Refused
from tests.dialects.evaluation.evidence import OUTPUT, left

PROGRAM = b"\x7fELF\x02\x01\x01\x00\xff"
UNPARSEABLE = (0.0, "reward_for_unparseable_output")


def declared(folder: Path, instruction: str, toml: str = "") -> Declared | None:
    """What a task with this instruction declares about its output."""
    (folder / "tests").mkdir()
    (folder / "tests" / "test.sh").write_text("#!/bin/sh\n")
    (folder / "tests" / "test.sh").chmod(0o755)
    (folder / "task.toml").write_text(f'schema_version = "1.3"\n{toml}')
    (folder / "instruction.md").write_text(instruction)
    return load_task(str(folder)).steps[0].declared


@pytest.mark.parametrize(
    ("instruction", "toml", "reward"),
    [
        ("Plot it to /workspace/plot.png.", "", 1.0),
        ("Compile it to /workspace/solver.", "", 1.0),
        ("Write /workspace/model.pkl.", "", 1.0),
        ("Say it.", '[metadata.output]\npath = "/workspace/sheet.xlsx"\n', 1.0),
        # A format that the name suggests, or that is declared, is asked for.
        ("Write /workspace/answer.txt.", "", 0.0),
        ("Write /workspace/answer.json.", "", 0.0),
        ("Plot it to /workspace/plot.png.", '[metadata.output]\nformat = "text"\n', 0.0),
        ("Write /workspace/answer.", '[metadata.output]\nsections = ["Summary"]\n', 0.0),
    ],
)
def test_bytes_that_are_no_text_cost_nothing_where_no_text_was_asked_for(
    tmp_path: Path, instruction: str, toml: str, reward: float
) -> None:
    asked = declared(tmp_path, instruction, toml)
    assert ingest(left(b'{"reward": 1}', output=PROGRAM), asked).result.reward == reward


@pytest.mark.parametrize(
    ("found", "format_", "expected"),
    [
        (b"", None, (1.0, None)),
        (PROGRAM, None, (1.0, None)),
        # Too large to be looked at, where nobody would have looked.
        (Refused(OUTPUT, Refusal.TOO_LARGE), None, (1.0, None)),
        (Refused(OUTPUT, Refusal.TOO_LARGE), Format.TEXT, UNPARSEABLE),
        # There has to be an output, and it has to be the agent's own file.
        (Absent(OUTPUT), None, UNPARSEABLE),
        (Refused(OUTPUT, Refusal.LINK), None, UNPARSEABLE),
        (Refused(OUTPUT, Refusal.FOLDER), None, UNPARSEABLE),
        (Refused(OUTPUT, Refusal.FIFO), None, UNPARSEABLE),
    ],
)
def test_there_has_to_be_one(
    found: bytes | File, format_: Format | None, expected: tuple[float, str | None]
) -> None:
    graded = ingest(left(b'{"reward": 1}', output=found), Declared(format_))
    assert (graded.result.reward, graded.reason_code) == expected
