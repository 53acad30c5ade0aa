"""Looks for phrases in the recorded turns of a call.

``contains`` has phrases that must be said, each a text or a list of texts of which one is enough;
``not_contains`` has those that must not. ``speaker`` limits both to one party's turns, ``turns`` to turns by
number (``[first, last]``), and ``in_order`` wants the phrases one after the other. Comparison is by words:
numbers, contractions and punctuation don't matter, digits and negations do. ``fuzzy`` (0 to 1) lets other words
differ a little.

A phrase is looked for within a turn. ``since: run_start`` looks only at turns of this run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.core.outcome import Outcome, Scored
from assay.evidence.sandbox_state import SandboxState, Turn, made_once
from assay.formats.speech.phrases import find_phrase, phrase_tokens
from assay.formats.speech.tokens import Token, tokens

Phrase = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VoiceTranscript:
    """At least one phrase, wanted or forbidden."""

    kind: ClassVar[str] = "voice-transcript"

    contains: tuple[Phrase, ...] = ()
    not_contains: tuple[Phrase, ...] = ()
    speaker: str | None = None
    turns: tuple[int, int] | None = None
    in_order: bool = False
    fuzzy: float | None = None
    since: Literal["run_start"] | None = None

    def __post_init__(self) -> None:
        if not self.contains and not self.not_contains:
            raise ValueError("voice-transcript needs contains or not_contains")
        if self.fuzzy is not None and not 0 < self.fuzzy <= 1:
            raise ValueError(f"fuzzy is above 0 and at most 1, not {self.fuzzy}")
        if self.turns is not None and not 1 <= self.turns[0] <= self.turns[1]:
            raise ValueError(f"turns is [first, last], counted from 1, not {list(self.turns)}")
        for phrase in (*self.contains, *self.not_contains):
            for one in _alternatives(phrase):
                phrase_tokens(one)

    def run(self, evidence: SandboxState) -> Outcome:
        turns = [turn for turn in evidence.turns() if self._meant(turn, evidence)]
        if not turns:
            who = f" of {self.speaker}" if self.speaker is not None else ""
            rows = [_row(phrase, None) for phrase in (*self.contains, *self.not_contains)]
            return Scored(0.0, False, f"there are no turns{who} to look at", {"phraseResults": rows})
        spoken = [(turn.number, _tokens(turn.text, evidence)) for turn in turns]
        wanted = self._wanted(spoken)
        forbidden = [
            {**_row(phrase, self._found(phrase, spoken)), "forbidden": True} for phrase in self.not_contains
        ]
        held = [bool(row["found"]) for row in wanted] + [not row["found"] for row in forbidden]
        summary = f"{sum(held)} of {len(held)} phrases as expected in {len(turns)} turns"
        return Scored(sum(held) / len(held), all(held), summary, {"phraseResults": [*wanted, *forbidden]})

    def _meant(self, turn: Turn, evidence: SandboxState) -> bool:
        if self.speaker is not None and turn.speaker.casefold() != self.speaker.casefold():
            return False
        if self.turns is not None and not self.turns[0] <= turn.number <= self.turns[1]:
            return False
        return self.since is None or turn.at >= evidence.run_start

    def _wanted(self, spoken: Sequence[tuple[int, list[Token]]]) -> list[dict[str, object]]:
        """One row for each phrase. In order, each is looked for behind the one before."""
        rows: list[dict[str, object]] = []
        place = (0, 0)
        for phrase in self.contains:
            found = self._place(phrase, spoken, place if self.in_order else (0, 0))
            rows.append(_row(phrase, None if found is None else spoken[found[0]][0]))
            place = found or place
        return rows

    def _found(self, phrase: Phrase, spoken: Sequence[tuple[int, list[Token]]]) -> int | None:
        place = self._place(phrase, spoken, (0, 0))
        return None if place is None else spoken[place[0]][0]

    def _place(
        self, phrase: Phrase, spoken: Sequence[tuple[int, list[Token]]], after: tuple[int, int]
    ) -> tuple[int, int] | None:
        """The turn, and where in it the phrase ends."""
        wanted = [phrase_tokens(one) for one in _alternatives(phrase)]
        for index in range(after[0], len(spoken)):
            start = after[1] if index == after[0] else 0
            ends = [find_phrase(one, spoken[index][1], self.fuzzy, start) for one in wanted]
            if any(end is not None for end in ends):
                return index, min(end for end in ends if end is not None)
        return None


def _tokens(text: str, evidence: SandboxState) -> list[Token]:
    return made_once(evidence, (_tokens, text), lambda: tokens(text))


def _alternatives(phrase: Phrase) -> tuple[str, ...]:
    return (phrase,) if isinstance(phrase, str) else phrase


def _row(phrase: Phrase, turn: int | None) -> dict[str, object]:
    return {"phrase": phrase if isinstance(phrase, str) else list(phrase), "found": turn is not None, "turn": turn}
