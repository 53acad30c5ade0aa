"""The prompt that asks for a paraphrase, with the transcript fenced in.

Every turn is one line of JSON, in which invisible characters are escaped, so no text can start a new line. The
fence has a random mark that none of the data contains, and the instructions come after the data.
"""

import json
from collections.abc import Callable
from string import Template

from assay.evidence.paraphrase import Question
from assay.evidence.playground import Turn


def prompt(question: Question, template: Template, make_mark: Callable[[], str]) -> str:
    """The whole text that a model reads. ``make_mark`` gives a mark that nobody can guess."""
    turns = "\n".join(_turn(turn) for turn in question.turns)
    phrases = "\n".join(_line(phrase) for phrase in question.phrases)
    counted = ", ".join(str(number) for number in sorted({turn.number for turn in question.counted}))
    mark = make_mark()
    while mark in turns or mark in phrases:
        mark = make_mark()
    return template.substitute(mark=mark, turns=turns, phrases=phrases, counted=counted)


def _turn(turn: Turn) -> str:
    return _line({"turn": turn.number, "speaker": turn.speaker, "text": turn.text})


def _line(value: object) -> str:
    """A value as one line of JSON, without a character that can't be seen."""
    written = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in written)
