"""One verdict from several answers: the majority of all that were asked, and the median of the scores.

A tie is not a PASS. Answers that can't be used count among those that were asked, so they never decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from assay.evidence.verdict import Judgement, Scores, Unparseable, Verdict

TIE: Final = "no_majority"


@dataclass(frozen=True, slots=True)
class Votes:
    """How many answers say what."""

    passes: int
    fails: int
    unparseable: int

    @property
    def asked(self) -> int:
        return self.passes + self.fails + self.unparseable

    @property
    def agreement(self) -> float:
        """The share of all answers that say what most of them say."""
        return max(self.passes, self.fails) / self.asked


def count_votes(answers: Sequence[Judgement]) -> Votes:
    """Count answers by what they say."""
    passed = [one.passed for one in answers if isinstance(one, Verdict)]
    return Votes(passed.count(True), passed.count(False), len(answers) - len(passed))


def majority(answers: Sequence[Judgement]) -> Judgement:
    """What more than half of the answers say, with the reasoning of the first of them. One stays as it is."""
    if len(answers) == 1:
        return answers[0]
    votes = count_votes(answers)
    verdicts = [one for one in answers if isinstance(one, Verdict)]
    if votes.passes * 2 > votes.asked or votes.fails * 2 > votes.asked:
        return _merged(verdicts, passed=votes.passes > votes.fails)
    if votes.unparseable:
        said = f"{votes.passes} PASS, {votes.fails} FAIL, {votes.unparseable} unparseable"
        return Unparseable(f"no verdict has more than half of {votes.asked} answers: {said}")
    return _merged(verdicts, passed=False, tie=True)


def _merged(verdicts: Sequence[Verdict], *, passed: bool, tie: bool = False) -> Verdict:
    same = [one for one in verdicts if one.passed is passed]
    modes = [one.failure_mode for one in same if one.failure_mode is not None]
    mode = TIE if tie else max(modes, key=modes.count, default=None)
    odd = [f"PASS and FAIL have {len(same)} answers each"] if tie else []
    odd += dict.fromkeys(sentence for one in same for sentence in one.inconsistent)
    first = same[0]
    return Verdict(passed, _medians(verdicts), mode, first.reasoning, first.fact_check, tuple(odd))


def _medians(verdicts: Sequence[Verdict]) -> Scores:
    every = [one.scores for one in verdicts]
    return Scores(
        median(one.task_completion for one in every),
        median(one.instruction_adherence for one in every),
        median(one.efficiency for one in every),
    )
