"""Colour on terminals only, and only for words in a column of their own."""

import os
import pty
import subprocess

import pytest

from assay.cli.output.table import with_colour
from tests.builders import REPO
from tests.cli.running import ASSAY

RED_FAIL = "\x1b[31mFAIL\x1b[0m"
COMMAND = [ASSAY, "report", "--by", "trial", str(REPO / "examples" / "jobs" / "sorting")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("OVERALL  FAIL, mean score 0.8", f"OVERALL  {RED_FAIL}, mean score 0.8"),
        ("tests  command  FAIL     0.00", f"tests  command  {RED_FAIL}     0.00"),
        ("run  passed", "run  \x1b[32mpassed\x1b[0m"),
        ("  before: print('FAIL')", "  before: print('FAIL')"),
        ("FAIL is what the agent wrote", "FAIL is what the agent wrote"),
        ("a FAILED test, it PASSES", "a FAILED test, it PASSES"),
    ],
)
def test_verdicts_have_a_colour_and_texts_have_none(text: str, shown: str) -> None:
    assert with_colour(text, {}) == shown


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, True),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_variables_switch_it(environment: dict[str, str], coloured: bool) -> None:
    assert (with_colour("a  PASS", environment) != "a  PASS") is coloured


def environment_with(more: dict[str, str]) -> dict[str, str]:
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    return {**plain, "TERM": "xterm", **more}


def printed_on_a_terminal(more: dict[str, str]) -> bytes:
    ours, theirs = pty.openpty()
    with subprocess.Popen(COMMAND, stdout=theirs, env=environment_with(more)) as process:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # The terminal was closed by the command's end.
            pass
    os.close(ours)
    assert process.returncode == 0
    return text


@pytest.mark.parametrize(("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_report_on_a_terminal(more: dict[str, str], coloured: bool) -> None:
    assert (b"\x1b[32mpassed" in printed_on_a_terminal(more)) is coloured


@pytest.mark.parametrize(("more", "coloured"), [({}, False), ({"FORCE_COLOR": "1"}, True)])
def test_a_report_in_a_pipe(more: dict[str, str], coloured: bool) -> None:
    done = subprocess.run(COMMAND, capture_output=True, env=environment_with(more), check=True, timeout=60)
    assert (b"\x1b" in done.stdout) is coloured
