"""HL7 v2, with its own paths. A file of several messages has the values of all of them.

``FHS``, ``BHS``, ``BTS`` and ``FTS`` are those of the file and its batches.
"""

from typing import Final

from assay.formats.file_content.text import FileFormatError, Finder
from assay.formats.hl7.encoding import Hl7Error
from assay.formats.hl7.find import texts
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path

ENVELOPES: Final = ("FHS", "BHS", "BTS", "FTS")


check_path = parse_path


def open_content(data: bytes) -> Finder:
    """How to find values in it. Raises ``FileFormatError``."""
    try:
        file = parse(data)
    except Hl7Error as error:
        raise FileFormatError(f"the file is not HL7 v2: {error}") from error
    around = [one for batch in file.batches for one in (batch.header, batch.trailer)]
    envelopes = Message(tuple(one for one in (file.header, *around, file.trailer) if one is not None))

    def find(path: str) -> list[str | None]:
        meant = parse_path(path)
        inside = (envelopes,) if meant.segment in ENVELOPES else file.messages
        return [text for message in inside for text in texts(meant, message)]

    return find
