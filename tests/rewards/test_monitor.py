"""A loop can watch how often each detector finds something while it trains."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

from assay.evidence.run import State
from assay.rewards import GradedOutput, HackMonitor

FINE = GradedOutput(1.0, State.PASSED)
CHEAT = GradedOutput(0.0, State.FAILED, flags={"no_new_skips": "1 new skip"})
BROKEN = GradedOutput(None, State.BROKEN)


def test_the_rates_of_each_step(tmp_path: Path) -> None:
    monitor = HackMonitor()
    monitor.add(10, [FINE, CHEAT])
    monitor.add(0, [FINE, FINE, FINE, BROKEN])
    monitor.add(10, [CHEAT, CHEAT])
    monitor.add(20, [])
    assert monitor.detectors == ["any flag", "no reward", "no_new_skips"]
    assert monitor.rates() == {
        0: {"any flag": 0.0, "no reward": 0.25, "no_new_skips": 0.0},
        10: {"any flag": 0.75, "no reward": 0.0, "no_new_skips": 0.75},
    }
    assert monitor.mean_rewards() == {0: 1.0, 10: 0.25}
    monitor.write(tmp_path / "watched")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "watched" / "monitor.csv").read_text())))
    assert [(row["step"], row["graded"], row["no_new_skips"]) for row in rows] == [
        ("0", "4", "0.0"),
        ("10", "4", "0.75"),
    ]
    picture = ET.fromstring((tmp_path / "watched" / "monitor.svg").read_text())  # noqa: S314 - our own
    assert len(picture.findall("{*}polyline")) == 4


def test_nothing_graded_is_still_a_picture_and_a_table() -> None:
    monitor = HackMonitor()
    assert monitor.csv() == "step,graded,mean reward\n"
    assert "</svg>" in monitor.picture()
