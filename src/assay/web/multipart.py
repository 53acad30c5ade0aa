"""The files and fields of a form that was sent with files (multipart/form-data)."""

import re
from typing import Final

from assay.core.errors import InputError
from assay.web.routing import MOST_FIELDS

_BOUNDARY: Final = re.compile(r'multipart/form-data;.*\bboundary="?([^";,]{1,70})"?', re.IGNORECASE)
_NAME: Final = re.compile(rb'\bname="([^"]{1,200})"')


def boundary_of(media_type: str) -> bytes | None:
    """The boundary between the parts; None for another kind of body."""
    found = _BOUNDARY.match(media_type)
    return None if found is None else b"--" + found[1].encode("latin-1", "replace")


def parts_of(content: bytes, boundary: bytes) -> tuple[list[tuple[str, str]], dict[str, bytes]]:
    """The fields in their order, and the files by their fields. Raises ``InputError`` for too many or none."""
    fields: list[tuple[str, str]] = []
    files: dict[str, bytes] = {}
    pieces = (b"\r\n" + content).split(b"\r\n" + boundary, MOST_FIELDS)
    if len(pieces) < 2 or len(pieces) > MOST_FIELDS:
        raise InputError(f"a form must have 1 to {MOST_FIELDS} fields and end with its boundary")
    for piece in pieces[1:]:
        head, _, body = piece.partition(b"\r\n\r\n")
        named = _NAME.search(head)
        if named is None:
            continue
        name = named[1].decode("utf-8", "replace")
        if b"filename=" not in head:
            fields.append((name, body.decode("utf-8", "replace")))
        elif body:
            files[name] = body
    return fields, files
