"""A dataset's own metric: a script that reads rewards.jsonl and writes metric.json.

The script gets one reward object or null a line, and is run as ``uv run`` where uv is installed, because such
scripts may declare what they need; otherwise with the Python that runs Assay.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import MeasurementError
from assay.dialects.harbor.rewards import Rewards

TIMEOUT_SEC = 600


@dataclass(frozen=True, slots=True)
class ScriptMetric:
    """Runs the script once for each group of trials. A script that fails breaks the measurement."""

    path: Path

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        with tempfile.TemporaryDirectory(prefix="assay-metric-") as folder:
            source, target = Path(folder, "rewards.jsonl"), Path(folder, "metric.json")
            source.write_text("".join(json.dumps(reward) + "\n" for reward in rewards))
            self._run(source, target)
            return _answer(self.path, target)

    def _run(self, source: Path, target: Path) -> None:
        uv = shutil.which("uv")
        start = [uv, "run", "--no-project"] if uv else [sys.executable]
        command = [*start, str(self.path), "-i", str(source), "-o", str(target)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SEC, check=False)
        except subprocess.TimeoutExpired as error:
            raise MeasurementError(f"the metric {self.path} took longer than {TIMEOUT_SEC} s") from error
        if done.returncode != 0:
            raise MeasurementError(f"Failed to compute custom metric: {done.stderr.strip()[-2000:]}")


def _answer(script: Path, target: Path) -> dict[str, object]:
    try:
        found = json.loads(target.read_text())
    except FileNotFoundError as error:
        raise MeasurementError(f"the metric {script} wrote no metric.json") from error
    except ValueError as error:
        raise MeasurementError(f"the metric {script} wrote a metric.json that is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise MeasurementError(f"the metric {script} wrote a metric.json that is not an object")
    return found
