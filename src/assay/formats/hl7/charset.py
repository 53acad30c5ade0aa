"""The characters of a message: what MSH-18 declares, and what is done when the bytes say otherwise.

Bytes that are not what was declared are read as UTF-8, or as ISO 8859-1 where they aren't UTF-8 either. ISO 8859-1
gives every byte a character, so nothing is lost and the bytes can be had back. When that was done, it is said.
"""

from dataclasses import dataclass

LATIN = "iso-8859-1"

_CODECS = {
    "ASCII": "ascii",
    "US-ASCII": "ascii",
    "UNICODE UTF-8": "utf-8",
    "UNICODE": "utf-8",
    "UTF-8": "utf-8",
    "UTF8": "utf-8",
}
for _part in (*range(1, 10), 15):
    _CODECS |= {
        f"{prefix}8859{sign}{_part}": f"iso-8859-{_part}" for prefix in ("", "ISO-", "ISO ") for sign in "/-"
    }


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the codec that gave it, and what a reader should know about that (empty: nothing)."""

    text: str
    charset: str
    remark: str = ""


def decode(data: bytes, declared: str) -> Decoded:
    """The text of one message's bytes, of which MSH-18 says that they are ``declared``."""
    codec = _CODECS.get(declared.strip().upper())
    if codec is not None and (text := _decoded(data, codec)) is not None:
        return Decoded(text, codec)
    if data.isascii():
        return Decoded(data.decode("ascii"), "utf-8")
    text = _decoded(data, "utf-8")
    used = "utf-8" if text is not None else LATIN
    reason = _reason(declared, known=codec is not None)
    return Decoded(data.decode(LATIN) if text is None else text, used, f"{reason}: read as {used.upper()}")


def codec_of(declared: str) -> str:
    """The codec of a text that is decoded already."""
    return _CODECS.get(declared.strip().upper(), "utf-8")


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
