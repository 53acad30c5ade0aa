"""Speech as clauses of tokens.

A clause ends where a breath does: at a full stop, a comma, a question mark, a "but".
"""

import re
import unicodedata
from dataclasses import dataclass

from assay.formats.speech.numbers import with_digits

NEGATIONS = frozenset({"not", "no", "never", "neither", "nor", "without", "none", "nothing", "nobody"})
_NEW_CLAUSE = frozenset({"but", "however", "although", "though", "because"})
_WHOLE = {
    "cannot": "can not",
    "can't": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "let's": "let us",
}
_IS = frozenset(("it", "that", "he", "she", "there", "here", "what", "who", "where", "when", "how", "this"))
_ENDINGS = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'d", " would"))
_SYMBOLS = {"%": " percent ", "&": " and ", "@": " at ", "+": " plus ", "=": " equals "}
_MONEY = re.compile(r"([$€£])\s?(\d[\d,]*(?:\.\d+)?)")
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}
_BREATH = re.compile(r"[.!?;:,](?=\s|$)|[()\[\]\"\u2013\u2014]|\s-+\s|\n")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ABBREVIATED = re.compile(r"\b((?:[a-z]\.){2,})", re.ASCII)
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.ASCII)
_WORD = re.compile(r"\d+(?:\.\d+)?(?:th)?|[^\W\d_]+(?:'[^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a number, and the clause that it stands in."""

    text: str
    clause: int

    @property
    def exact(self) -> bool:
        """Whether it must be met to the letter: digits and negations."""
        return self.text[0].isdigit() or self.text in NEGATIONS


def tokens(spoken: str) -> list[Token]:
    """What was said, uniform."""
    found: list[Token] = []
    clause = 0
    for part in _BREATH.split(_uniform(spoken)):
        for word in with_digits(_words(part)):
            clause += word in _NEW_CLAUSE
            found.append(Token(word, clause))
        clause += 1
    return found


def _uniform(spoken: str) -> str:
    text = unicodedata.normalize("NFKC", spoken).lower().replace("\u2019", "'").replace("\u2018", "'")
    text = _MONEY.sub(lambda match: f"{match[2]} {_CURRENCIES[match[1]]}", text)
    text = _THOUSANDS.sub("", text)
    text = _ABBREVIATED.sub(lambda match: match[1].replace(".", ""), text)
    text = _ORDINAL.sub(r"\1th", text)
    for symbol, word in _SYMBOLS.items():
        text = text.replace(symbol, word)
    return text


def _words(part: str) -> list[str]:
    return [word for raw in _WORD.findall(part) for word in _expanded(raw).split()]


def _expanded(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    for ending, meaning in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending) + meaning
    if word.endswith("'s"):
        # A possessive loses its ending; after these words it is short for "is".
        return f"{word[:-2]} is" if word[:-2] in _IS else word[:-2]
    return word.replace("'", "")
