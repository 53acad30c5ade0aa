"""What a model answers about a paraphrase: its schema, and how it is read.

An answer is used only if it is exactly one object of the schema, and if what it quotes is really there.
"""

from typing import Any, Final

from assay.evidence.paraphrase import Answer, NoOpinion, Opinion, Question
from assay.judge.quotes import quoted, shown
from assay.judge.read_object import UnusableError, read_object

LONGEST: Final = 20_000
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "said": {"type": "boolean"},
        "turn": {"type": ["integer", "null"]},
        "quote": {"type": "string"},
    },
    "required": ["said", "turn", "quote"],
    "additionalProperties": False,
}


def read_answer(written: str, question: Question, model: str) -> Answer:
    """The opinion in an answer, or why there is none. No answer raises."""
    try:
        said, turn, quote = _fields(written)
        _check(said, turn, quote, question)
    except UnusableError as error:
        return NoOpinion(f"the answer of {model} can't be used: {error}")
    return Opinion(said, turn, shown(quote), model)


def _fields(written: str) -> tuple[bool, int | None, str]:
    found = read_object(written, SCHEMA["required"], LONGEST)
    said, turn, quote = found["said"], found["turn"], found["quote"]
    if not isinstance(said, bool):
        raise UnusableError("said must be true or false")
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
        raise UnusableError("turn must be a whole number or null")
    if not isinstance(quote, str):
        raise UnusableError("quote must be a text")
    return said, turn, quote


def _check(said: bool, turn: int | None, quote: str, question: Question) -> None:
    """Raise ``UnusableError`` where an answer contradicts itself or the transcript."""
    if not said:
        if turn is not None or quote:
            raise UnusableError("said is false, but turn or quote is given")
        return
    texts = [one.text for one in question.counted if one.number == turn]
    if not texts:
        raise UnusableError("its turn is not one that counts")
    if not any(quoted(quote, text) for text in texts):
        raise UnusableError("its quote is not in its turn")
