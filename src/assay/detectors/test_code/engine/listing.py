"""The elements of lists that are written out, where they are needed or under a name, and of ranges."""

import re

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import elements
from assay.detectors.test_code.engine.expressions.words import split
from assay.detectors.test_code.engine.expressions.words import words as words_between
from assay.detectors.test_code.engine.reading import Reading

_MOST = 100_000
_NUMBER = re.compile(r"[0-9]{1,9}")
_BRACKETS = frozenset(("[", "(", "{"))
_MAKING = frozenset(("*", "**", "...", "for"))


def written_out(reading: Reading, words: list[str]) -> list[list[str]] | None:
    """The elements of a list as far as it is written in the file; None where it is made when the tests run."""
    if len(words) == 1 and words[0] in reading.values.lists:
        # A table may be longer than any other expression.
        words = words_between(reading.tree, reading.language.lexicon, *reading.values.lists[words[0]])
    if words[:2] == ["range", "("]:
        bounds = [int(word) for word in words[2:-1:2] if _NUMBER.fullmatch(word)]
        known = 0 < len(bounds) < 3 and len(words) == 2 * len(bounds) + 2
        return [[str(each)] for each in range(*bounds)[:_MOST]] if known else None
    if not words or words[0] not in _BRACKETS or closing(words, 0) != len(words) - 1:
        return elements(words) if "+" not in words else None
    parts = split(words[1:-1]) if len(words) > 2 else []
    made = any(part[0] in _MAKING or len(split(part, "for")) > 1 for part in parts)
    return None if made else parts
