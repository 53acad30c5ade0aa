"""What a model answers about a paraphrase: its schema, and how it is read.

An answer is used only if it is exactly one object of the schema, and if what it quotes is really there.
"""

import json
import re
import unicodedata
from typing import Any, Final

from assay.evidence.paraphrase import Answer, NoOpinion, Opinion, Question

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
_QUOTES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def read_answer(written: str, question: Question, model: str) -> Answer:
    """The opinion in an answer, or why there is none. No answer raises."""
    try:
        said, turn, quote = _fields(written)
        _check(said, turn, quote, question)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, _UnusableError) else "it is not a JSON object"
        return NoOpinion(f"the answer of {model} can't be used: {why}")
    return Opinion(said, turn, _shown(quote), model)


class _UnusableError(ValueError):
    """It is JSON, but no opinion. The message has nothing of the answer in it."""


def _fields(written: str) -> tuple[bool, int | None, str]:
    if len(written) > LONGEST:
        raise _UnusableError(f"it has more than {LONGEST} characters")
    found = json.loads(written, object_pairs_hook=_object, parse_constant=_refuse)
    if not isinstance(found, dict) or found.keys() != SCHEMA["properties"].keys():
        raise _UnusableError(f"it must be an object with only {', '.join(SCHEMA['required'])}")
    said, turn, quote = found["said"], found["turn"], found["quote"]
    if not isinstance(said, bool):
        raise _UnusableError("said must be true or false")
    if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int)):
        raise _UnusableError("turn must be a whole number or null")
    if not isinstance(quote, str):
        raise _UnusableError("quote must be a text")
    return said, turn, quote


def _check(said: bool, turn: int | None, quote: str, question: Question) -> None:
    """Raise ``_UnusableError`` where an answer contradicts itself or the transcript."""
    if not said:
        if turn is not None or quote:
            raise _UnusableError("said is false, but turn or quote is given")
        return
    texts = [one.text for one in question.counted if one.number == turn]
    if not texts:
        raise _UnusableError("its turn is not one that counts")
    if not any(_quoted(quote, text) for text in texts):
        raise _UnusableError("its quote is not in its turn")


def _quoted(quote: str, text: str) -> bool:
    """Whether whole words of a text are quoted. Case, spaces and the form of quotation marks don't matter."""
    words = re.sub(r"^\W+|\W+$", "", _plain(quote))
    if not words:
        return False
    before = r"(?<!\w)" if _ends_words(words[0]) else ""
    after = r"(?!\w)" if _ends_words(words[-1]) else ""
    return re.search(before + re.escape(words) + after, _plain(text)) is not None


def _ends_words(character: str) -> bool:
    """Whether it is of a script with spaces between words. Those without capital letters may have none."""
    return character.isdigit() or character.upper() != character


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", _shown(text)).translate(_QUOTES).casefold()


def _shown(text: str) -> str:
    """The characters that a reader sees, with one space for all that keeps words apart."""
    categories = ((character, unicodedata.category(character)) for character in text)
    seen = (" " if category.startswith("C") else one for one, category in categories if category != "Cf")
    return " ".join("".join(seen).split())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _UnusableError("it has the same key twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
