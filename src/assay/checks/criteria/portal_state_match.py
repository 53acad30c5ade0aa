"""Checks the records that an agent left in a portal: rows of the playground's state, by resource and key.

``correlate_by`` names the ``resource``, and the ``key`` of one record. Without a key, the assertions are checked
on every record of the resource, and the one that scores best counts. ``cardinality`` limits how many records
there may be. Paths are dotted, or JSONPath if they begin with ``$``. ``since: run_start`` looks only at records
that changed in this run.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.core.errors import BoundsError
from assay.core.outcome import Outcome, Scored
from assay.core.rollup import nothing_to_score, scored_rows
from assay.evidence.playground import Escapes, PlaygroundState, StateRow, older_note
from assay.formats.field_rules.rule import Cardinality, FieldRule, absent_rows, results
from assay.formats.json_paths import check_path, escape_for, find

KEY = "assertionResults"


@dataclass(frozen=True, slots=True)
class Correlation:
    """The records to check."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    resource: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class PortalStateMatch:
    """``assertions`` are field rules; all are checked on the same record."""

    kind: ClassVar[str] = "portal-state-match"
    escapes: ClassVar[Escapes] = {"path": escape_for}

    correlate_by: Correlation
    assertions: tuple[FieldRule, ...] = ()
    cardinality: Cardinality | None = None
    since: Literal["run_start"] | None = None

    def __post_init__(self) -> None:
        for rule in self.assertions:
            check_path(rule.path)
        if not self.assertions and self.cardinality is None:
            raise ValueError("portal-state-match needs assertions or a cardinality")

    def run(self, evidence: PlaygroundState) -> Outcome:
        named = [row for row in evidence.state_rows(self.correlate_by.resource) if self._is_named(row)]
        rows = [row for row in named if self.since is None or row.at >= evidence.run_start]
        what = f"{self.correlate_by.resource} {self.correlate_by.key or ''}".strip()
        complaint = self._complaint(len(rows), what)
        if complaint is not None:
            said = complaint + older_note(0 if rows else len(named))
            return nothing_to_score(absent_rows(self.assertions), KEY, said, records=len(rows))
        if not rows:
            return Scored(1.0, True, f"there is no record {what}, as expected", {KEY: [], "records": 0})
        return max((self._score_row(row, what, len(rows)) for row in rows), key=lambda outcome: outcome.score)

    def _complaint(self, count: int, what: str) -> str | None:
        if self.cardinality is not None and not self.cardinality.allows(count):
            return self.cardinality.complaint(count, what)
        needed = bool(self.assertions) or self.cardinality is None
        return f"there is no record {what}" if not count and needed else None

    def _is_named(self, row: StateRow) -> bool:
        return self.correlate_by.key in (None, row.key)

    def _score_row(self, row: StateRow, what: str, count: int) -> Scored:
        try:
            if row.unread is not None:
                raise BoundsError(row.unread)
            found = results(self.assertions, lambda rule: find(rule.path, row.data))
        except BoundsError as error:
            return nothing_to_score(
                absent_rows(self.assertions), KEY, f"{what} can't be read: {error}", records=count, key=row.key
            )
        return scored_rows(self.assertions, found, KEY, what, records=count, key=row.key)
