"""A dataset's own metric: a script that reads rewards.jsonl and writes metric.json.

Each line of rewards.jsonl is a reward object or null. The script runs with ``uv run`` if uv is installed, because
such scripts may declare dependencies; otherwise with the Python that runs Assay.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.machine.safe_read import read_file
from assay.adapters.machine.scratch import temporary_folder
from assay.core.errors import MeasurementError
from assay.dialects.harbor.rewards import Rewards
from assay.evidence.files import Content

TIMEOUT_SEC = 600
LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScriptMetric:
    """Runs the script once for each group of trials. A script that fails breaks the measurement."""

    path: Path

    def compute(self, rewards: Sequence[Rewards | None]) -> dict[str, object]:
        with temporary_folder(0o700) as folder:
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
            message = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}, no error message"])[-1]
            raise MeasurementError(f"Failed to compute custom metric: {message[-500:]}")


def _answer(script: Path, target: Path) -> dict[str, object]:
    file = read_file(str(target), LIMIT)
    if not isinstance(file, Content):
        raise MeasurementError(f"the metric {script} must write a metric.json, but it wrote none that can be read")
    try:
        found = json.loads(file.data.decode())
    except (ValueError, RecursionError) as error:
        raise MeasurementError(f"the metric.json of {script} must be JSON: {error}") from error
    if not isinstance(found, dict):
        raise MeasurementError(f"the metric.json of {script} must be an object, got {type(found).__name__}")
    return found
