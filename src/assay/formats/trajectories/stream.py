"""Read a trajectory of any size from any place on, a few steps at a time, holding only these.

A place is where a step begins. ATIF, lists of messages and JSON lines are read like this; anything else is text.
Wrong parts are skipped, never raised: an agent wrote the file.
"""

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.evidence.coding_run import Speaker, TrajectoryStep
from assay.evidence.files import ByteSource
from assay.formats.trajectories.atif import atif_step
from assay.formats.trajectories.inspect_log import is_archive
from assay.formats.trajectories.messages import message_step

CHUNK = 256 * 1024
FEW = 64
USUAL = 8 * 1024
FIRST_LINE = 2**20
MOST_ELEMENT = 16 * 2**20
TEXT_PIECE = 32 * 1024
_BLANK = b" \t\r\n,"
_LISTS = ("steps", "messages", "trajectory", "events")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class StreamedStep:
    """A step, and the place behind it."""

    step: TrajectoryStep
    after: int


@dataclass(frozen=True, slots=True)
class Head:
    """A file's head, before its steps. ``form`` is list, lines or text; ``start`` is where the steps begin."""

    form: str
    start: int
    about: dict[str, Any]


def head_of(source: ByteSource) -> Head:
    """How a file is to be read."""
    reader = _Pieces(source, 0)
    first = reader.next_byte()
    if first == b"[":
        return Head("list", reader.at + 1, {})
    if first == b"{":
        start = reader.at
        # A file that is one object has no end of a line for long: its head is looked for before that.
        for most in (CHUNK, FIRST_LINE):
            reader.at = start
            line = reader.line(most)
            if line is not None and message_or_step(line) is not None:
                return Head("lines", 0, {})
            found = _head_of_object(_Pieces(source, start))
            if found is not None or line is not None:
                return found or Head("lines", 0, {})
    return Head("text", 0, {})


def is_read_at_once(source: ByteSource) -> bool:
    """Whether no step of a file can be read without the rest of it: archives, and spans in any order."""
    begin = source.read(0, CHUNK)
    return is_archive(begin) or b'"gen_ai.' in begin


def holds_session(source: ByteSource) -> bool:
    """Whether a file of any name is an agent's session, rather than a log or settings."""
    if is_read_at_once(source):
        return True
    head = head_of(source)
    return head.form != "text" and next(steps_from(source, head, head.start), None) is not None


def _head_of_object(reader: "_Pieces") -> Head | None:
    """The members of an object up to its list of steps."""
    about: dict[str, Any] = {}
    reader.at += 1
    while True:
        key = reader.value()
        if not isinstance(key, str) or reader.next_byte() != b":":
            return None
        reader.at += 1
        if key in _LISTS and reader.next_byte() == b"[":
            return Head("list", reader.at + 1, about)
        about[key] = reader.value()


def steps_from(source: ByteSource, head: Head, place: int) -> Iterator[StreamedStep]:
    """The steps from a place on."""
    if head.form == "text":
        return _texts(source, place)
    elements = _lines(source, place) if head.form == "lines" else _elements(source, place)
    return (StreamedStep(step, after) for value, after in elements if (step := message_or_step(value)) is not None)


def rest_of(source: ByteSource, place: int) -> dict[str, Any]:
    """An object's fields behind its list, from the place at which the list ends."""
    reader, about = _Pieces(source, place), dict[str, Any]()
    if reader.next_byte() != b"]":
        return about
    reader.at += 1
    while reader.next_byte() == b'"':
        key = reader.value()
        if not isinstance(key, str) or reader.next_byte() != b":":
            break
        reader.at += 1
        about[key] = reader.value()
    return about


def message_or_step(value: Any) -> TrajectoryStep | None:
    """A step of ATIF, or a message."""
    if not isinstance(value, dict) or value.get("is_copied_context") is True:
        return None
    event = "action" in value or isinstance(value.get("observation"), str)
    return message_step(value) or (atif_step(value) if "source" in value and not event else None)


def _elements(source: ByteSource, place: int) -> Iterator[tuple[Any, int]]:
    reader = _Pieces(source, place)
    while reader.next_byte() not in (b"", b"]"):
        before = reader.at
        value = reader.value()
        if reader.at == before:
            return
        yield value, reader.at


def _lines(source: ByteSource, place: int) -> Iterator[tuple[Any, int]]:
    reader = _Pieces(source, place)
    while reader.next_byte() != b"":
        value = reader.line()
        yield value, reader.at


def _texts(source: ByteSource, place: int) -> Iterator[StreamedStep]:
    while place < source.size:
        data = source.read(place, TEXT_PIECE)
        cut = data.rfind(b"\n") + 1 if len(data) == TEXT_PIECE else len(data)
        data = data[: cut or len(data)]
        place += len(data)
        yield StreamedStep(TrajectoryStep(0, Speaker.AGENT, data.decode(errors="replace")), place)


class _Pieces:
    """Reads values from a place on. ``at`` is the next byte to look at."""

    def __init__(self, source: ByteSource, at: int) -> None:
        self._source = source
        self._held, self._from = b"", at
        self.at = at

    def next_byte(self) -> bytes:
        """The next byte that isn't blank; nothing at the end."""
        while self.at < self._source.size:
            data = self._piece(FEW)
            rest = data.lstrip(_BLANK)
            self.at += len(data) - len(rest)
            if rest:
                return rest[:1]
        return b""

    def value(self) -> Any:
        """The JSON value here; None, and no step forward, if there is none or it is too large."""
        if self.next_byte() == b"":
            return None
        length = USUAL
        while True:
            data = self._piece(length)
            # As much of the bytes as is text: a character may go on in the next piece.
            text = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(data)
            try:
                value, end = _DECODER.raw_decode(text)
            except (ValueError, RecursionError):
                if len(data) < length or length >= MOST_ELEMENT:
                    return None
                length *= 4
                continue
            if end == len(text) and len(data) == length and length < MOST_ELEMENT:
                length *= 4  # A number may go on in the next piece.
                continue
            self.at += end if text.isascii() else len(text[:end].encode("utf-8", "surrogateescape"))
            return value

    def line(self, most: int = MOST_ELEMENT) -> dict[str, Any] | None:
        """The object on this line; None if the line holds none. The next line comes next."""
        length = USUAL
        while True:
            data = self._piece(length)
            end = data.find(b"\n")
            if end >= 0 or len(data) < length or length >= most:
                break
            length = min(4 * length, most)
        line = data if end < 0 else data[:end]
        self.at += len(line) + (end >= 0)
        if end < 0 and self.at < self._source.size:
            return None  # Half a line holds no object.
        try:
            found = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _piece(self, length: int) -> bytes:
        """The next bytes, of which the last ones are kept: values are looked at one after the other."""
        start = self.at - self._from
        if start < 0 or len(self._held) - start < min(length, self._source.size - self.at):
            self._held, self._from = self._source.read(self.at, max(length, CHUNK)), self.at
            start = 0
        return self._held[start : start + length]
