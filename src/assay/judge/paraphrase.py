"""Asks a model whether something was said in other words, or was said and still holds.

What a model answers about a paraphrase: its schema, and how it is read.

An answer is used only if it is exactly one object of the schema, and if what it quotes is really there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from assay.core.errors import MeasurementError
from assay.evidence.verdict import Answer, NoOpinion, Opinion
from assay.evidence.verdict import Question as Paraphrase
from assay.judge.fence import FencedPart, is_quoted, line, visible_text
from assay.judge.model import ModelClient, ModelQuestion
from assay.judge.prompt import PromptFile, PromptQuestion, build
from assay.judge.read_object import UnusableError, find_object, object_schema, true_or_false

LONGEST_PROMPT: Final = 400_000
NAME: Final = "paraphrase-1"
READING: Final = "reading-1"
LONGEST: Final = 20_000
SCHEMA: Final = object_schema(
    {"said": {"type": "boolean"}, "turn": {"type": ["integer", "null"]}, "quote": {"type": "string"}}
)


@dataclass(frozen=True, slots=True)
class ParaphraseJudge:
    """Fulfils ``Judge``."""

    _client: ModelClient
    _file_of: Callable[[str], PromptFile]
    _make_mark: Callable[[], str]

    def opinion(self, question: Paraphrase) -> Answer:
        """An opinion, or why there is none."""
        file = self._file_of(READING if question.stands else NAME)
        prompt = build(paraphrase_question(question, file), self._make_mark)
        if len(prompt.text) > LONGEST_PROMPT:
            return NoOpinion(f"the transcript is too long for a judge (over {LONGEST_PROMPT} characters)")
        try:
            reply = self._client.ask(ModelQuestion(prompt))
        except MeasurementError as error:
            return NoOpinion(str(error), down=True)
        return read_answer(reply.text, question, self._client.model)


def paraphrase_question(asked: Paraphrase, file: PromptFile) -> PromptQuestion:
    """All turns, the phrases, and the numbers of the turns that count."""
    turns = FencedPart(
        "transcript",
        tuple(line({"turn": one.number, "speaker": one.speaker, "text": one.text}) for one in asked.turns),
    )
    phrases = "\n".join(line(phrase) for phrase in asked.phrases)
    counted = ", ".join(str(number) for number in sorted({turn.number for turn in asked.counted}))
    return PromptQuestion(file, [turns], SCHEMA, {"phrases": phrases, "counted": counted})


def read_answer(written: str, question: Paraphrase, model: str) -> Answer:
    """The opinion in an answer, or why there is none. No answer raises."""
    try:
        found = find_object(written, SCHEMA["required"], LONGEST, ("said", true_or_false("said"))).fields
        said, turn, quote = found["said"], found.get("turn"), found.get("quote")
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
            raise UnusableError("turn must be a whole number or null")
        if not isinstance(quote, str):
            raise UnusableError("quote must be a text")
        _check(said, turn, quote, question)
    except UnusableError as error:
        return NoOpinion(f"the answer of {model} can't be used: {error}")
    return Opinion(said, turn, visible_text(quote), model)


def _check(said: bool, turn: int | None, quote: str, question: Paraphrase) -> None:
    """Raise ``UnusableError`` where an answer contradicts itself or the transcript."""
    if not said:
        if turn is not None or quote:
            raise UnusableError("said is false, but turn or quote is given")
        return
    texts = [one.text for one in question.counted if one.number == turn]
    if not texts:
        raise UnusableError("its turn is not one that counts")
    if not any(is_quoted(quote, text) for text in texts):
        raise UnusableError("its quote is not in its turn")
