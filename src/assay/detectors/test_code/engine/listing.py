"""The elements of lists that are written out: by a name, in several pieces, as a range or as entries of a map."""

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import elements, number
from assay.detectors.test_code.engine.expressions.words import split
from assay.detectors.test_code.engine.expressions.words import words as words_between
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.tree import Node

_DEEPEST = 6
_MOST = 100_000
_SPREADS = frozenset(("*", "**", "..."))
_BRACKETS = frozenset(("[", "(", "{"))


def written_out(reading: Reading, words: list[str], used: Node, depth: int = 0) -> list[list[str]] | None:
    """The elements of a list as far as it is written in the file; None where it is made when the tests run."""
    if not words or depth > _DEEPEST:
        return None
    if len(words) == 1:
        return _named(reading, words[0], used, depth)
    if words[0] in _BRACKETS and closing(words, 0) == len(words) - 1:
        return _inside(reading, words, used, depth)
    pieces = split(words, "+") if "+" in words else [words]
    if len(pieces) > 1:
        every = [written_out(reading, piece, used, depth + 1) for piece in pieces]
        return None if None in every else [each for part in every for each in part or ()]
    if words[1] == "(" and closing(words, 1) == len(words) - 1:
        return _made(reading, words[0], split(words[2:-1]), used, depth)
    if words[-4:] == [".", "items", "(", ")"]:
        pairs = [split(each, ":") for each in _entries(reading, words[:-4], used) or ()]
        whole = bool(pairs) and all(len(pair) == 2 for pair in pairs)
        return [["(", *pair[0], ",", *pair[1], ")"] for pair in pairs] if whole else None
    return elements(words)


def _entries(reading: Reading, words: list[str], used: Node) -> list[list[str]] | None:
    """The entries of a map that is written out, by its name or where it stands."""
    found = _value(reading, words[0], used) if len(words) == 1 else words
    return split(found[1:-1]) if found and found[0] == "{" and closing(found, 0) == len(found) - 1 else None


def _value(reading: Reading, name: str, used: Node) -> list[str] | None:
    if name in reading.values.lists:
        start, end = reading.values.lists[name]
        # A table may be longer than any other expression.
        return words_between(reading.tree, reading.language.lexicon, start, end)
    value = reading.following.value(name, used)
    return value.words if value is not None else None


def _named(reading: Reading, name: str, used: Node, depth: int) -> list[list[str]] | None:
    if name[0] == '"' and len(name) > 1:
        return [[f'"{each}"'] for each in name[1:-1]] if "\\" not in name else None
    found = _value(reading, name, used)
    return written_out(reading, found, used, depth + 1) if found and found != [name] else None


def _inside(reading: Reading, words: list[str], used: Node, depth: int) -> list[list[str]] | None:
    inside = words[1:-1]
    parts = split(inside) if inside else []
    if any("for" in part and len(split(part, "for")) > 1 for part in parts):
        return None
    found: list[list[str]] = []
    for part in parts:
        if part[0] in _SPREADS:
            inner = written_out(reading, part[1:], used, depth + 1)
            if inner is None:
                return None
            found += inner
        elif words[0] == "{" and ":" in part:
            found.append(split(part, ":")[0])
        else:
            found.append(part)
    return found


def _made(reading: Reading, name: str, given: list[list[str]], used: Node, depth: int) -> list[list[str]] | None:
    """A list that a function makes: a copy of one, or a range of numbers."""
    if name in reading.language.copies and given:
        return written_out(reading, given[0], used, depth + 1)
    bounds = [number(each) for each in given]
    known = [int(bound) for bound in bounds if bound is not None]
    if name != "range" or len(known) != len(bounds) or not 0 < len(known) < 4 or known[2:] == [0]:
        return elements([name, "(", *[word for each in given for word in (*each, ",")][:-1], ")"])
    numbers = range(*known)
    return [[str(each)] for each in numbers] if len(numbers) <= _MOST else None
