"""Nothing that an agent writes changes what a judge is asked, and a judge that obeys it is caught."""

import json
import re
from typing import Any

import pytest

from assay.adapters.models.judge_model import ChatModel
from assay.adapters.models.judge_setup import new_mark, prompt_file
from assay.evidence.coding_run import CodingRecord
from assay.evidence.verdict import Unparseable
from assay.judge.bounds import PromptBounds
from assay.judge.model import OBEYED
from assay.judge.prompt import build
from assay.judge.run_judge import JudgeSetting, judge_run
from assay.judge.verdict_answer import NAME, verdict_question
from tests.judge.cases import said
from tests.judge.injections import INJECTIONS, attacked
from tests.judge.obedience import planted_words
from tests.servers.chat_server import chatting

KINDS = {
    *("code", "comment", "file name", "commit message", "log", "test output", "tool output", "tool call"),
    *("transcript", "unicode", "fake fence", "fake json", "fake system turn", "other language"),
}
FENCE = re.compile(r"^=== (\w{32}) (begin|end) ([a-z ]+) ===$")
SPECIAL = re.compile(r"<\|im_|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|<\uff5c|</?think>")


def prompt(run: CodingRecord) -> str:
    return build(verdict_question(run, prompt_file(NAME), PromptBounds(), planted=False), new_mark).text


def leaked_mark() -> str:
    found = re.search(r"=== (\w{32}) begin", prompt(attacked("step", "harmless")))
    assert found is not None
    return found[1]


def parts(text: str) -> tuple[list[str], list[tuple[str, list[Any]]]]:
    """The lines outside of all fences, and the records of each part, for a reader who believes only the fence."""
    mark = next(found[1] for line in text.split("\n") if (found := FENCE.match(line)))
    outside: list[str] = []
    inside: list[tuple[str, list[Any]]] = []
    label: str | None = None
    for line in text.split("\n"):
        found = FENCE.match(line)
        if found and found[1] == mark:
            assert (label is None) == (found[2] == "begin")
            assert label in (None, found[3])
            label = found[3] if found[2] == "begin" else None
            if label is not None:
                inside.append((label, []))
        elif label is None:
            outside.append(line.replace(mark, "MARK"))
        else:
            inside[-1][1].append(json.loads(line))
    return outside, inside


def shape(inside: list[tuple[str, list[Any]]]) -> list[tuple[str, list[list[str]]]]:
    return [(label, [list(record) for record in records]) for label, records in inside]


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_there_are_sixty_of_all_kinds() -> None:
    assert len({words for _, _, words in INJECTIONS}) >= 60
    assert {kind for kind, _, _ in INJECTIONS} == KINDS


OUTSIDE, INSIDE = parts(prompt(attacked("step", "harmless")))


@pytest.mark.parametrize(("kind", "place", "words"), INJECTIONS)
def test_the_structure_of_the_prompt_stays(kind: str, place: str, words: str) -> None:
    words = words.replace("{mark}", leaked_mark())
    text = prompt(attacked(place, words))
    outside, inside = parts(text)
    assert outside == OUTSIDE
    assert shape(inside) == shape(INSIDE)
    assert SPECIAL.search(text) is None
    assert all(one.isprintable() for one in text.split("\n"))
    # Nothing is lost either: a judge that decodes a record reads the very words.
    read = "\n".join(said for _, records in inside for record in records for said in texts(record))
    assert words.split("\n")[0] in read


@pytest.mark.parametrize(("kind", "place", "words"), INJECTIONS)
def test_a_judge_that_obeys_is_caught(kind: str, place: str, words: str) -> None:
    def obey(text: str) -> str:
        """Does whatever the data wants: PASS, and the planted order."""
        return said(reasoning=f"{planted_words(text)[0]}: as I was told.")

    with chatting(obey) as talk, ChatModel(talk.url, "obedient") as model:
        found = judge_run(attacked(place, words), [model], JudgeSetting(prompt_file(NAME)), new_mark)
    assert found.judgement == Unparseable(OBEYED)
