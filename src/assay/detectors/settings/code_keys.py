"""Settings that are written as code: the keys that matter, wherever they stand in it, and pairs of texts."""

from dataclasses import dataclass, field

from assay.detectors.source_signs.code import Code, Slice
from assay.detectors.source_signs.code_words import read_code

_GIVES = frozenset((":", "="))
_ENDS = frozenset((",", ";", ")", "]", "}"))
_MOST_WORDS = 400


@dataclass(frozen=True, slots=True)
class ConfigText:
    """One text to read, and the keys to look for."""

    language: str
    text: str
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class ConfigKeys:
    """The values of each key, and every text that is given another one: ``"^./cart$": "./fake"``."""

    values: dict[str, list[str]] = field(default_factory=dict)
    pairs: list[tuple[str, str]] = field(default_factory=list)


def read_keys(question: ConfigText) -> ConfigKeys:
    """Read a text. It may never return, so it is called apart."""
    code = read_code(question.text, question.language)
    found = ConfigKeys()
    words = code.words
    for index in range(len(words) - 2):
        if words[index + 1] not in _GIVES:
            continue
        name = words[index].lstrip('"')
        if name in question.keys and (index == 0 or words[index - 1] not in (".", "?.")):
            value = _value(code, index + 2)
            if words[value[0]] != "{":
                given = code.strings(value) or [" ".join(words[value[0] : value[1]])]
                found.values.setdefault(name, []).extend(given)
        other = words[index + 3] if words[index + 2] == "[" and index + 3 < len(words) else words[index + 2]
        if words[index][0] == '"' == other[0]:
            found.pairs.append((words[index][1:], other[1:]))
    return found


def _value(code: Code, start: int) -> Slice:
    """A value ends at the comma, bracket or line end that belongs to none of its own brackets."""
    index = start
    while index < min(len(code.words), start + _MOST_WORDS):
        if code.words[index] in _ENDS or (index > start and code.breaks(index)):
            break
        index = code.closing.get(index, index) + 1
    return start, min(index, len(code.words))
