"""Asks a model whether something was said in other words."""

from collections.abc import Callable
from typing import Final

from assay.core.errors import MeasurementError
from assay.evidence.paraphrase import Answer, NoOpinion, Question
from assay.judge.model import ModelClient, Request
from assay.judge.paraphrase_answer import read_answer
from assay.judge.paraphrase_prompt import paraphrase_question
from assay.judge.prompt import PromptFile, build

LONGEST_PROMPT: Final = 400_000


class ParaphraseJudge:
    """Fulfils ``Judge``."""

    def __init__(self, client: ModelClient, file: PromptFile, make_mark: Callable[[], str]) -> None:
        self._client = client
        self._file = file
        self._make_mark = make_mark

    def opinion(self, question: Question) -> Answer:
        """An opinion, or why there is none."""
        prompt = build(paraphrase_question(question, self._file), self._make_mark)
        if len(prompt.text) > LONGEST_PROMPT:
            return NoOpinion(f"the transcript is too long for a judge (over {LONGEST_PROMPT} characters)")
        try:
            reply = self._client.ask(Request(prompt))
        except MeasurementError as error:
            return NoOpinion(str(error))
        return read_answer(reply.text, question, self._client.model)
