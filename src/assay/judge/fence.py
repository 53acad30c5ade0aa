"""Data in a prompt: one line of JSON a record, between lines with a mark that none of the data contains.

No text can start a new line, close the fence, speak as another role of a chat, or be an answer: line breaks and
quotes are escaped, and so are characters that nobody sees and the beginnings of special tokens. What is written
decodes to exactly what was given.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

# Invisible, but of categories that count as printable: fillers, joiners and variation selectors.
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
# Special tokens of chat templates, such as <|im_end|>, </s>, <seed:bos>, [INST], [|user|], ]~b] and |||NAME|||: a
# bracket, words without a space or a quote, and the bracket that closes it. Plain indexes and types have none of a
# token's signs between theirs.
_SIGNS: Final = r"[^\s\[\]\x22\x27\\]{0,40}"
_TOKEN: Final = re.compile(
    r"<(?=[|\uff5c<]|[^\s<>\x22\\]{1,60}>)"
    rf"|\[(?={_SIGNS}(?:[|~!/]|[A-Z]{{2}}){_SIGNS}[\]\[])"
    r"|\](?=[~!|])|\|(?=\|\|)|\u25c1(?=\S)"
)
_JSON: Final = json.JSONEncoder(ensure_ascii=False)
_QUOTES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


@dataclass(frozen=True, slots=True)
class FencedPart:
    """A labelled part of the data. The label is ours; the lines are records."""

    label: str
    lines: tuple[str, ...]


def line(value: object) -> str:
    """A value as one line of JSON that a reader sees all of."""
    written = _JSON.encode(value)
    if not (written.isascii() and written.isprintable()):
        hidden = (one for one in set(written) if not one.isprintable() or _INVISIBLE.match(one))
        written = written.translate({ord(one): _escape_character(one) for one in hidden})
    return _TOKEN.sub(lambda found: _escape_character(found[0]), written)


def fresh_mark(parts: Iterable[FencedPart], make_mark: Callable[[], str]) -> str:
    """A mark that is nowhere in the data. ``make_mark`` gives one that nobody can guess."""
    texts = [one for part in parts for one in part.lines]
    mark = make_mark()
    while any(mark in one for one in texts):
        mark = make_mark()
    return mark


def fence_parts(parts: Iterable[FencedPart], mark: str) -> str:
    """All parts, each between its own two lines with the mark."""
    lines: list[str] = []
    for part in parts:
        lines += (f"=== {mark} begin {part.label} ===", *part.lines, f"=== {mark} end {part.label} ===", "")
    return "\n".join(lines[:-1])


def _escape_character(character: str) -> str:
    """The character's units of UTF-16, as JSON escapes them."""
    return re.sub("(.{4})", r"\\u\1", character.encode("utf-16-be", "surrogatepass").hex())


def is_quoted(quote: str, text: str) -> bool:
    """Whether whole words of a text are quoted. Case, spaces and the form of quotation marks don't matter."""
    words = re.sub(r"^\W+|\W+$", "", _plain(quote))
    if not words:
        return False
    before = r"(?<!\w)" if _ends_words(words[0]) else ""
    after = r"(?!\w)" if _ends_words(words[-1]) else ""
    return re.search(before + re.escape(words) + after, _plain(text)) is not None


def _ends_words(character: str) -> bool:
    """True if it is of a script with spaces between words. Those without capital letters may have none."""
    return character.isdigit() or character.upper() != character


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", visible_text(text)).translate(_QUOTES).casefold()


def visible_text(text: str) -> str:
    """The characters that a reader sees, with one space for all that keeps words apart."""
    categories = ((character, unicodedata.category(character)) for character in text)
    seen = (" " if category.startswith("C") else one for one, category in categories if category != "Cf")
    return " ".join("".join(seen).split())
