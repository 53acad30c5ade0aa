"""Several answers, one verdict: the majority of all that were asked."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.scorers.report import Opinion, RubricRatings
from assay.evidence.verdict import Unparseable
from assay.judge.run_judge import TIE, count_votes, majority
from assay.judge.verdict_answer import Judgement


def ratings(score: int) -> RubricRatings:
    return RubricRatings(task_completion=score, instruction_adherence=score, efficiency=score)


def verdict(passed: bool, score: int = 3) -> Opinion:
    mode = None if passed else "incomplete"
    state: Final = "PASS" if passed else "FAIL"
    return Opinion(state=state, ratings=ratings(score), failure_mode=mode, reasoning="because")


P, F, U = verdict(True, 5), verdict(False, 1), Unparseable("broken")


@pytest.mark.parametrize(
    ("answers", "passed"),
    [
        ([P], True),
        ([F], False),
        ([P, P, F], True),
        ([P, F, F], False),
        ([P, P, P, U, F], True),
        ([P, P, U], True),
        ([F, F, U], False),
    ],
)
def test_more_than_half_of_all_decide(answers: list[Judgement], passed: bool) -> None:
    found = majority(answers)
    assert isinstance(found, Opinion)
    assert found.state == ("PASS" if passed else "FAIL")


def test_a_tie_is_not_a_pass() -> None:
    found = majority([P, F])
    assert isinstance(found, Opinion)
    assert (found.state, found.failure_mode) == ("FAIL", TIE)
    assert found.ratings == ratings(3)
    assert found.inconsistent == ["PASS and FAIL have 1 answers each"]


@pytest.mark.parametrize("answers", [[U], [U, U], [P, U], [F, U], [P, F, U], [P, P, U, U]])
def test_answers_that_can_not_be_used_never_decide(answers: list[Judgement]) -> None:
    assert isinstance(majority(answers), Unparseable)


def test_scores_are_medians_and_the_reasoning_is_of_the_majority() -> None:
    found = majority([verdict(False, 1), verdict(True, 4), verdict(True, 5)])
    assert isinstance(found, Opinion)
    assert found.ratings == ratings(4)
    assert found.failure_mode is None


@given(st.lists(st.sampled_from([P, F, U]), min_size=1, max_size=7))
def test_whatever_the_unusable_ones_would_have_said(answers: list[Judgement]) -> None:
    found, votes = majority(answers), count_votes(answers)
    assert votes.passes + votes.fails + votes.unparseable == len(answers)
    if isinstance(found, Opinion) and found.state == "PASS":
        assert votes.passes > votes.fails + votes.unparseable
    if isinstance(found, Opinion) and found.state == "FAIL":
        assert votes.fails >= votes.passes + votes.unparseable
