"""The names in the callee of a JavaScript call."""

import re

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.javascript.text import words_of

_PLAIN = re.compile(r"\s*+(?:\?\.|\.)?\s*+[\w$]++(?:\s*+(?:\?\.|\.)\s*+[\w$]++)*+\s*+\Z")
_NAME = re.compile(r"[\w$]+")
_LONGEST = 400


class NameReader:
    """Reads what is called as names; the same text is read once."""

    def __init__(self) -> None:
        self._known: dict[str, Names] = {}

    def read(self, text: str) -> Names:
        if len(text) > _LONGEST:
            return ()
        found = self._known.get(text)
        if found is None:
            found = tuple(_NAME.findall(text)) if _PLAIN.match(text) else names_in(words_of(text))
            self._known[text] = found
        return found


def names_in(words: list[str]) -> Names:
    """``it["sk" + "ip"]`` as it, skip. Nothing where the words are no chain of names.

    A choice between chains gives the one that skips, with a question mark behind its last name.
    """
    if "?" in words:
        return _choice(words)
    names: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word == "[" and index + 2 < len(words) and words[index + 1][0] == '"' and words[index + 2] == "]":
            names.append(words[index + 1][1:-1])
            index += 2
        elif word in ("as", "satisfies", "<"):
            index = _after_type(words, index)
        elif _NAME.fullmatch(word):
            names.append(word)
        elif word not in (".", "?.", "!", "(", ")"):
            return ()
        index += 1
    return tuple(names)


def _after_type(words: list[str], index: int) -> int:
    """The index of the last word of a type that is written between names."""
    while index + 1 < len(words) and words[index + 1] not in (".", "?.", ")"):
        index += 1
    return index


def _choice(words: list[str]) -> Names:
    at = words.index("?")
    rest = [word for word in words[at + 1 :] if word != ")"]
    if ":" not in rest or "?" in rest:
        return ()
    middle = rest.index(":")
    yes, no = names_in(rest[:middle]), names_in(rest[middle + 1 :])
    condition = [word for word in words[:at] if word != "("]
    if condition in (["true"], ["1"]):
        return yes
    if condition in (["false"], ["0"]):
        return no
    for names in (yes, no):
        if names and _skips(names):
            return (*names[:-1], names[-1] + "?")
    return yes


def _skips(names: Names) -> bool:
    return names[-1] in ("skip", "todo", "fixme") or names[0] in (
        "xit",
        "xtest",
        "xdescribe",
        "xcontext",
        "xspecify",
    )
