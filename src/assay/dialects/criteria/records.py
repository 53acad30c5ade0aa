"""Records of a playground as lines of JSON, as ``assay playground load`` reads them.

``at`` is a time with a time zone; the default is the time of loading. A payload is a text, base64, or the name of
a file in the same folder.
"""

import base64
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, model_validator

from assay.formats.strict_model import StrictModel


class _Payload(StrictModel):
    payload: str | None = None
    payload_base64: str | None = None
    payload_file: str | None = Field(default=None, min_length=1)
    at: AwareDatetime | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "_Payload":
        given = [one for one in (self.payload, self.payload_base64, self.payload_file) if one is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of payload, payload_base64 and payload_file")
        if self.payload_base64 is not None:
            base64.b64decode(self.payload_base64, validate=True)
        return self


class EventLine(_Payload):
    """An event, such as a message that was sent: ``type`` is ``hl7_outbound`` for HL7."""

    record: Literal["event"] = "event"
    type: str = Field(min_length=1)


class ResponseLine(_Payload):
    """An X12 response."""

    record: Literal["x12_response"] = "x12_response"


class RowLine(StrictModel):
    """A row of state. A later one with the same key replaces it."""

    record: Literal["row"] = "row"
    resource: str = Field(min_length=1)
    key: str = Field(min_length=1)
    data: dict[str, Any]
    at: AwareDatetime | None = None


class TurnLine(StrictModel):
    """A turn of a call."""

    record: Literal["turn"] = "turn"
    number: int = Field(ge=1)
    speaker: str = Field(min_length=1)
    text: str
    at: AwareDatetime | None = None


LINES: Final = {"event": EventLine, "x12_response": ResponseLine, "row": RowLine, "turn": TurnLine}
RecordLine = EventLine | ResponseLine | RowLine | TurnLine
RECORD_LINE: TypeAdapter[RecordLine] = TypeAdapter(Annotated[RecordLine, Field(discriminator="record")])
