"""A message's own description in MSH."""

import re
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.formats.hl7.find import find_first
from assay.formats.hl7.model import Message
from assay.formats.hl7.path import parse_path

_WRITTEN = re.compile(r"\s*+([A-Z][A-Z0-9]{2})(?:\s*+\^\s*+([A-Z][A-Z0-9]{2})?(?:\s*+\^\s*+([A-Z0-9_]+)?)?)?\s*+")
_CODE, _TRIGGER, _STRUCTURE = (parse_path(f"MSH-9.{component}") for component in (1, 2, 3))
_CONTROL_ID = parse_path("MSH-10")


@dataclass(frozen=True, slots=True)
class MessageType:
    """MSH-9: ``ADT^A04^ADT_A01``. What the message does not say is empty."""

    code: str
    trigger: str = ""
    structure: str = ""

    def __str__(self) -> str:
        return "^".join((self.code, self.trigger, self.structure)).rstrip("^")

    def fits(self, wanted: "MessageType") -> bool:
        """Whether this is the type that is wanted. What ``wanted`` leaves out may be anything."""
        pairs = zip(
            (self.code, self.trigger, self.structure),
            (wanted.code, wanted.trigger, wanted.structure),
            strict=True,
        )
        return bool(wanted.code) and all(not asked or asked == given for given, asked in pairs)


def parse_message_type(text: str) -> MessageType:
    """A type as an author writes it: ``ADT``, ``ADT^A04`` or ``ADT^A04^ADT_A01``. Raises ``InputError``."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise InputError(f"a message type must be like ADT^A04, in capitals, got {text!r}")
    return MessageType(*(part or "" for part in found.groups()))


def message_type(message: Message) -> MessageType:
    """The message's type; all parts are empty where MSH-9 is missing."""
    return MessageType(*(find_first(path, message).text.strip() for path in (_CODE, _TRIGGER, _STRUCTURE)))


def control_id(message: Message) -> str:
    """MSH-10, empty where it is missing."""
    return find_first(_CONTROL_ID, message).text
