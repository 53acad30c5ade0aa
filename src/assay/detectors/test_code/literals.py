"""The literals of a piece of source, in any of the languages, without a syntax tree.

What a test is about shows in its literals: a refactoring gives it other names, other calls and another place, but
what goes in and what is wanted to come out stays. The kind of quotes does not count, nor do suffixes of numbers
and zeros after the point. A text is told with a quote before it, so that it is no number.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_HASH = r"\#[^\n]*"
_SLASH = r"//[^\n]*|/\*[\s\S]*?\*/"
_LINE_COMMENT = r"//[^\n]*"
_TEXT = (
    r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|`[^`]*`'
    r'|%[wi](?:\[[^\]]{0,4000}\]|\([^)]{0,4000}\)|\{[^}]{0,4000}\})|"[^"\\\n]*+(?:\\.[^"\\\n]*+){0,400}+"'
)
_QUOTED = r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+){0,400}+'"
_CHARACTER = r"|'(?:\\[^'\n]{1,8}|[^'\\\n])'"
_REST = (
    r"(?P<number>(?:(?<![\w)\]}]\s)(?<![\w)\]}])-\s?)?"
    r"(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[A-Za-z]*\d*)"
    r"|(?P<symbol>(?<![\w:]):[A-Za-z_]\w*[?!]?)"
    r"|(?P<word>[A-Za-z_$]\w*[?!]?)|(?P<mark>[()\[\]{},;])"
)
_UNCLOSED = r"(?P<unclosed>/\*[\s\S]*\Z)|"
_LEXERS = {
    comment + quoted: re.compile(
        f"(?P<comment>{comment})|{_UNCLOSED if comment == _SLASH else ''}(?P<text>{_TEXT}{quoted})|{_REST}"
    )
    for comment in (_HASH, _SLASH, _LINE_COMMENT)
    for quoted in (_QUOTED, _CHARACTER)
}
_NUMBER = re.compile(r"(-?)\s?(0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")
_CONSTANTS = {
    "True": "true", "False": "false", "true": "true", "false": "false",
    "None": "null", "nil": "null", "null": "null", "undefined": "null",
}  # fmt: skip


class Piece(NamedTuple):
    """One literal, word or bracket; ``text`` is a literal's content."""

    kind: str
    text: str
    start: int
    end: int


def _tokens(source: str, comment: str, quoted: str) -> Iterator[re.Match[str]]:
    """A comment that nothing closes is none, and nothing behind it is looked at as one again."""
    for found in _LEXERS[comment + quoted].finditer(source):
        if found.lastgroup == "unclosed":
            yield from _LEXERS[_LINE_COMMENT + quoted].finditer(source, found.start())
            return
        yield found


def pieces(source: str, language: str) -> Iterator[Piece]:
    """What a text consists of, comments and operators left out."""
    comment = _HASH if language in ("python", "ruby") else _SLASH
    quoted = _QUOTED if language in ("python", "ruby", "javascript", "typescript") else _CHARACTER
    for found in _tokens(source, comment, quoted):
        kind, text = _uniform(found.lastgroup or "", found.group())
        if kind != "comment":
            yield Piece(kind, text, found.start(), found.end())


def _uniform(kind: str, text: str) -> tuple[str, str]:
    """What a piece is to other languages, too: a symbol is a text, ``None`` and ``nil`` are one constant."""
    if kind == "word" and text in _CONSTANTS:
        return "constant", _CONSTANTS[text]
    if kind == "text":
        return kind, _content(text)
    if kind == "number":
        return kind, _value(text)
    return ("text", text[1:]) if kind == "symbol" else (kind, text)


@lru_cache(maxsize=4096)
def _literals_of(source: str, language: str) -> tuple[str, ...]:
    return tuple(each for piece in pieces(source, language) for each in contents(piece))


def literals(source: str, language: str) -> Counter[str]:
    """The numbers and texts of a source, each as often as it is there. True, false and null don't count."""
    return Counter(_literals_of(source, language))


def contents(piece: Piece) -> list[str]:
    """The values of one piece; a literal that lists several words has several."""
    if piece.kind == "number":
        return [piece.text]
    if piece.kind != "text":
        return []
    return [f'"{each}' for each in (piece.text[2:].split() if piece.text[:2] == "%w" else [piece.text])]


def constants(source: str, language: str) -> set[str]:
    """Which of true, false and null a source names, each in this spelling."""
    return {piece.text for piece in pieces(source, language) if piece.kind == "constant"}


def _content(text: str) -> str:
    if text[0] == "%":
        return "%w" + text[3:-1]
    size = 3 if text[:3] in ('"""', "'''") else 1
    return text[size:-size].replace("\\'", "'").replace('\\"', '"')


def _value(text: str) -> str:
    """A number in one spelling: ``1_000``, ``10L`` and ``2.50f`` are 1000, 10 and 2.5."""
    found = _NUMBER.match(text.replace("_", ""))
    if found is None:
        return text
    sign, digits = found.groups()
    if "." in digits and "e" not in digits.lower():
        digits = digits.rstrip("0").rstrip(".")
    return sign + digits.lower()
