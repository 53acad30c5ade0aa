"""A text as uniform words: short forms written out, signs as words, dates and times in one form."""

import re
import unicodedata
from itertools import pairwise
from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
IS: Final = "'s"
"""What may be short for "is", or belong to a name: a reader may leave it out."""
FILLERS: Final = frozenset(("um", "umm", "uh", "uhh", "uhm", "erm", "hm", "hmm", "hmmm", "ah", "ahh", "eh"))
"""What people say while they think. "Er" is a part of a hospital, too."""
_VERBS: Final = (
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "would", "should", "must",
)  # fmt: skip
_WHOLE: Final = {
    "cannot": "can not",
    "can't": "can not",
    "cant": "can not",
    "won't": "will not",
    "wont": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "let's": "let us",
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "got to",
    "dr": "doctor",
    "mr": "mister",
    "ok": "okay",
    "o'clock": "",
    # Transcripts often leave out the apostrophe.
    **{f"{verb}nt": f"{verb} not" for verb in _VERBS},
}
_WITH_IS: Final = frozenset(
    ("it", "that", "he", "she", "there", "here", "what", "who", "where", "when", "how", "this")
)
_ENDINGS: Final = (
    ("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'d", " would"),
)  # fmt: skip
_SYMBOLS: Final = {
    "%": " percent ",
    "per cent": "percent",
    "&": " and ",
    "@": " at ",
    "+": " plus ",
    "=": " equals ",
}
_CURRENCIES: Final = {"$": "dollars", "€": "euros", "£": "pounds"}
SHORT_FORMS: Final = frozenset(_WHOLE)
WRITTEN_OUT: Final = frozenset(
    " ".join((*_WHOLE.values(), *(meaning for _, meaning in _ENDINGS), *_SYMBOLS.values())).split()
).union(_CURRENCIES.values(), MONTHS, ("is", "has", "dot", "over", "minus", "number"))
"""Words that may be read where they aren't written: in place of a short form, a sign or a date."""
_ANY_DIGIT: Final = re.compile(r"\d")
_FRACTION: Final = re.compile(r"(?<=\d)(?=[\u00bc-\u00be\u2150-\u215e])")
_DAY: Final = re.compile(r"(?<![\w-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\w-])", re.ASCII)
_SLASHED: Final = re.compile(
    r"(?<![\w/.-])(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d\d))?(?![\w/-])"
    r"(?!\s+(?:a\s|of\s|tablets?|pills?|cups?|teaspoons?|tablespoons?|hours?|dozen|doses?|strength|pain|scale))",
    re.ASCII,
)
_TIME: Final = re.compile(r"(?<![\w:.])(\d{1,2}):([0-5]\d)(?![\d:])", re.ASCII)
_MONEY: Final = re.compile(r"([$€£])\s?(\d[\d,]*(?:\.\d+)?)(\s(?:hundred|thousand|million|billion)\b)?")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BARE_POINT: Final = re.compile(r"(?<![\w.])\.(?=\d)")
_MINUS: Final = re.compile(r"(?<![\w)])-(?=\d)")
_ABBREVIATED: Final = re.compile(r"\b((?:[a-z]\.){2,})", re.ASCII)
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.ASCII)
_DOT: Final = re.compile(r"(?<=[^\W\d_])\.(?=[^\W\d_])")
_PRESSURE: Final = re.compile(r"(?<=\b\d{3})/(?=\d{2,3}\b)", re.ASCII)
_NUMBER_SIGN: Final = re.compile(r"#(?=\d)")
_WORD: Final = re.compile(r"\d+(?:\.\d+)?(?:th)?|[^\W\d_]+(?:'[^\W\d_]+)?")


def uniform(text: str) -> str:
    """The same text in lower case, with everything that has several spellings in one of them."""
    # Each step is taken only where there is something for it to do: most sentences need hardly any.
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _FRACTION.sub(" ", text))
    text = text.lower().replace("\u2019", "'").replace("\u2018", "'")
    numbers = _ANY_DIGIT.search(text) is not None
    if numbers:
        text = _uniform_amounts(text)
    if "." in text:
        text = _ABBREVIATED.sub(lambda match: match[1].replace(".", ""), text)
    if numbers:
        text = _ORDINAL.sub(r"\1th", text)
    if "." in text:
        text = _DOT.sub(" dot ", text)
    if numbers and ("/" in text or "#" in text):
        text = _NUMBER_SIGN.sub("number ", _PRESSURE.sub(" over ", text))
    for symbol, word in _SYMBOLS.items():
        if symbol in text:
            text = text.replace(symbol, word)
    return text


def _uniform_amounts(text: str) -> str:
    """Days, times, money and numbers with signs in them."""
    if "-" in text:
        text = _DAY.sub(lambda day: f"{MONTHS[int(day[2]) - 1]} {int(day[3])}th {day[1]}", text)
    if "/" in text:
        text = _SLASHED.sub(_spoken_day, text)
    if ":" in text:
        text = _TIME.sub(lambda time: f"{int(time[1])}{time[2] if time[2] != '00' else ''}", text)
    if not text.isascii() or "$" in text:
        text = _MONEY.sub(
            lambda sum_: f"{sum_[2].removesuffix('.00')}{sum_[3] or ''} {_CURRENCIES[sum_[1]]}", text
        )
    if "," in text:
        text = _THOUSANDS.sub("", text)
    if "." in text:
        text = _BARE_POINT.sub("0.", text)
    return _MINUS.sub("minus ", text) if "-" in text else text


def _spoken_day(found: re.Match[str]) -> str:
    """7/14 is July 14th, and so is 14/7; what can be no day stays as it is."""
    month, day = int(found[1]), int(found[2])
    if month > 12:
        month, day = day, month
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return found[0]
    year = f" 20{found[3]}" if found[3] and len(found[3]) == 2 else f" {found[3]}" if found[3] else ""
    return f"{MONTHS[month - 1]} {day}th{year}"


def words_of(part: str) -> list[str]:
    """The words of a uniform text."""
    words: list[str] = []
    for raw in _WORD.findall(part):
        if raw in FILLERS:
            continue
        if "'" in raw or raw in _WHOLE:
            words += _expand_word(raw).split()
        else:
            words.append(raw)
    if "been" in words:
        words = _with_has(words)
    return _without_spelling_aids(words) if "as" in words else words


def _expand_word(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    for ending, meaning in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return word.removesuffix(ending) + meaning
    if word.endswith(IS):
        return f"{word[:-2]} is" if word[:-2] in _WITH_IS else f"{word[:-2]} {IS}"
    return word.replace("'", "")


def _with_has(words: list[str]) -> list[str]:
    """In "it's been", the short form is one of "has"."""
    return [
        "has" if word in ("is", IS) and following == "been" else word for word, following in pairwise([*words, ""])
    ]


def _without_spelling_aids(words: list[str]) -> list[str]:
    """ "B as in boy" is the letter."""
    found: list[str] = []
    at = 0
    while at < len(words):
        found.append(words[at])
        aided = len(words[at]) == 1 and words[at + 1 : at + 3] == ["as", "in"]
        at += 4 if aided and "".join(words[at + 3 : at + 4]).startswith(words[at]) else 1
    return found
