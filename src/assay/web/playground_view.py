"""A playground as a page shows it: how much its systems recorded, and the first of each kind.

What is read is bounded by far less than what criteria may read, because a page is read by a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.engine.criteria.watched_sources import MOST_SHOWN, Contents, ShownRecords
from assay.evidence.playground import StateRow, StoredFile, Turn
from assay.web.evidence_table import Looked
from assay.web.readable_messages import ReadableMessages, ShownMessage, readable_hl7, readable_x12, unreadable

OUTBOUND: Final = "hl7_outbound"


@dataclass(frozen=True, slots=True)
class RecordsView:
    """A playground's records."""

    contents: Contents
    hl7: ReadableMessages
    x12: ReadableMessages
    other_events: Sequence[ShownMessage]
    rows: Mapping[str, Sequence[StateRow]]
    turns: Sequence[Turn]
    files: Sequence[StoredFile]


def view_records(records: ShownRecords, playground: str, looked: Sequence[Looked] = ()) -> RecordsView:
    """The records of a playground, with the fields marked that criteria looked at."""
    found = records.contents(playground)
    others = [one for kind in found.events if kind != OUTBOUND for one in records.events(playground, kind)]
    return RecordsView(
        found,
        readable_hl7(records.events(playground, OUTBOUND), looked),
        readable_x12(records.x12_responses(playground), looked),
        [unreadable(one, one.unread or "") for one in others[:MOST_SHOWN]],
        {name: records.state_rows(playground, name)[:MOST_SHOWN] for name in list(found.resources)[:MOST_SHOWN]},
        records.turns(playground),
        records.files(playground, MOST_SHOWN),
    )
