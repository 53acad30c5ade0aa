r"""The delimiters in which one message is written, as its header declares them in MSH-1 and MSH-2.

What a header leaves out is not used in its message: behind ``MSH|^~`` a backslash and an ampersand are plain data.

Escape sequences: ``\F\ \S\ \R\ \E\ \T\ \P\`` for delimiters, ``\Xdd..\`` for bytes, ``\.br\`` for a new line.

Highlighting (``\H\`` and ``\N\``) has no text. Every other sequence, such as ``\Z..\`` of a site or the formatting
commands, stays as it was written, and so does an escape character that opens none.

Bytes that aren't in the character set that MSH-18 declares are read as UTF-8, or as ISO 8859-1 where they aren't
UTF-8 either. ISO 8859-1 gives every byte a character, so nothing is lost. A finding says so.

No error quotes more of a message than a segment's name: field values are clinical data and must not reach a log.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from assay.core.errors import AssayError, InputError


class Hl7Error(AssayError):
    """The text is not HL7 v2. The message says what is wrong and where."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line


class Hl7PathError(InputError):
    """A path that names no place in a message. ``position`` counts characters from 1."""

    def __init__(self, path: str, position: int, problem: str) -> None:
        super().__init__(f"the HL7 path {path!r} is wrong at character {position}: {problem}")
        self.position = position


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


HEADERS = ("MSH", "FHS", "BHS")
DOUBLED = "\\\\"

# Letters and digits would cut names and numbers in two, and a quote would hide the explicit null.
_DELIMITER = r"[!#-/:-@\[-`{-~]"
_HEADER = re.compile(rf"...({_DELIMITER}){_DELIMITER}{{1,5}}?(?:\1|$)")
_CHARACTERS = re.compile(rf"{_DELIMITER}{{1,5}}")


@dataclass(frozen=True)
class Encoding:
    """The delimiters of a message, None where it has none, and the Python codec of its bytes."""

    field: str = "|"
    component: str | None = "^"
    repetition: str | None = "~"
    escape: str | None = "\\"
    subcomponent: str | None = "&"
    truncation: str | None = None
    charset: str = "utf-8"

    @property
    def characters(self) -> str:
        """The text of MSH-2."""
        in_order = (self.component, self.repetition, self.escape, self.subcomponent, self.truncation)
        return "".join(char for char in in_order if char is not None)

    @cached_property
    def within_fields(self) -> tuple[str, ...]:
        """The delimiters that make parts of a field."""
        return tuple(char for char in (self.component, self.repetition, self.subcomponent) if char is not None)

    @cached_property
    def literal(self) -> "Encoding":
        """The same message where no character has a meaning: MSH-1 and MSH-2 are such places."""
        return Encoding(self.field, None, None, None, None, None, self.charset)


STANDARD = Encoding()


def is_header(line: str, separator: str) -> bool:
    """Whether the line begins a message, a batch or a file.

    With the separator that is in use it does so even if it is a wrong header; with another one it must be a right
    one, for a line of prose may begin with MSH too.
    """
    return line[:3] in HEADERS and (line[3:4] == separator or _HEADER.match(line) is not None)


def is_doubled(header: str) -> bool:
    """Whether the backslash among the delimiters is written twice, as if the whole message had been escaped."""
    return header[:3] in HEADERS and DOUBLED in header[4:].split(header[3], 1)[0]


def read_encoding(header: str, line: int) -> Encoding:
    """The delimiters that a header segment declares."""
    name, field = header[:3], header[3]
    characters = header[4:].split(field, 1)[0]
    if is_doubled(header):
        characters = characters.replace(DOUBLED, DOUBLED[0])
    if not _CHARACTERS.fullmatch(characters):
        raise Hl7Error(f"{name}-2 must hold one to five delimiters, as in {name}|^~\\&|", line)
    if len(set(characters + field)) <= len(characters):
        raise Hl7Error(f"{name}-1 and {name}-2 use one character for two delimiters", line)
    given = dict(zip(_ROLES, [*characters, None, None, None, None], strict=False))
    return Encoding(field, **given)


_ROLES = ("component", "repetition", "escape", "subcomponent", "truncation")


def unescape(text: str, encoding: Encoding) -> str:
    """The text that was meant."""
    if encoding.escape is None or encoding.escape not in text:
        return text
    meanings = _meanings(encoding)

    def meant(match: re.Match[str]) -> str:
        if match["bytes"]:
            return _from_hex(match["bytes"], encoding)
        return meanings.get(match["other"], match[0])

    return _sequences(encoding.escape).sub(meant, text)


def escape(text: str, encoding: Encoding) -> str:
    """The text so that it can stand in a sub-component.

    A message without an escape character can't carry its delimiters or line ends as data: they become spaces.
    """
    mark = encoding.escape
    if text == '""' and mark is not None:
        # Two quotes as such would be read as the explicit null.
        return f"{mark}X2222{mark}"
    return text.translate(_replacements(encoding))


@lru_cache(maxsize=64)
def _meanings(encoding: Encoding) -> dict[str, str]:
    delimiters = {
        "F": encoding.field,
        "S": encoding.component,
        "R": encoding.repetition,
        "E": encoding.escape,
        "T": encoding.subcomponent,
        "P": encoding.truncation,
    }
    known = {letter: char for letter, char in delimiters.items() if char is not None}
    return known | {".br": "\n", "H": "", "N": ""}


@lru_cache(maxsize=64)
def _sequences(char: str) -> re.Pattern[str]:
    """Neighbouring ``\\X..\\`` are one match, because together they may spell one character of several bytes."""
    mark = re.escape(char)
    hexadecimal = rf"(?P<bytes>(?:{mark}X(?:[0-9A-Fa-f]{{2}})+{mark})+)"
    return re.compile(rf"{hexadecimal}|{mark}(?P<other>(?!{mark})[A-Z.](?:(?!{mark})[\w.+-])*){mark}")


def _from_hex(sequences: str, encoding: Encoding) -> str:
    digits = sequences.replace(encoding.escape or "", "").replace("X", "")
    data = bytes.fromhex(digits)
    try:
        return data.decode(encoding.charset)
    except UnicodeDecodeError:
        return data.decode(LATIN)


@lru_cache(maxsize=64)
def _replacements(encoding: Encoding) -> dict[int, str]:
    mark = encoding.escape
    delimiters = {char: letter for letter, char in _meanings(encoding).items() if letter in tuple("FSRETP")}
    controls = {chr(code): f"X{code:02X}" for code in (*range(32), 127)}
    sequences = delimiters | controls
    return {ord(char): " " if mark is None else f"{mark}{name}{mark}" for char, name in sequences.items()}
