"""Checks the X12 responses that the playground received: transaction sets such as 271, 277, 278, 835 and 999.

``transaction_set`` and ``correlate_by`` (paths and the values they must have, such as ``{"TRN02": "98175"}``)
select the sets; the one that scores best counts, and ``cardinality`` limits how many may be selected. ``277CA`` is
the 277 that acknowledges claims, ``837P``, ``837I`` and ``837D`` are the kinds of 837, and ``TA1`` is an
interchange that only acknowledges another.

``fields`` are rules with paths such as ``2110C/EB[01=B]07`` or ``STC01-1``. With ``envelope: numbers`` (or
``true``), control numbers and counts must be right as well, and no header or trailer may be missing. With
``envelope: strict``, so must the form: the widths of ISA, names of segments, and nothing outside a set. Values are
compared as text, unless a rule has a ``type``. ``since: run_start`` looks only at responses of this run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from assay.core.outcome import Outcome, Scored
from assay.core.rollup import nothing_to_score, scored_rows
from assay.evidence.playground import Escapes, PlaygroundState, made_once, older_note, read_events
from assay.formats.field_rules.rule import Cardinality, FieldRule, absent_rows, results, wrong_number
from assay.formats.x12.loops import PlacedSet, lone_acknowledgments, place_sets
from assay.formats.x12.model import Document, NotX12Error, X12Finding, X12Mistake
from assay.formats.x12.path import OUTSIDE_LOOPS, parse_path, quoted_value
from assay.formats.x12.select import select
from assay.formats.x12.tokenize import tokenize

KEY = "fieldResults"
SetIn = tuple[PlacedSet, Document]
ENVELOPE = FieldRule("envelope", 0, "count")
# These are about numbers and counts, and what they are compared with.
NUMBERS = (
    X12Mistake.MISSING_HEADER,
    X12Mistake.MISSING_TRAILER,
    X12Mistake.CONTROL_NUMBER,
    X12Mistake.DUPLICATE_CONTROL_NUMBER,
    X12Mistake.COUNT,
)
# These are about the text that was sent, and no number or count.
NO_ENVELOPE = (X12Mistake.ENCODING, X12Mistake.LINE_BREAK)
_ACKNOWLEDGMENT = "TA1"
_SET = re.compile(rf"[0-9]{{3}}|277CA|837[PID]|{_ACKNOWLEDGMENT}")


@dataclass(frozen=True, slots=True)
class X12Response:
    """Needs fields, ``envelope: true`` or a cardinality."""

    kind: ClassVar[str] = "x12-response"
    escapes: ClassVar[Escapes] = {"path": lambda _: quoted_value}

    fields: tuple[FieldRule, ...] = ()
    transaction_set: str | None = None
    correlate_by: Mapping[str, str] = field(default_factory=dict)
    envelope: bool | Literal["numbers", "strict"] = False
    cardinality: Cardinality | None = None
    since: Literal["run_start"] | None = None

    def __post_init__(self) -> None:
        if not self._rules() and self.cardinality is None:
            raise ValueError("x12-response needs fields, envelope: true, or a cardinality")
        if self.transaction_set is not None and not _SET.fullmatch(self.transaction_set):
            known = "three digits, such as 271, or 277CA, 837P, 837I, 837D or TA1"
            raise ValueError(f"transaction_set must be {known}, got {self.transaction_set!r}")
        for path in (*(rule.path for rule in self.fields), *self.correlate_by):
            parse_path(path)

    def run(self, evidence: PlaygroundState) -> Outcome:
        responses = evidence.x12_responses()
        received = [one for one in responses if self.since is None or one.at >= evidence.run_start]
        read, broken = made_once(
            evidence,
            (_sets, self.since),
            lambda: read_events(evidence, received, _sets, NotX12Error, "responses"),
        )
        sets = [placed for one in read for placed in one]
        meant = [(one, document) for one, document in sets if self._is_meant(one)]
        rules = self._rules()
        complaint = wrong_number(self.cardinality, meant, sets, broken, "transaction sets", needed=bool(rules))
        if complaint is not None:
            older = 0 if meant else len(responses) - len(received)
            return nothing_to_score(absent_rows(rules), KEY, complaint + older_note(older), unreadable=broken)
        if not rules:
            what = f"{len(meant)} transaction sets, as expected"
            return Scored(1.0, True, what, {KEY: [], "unreadable": broken})
        return max(
            (self._score_set(one, document, broken) for one, document in meant), key=lambda outcome: outcome.score
        )

    def _rules(self) -> tuple[FieldRule, ...]:
        return (*self.fields, ENVELOPE) if self.envelope else self.fields

    def _is_meant(self, placed: PlacedSet) -> bool:
        if self.transaction_set not in (None, *_names(placed)):
            return False
        if self.transaction_set is None and _is_lone(placed) and not self._is_about_envelopes():
            return False
        return all(value in _values(path, placed) for path, value in self.correlate_by.items())

    def _is_wrong(self, kind: X12Mistake) -> bool:
        return kind not in NO_ENVELOPE if self.envelope == "strict" else kind in NUMBERS

    def _is_about_envelopes(self) -> bool:
        """Whether nothing is asked that only a transaction set could answer."""
        paths = (*(rule.path for rule in self.fields), *self.correlate_by)
        return all(parse_path(path).segment in OUTSIDE_LOOPS for path in paths)

    def _score_set(self, placed: PlacedSet, document: Document, broken: list[str]) -> Scored:
        around = [one for one in document.findings if _is_around(one, placed)]
        wrong = [one.message for one in around if self._is_wrong(one.kind)]

        def found(rule: FieldRule) -> list[str]:
            return wrong if rule is ENVELOPE else _values(rule.path, placed)

        rules = self._rules()
        rows = results(rules, found)
        number = placed.set.header.text(1 if _is_lone(placed) else 2)
        what = f"transaction set {_names(placed)[0]} {number}".strip()
        said = [one.message for one in around]
        return scored_rows(rules, rows, KEY, what, set=number, findings=said, unreadable=broken)


def _sets(payload: bytes) -> tuple[list[SetIn], int]:
    document = tokenize(payload)
    sets = [(one, document) for one in (*place_sets(document), *lone_acknowledgments(document))]
    return sets, sum(len(one.segments) for one in document.interchanges)


def _is_around(finding: X12Finding, placed: PlacedSet) -> bool:
    """True if it is about the set or the envelopes around it, and not about another one in the same file."""
    return finding.interchange in (None, placed.interchange.number) and finding.set in (None, placed.set.number)


def _names(placed: PlacedSet) -> tuple[str, ...]:
    """The names of a set: its own, and that of its guide, which tells a 277CA from other 277."""
    name = _ACKNOWLEDGMENT if _is_lone(placed) else placed.set.header.text(1)
    return (name,) if placed.guide is None else (name, placed.guide.name)


def _is_lone(placed: PlacedSet) -> bool:
    """Whether this is not a set but the acknowledgment of an interchange without sets."""
    return placed.set.header.id == _ACKNOWLEDGMENT


def _values(path: str, placed: PlacedSet) -> list[str]:
    """The texts at a path, which may be empty; none where the segment ends before."""
    return [one.text for one in select(parse_path(path), placed) if one.text is not None]
