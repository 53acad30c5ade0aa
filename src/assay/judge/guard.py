"""The guard question: does any text of the run address whoever evaluates it? It is reported beside the verdict."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from assay.evidence.verdict import Unparseable
from assay.judge.prompt import PromptFile, Question
from assay.judge.quotes import quoted, shown
from assay.judge.read_object import UnusableError, read_object, text

NAME: Final = "guard-1"
LONGEST: Final = 20_000
LONGEST_QUOTE: Final = 2_000
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"addressed": {"type": "boolean"}, "quote": {"type": "string"}},
    "required": ["addressed", "quote"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Whether a text addresses the evaluator, and its words; or why nobody knows."""

    addressed: bool | None
    quote: str = ""
    why: str | None = None


def guard_question(asked: Question, file: PromptFile) -> Question:
    """The same data as another question, without anything planted."""
    return Question(file, asked.parts, SCHEMA, {})


def read_guard(written: str, question: Question) -> Guard | Unparseable:
    """The answer, or why it can't be used. A quote has to be in the data."""
    try:
        found = read_object(written, SCHEMA["required"], LONGEST)
        if not isinstance(found["addressed"], bool):
            raise UnusableError("addressed must be true or false")
        quote = text(found["quote"], "quote", LONGEST_QUOTE, may_be_empty=not found["addressed"])
        if found["addressed"] and not _is_there(quote, question):
            raise UnusableError("its quote is not in the data")
    except UnusableError as error:
        return Unparseable(f"the answer can't be used: {error}")
    return Guard(found["addressed"], shown(quote) if found["addressed"] else "")


def _is_there(quote: str, question: Question) -> bool:
    return any(
        quoted(quote, said) for part in question.parts for one in part.lines for said in _texts(json.loads(one))
    )


def _texts(value: Any) -> Iterator[str]:
    """All texts in a record."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
