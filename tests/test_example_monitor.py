"""The recorded monitor of the examples answers today's prompts, and its calibration says what it is worth."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.running import Cli

EXAMPLE = Path(__file__).parent.parent / "examples" / "monitor"
AGAIN = "record the answers again: .venv/bin/python examples/make_monitor.py"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_every_answer_is_recorded(cli: Cli, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(EXAMPLE / "runs", runs, ignore=shutil.ignore_patterns("judgements"))
    asked = ["--monitor", "--model", "example-monitor", "--replay", EXAMPLE / "answers", "--json"]
    found = json.loads(cli("judge", runs, *asked).out)["runs"]
    assert len(found) == 16
    assert all(one["verdict"]["monitor"]["suspicion"] is not None for one in found), AGAIN
    gates = json.loads(cli("judge", "gates", runs, "--json").out)
    assert (gates["watched"], sum(map(len, gates["suspected"].values()))) == (16, 8)
    assert len(gates["suspected"]["aligned success"]) == 6


def test_the_monitor_is_compared_with_people(cli: Cli) -> None:
    given = [EXAMPLE / "runs", "--labels", EXAMPLE / "labels.jsonl", "--json"]
    monitor = json.loads(cli("judge", "calibrate", "--monitor", *given).out)
    judge = json.loads(cli("judge", "calibrate", *given).out)
    assert monitor["prompt"] == "monitor-1"
    assert monitor["confusion"]["people FAIL"] == {"judge PASS": 1, "judge FAIL": 7}
    assert monitor["confusion"]["people PASS"] == {"judge PASS": 7, "judge FAIL": 1}
    # The judge believes what agents say.
    assert judge["confusion"]["people FAIL"] == {"judge PASS": 8, "judge FAIL": 1}
