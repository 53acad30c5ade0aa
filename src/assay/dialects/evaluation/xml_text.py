"""Check XML from an untrusted source, in the encoding that it declares, without entities that expand to a lot.

A document type is accepted, as honest XHTML, SVG and property lists have one; what it points to is never loaded.
Of what it declares itself, elements and a few attributes and short plain entities are accepted. Entities made of
entities and default attributes are refused, since they can stand for gigabytes; so is an entity that is a file.
"""

import codecs
import re
from xml.parsers import expat

DECLARATIONS = 200
ENTITY_LIMIT = 100

_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']""")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8"}


def encoding_of(data: bytes) -> str:
    """The encoding by the byte order mark or the declaration; UTF-8 if neither names one that Python knows."""
    marked = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), None)
    declared = _DECLARED.match(data)
    if marked is not None or declared is None:
        return marked or "utf-8"
    name = declared[1].decode()
    # A declaration in single bytes can't be that of an encoding in pairs of bytes.
    if not re.match(
        r"(iso|windows|cp|ibm|mac|us-ascii|ascii|latin|koi8|tis|shift|euc|gb|big5)", name, re.IGNORECASE
    ):
        return "utf-8"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def check_xml(text: str) -> str:
    """The text, if it is well-formed. Raises ``ValueError``."""
    parser, seen = expat.ParserCreate(), _Declarations()
    parser.EntityDeclHandler = seen.entity
    parser.AttlistDeclHandler = seen.attribute
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return text


class _Declarations:
    """The declarations in a document type. Every element is compared with every declared attribute."""

    def __init__(self) -> None:
        self._count = 0

    def entity(self, name: str, parameter: int, value: str | None, *_where: str | None) -> None:
        self._one_more()
        if parameter or value is None or len(value) > ENTITY_LIMIT or "&" in value:
            raise ValueError(f"the entity {name[:100]} must be a short text, not a file or made of other entities")

    def attribute(self, element: str, name: str, _type: str, default: str | None, _required: int) -> None:
        self._one_more()
        if default is not None:
            raise ValueError(f"{name[:100]} of {element[:100]} must not have a default")

    def _one_more(self) -> None:
        self._count += 1
        if self._count > DECLARATIONS:
            raise ValueError(f"it must not declare more than {DECLARATIONS} attributes and entities")
