r"""Escape sequences: ``\F\ \S\ \R\ \E\ \T\ \P\`` for delimiters, ``\Xdd..\`` for bytes, ``\.br\`` for a new line.

Highlighting (``\H\`` and ``\N\``) has no text. Every other sequence, such as ``\Z..\`` of a site or the formatting
commands, stays as it was written, and so does an escape character that opens none.
"""

import re
from functools import lru_cache

from assay.formats.hl7.charset import LATIN
from assay.formats.hl7.encoding import Encoding


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
