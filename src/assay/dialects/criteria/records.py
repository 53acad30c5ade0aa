"""Records of a playground as lines of JSON, as ``assay playground load`` reads them.

``at`` is a time with a time zone; the default is the time of loading. A payload is a text, base64, or the name of
a file in the same folder.
"""

import base64
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field, TypeAdapter, model_validator

from assay.formats.strict_model import StrictModel

_PAYLOADS: Final = ("payload", "payload_base64", "payload_file")


class _Line(StrictModel):
    """``id`` is the sender's own: a line that is sent twice with it is recorded once."""

    id: str | None = Field(default=None, min_length=1, max_length=200)
    at: AwareDatetime | None = None


class _Payload(_Line):
    payload: str | None = None
    payload_base64: str | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> "_Payload":
        names = [name for name in _PAYLOADS if name in type(self).model_fields]
        if sum(getattr(self, name) is not None for name in names) != 1:
            raise ValueError(f"give exactly one of {', '.join(names[:-1])} and {names[-1]}")
        if self.payload_base64 is not None:
            base64.b64decode(self.payload_base64, validate=True)
        return self


class SentEvent(_Payload):
    """An event, such as a message that was sent: ``type`` is ``hl7_outbound`` for HL7."""

    record: Literal["event"] = "event"
    type: str = Field(min_length=1)


class SentResponse(_Payload):
    """An X12 response."""

    record: Literal["x12_response"] = "x12_response"


class EventLine(SentEvent):
    """An event in a file, which may name another one for its content."""

    payload_file: str | None = Field(default=None, min_length=1)


class ResponseLine(SentResponse):
    """An X12 response in a file, which may name another one for its content."""

    payload_file: str | None = Field(default=None, min_length=1)


class RowLine(_Line):
    """A row of state. A later one with the same key replaces it."""

    record: Literal["row"] = "row"
    resource: str = Field(min_length=1)
    key: str = Field(min_length=1)
    data: dict[str, Any]


class TurnLine(_Line):
    """A turn of a call."""

    record: Literal["turn"] = "turn"
    number: int = Field(ge=1)
    speaker: str = Field(min_length=1)
    text: str


LINES: Final = {"event": EventLine, "x12_response": ResponseLine, "row": RowLine, "turn": TurnLine}
RecordLine = EventLine | ResponseLine | RowLine | TurnLine
RECORD_LINE: TypeAdapter[RecordLine] = TypeAdapter(Annotated[RecordLine, Field(discriminator="record")])
