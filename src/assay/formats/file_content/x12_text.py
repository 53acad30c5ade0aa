"""X12, with its own paths. A file of several transaction sets has the values of all of them."""

from assay.formats.file_content.text import FileFormatError, Finder
from assay.formats.x12.loops import place_sets
from assay.formats.x12.model import NotX12Error
from assay.formats.x12.path import OUTSIDE_LOOPS, parse_path
from assay.formats.x12.select import select, select_all
from assay.formats.x12.tokenize import tokenize

check_path = parse_path


def open_content(data: bytes) -> Finder:
    """How to find values in it. Raises ``FileFormatError``."""
    try:
        document = tokenize(data)
    except NotX12Error as error:
        raise FileFormatError(str(error)) from error
    sets = place_sets(document)

    def find(path: str) -> list[str]:
        meant = parse_path(path)
        # Envelopes are around several sets, and count once.
        in_envelopes = meant.segment in OUTSIDE_LOOPS
        found = (
            select_all(meant, document) if in_envelopes else [one for each in sets for one in select(meant, each)]
        )
        return [one.text for one in found if one.text is not None]

    return find
