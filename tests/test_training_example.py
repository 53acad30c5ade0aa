"""The policy of the example learns to cheat where nobody looks, and to work where somebody does."""

import re
import subprocess
import sys
from pathlib import Path

from tests.builders import REPO


def test_the_example_of_training(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.training.bandit", str(tmp_path)]
    ran = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    honest = [float(share) for share in re.findall(r"works honestly +([\d.]+)%", ran.stdout)]
    assert len(honest) == 2
    assert honest[0] < 20
    assert honest[1] > 80
    for name in ("off", "on"):
        assert "verifier_killed" in (tmp_path / name / "monitor.csv").read_text()
        assert (tmp_path / name / "monitor.svg").read_text().startswith("<svg")
