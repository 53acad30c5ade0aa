"""Write messages again: segments end with CR, as the standard has it."""

from assay.formats.hl7.model import Message, Segment
from assay.formats.hl7.transmission import Batch, Transmission


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
