"""The example of the service runs as a user would run it, and shows what it should."""

import subprocess
import sys

from tests.builders import REPO

SEEN = [
    "agent: I was asked to 'book a visit for June 5th'",
    "agent: verdict partial, score 0.75 (correctness 1, communication 0)",
    "agent: I tried to read the evidence: a key of the scope run can't do this (403 forbidden)",
    "organisation: the hospital was told: message 1: 1 of 1 fields as expected",
    "organisation: visits@1 is completed, partial with 0.75",
]


def test_the_example_of_the_service() -> None:
    command = [sys.executable, "-m", "examples.service.run"]
    ran = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert [line for line in SEEN if line not in lines] == []
    [shown] = [line for line in lines if line.startswith("agent: of a criterion I see")]
    assert not {"details", "evidence"} & set(shown.replace(",", "").split())
