"""Have a judge answer a rubric, and make of it what a verifier writes: a reward, and its details."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from assay.core.errors import MeasurementError
from assay.core.total import total
from assay.dialects.evaluation.judged_rubric import JudgedRubric
from assay.dialects.evaluation.models import ErrorSource
from assay.dialects.evaluation.rubric import RubricScore, score_rubric
from assay.dialects.evaluation.verifier_words import CONFIDENCE_KEY, TAGS_KEY
from assay.evidence.bounds import json_text
from assay.evidence.verdict import Unparseable
from assay.formats.counting import counted
from assay.judge.bounds import PromptBounds
from assay.judge.model import Answer, AskAll, Manner, ModelClient, ask_panel
from assay.judge.prompt import PromptFile
from assay.judge.rubric import Asked, GradedWork, Grades, read_grades, rubric_question

NO_OUTPUT = "missing output"


@dataclass(frozen=True, slots=True)
class RubricReward:
    """The reward and the content of details.json."""

    reward: float
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """Some models, and how they are asked."""

    clients: Sequence[ModelClient]
    prompt: PromptFile
    manner: Manner
    bounds: PromptBounds
    samples: int = 1
    canary: bool = True
    ask_all: AskAll[Grades] = map


def judge_rubric(rubric: JudgedRubric, work: GradedWork, judge: RubricJudge) -> RubricReward:
    """Grade an output. The score of a criterion is the median of all answers.

    Raises ``MeasurementError`` if not more than half of the answers can be used: then there is no reward, which is
    not a reward of 0. Without any output there is nothing to judge, and that is one.
    """
    if all(file.text is None for file in work.files):
        return _without_output(rubric, work)
    asked = _asked_criteria(rubric)
    question = rubric_question(work, asked, judge.prompt, judge.bounds, planted=judge.canary)
    read = lambda text: read_grades(text, asked)  # noqa: E731 - used once
    answers = ask_panel(judge.clients, judge.samples, question, judge.manner, read, judge.ask_all)
    said = [one.said for one in answers if isinstance(one.said, Grades)]
    if len(said) * 2 <= len(answers):
        why = next(one.said.why for one in answers if isinstance(one.said, Unparseable))
        raise MeasurementError(f"{len(said)} of {len(answers)} answers of the judge can be used: {why}")
    score = _score(rubric, asked, said)
    rewards = [_score(rubric, asked, [one]).reward for one in said]
    return RubricReward(score.reward, _details(score, said, rewards, answers, judge))


def _asked_criteria(rubric: JudgedRubric) -> list[Asked]:
    every = [(one.name, criterion) for one in rubric.dimensions for criterion in one.asked]
    return [Asked(f"c{number}", name, one.text, one.top) for number, (name, one) in enumerate(every, 1)]


def _score(rubric: JudgedRubric, asked: Sequence[Asked], said: Sequence[Grades]) -> RubricScore:
    """The rubric by the median of the grades; a dimension is the mean of its criteria by their weight."""
    ids = iter(asked)
    scores: dict[str, Any] = {}
    for dimension in rubric.dimensions:
        parts, words = [], []
        for criterion in dimension.asked:
            one = next(ids)
            got = median(answer.grades[one.id].score for answer in said)
            parts.append(criterion.weight * got / one.top)
            words.append(f"{one.text}: {got:g} of {one.top}. {said[0].grades[one.id].evidence}".strip())
        share = total(parts) / total([criterion.weight for criterion in dimension.asked])
        scores[dimension.name] = {"score": dimension.max_score * share, "evidence": json_text("\n".join(words))}
    return score_rubric(rubric, scores)


def _details(
    score: RubricScore,
    said: Sequence[Grades],
    rewards: Sequence[float],
    answers: Sequence[Answer[Grades]],
    judge: RubricJudge,
) -> dict[str, Any]:
    models = ", ".join(client.model for client in judge.clients)
    unused = len(answers) - len(said)
    left_out = f", {unused} more unusable" if unused else ""
    method = f"range of {counted(len(said), 'answer')} of {models} with {judge.prompt.name}{left_out}"
    tags = dict.fromkeys((category, what) for one in said for category, what in one.errors)
    return {
        **score.to_details(),
        CONFIDENCE_KEY: {
            "confidence_interval": {"low": min(rewards), "high": max(rewards)},
            "confidence_method": method,
        },
        TAGS_KEY: [_tag(category, what, ErrorSource.JUDGE) for category, what in tags],
    }


def _without_output(rubric: JudgedRubric, work: GradedWork) -> RubricReward:
    why = "; ".join(f"{file.name}: {file.why}" for file in work.files)
    score = score_rubric(
        rubric, {one.name: {"score": 0.0, "evidence": json_text(why)} for one in rubric.dimensions}
    )
    return RubricReward(
        score.reward, {**score.to_details(), TAGS_KEY: [_tag(NO_OUTPUT, why, ErrorSource.MECHANICAL)]}
    )


def _tag(category: str, description: str, source: ErrorSource) -> dict[str, str]:
    return {"category": json_text(category), "description": json_text(description), "source": source.value}
