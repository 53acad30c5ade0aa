"""Records what a listener receives as events of a playground."""

from datetime import datetime

from assay.adapters.store.store import Store
from assay.engine.playground_store import NewEvent

HL7_OUTBOUND = "hl7_outbound"


class EventRecorder:
    """Fulfils the recorder of the MLLP listener."""

    def __init__(self, store: Store, playground: str, event_type: str = HL7_OUTBOUND) -> None:
        self._store = store
        self._playground = playground
        self._event_type = event_type

    def record(self, message: bytes, received_at: datetime, peer: str) -> None:  # noqa: ARG002
        """Keep a message. Criteria don't look at its sender."""
        self._store.record(self._playground, [NewEvent(self._event_type, message, received_at)])
