"""HL7 v2, with its own paths. A file of several messages has the values of all of them."""

from assay.formats.field_rules.values import Found, Plain
from assay.formats.file_content.errors import UnreadableError
from assay.formats.file_content.model import Finder
from assay.formats.hl7.errors import Hl7Error
from assay.formats.hl7.find import find as find_in
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path_parser import parse_path
from assay.formats.hl7.value import Presence


def check_path(path: str) -> None:
    """Refuse a path that is none. Raises ``InputError``."""
    parse_path(path)


def opened(data: bytes) -> Finder:
    """How to find values in it. Raises ``UnreadableError``."""
    try:
        messages = parse(data).messages
    except Hl7Error as error:
        raise UnreadableError(f"the file is no HL7 v2: {error}") from error
    texts: dict[Presence, Plain] = {Presence.NULL: None, Presence.EMPTY: ""}

    def find(path: str) -> list[Found]:
        meant = parse_path(path)
        return [
            Found(texts.get(one.value.presence, one.value.text), f"line {one.line}")
            for message in messages
            for one in find_in(meant, message)
            if one.value.presence is not Presence.ABSENT
        ]

    return find
