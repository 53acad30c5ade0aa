"""Asks a model whether something was said in other words."""

import threading
from collections.abc import Callable, Mapping
from string import Template
from typing import Any, Final, Protocol

from assay.core.errors import MeasurementError
from assay.evidence.paraphrase import Answer, NoOpinion, Question
from assay.judge.answer import SCHEMA, read_answer
from assay.judge.prompt import prompt

LONGEST_PROMPT: Final = 400_000
# Each failure has cost all the patience that there is for one question.
GIVEN_UP_AFTER: Final = 2


class ModelClient(Protocol):
    """A language model. May be asked from several threads."""

    @property
    def model(self) -> str: ...

    def answer(self, text: str, schema: Mapping[str, Any]) -> str:
        """What the model answers, unread. Raises ``MeasurementError`` where there is no answer."""
        ...


class ParaphraseJudge:
    """Fulfils ``Judge``. A model that failed twice in a row is not asked again."""

    def __init__(self, client: ModelClient, template: Template, make_mark: Callable[[], str]) -> None:
        self._client = client
        self._template = template
        self._make_mark = make_mark
        self._lock = threading.Lock()
        self._failures = 0

    def opinion(self, question: Question) -> Answer:
        """An opinion, or why there is none."""
        text = prompt(question, self._template, self._make_mark)
        if len(text) > LONGEST_PROMPT:
            return NoOpinion(f"the transcript is too long for a judge (over {LONGEST_PROMPT} characters)")
        with self._lock:
            if self._failures >= GIVEN_UP_AFTER:
                return NoOpinion(f"the judge was not asked, because it failed {self._failures} times in a row")
        try:
            answer = self._client.answer(text, SCHEMA)
        except MeasurementError as error:
            self._ended(failed=True)
            return NoOpinion(str(error))
        self._ended(failed=False)
        return read_answer(answer, question, self._client.model)

    def _ended(self, *, failed: bool) -> None:
        with self._lock:
            self._failures = self._failures + 1 if failed else 0
