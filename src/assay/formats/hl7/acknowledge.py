"""Build the acknowledgement of a message, as a receiver answers it.

The answer is written in the sender's own delimiters, goes back from its receiver to its sender, and repeats its
version, processing id, control id and character set. Who calls gives the time and the answer's own control id.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from assay.formats.hl7.block import segments_of
from assay.formats.hl7.encoding import STANDARD, Encoding
from assay.formats.hl7.escapes import escape
from assay.formats.hl7.header import message_type
from assay.formats.hl7.lines import Line
from assay.formats.hl7.model import Message

AckCode = Literal["AA", "AE", "AR", "CA", "CE", "CR"]
"""Accepted, failed, rejected: by the application (A) or, in the enhanced mode, by the one who stores it (C)."""


@dataclass(frozen=True, slots=True)
class AckError:
    """What ERR says: a code of HL7 table 0357 with its meaning, and a severity (E, W, I or F)."""

    code: str
    meaning: str
    severity: str = "E"


INTERNAL_ERROR = AckError("207", "Application internal error")
UNREADABLE = AckError("100", "Segment sequence error")


def build_ack(
    message: Message | None,
    code: AckCode = "AA",
    text: str = "",
    *,
    now: datetime,
    control_id: str,
    error: AckError | None = None,
) -> Message:
    """The acknowledgement of a message; of None where what came could not be read as one."""
    if code not in get_args(AckCode):
        raise ValueError(f"an acknowledgement code must be one of {', '.join(get_args(AckCode))}, got {code!r}")
    encoding = message.encoding if message else STANDARD
    segments = [_header(message, encoding, now, control_id), _answer(message, encoding, code, text)]
    if error is not None:
        segments.append(_error(encoding, error, text, _raw(message, 12)))
    lines = (encoding.field.join(parts).rstrip(encoding.field) for parts in segments)
    return Message(segments_of((Line(line, number) for number, line in enumerate(lines, start=1)), encoding))


def _header(message: Message | None, encoding: Encoding, now: datetime, control_id: str) -> list[str]:
    to_application, to_facility, from_application, from_facility = (_raw(message, n) for n in (3, 4, 5, 6))
    return [
        "MSH",
        encoding.characters,
        from_application,
        from_facility,
        to_application,
        to_facility,
        now.strftime("%Y%m%d%H%M%S%z"),
        "",
        _type(message, encoding),
        escape(control_id, encoding),
        _raw(message, 11) or "P",
        _raw(message, 12) or "2.5.1",
        *[""] * 5,
        _raw(message, 18),
    ]


def _type(message: Message | None, encoding: Encoding) -> str:
    """ACK, with the trigger and the structure if the sender gives its own."""
    given = message_type(message) if message else None
    parts = ["ACK"]
    if given and given.trigger:
        parts += [escape(given.trigger, encoding)] + (["ACK"] if given.structure else [])
    return (encoding.component or "^").join(parts)


def _answer(message: Message | None, encoding: Encoding, code: str, text: str) -> list[str]:
    return ["MSA", code, _raw(message, 10), escape(text, encoding)]


def _error(encoding: Encoding, error: AckError, text: str, version: str) -> list[str]:
    """ERR as version 2.5 and later have it; before, it was one field of components and sub-components."""
    outer, inner = encoding.component or " ", encoding.subcomponent or " "
    parts = [escape(part, encoding) for part in (error.code, error.meaning)] + ["HL70357"]
    if version and version < "2.5":
        return ["ERR", outer * 3 + inner.join(parts)]
    return ["ERR", "", "", outer.join(parts), escape(error.severity, encoding), "", "", "", escape(text, encoding)]


def _raw(message: Message | None, number: int) -> str:
    """A field of the sender's header as it was written: the answer has the same delimiters."""
    field = message.header.field(number) if message else None
    return field.raw if field else ""
