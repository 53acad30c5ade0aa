"""Settings in XML, element by element."""

from contextlib import suppress
from typing import Protocol
from xml.parsers import expat


class XmlReader(Protocol):
    """What is told of each element: its name and attributes, its text in pieces, and its end."""

    def start(self, name: str, attributes: dict[str, str]) -> None: ...

    def text(self, data: str) -> None: ...

    def end(self, name: str) -> None: ...


class _RefusedError(Exception):
    """The document declares entities, which no settings need."""


def read_xml(text: str, reader: XmlReader) -> None:
    """Read a document. What was read before it turned out to be broken or refused still counts."""
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse
    with suppress(expat.ExpatError, _RefusedError, ValueError):
        parser.Parse(text.encode("utf-8", "replace"), True)


def _refuse(*_: object) -> None:
    raise _RefusedError
