"""The characters of a message: what MSH-18 declares, and what is done when the bytes say otherwise.

Bytes that are not what was declared are read as UTF-8, or as ISO 8859-1 where they aren't UTF-8 either. ISO 8859-1
gives every byte a character, so nothing is lost and the bytes can be had back. When that was done, it is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

LATIN = "iso-8859-1"

_CODECS = {
    "ASCII": "ascii",
    "US-ASCII": "ascii",
    "UNICODE UTF-8": "utf-8",
    "UNICODE": "utf-8",
    "UTF-8": "utf-8",
    "UTF8": "utf-8",
    "ISO IR6": "ascii",
    "WINDOWS-1252": "cp1252",
    "CP1252": "cp1252",
    "GB 18030-2000": "gb18030",
    "GB18030": "gb18030",
    "BIG-5": "big5",
    "BIG5": "big5",
    "KS X 1001": "euc_kr",
    "ISO IR87": "iso2022_jp_2",
    "ISO IR159": "iso2022_jp_2",
}
for _part in (*range(1, 12), *range(13, 17)):
    _CODECS |= {
        f"{prefix}8859{sign}{_part}": f"iso-8859-{_part}" for prefix in ("", "ISO-", "ISO ") for sign in "/-"
    }


# Their bytes are all ASCII, and what they mean depends on the escape sequences before them.
_SWITCHING = ("iso2022_jp_2",)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the codec that gave it, and what a reader should know about that (empty: nothing)."""

    text: str
    charset: str
    remark: str = ""


def decode(data: bytes, declared: Sequence[str]) -> Decoded:
    """The text of one message's bytes, of which MSH-18 says that they are ``declared``."""
    codec = _codec(declared)
    if codec is not None and (text := _decoded(data, codec)) is not None:
        return Decoded(text, codec)
    if data.isascii():
        return Decoded(data.decode("ascii"), "utf-8")
    text = _decoded(data, "utf-8")
    used = "utf-8" if text is not None else LATIN
    reason = _reason("".join(declared), known=codec is not None)
    return Decoded(data.decode(LATIN) if text is None else text, used, f"{reason}: read as {used.upper()}")


def codec_of(declared: Sequence[str]) -> str:
    """The codec of a text that is decoded already."""
    return _codec(declared) or "utf-8"


def _codec(declared: Sequence[str]) -> str | None:
    """That of the first character set; but further ones that escape sequences switch to have that one in them."""
    codecs = [_CODECS.get(one.strip().upper()) for one in declared]
    return next((codec for codec in codecs if codec in _SWITCHING), codecs[0] if codecs else None)


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _reason(declared: str, *, known: bool) -> str:
    if not declared.strip():
        return "MSH-18 declares no character set, and the text is not ASCII"
    if known:
        return "the bytes are not in the character set that MSH-18 declares"
    return "MSH-18 declares a character set that is not supported"
