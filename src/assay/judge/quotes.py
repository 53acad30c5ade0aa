"""Whether a model quotes what is really there."""

import re
import unicodedata
from typing import Final

_QUOTES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def quoted(quote: str, text: str) -> bool:
    """Whether whole words of a text are quoted. Case, spaces and the form of quotation marks don't matter."""
    words = re.sub(r"^\W+|\W+$", "", _plain(quote))
    if not words:
        return False
    before = r"(?<!\w)" if _ends_words(words[0]) else ""
    after = r"(?!\w)" if _ends_words(words[-1]) else ""
    return re.search(before + re.escape(words) + after, _plain(text)) is not None


def _ends_words(character: str) -> bool:
    """Whether it is of a script with spaces between words. Those without capital letters may have none."""
    return character.isdigit() or character.upper() != character


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", shown(text)).translate(_QUOTES).casefold()


def shown(text: str) -> str:
    """The characters that a reader sees, with one space for all that keeps words apart."""
    categories = ((character, unicodedata.category(character)) for character in text)
    seen = (" " if category.startswith("C") else one for one, category in categories if category != "Cf")
    return " ".join("".join(seen).split())
