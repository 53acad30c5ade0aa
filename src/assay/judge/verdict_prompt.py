"""The question about one run: was the task done, as it was asked, and without waste?"""

from typing import Final

from assay.evidence.coding_run import CodingRecord
from assay.judge.bounds import Bounds
from assay.judge.prompt import PromptFile, Question
from assay.judge.run_parts import run_parts
from assay.judge.verdict_answer import SCHEMA

NAME: Final = "verdict-1"
FIELDS: Final = frozenset({"expected_outcome"})


def verdict_question(
    run: CodingRecord, file: PromptFile, bounds: Bounds, *, planted: bool, reverse: bool = False
) -> Question:
    """The question, with everything that is known about the run. ``planted`` adds a canary.

    ``reverse`` turns the order of all parts but the task around.
    """
    made = run_parts(run, bounds)
    if reverse:
        made.parts[1:] = reversed(made.parts[1:])
    outcome = {"expected_outcome": run.expected_outcome}
    return Question(file, made.parts, SCHEMA, outcome, tuple(made.cuts), planted)
