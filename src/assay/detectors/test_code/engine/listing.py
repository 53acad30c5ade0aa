"""The elements of lists that are written out, where they are needed or under a name, and of ranges."""

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.words import split
from assay.detectors.test_code.engine.expressions.words import words as words_between
from assay.detectors.test_code.engine.reading import Reading

_MOST = 100_000
_BRACKETS = frozenset(("[", "(", "{"))
_MAKING = frozenset(("*", "**", "...", "for"))


def written_out(reading: Reading, words: list[str]) -> list[list[str]] | None:
    """The elements of a list as far as it is written in the file; None where it is made when the tests run."""
    if len(words) == 1 and words[0] in reading.values.lists:
        # A table may be longer than any other expression.
        words = words_between(reading.tree, reading.language.lexicon, *reading.values.lists[words[0]])
    if words[:2] == ["range", "("] and all(each[0].isdigit() and len(each) == 1 for each in split(words[2:-1])):
        numbers = range(*[int(each[0]) for each in split(words[2:-1])][:2])
        return [[str(each)] for each in numbers[:_MOST]]
    if not words or words[0] not in _BRACKETS or closing(words, 0) != len(words) - 1:
        return None
    parts = split(words[1:-1]) if len(words) > 2 else []
    made = any(part[0] in _MAKING or len(split(part, "for")) > 1 for part in parts)
    return None if made else parts
