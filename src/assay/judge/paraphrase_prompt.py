"""The question whether something was said in other words, with the transcript as data."""

from typing import Final

from assay.evidence.paraphrase import Question as Paraphrase
from assay.evidence.playground import Turn
from assay.judge.fence import Part, line
from assay.judge.paraphrase_answer import SCHEMA
from assay.judge.prompt import PromptFile, Question

NAME: Final = "paraphrase-1"


def paraphrase_question(asked: Paraphrase, file: PromptFile) -> Question:
    """All turns, the phrases, and the numbers of the turns that count."""
    turns = Part("transcript", tuple(_turn(turn) for turn in asked.turns))
    phrases = "\n".join(line(phrase) for phrase in asked.phrases)
    counted = ", ".join(str(number) for number in sorted({turn.number for turn in asked.counted}))
    return Question(file, [turns], SCHEMA, {"phrases": phrases, "counted": counted})


def _turn(turn: Turn) -> str:
    return line({"turn": turn.number, "speaker": turn.speaker, "text": turn.text})
