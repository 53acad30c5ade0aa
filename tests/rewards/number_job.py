"""A job with outputs of every kind, and its gradings without their times."""

import json
from pathlib import Path
from typing import Any

from assay.cli.main import main
from tests.rewards.test_grader import without_times
from tests.sampling import SEARCHING
from tests.tasks import JOB, run_arguments, write_task

COUNT = 500 if SEARCHING else 24
INSTRUCTION = "Write a number from 0 to 1 into /workspace/answer.txt.\n"
# Worth the number in the answer. Some answers make the verifier fail, in ways that end at once.
NUMBER = """
answer=$(cat answer.txt)
echo "{\\"criteria\\": {\\"length\\": ${#answer}}}" > /logs/verifier/details.json
case $answer in
crash) exit 1;;
die) kill -9 $$;;
silent) exit 0;;
strange) printf '\\377' > /logs/verifier/reward.json;;
both) echo 1 > /logs/verifier/reward.txt; echo '{"reward": 0}' > /logs/verifier/reward.json;;
*) echo "{\\"reward\\": ${answer:-0}, \\"half\\": 0.5}" > /logs/verifier/reward.json;;
esac"""
ANSWERS = ("1", "0", "0.25", "2", "-1", "nan", "1e999", "no number", "crash", "die", "silent", "strange", "both")
# What the agent leaves is chance, so that no two of the trials have an order.
AGENT = f"shuf -n 1 -e {' '.join(map(repr, ANSWERS))} > answer.txt"


def write_number_task(folder: Path) -> Path:
    """A task named ``number``."""
    return write_task(folder / "number", verifier=NUMBER, instruction=INSTRUCTION, solution=None)


def run_job(task: Path, jobs: Path) -> Path:
    """A job whose outputs are chance."""
    assert main(run_arguments(task, AGENT, jobs, "--quiet", "-k", COUNT)) == 1  # Some have no reward.
    return jobs / JOB


def trials(job: Path) -> list[Path]:
    found = [path.parent for path in sorted(job.glob("*/result.json"))]
    assert len(found) == COUNT
    return found


def kept(trial: Path, number: int) -> dict[str, Any]:
    return without_times(json.loads((trial / "gradings" / f"{number:04}.json").read_text()))
