"""Checks the HL7 v2 messages that were sent from the playground (events of type ``hl7_outbound``).

``message_type`` (``ADT^A04``) and ``correlate_by`` (paths and the values they must have, such as ``{"PID-3.1":
"12345"}``) select the messages; the one that scores best counts. ``cardinality`` limits how many may be selected:
``{max: 1}`` fails an agent that sends the same message again with other values.

``fields`` are rules with paths such as ``PID.5.1``, ``OBX[2]-5`` or ``OBX[3.1=8480-6]-5``. ``segments`` says how
often a segment must occur, as a number or ``{min, max}``. Values are compared as text, unless a rule has a
``type``; blanks at their end are left out. ``since: run_start`` looks only at messages of this run.

If a field repeats, a path in ``correlate_by`` means any repetition, and a path in ``fields`` the first one: write
``PID-3[*].1`` to compare all. ``notes`` in the evidence say how a message was read that isn't quite as it should
be, such as one with doubled backslashes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from assay.core.outcome import Outcome, Scored
from assay.core.rollup import nothing_to_score, scored_rows
from assay.evidence.playground import Escapes, PlaygroundState, made_once, older_note, read_events
from assay.formats.field_rules.rule import Cardinality, FieldRule, Result, absent_rows, results, wrong_number
from assay.formats.hl7.encoding import Hl7Error
from assay.formats.hl7.find import texts
from assay.formats.hl7.header import control_id, message_type, parse_message_type
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import in_any_repetition, parse_path, quote_value

KEY = "field_results"
EVENT = "hl7_outbound"
MOST_NOTES = 20
Count = int | dict[str, int]


@dataclass(frozen=True, slots=True)
class Hl7Structural:
    """Needs fields, segments or a cardinality."""

    kind: ClassVar[str] = "hl7-structural"
    escapes: ClassVar[Escapes] = {"path": lambda _: quote_value}

    fields: tuple[FieldRule, ...] = ()
    correlate_by: Mapping[str, str] = field(default_factory=dict)
    message_type: str | None = None
    segments: Mapping[str, Count] = field(default_factory=dict)
    cardinality: Cardinality | None = None
    since: Literal["run_start"] | None = None

    def __post_init__(self) -> None:
        if not self.fields and not self.segments and self.cardinality is None:
            raise ValueError("hl7-structural needs fields, segments or a cardinality")
        for path in (*(rule.path for rule in self.fields), *self.correlate_by):
            parse_path(path)
        if self.message_type is not None:
            parse_message_type(self.message_type)
        for rule in self._counts():
            if parse_path(rule.path).text != parse_path(rule.path).segment:
                raise ValueError(f"segments must have names of segments, such as OBX, got {rule.path!r}")

    def run(self, evidence: PlaygroundState) -> Outcome:
        sent = [one for one in evidence.events(EVENT) if self.since is None or one.at >= evidence.run_start]
        read, broken = made_once(
            evidence,
            (_messages, self.since),
            lambda: read_events(evidence, sent, _messages, Hl7Error, "messages"),
        )
        messages = [message for one in read for message in one]
        meant = [one for one in messages if self._is_meant(one.message)]
        rules = (*self.fields, *self._counts())
        complaint = wrong_number(self.cardinality, meant, messages, broken, "messages", needed=bool(rules))
        if complaint is not None:
            older = 0 if meant else len(evidence.events(EVENT)) - len(sent)
            return nothing_to_score(absent_rows(rules), KEY, complaint + older_note(older), unreadable=broken)
        if not rules:
            return Scored(1.0, True, f"{len(meant)} messages, as expected", {KEY: [], "unreadable": broken})
        return max((self._score_fields(one, broken) for one in meant), key=lambda outcome: outcome.score)

    def _is_meant(self, message: Message) -> bool:
        if self.message_type is not None and not message_type(message).fits(parse_message_type(self.message_type)):
            return False
        return all(
            value.rstrip() in _trim_values(texts(in_any_repetition(parse_path(path)), message))
            for path, value in self.correlate_by.items()
        )

    def _counts(self) -> list[FieldRule]:
        # A rule refuses anything that isn't a count.
        return [FieldRule(name, count, "count") for name, count in self.segments.items()]  # type: ignore[arg-type]

    def _score_fields(self, sent: "_Sent", broken: list[str]) -> Scored:
        counts, number = self._counts(), control_id(sent.message)
        rows = [_row(rule, sent.message) for rule in self.fields]
        rows += [_count_row(rule, sent.message.counts.get(rule.path, 0)) for rule in counts]
        what = f"message {number or 'without a control id'}"
        more: dict[str, object] = {"notes": sent.notes} if sent.notes else {}
        return scored_rows((*self.fields, *counts), rows, KEY, what, message=number, unreadable=broken, **more)


class _Sent(NamedTuple):
    """A message, and what a reader should know about how it was read."""

    message: Message
    notes: list[str]


def _row(rule: FieldRule, message: Message) -> Result:
    found = texts(parse_path(rule.path), message)
    values = _trim_values(found)
    [row] = results((rule,), lambda _: values)
    return row if values == found else {**row, "note": "blanks at the end are left out"}


def _trim_values(values: Sequence[str | None]) -> list[str | None]:
    """Blanks at the end of a value mean nothing in HL7."""
    return [None if one is None else one.rstrip() for one in values]


def _count_row(rule: FieldRule, count: int) -> Result:
    return {
        "path": rule.path,
        "expected": rule.expected,
        "actual": count,
        "passed": rule.holds([rule.path] * count),
        "operator": rule.operator,
    }


def _messages(payload: bytes) -> tuple[list[_Sent], int]:
    found = parse(payload)
    notes = [f"line {note.line}: {note.text}" for note in found.notes[:MOST_NOTES]]
    return [_Sent(one, notes) for one in found.messages], sum(len(one.segments) for one in found.messages)
