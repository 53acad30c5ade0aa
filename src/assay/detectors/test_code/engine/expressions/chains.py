"""Chains of names and calls, such as ``expect(got).not.toBe(3)``, taken apart from their words."""

from dataclasses import dataclass
from functools import lru_cache

from assay.code.operators import type_end
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.words import joined, split

_DOTS = frozenset((".", "?.", "&.", "::"))
_OPENERS = frozenset(("(", "[", "{"))
_MOST_KEPT = 60
_LOOSE = frozenset(("await", "return", "try", "try?", "try!"))


@dataclass(frozen=True, slots=True)
class Link:
    """One call of a chain: the names that lead to it and its arguments; None where nothing is called.

    ``types`` are its type arguments: ``Throws<FooException>(…)``.
    """

    names: tuple[str, ...]
    arguments: list[list[str]] | None = None
    types: str = ""

    @property
    def name(self) -> str:
        """The last of its names."""
        return self.names[-1] if self.names else ""

    @property
    def given(self) -> int:
        return len(self.arguments or ())

    def argument(self, index: int) -> list[str]:
        """The words of one argument; none where there is no such argument."""
        given = self.arguments or []
        return given[index] if -len(given) <= index < len(given) else []

    def text(self, index: int) -> str | None:
        words = self.argument(index)
        return joined(words) if words else None

    def written(self, names: tuple[str, ...] | None = None) -> str:
        """The link as it is written, in one form, with fewer names where that is wanted."""
        said = ".".join(self.names if names is None else names)
        if self.arguments is None:
            return said
        given = ", ".join(joined(each) for each in self.arguments)
        return f"{said}<{self.types}>({given})" if self.types else f"{said}({given})"

    def labelled(self, *labels: str) -> list[str]:
        """The argument with one of these labels: ``accuracy: 0.1``, ``delta = 0.1``."""
        for each in self.arguments or ():
            if len(each) > 2 and each[0] in labels and each[1] in (":", "="):
                return each[2:]
        return []

    @property
    def positional(self) -> list[list[str]]:
        """The arguments that have no label."""
        return [each for each in self.arguments or () if not is_labelled(each)]


def is_labelled(words: list[str]) -> bool:
    """Whether an argument has a label: ``accuracy: 0.1``, ``delta = 0.1``."""
    return len(words) > 2 and words[1] in (":", "=") and (words[0][0].isalpha() or words[0][0] == "_")


def chain(words: list[str], trailing: bool = False) -> list[Link]:
    """The calls of a chain in their order, at least one link. Indexing counts as part of the names.

    ``trailing`` is for languages where a block after a call is one of its arguments.
    """
    return list(_kept(tuple(words), trailing)) if len(words) < _MOST_KEPT else _chain(words, trailing)


@lru_cache(maxsize=4096)
def _kept(words: tuple[str, ...], trailing: bool) -> list[Link]:
    """The same chain is looked at by each that asks what it demands."""
    return _chain(list(words), trailing)


def _chain(words: list[str], trailing: bool) -> list[Link]:
    while words and words[0] in _LOOSE:
        words = words[1:]
    links: list[Link] = []
    names: list[str] = []
    types = ""
    index = 0
    while index < len(words):
        word = words[index]
        if word == "(" and (names or links):
            end = closing(words, index)
            links.append(Link(tuple(names), split(words[index + 1 : end]), types))
            names, types, index = [], "", end
        elif word == "<" and names and (end := type_end(words, index) or 0):
            types, index = joined(words[index + 1 : end]), end
        elif word == "{" and trailing and (names or links):
            end = closing(words, index)
            _trail(links, tuple(names), types, words[index : end + 1])
            names, types, index = [], "", end
        elif word in _OPENERS:
            end = closing(words, index)
            names.append(_indexed(words[index : end + 1]))
            index = end
        elif word not in _DOTS:
            names.append(word)
        index += 1
    if names or not links:
        links.append(Link(tuple(names), None, types))
    return links


def _trail(links: list[Link], names: tuple[str, ...], types: str, block: list[str]) -> None:
    """Hand a block to the call that it follows."""
    if names or not links:
        links.append(Link(names, [block], types))
    else:
        last = links.pop()
        links.append(Link(last.names, [*(last.arguments or []), block], last.types))


def _indexed(words: list[str]) -> str:
    """``["skip"]`` is the name skip; any other bracket stays as it is written."""
    if len(words) == 3 and words[0] == "[" and words[1][0] == '"':
        return words[1][1:-1]
    return joined(words)
