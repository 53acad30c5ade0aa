"""Looks for phrases in the recorded turns of a call.

``contains`` has phrases that must be said; each is a text, a list of texts of which one is enough, or an
object (see below). ``not_contains`` has phrases that must not be said. ``speaker`` limits both to the turns of
one party, ``turns`` to turns by number (``[first, last]``), and ``in_order`` requires the phrases one after
the other. ``fuzzy`` (0 to 1) allows small differences between words.

Phrases are compared word by word. It doesn't matter how a number, a date, a time, an amount of money or a
spelling is written (``June 5th`` is "the fifth of June" and 6/5, ``$25.50`` is "twenty-five dollars and fifty
cents"), nor do contractions, punctuation and fillers such as "um"; the digits themselves must be the same. A
negated phrase is not found: "is booked" is not in "is not yet booked", nor "book the visit" in "we were unable
to book the visit". Neither is what was taken back: "June 5th" is not in "June 5th, no wait, June 6th".

A wanted phrase that claims something ("is booked") must be a statement: it isn't found in a question or behind
an "if". A forbidden phrase is found there, too.

**A phrase is a mention.** What this check can promise is that the words were said, and that nothing that it
knows takes them back. It doesn't read what was meant: "it's false that the CT is approved" has the words.
Whoever needs more asks for a state beside it (the appointment is booked), or writes a phrase as an object with
``phrase`` (a text or a list) and

- ``last_about``: words of a topic, one text or a list of which one is enough. Only the last turn that mentions
  the topic counts, so what was said about it before, and perhaps taken back later, doesn't.
- ``judge: true``: the judge of the playground reads the call and decides whether it was said, in whatever
  words, and still holds at the end. Its reading is ``judge`` in the evidence. Where there is no judge, or it
  can't be reached, nothing is scored; where its answer can't be used, the criterion fails and says so.

A phrase must be within one turn. ``since: run_start`` looks only at turns of this run.

With ``paraphrase: true``, the judge that the playground file names is asked about every phrase that was not
found: was the same thing said in other words, in a turn that counts? Its opinion, or why it has none, is
``paraphrase`` in the evidence of the phrase and is mentioned in the details. It changes neither the score nor
whether the criterion has passed, for wanted and forbidden phrases alike.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal

from assay.core.errors import MeasurementError, UnmeasuredError
from assay.core.outcome import Outcome, Scored
from assay.evidence.playground import Escapes, PlaygroundState, Turn, made_once, older_note
from assay.evidence.verdict import Answer, NoOpinion, Opinion, Question, opinion
from assay.formats.counting import counted
from assay.formats.speech.heard import Heard
from assay.formats.speech.phrases import phrase_tokens

Words = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedPhrase:
    """A phrase with more than its words. A name that is misspelled is refused."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}

    phrase: Words
    last_about: Words | None = None
    judge: bool = False


Phrase = Words | AskedPhrase
Spoken = Sequence[tuple[Turn, Heard]]


@dataclass(frozen=True, slots=True)
class VoiceTranscript:
    """Needs at least one phrase, wanted or forbidden."""

    kind: ClassVar[str] = "voice-transcript"
    escapes: ClassVar[Escapes] = {}

    contains: tuple[Phrase, ...] = ()
    not_contains: tuple[Phrase, ...] = ()
    speaker: str | None = None
    turns: tuple[int, int] | None = None
    in_order: bool = False
    fuzzy: float | None = None
    since: Literal["run_start"] | None = None
    paraphrase: bool = False

    def __post_init__(self) -> None:
        if not self.contains and not self.not_contains:
            raise ValueError("voice-transcript needs contains or not_contains")
        if self.fuzzy is not None and not 0 < self.fuzzy <= 1:
            raise ValueError(f"fuzzy must be above 0 and at most 1, got {self.fuzzy}")
        if self.turns is not None and not 1 <= self.turns[0] <= self.turns[1]:
            raise ValueError(f"turns must be [first, last], counted from 1, got {list(self.turns)}")
        for phrase in (*self.contains, *self.not_contains):
            if not phrase or not _alternatives(phrase):
                raise ValueError("a phrase must be a text, or a list with at least one text")
            for one in (*_alternatives(phrase), *_topics(phrase)):
                phrase_tokens(one)

    def run(self, evidence: PlaygroundState) -> Outcome:
        # Shared by all criteria of a completion, so that no turn is read twice.
        said = made_once(evidence, Heard, lambda: _read_turns(evidence.turns()))
        heard = said if self.since is None else [one for one in said if one[0].at >= evidence.run_start]
        some = self.speaker is not None or self.turns is not None
        spoken = [one for one in heard if self._is_meant(one[0])] if some else heard
        if not spoken:
            return self._silence(sum(self._is_meant(turn) for turn, _ in said))
        found = [*self._find_wanted(spoken), *self._forbidden(spoken)]
        looked = [_read_by_judge(one, heard, evidence) if _is_for_judge(one.phrase) else one for one in found]
        held = [one.held for one in looked]
        summary = f"{sum(held)} of {counted(len(held), 'phrase')} as expected in {counted(len(spoken), 'turn')}"
        unread = {str(turn.number): turn.unread for turn, _ in spoken if turn.unread is not None}
        more = {"unread": unread} if unread else {}
        share = Fraction(sum(held), len(held))
        scored = Scored(
            float(share), all(held), summary, {"phraseResults": [one.row() for one in looked], **more}, share
        )
        return _with_opinions(scored, looked, heard, evidence) if self.paraphrase else scored

    def _silence(self, older: int) -> Scored:
        who = f" of {self.speaker}" if self.speaker is not None else ""
        rows = [_row(phrase, None) for phrase in self.contains]
        rows += [{**_row(phrase, None), "forbidden": True} for phrase in self.not_contains]
        return Scored(0.0, False, f"there are no turns{who} to check{older_note(older)}", {"phraseResults": rows})

    def _is_meant(self, turn: Turn) -> bool:
        if self.speaker is not None and not _is_same(turn.speaker, self.speaker):
            return False
        return self.turns is None or self.turns[0] <= turn.number <= self.turns[1]

    def _find_wanted(self, spoken: Spoken) -> Iterator["_Looked"]:
        """Each wanted phrase. In order, each is looked for behind the one before."""
        place = (0, 0)
        for phrase in self.contains:
            after = place if self.in_order else (0, 0)
            found = self._place(phrase, spoken, after, claimed=True)
            yield _Looked(phrase, False, found and spoken[found[0]][0], spoken[after[0] :])
            place = found or place

    def _forbidden(self, spoken: Spoken) -> Iterator["_Looked"]:
        for phrase in self.not_contains:
            found = self._place(phrase, spoken, (0, 0), claimed=False)
            yield _Looked(phrase, True, found and spoken[found[0]][0], spoken)

    def _place(
        self, phrase: Phrase, spoken: Spoken, after: tuple[int, int], *, claimed: bool
    ) -> tuple[int, int] | None:
        """The turn, and where in it the phrase ends."""
        wanted, topics = _alternatives(phrase), _topics(phrase)
        among = range(after[0], len(spoken))
        if topics:
            last = max(
                (at for at, (_, heard) in enumerate(spoken) if any(map(heard.mentions, topics))), default=-1
            )
            among = among[:0] if last < after[0] else range(last, last + 1)
        for index in among:
            heard, start = spoken[index][1], after[1] if index == after[0] else 0
            ends = [heard.end_of(one, self.fuzzy, start, claimed=claimed) for one in wanted]
            if ends.count(None) < len(ends):
                return index, min(end for end in ends if end is not None)
        return None


@dataclass(frozen=True, slots=True)
class _Looked:
    """A phrase, the turn that it was found in, and those in which it was looked for. A judge's reading decides."""

    phrase: Phrase
    forbidden: bool
    found: Turn | None
    among: Spoken
    reading: Opinion | None = None

    @property
    def held(self) -> bool:
        if self.reading is not None:
            return self.reading.said != self.forbidden
        return self.found is None and self.unsure is None if self.forbidden else self.found is not None

    @property
    def unsure(self) -> str | None:
        """Why it is unknown whether a forbidden phrase was said, if it is."""
        if not self.forbidden or self.found is not None or self.reading is not None:
            return None
        return next(
            (f"turn {one.number} can't be read: {one.unread}" for one, _ in self.among if one.unread), None
        )

    def row(self) -> dict[str, object]:
        row = _row(self.phrase, self.found)
        if self.reading is not None:
            row |= {"found": self.reading.said, "turn": self.reading.turn, "judge": _opinion_row(self.reading)}
        forbidden = {"forbidden": True} if self.forbidden else {}
        return {**row, **forbidden, **({} if self.unsure is None else {"error": self.unsure})}


def _is_for_judge(phrase: Phrase) -> bool:
    return isinstance(phrase, AskedPhrase) and phrase.judge


def _read_by_judge(one: _Looked, heard: Spoken, evidence: PlaygroundState) -> _Looked:
    """A phrase as the judge reads it. Raises ``MeasurementError``, ``UnmeasuredError`` where it can't be read."""
    answer = opinion(evidence, Question(_alternatives(one.phrase), _turns(heard), _turns(one.among), stands=True))
    if isinstance(answer, NoOpinion):
        why = f"a phrase needs the reading of a judge, but there is none: {answer.why}"
        raise MeasurementError(why) if answer.down else UnmeasuredError(why)
    return replace(one, reading=answer)


def _with_opinions(scored: Scored, looked: Sequence[_Looked], heard: Spoken, evidence: PlaygroundState) -> Scored:
    """The same result, with what the judge thinks of every phrase that was not found."""
    rows: list[dict[str, object]] = []
    count: Counter[str] = Counter()
    for one in looked:
        row = one.row()
        if one.found is None and one.reading is None:
            answer = opinion(evidence, Question(_alternatives(one.phrase), _turns(heard), _turns(one.among)))
            row["paraphrase"] = _opinion_row(answer)
            count[_in_short(answer, one.forbidden)] += 1
        rows.append(row)
    if not count:
        return scored
    clause = ", ".join(f"{number} {what}" for what, number in count.items())
    summary = f"{scored.summary}; judge (not scored): {clause}"
    return replace(scored, summary=summary, evidence={**scored.evidence, "phraseResults": rows})


def _opinion_row(answer: Answer) -> dict[str, object]:
    if isinstance(answer, NoOpinion):
        return {"said": None, "why": answer.why}
    return {"said": answer.said, "turn": answer.turn, "quote": answer.quote, "model": answer.model}


def _in_short(answer: Answer, forbidden: bool) -> str:
    if isinstance(answer, NoOpinion):
        return "phrase without an opinion"
    what = "forbidden" if forbidden else "wanted"
    return f"{what} phrase said in other words" if answer.said else f"{what} phrase not said"


def _is_same(speaker: str, wanted: str) -> bool:
    return speaker == wanted or speaker.casefold() == wanted.casefold()


def _turns(spoken: Spoken) -> tuple[Turn, ...]:
    return tuple(turn for turn, _ in spoken)


def _read_turns(turns: Sequence[Turn]) -> Spoken:
    known: dict[str, Heard] = {}
    return [(turn, known.get(turn.text) or known.setdefault(turn.text, Heard(turn.text))) for turn in turns]


def _alternatives(phrase: Phrase) -> tuple[str, ...]:
    words = phrase.phrase if isinstance(phrase, AskedPhrase) else phrase
    return (words,) if isinstance(words, str) else words


def _topics(phrase: Phrase) -> tuple[str, ...]:
    topics = phrase.last_about if isinstance(phrase, AskedPhrase) else None
    return (topics,) if isinstance(topics, str) else topics or ()


def _row(phrase: Phrase, found: Turn | None) -> dict[str, object]:
    words = phrase.phrase if isinstance(phrase, AskedPhrase) else phrase
    said = words if isinstance(words, str) else list(words)
    return {"phrase": said, "found": found is not None, "turn": None if found is None else found.number}
