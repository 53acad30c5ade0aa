"""How the text of a language falls into words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from assay.detectors.test_code.engine.expressions.uniform_words import simplified
from assay.detectors.test_code.tree import Node, Tree

_ESCAPED_QUOTE = re.compile(r"""\\(['"`])""")
_LONGEST_KEPT = 400
MAX_END = 2**62
OPERATORS = (
    r"===|!==|<=>|\.\.\.|=>|->|:=|<-|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|=~|!~|\*\*|\+\+|--|[-+*/%&|^]=|<<|>>|\.\."
)
"""Operators of more than one character, of all the languages together."""


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """How one language's text falls into words.

    ``pattern`` has one group, the word; white space and comments before it are outside the group. ``quotes`` are
    the characters that a literal begins with. ``opaque`` are kinds of nodes whose end the pattern can't know;
    ``literal`` makes the text of such a node, or of a literal, uniform.
    """

    pattern: re.Pattern[str]
    literal: Callable[[str], str]
    quotes: str = "\"'`"
    opaque: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    """Words that are functions in this language and operators in others: Hamcrest's ``not``."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Words that have another spelling in this language: PHP's ``->`` is the dot of the others."""
    respelled: Callable[[Tree, Node], str] | None = None
    """Writes the text of an opaque node in its one spelling, of which the words count then."""

    def words(self, text: str, start: int = 0, end: int = MAX_END) -> list[str]:
        """The words of a piece of text that has no opaque nodes, as they stand there."""
        quotes, literal = self.quotes, self.literal
        found = self.pattern.findall(text, start, end)
        words = [literal(word) if word[0] in quotes and len(word) > 1 else word for word in found if word]
        if "_" in text:
            words = [word.replace("_", "") if word[0].isdigit() else word for word in words]
        return [self.spelled.get(word, word) for word in words] if self.spelled else words


def quoted(literal: str) -> str:
    """A string literal in double quotes, whichever it had."""
    content = literal[1:-1]
    if "\\" in content:
        content = _ESCAPED_QUOTE.sub(r"\1", content)
    return '"' + content.replace('"', '\\"') + '"'


def words_in(lexicon: Lexicon, text: str) -> list[str]:
    """The words of a text without opaque nodes, simplified. The list may be shared and must not be changed."""
    return (
        _kept(lexicon, text) if len(text) <= _LONGEST_KEPT else simplified(lexicon.words(text), lexicon.functions)
    )


@lru_cache(maxsize=64)
def told(lexicon: Lexicon) -> Lexicon:
    """How a text falls into words that was put together from words: each has its one spelling already."""
    return replace(lexicon, spelled={}) if lexicon.spelled else lexicon


@lru_cache(maxsize=8192)
def _kept(lexicon: Lexicon, text: str) -> list[str]:
    """Most pieces of a file are the same before and after a change, so that half of them need no second look."""
    return simplified(lexicon.words(text), lexicon.functions)


def words(tree: Tree, lexicon: Lexicon, start: int, end: int) -> list[str]:
    """The words of a piece of a file, simplified. The list may be shared and must not be changed."""
    opaque = _opaque(tree, lexicon, start, end)
    if not opaque:
        return words_in(lexicon, tree.text[start:end])
    found: list[str] = []
    position = start
    for node in opaque:
        if node.start >= position:
            found += lexicon.words(tree.text, position, node.start)
            if lexicon.respelled is not None:
                found += lexicon.words(lexicon.respelled(tree, node))
            else:
                found.append(lexicon.literal(tree.source(node)))
            position = node.end
    found += lexicon.words(tree.text, position, end)
    return simplified(found, lexicon.functions)


def _opaque(tree: Tree, lexicon: Lexicon, start: int, end: int) -> list[Node]:
    if not lexicon.opaque or not tree.has(lexicon.opaque):
        return []
    return [node for node in tree.within(start, end) if node.kind in lexicon.opaque and node.end <= end]


def lexicon_pattern(
    strings: str, comments: str = r"//[^\n]*|/\*.*?(?:\*/|\Z)", word: str = r"[\w$@\#]+"
) -> re.Pattern[str]:
    """A pattern for ``Lexicon``: white space and comments, then a string, a word, a number or an operator."""
    number = r"\d[\w]*(?:\.\d[\w]*)?(?:(?<=[eE])[-+]\d+)?"
    return re.compile(
        rf"(?:\s+|{comments})*+({strings}|{number}|{word}|{OPERATORS}|.|\Z)", re.DOTALL | re.MULTILINE
    )


DOUBLE = r'"(?:[^"\\\n]|\\.)*"'
SINGLE = r"'(?:[^'\\\n]|\\.)*'"
CHARACTER = r"'(?:\\[^'\n]{1,10}|[^'\\\n])'"
