"""The question about one run: was the task done, as it was asked, and without waste?"""

from typing import Final

from assay.evidence.judge_case import JudgeCase
from assay.judge.bounds import Bounds
from assay.judge.case_parts import case_parts
from assay.judge.prompt import PromptFile, Question
from assay.judge.verdict_answer import SCHEMA

NAME: Final = "verdict-1"
FIELDS: Final = frozenset({"expected_outcome"})


def verdict_question(case: JudgeCase, file: PromptFile, bounds: Bounds, *, planted: bool) -> Question:
    """The question, with everything that is known about the run. ``planted`` adds a canary."""
    made = case_parts(case, bounds)
    outcome = {"expected_outcome": case.expected_outcome.value}
    return Question(file, made.parts, SCHEMA, outcome, tuple(made.cuts), planted)
