"""Chains of names and calls, such as ``expect(got).not.toBe(3)``, taken apart from their words."""

from dataclasses import dataclass, field

from assay.detectors.test_code.uniform import joined, split

_DOTS = frozenset((".", "?.", "&.", "::"))
_OPENERS = frozenset(("(", "[", "{"))
_CLOSERS = frozenset((")", "]", "}"))


@dataclass(frozen=True, slots=True)
class Link:
    """One call of a chain: the names that lead to it and its arguments; None where nothing is called."""

    names: tuple[str, ...]
    arguments: list[list[str]] | None = field(default=None)

    def argument(self, index: int) -> list[str]:
        """The words of one argument; none where there is no such argument."""
        return self.arguments[index] if self.arguments and index < len(self.arguments) else []

    def text(self, index: int) -> str | None:
        words = self.argument(index)
        return joined(words) if words else None


def closing(words: list[str], opening: int) -> int:
    """Where the bracket that opens at an index is closed; the last index where it never is."""
    depth = 0
    for index in range(opening, len(words)):
        if words[index] in _OPENERS:
            depth += 1
        elif words[index] in _CLOSERS:
            depth -= 1
            if depth == 0:
                return index
    return len(words) - 1


def chain(words: list[str]) -> list[Link]:
    """The calls of a chain in their order, at least one link. Indexing counts as part of the names."""
    links: list[Link] = []
    names: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word == "(" and (names or links):
            end = closing(words, index)
            links.append(Link(tuple(names), split(words[index + 1 : end])))
            names, index = [], end
        elif word in _OPENERS:
            end = closing(words, index)
            names.append(_indexed(words[index : end + 1]))
            index = end
        elif word not in _DOTS:
            names.append(word)
        index += 1
    if names or not links:
        links.append(Link(tuple(names)))
    return links


def _indexed(words: list[str]) -> str:
    """``["skip"]`` is the name skip; any other bracket stays as it is written."""
    if len(words) == 3 and words[0] == "[" and words[1][0] == '"':
        return words[1][1:-1]
    return joined(words)
