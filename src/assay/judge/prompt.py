"""A prompt: the text of a versioned file, with the data of one question fenced in.

A prompt knows the hash of everything that went into it, besides its random marks: the same question has the same
hash, whenever it is asked.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Template
from typing import Any, Final

from assay.core.errors import InputError
from assay.dialects.scorers.monitor_answer import PartCut
from assay.judge.canary import plant
from assay.judge.fence import FencedPart, fence_parts, fresh_mark

AGAIN: Final = "Answer again, with one complete JSON object of that form and nothing else."
NEEDED: Final = frozenset({"mark", "data"})


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt's text as written. ``name`` has the version: a text that was released is never changed."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def check(self, allowed: frozenset[str]) -> None:
        """Raise ``InputError`` if the text has not ``$mark`` and ``$data``, or fields that aren't allowed."""
        template = Template(self.text)
        names = set(template.get_identifiers()) if template.is_valid() else set()
        if not names >= NEEDED or not names <= NEEDED | allowed:
            fields = ", ".join(f"${name}" for name in sorted(NEEDED | allowed))
            got = ", ".join(f"${name}" for name in sorted(names)) or "none that can be read"
            must = f"the prompt {self.name} must have $data and $mark, and no other fields than {fields}"
            raise InputError(f"{must} (a dollar sign is written $$), got {got}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A model's question. ``sha256`` is that of everything in it; ``canary`` has the words that were planted."""

    text: str
    schema: Mapping[str, Any]
    file: PromptFile
    sha256: str
    cuts: tuple[PartCut, ...] = ()
    canary: str | None = None


@dataclass(frozen=True)
class PromptQuestion:
    """A prompt to be: its file, the data, and what the author of the question wants to know."""

    file: PromptFile
    parts: Sequence[FencedPart]
    schema: Mapping[str, Any]
    values: Mapping[str, str]
    cuts: tuple[PartCut, ...] = ()
    planted: bool = False

    @cached_property
    def sha256(self) -> str:
        """The hash of everything that a prompt is made of. Random words are not part of it."""
        known = {"values": dict(self.values), "schema": self.schema, "planted": self.planted}
        digest = hashlib.sha256(f"{self.file.sha256}\n{json.dumps(known, sort_keys=True)}\n".encode())
        for part in self.parts:
            digest.update(f"{part.label} {len(part.lines)}\n".encode())
            for one in part.lines:
                digest.update(one.encode())
                digest.update(b"\n")
        return digest.hexdigest()


def data_texts(question: PromptQuestion) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """All texts of the data as they were before they were fenced, each with its part's label and its record."""
    for part in question.parts:
        for one in part.lines:
            record = json.loads(one)
            yield from ((part.label, record, text) for text in _texts(record))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)


def build(question: PromptQuestion, make_mark: Callable[[], str], correction: str | None = None) -> Prompt:
    """The whole text that a model reads. ``make_mark`` gives a mark that nobody can guess.

    ``correction`` says why the last answer couldn't be used, in our words and none of the answer's.
    """
    told = [FencedPart("", tuple(question.values.values()))]
    parts, canary = list(question.parts), None
    if question.planted:
        parts, canary = plant(parts, make_mark(), question.file.text)
    mark = fresh_mark([*parts, *told], make_mark)
    text = Template(question.file.text).substitute(question.values, mark=mark, data=fence_parts(parts, mark))
    if correction is not None:
        text = f"{text.rstrip()}\n\nYour last answer was not used: {correction}. {AGAIN}\n"
    return Prompt(text, question.schema, question.file, question.sha256, question.cuts, canary)
