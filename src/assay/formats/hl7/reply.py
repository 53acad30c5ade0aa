"""What a receiver answers to the content of one frame: an acknowledgement for each message in it.

Accepted (AA or CA) means that it could be read and was stored; rejected (AR) that it can't be read; failed (AE or
CE) that it could not be stored, so that a sender should try again.
"""

from collections.abc import Callable
from datetime import datetime

from assay.formats.hl7.ack_mode import ack_code
from assay.formats.hl7.acknowledge import INTERNAL_ERROR, UNREADABLE, build_ack
from assay.formats.hl7.errors import Hl7Error
from assay.formats.hl7.header import message_type
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.render import encode

NOT_STORED = "the message could not be stored; send it again later"


def reply_to(content: bytes, *, stored: bool, now: datetime, new_id: Callable[[], str]) -> bytes:
    """The acknowledgements. One of them gets no answer, or two receivers would never stop answering each other."""
    try:
        messages = parse(content).messages
    except Hl7Error as error:
        return reject(str(error), now=now, new_id=new_id)
    acks = (_ack(one, stored=stored, now=now, new_id=new_id) for one in messages if not _is_ack(one))
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


def _is_ack(message: Message) -> bool:
    return message_type(message).code == "ACK"
