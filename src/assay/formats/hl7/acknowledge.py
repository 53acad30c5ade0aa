"""Build the acknowledgement of a message, as a receiver answers it.

The answer is written in the sender's own delimiters, goes back from its receiver to its sender, and repeats its
version, processing id, control id and character set. Who calls gives the time and the answer's own control id.

Which acknowledgement a sender wants, as it says in MSH-15 and MSH-16 (HL7 table 0155).

Where both are empty, the original mode holds: every message gets one from the application. Otherwise it is the
enhanced mode: MSH-15 says when whoever stores the message is to answer (CA, CE, CR), MSH-16 when the application
is. A listener stores and does no more, so it answers once: as the one who stores if that is wanted, else as the
application. A sender that wants neither gets no answer, and one whose word is not in the table gets every answer.

What a receiver answers to the content of one frame: an acknowledgement for each message in it.

Accepted (AA or CA) means that it could be read and was stored; rejected (AR) that it can't be read; failed (AE or
CE) that it could not be stored, so that a sender should try again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from assay.formats.hl7.encoding import STANDARD, Encoding, Hl7Error, escape
from assay.formats.hl7.find import find_first
from assay.formats.hl7.header import message_type
from assay.formats.hl7.model import Batch, Message, Segment, Transmission
from assay.formats.hl7.parse import Line, parse, segments_of
from assay.formats.hl7.path import parse_path

AckCode = Literal["AA", "AE", "AR", "CA", "CE", "CR"]
"""Accepted, failed, rejected: by the application (A) or, in the enhanced mode, by the one who stores it (C)."""
Result = Literal["A", "E", "R"]
_STORED, _APPLIED = parse_path("MSH-15"), parse_path("MSH-16")
_NEVER = ("", "NE")
NOT_STORED = "the message could not be stored; send it again later"


@dataclass(frozen=True, slots=True)
class AckError:
    """An error in ERR: a code of HL7 table 0357 with its meaning, and a severity (E, W, I or F)."""

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
    answer = ["MSA", code, _raw(message, 10), escape(text, encoding)]
    segments = [_header(message, encoding, now, control_id), answer]
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


def _error(encoding: Encoding, error: AckError, text: str, version: str) -> list[str]:
    """ERR as version 2.5 and later have it; before, it was one field of components and sub-components."""
    outer, inner = encoding.component or " ", encoding.subcomponent or " "
    parts = [escape(part, encoding) for part in (error.code, error.meaning)] + ["HL70357"]
    if version and version < "2.5":
        return ["ERR", outer * 3 + inner.join(parts)]
    return ["ERR", "", "", outer.join(parts), escape(error.severity, encoding), "", "", "", escape(text, encoding)]


def _raw(message: Message | None, number: int) -> str:
    """A field of the sender's header as it was written: the answer has the same delimiters."""
    return (message.header.written(number)[0] or "") if message else ""


def ack_code(message: Message, result: Result) -> AckCode | None:
    """The code to answer with, None where the sender wants no answer."""
    stored, applied = (find_first(path, message).text.strip().upper() for path in (_STORED, _APPLIED))
    if not stored and not applied:
        return _APPLICATION[result]
    if _is_wanted(stored, result):
        return _COMMIT[result]
    return _APPLICATION[result] if _is_wanted(applied, result) else None


def _is_wanted(when: str, result: Result) -> bool:
    if when == "ER":
        return result != "A"
    return result == "A" if when == "SU" else when not in _NEVER


_APPLICATION: dict[Result, AckCode] = {"A": "AA", "E": "AE", "R": "AR"}
_COMMIT: dict[Result, AckCode] = {"A": "CA", "E": "CE", "R": "CR"}


def reply_to(content: bytes, *, stored: bool, now: datetime, new_id: Callable[[], str]) -> bytes:
    """The acknowledgements. One of them gets no answer, or two receivers would never stop answering each other."""
    try:
        messages = parse(content).messages
    except Hl7Error as error:
        return reject(str(error), now=now, new_id=new_id)
    asking = (one for one in messages if message_type(one).code != "ACK")
    acks = (_ack(one, stored=stored, now=now, new_id=new_id) for one in asking)
    return b"".join(encode(ack) for ack in acks if ack is not None)


def reject(reason: str, *, now: datetime, new_id: Callable[[], str]) -> bytes:
    """The answer to something that is no message."""
    return encode(build_ack(None, "AR", reason, now=now, control_id=new_id(), error=UNREADABLE))


def _ack(message: Message, *, stored: bool, now: datetime, new_id: Callable[[], str]) -> Message | None:
    code = ack_code(message, "A" if stored else "E")
    if code is None:
        return None
    if stored:
        return build_ack(message, code, now=now, control_id=new_id())
    return build_ack(message, code, NOT_STORED, now=now, control_id=new_id(), error=INTERNAL_ERROR)


def render(content: Message | Batch | Transmission) -> str:
    """The text, every part as it was written."""
    return "".join(segment.raw + "\r" for segment in _segments(content))


def encode(message: Message) -> bytes:
    """The message in the character set that it was read in; characters outside of it become question marks."""
    return render(message).encode(message.encoding.charset, "replace")


def _segments(content: Message | Batch | Transmission) -> list[Segment]:
    if isinstance(content, Message):
        return list(content.segments)
    parts = content.messages if isinstance(content, Batch) else content.batches
    inner = [segment for part in parts for segment in _segments(part)]
    around = ([content.header], inner, [content.trailer])
    return [segment for group in around for segment in group if segment is not None]
