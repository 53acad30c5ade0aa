"""The question about one run: was the task done, as it was asked, and without waste?"""

from typing import Final

from assay.evidence.coding_run import CodingRun
from assay.judge.bounds import Bounds
from assay.judge.prompt import PromptFile, Question
from assay.judge.run_parts import run_parts
from assay.judge.verdict_answer import SCHEMA

NAME: Final = "verdict-1"
FIELDS: Final = frozenset({"expected_outcome"})


def verdict_question(run: CodingRun, file: PromptFile, bounds: Bounds, *, planted: bool) -> Question:
    """The question, with everything that is known about the run. ``planted`` adds a canary."""
    made = run_parts(run, bounds)
    outcome = {"expected_outcome": run.expected_outcome}
    return Question(file, made.parts, SCHEMA, outcome, tuple(made.cuts), planted)
