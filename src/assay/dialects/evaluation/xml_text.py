"""XML that nobody vouches for: in the encoding that it declares, without declarations of its own.

A document type is accepted, as honest XHTML, SVG and property lists have one; what it points to is never loaded.
What it declares itself is refused: a few entities or default attributes can stand for gigabytes, or for a file.
"""

import codecs
import re
from xml.parsers import expat

_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']""")
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8"}


def encoding_of(data: bytes) -> str:
    """What the byte order mark or the declaration says; UTF-8 where neither says something that Python knows."""
    marked = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), None)
    declared = _DECLARED.match(data)
    if marked is not None or declared is None:
        return marked or "utf-8"
    name = declared[1].decode()
    # A declaration in single bytes can't be that of an encoding in pairs of bytes.
    if not re.match(r"(iso|windows|cp|us-ascii|ascii|latin|koi8|shift|euc|gb|big5)", name, re.IGNORECASE):
        return "utf-8"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def check_xml(text: str) -> str:
    """The text, if it is well-formed. Raises ``ValueError``."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _no_declarations
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from error
    return text


def _no_declarations(_name: str, _system: str | None, _public: str | None, has_own: int) -> None:
    if has_own:
        raise ValueError("a document type with declarations of its own is not accepted in an output")
