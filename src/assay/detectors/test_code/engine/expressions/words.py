"""Source text made uniform, so that the same code laid out differently compares equal.

White space, comments, kinds of quotes, trailing commas, semicolons, split string literals and parentheses that
change nothing disappear. The result is for comparing and for showing, not for running.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from assay.code.operators import C_LIKE, COMPARISONS, NEUTRAL, Operators, type_end
from assay.code.spelling import canonical
from assay.detectors.test_code.engine.expressions.brackets import CLOSERS, OPENERS, closing, group_end
from assay.detectors.test_code.tree import Node, ParsedText
from assay.detectors.test_code.word_sets import word_set

_ESCAPED_QUOTE = re.compile(r"""\\(['"`])""")
_GLUED = {"(", "[", ".", "?.", "::", "!", "@"}
_BRACKETS = {"(", "["}
_TIGHT = {".", "?.", "::", ",", ")", "]", "++", "--"}
_DOTS = {".", "?.", "&.", "::"}
_SIGNS = frozenset(("-", "&", "*"))
_LONGEST_KEPT = 400
_MOST_KEPT = 60
_CHANGING = frozenset((";", "+", ""))
_WATCHED = _CHANGING | CLOSERS | {"("}
_OPERATING = COMPARISONS | word_set("| ^ & << >> ?? ? not .. ! and or - * / %")
"""Operators of which two may bind otherwise in another language."""
_BEFORE_CALL = frozenset('_$@"`)]}')
MAX_END = 2**62

_GROUPING_WORDS = word_set(
    "return await typeof case in of throw yield not and or else do delete void async new when then unless "
    "until if_ elsif is as instanceof defined?"
) | {"is not", "not in"}
"""Words after which a parenthesis groups and does not call."""

_BINDING = frozenset(NEUTRAL.strengths) | _GROUPING_WORDS | {"!", "~", ",", ":"}
"""What no operand ends with."""


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
    operators: Operators = C_LIKE
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Words that have another spelling in this language: PHP's ``->`` is the dot of the others."""
    respelled: Callable[[ParsedText, Node], str] | None = None
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
        _kept(lexicon, text) if len(text) <= _LONGEST_KEPT else simplified(lexicon.words(text), lexicon.operators)
    )


@lru_cache(maxsize=64)
def told(lexicon: Lexicon) -> Lexicon:
    """How a text falls into words that was put together from words: each has its one spelling already."""
    return replace(lexicon, spelled={}) if lexicon.spelled else lexicon


@lru_cache(maxsize=8192)
def _kept(lexicon: Lexicon, text: str) -> list[str]:
    """Most pieces of a file are the same before and after a change, so that half of them need no second look."""
    return simplified(lexicon.words(text), lexicon.operators)


def words(tree: ParsedText, lexicon: Lexicon, start: int, end: int) -> list[str]:
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
    return simplified(found, lexicon.operators)


def _opaque(tree: ParsedText, lexicon: Lexicon, start: int, end: int) -> list[Node]:
    if not lexicon.opaque or not tree.has(lexicon.opaque):
        return []
    return [node for node in tree.within(start, end) if node.kind in lexicon.opaque and node.end <= end]


def simplified(found: list[str], operators: Operators = NEUTRAL) -> list[str]:
    """The words in their one spelling: brackets where they are needed, no idle commas, split texts joined."""
    return found[:] if _is_simple(found) else canonical([word for word in found if word], operators)


def _is_simple(found: list[str]) -> bool:
    """Whether there is plainly nothing to respell: every parenthesis calls something, and operators are alike."""
    before, operating = ",", False
    for word in found:
        if word in _WATCHED:
            if word == "(":
                first = before[0]
                if before in _GROUPING_WORDS or not (first.isalnum() or first in _BEFORE_CALL):
                    return False
            elif before == "," or word in _CHANGING:
                return False
        elif word in _OPERATING:
            if operating:
                return False
            operating = True
        before = word
    return before != "," or not found


def joined(found: Sequence[str]) -> str:
    """The words as one line of text."""
    if len(found) == 1:
        return found[0]
    return _joined(tuple(found)) if len(found) < _MOST_KEPT else _join(found)


@lru_cache(maxsize=8192)
def _joined(found: tuple[str, ...]) -> str:
    """The same expression is told again by each demand that it is in."""
    return _join(found)


def _join(found: Sequence[str]) -> str:
    parts: list[str] = []
    glued, dotted, last = True, False, ""
    for word in _with_types(found) if "<" in found else found:
        if not (glued or word in _TIGHT or (word in _BRACKETS and last and (dotted or _callable(last)))):
            parts.append(" ")
        parts.append(word)
        dotted = glued and last in _DOTS
        glued = word in _GLUED or (word in _SIGNS and _is_sign(parts))
        last = word
    return "".join(parts)


def _with_types(found: Sequence[str]) -> list[str]:
    """The words with types as parts of the names that they belong to: ``Foo<Bar>``."""
    out: list[str] = []
    at = 0
    while at < len(found):
        end = type_end(found, at) if found[at] == "<" and out and out[-1][0].isalpha() else None
        if end is None:
            out.append(found[at])
        else:
            out[-1] += f"<{joined(found[at + 1 : end])}{found[end]}"
        at = (end or at) + 1
    return out


def _is_sign(parts: list[str]) -> bool:
    """Whether the sign that comes last belongs to what follows: nothing is before it to be taken from."""
    before = next((word for word in reversed(parts[:-1]) if word != " "), "")
    return not before or before in OPENERS or before in _BINDING


def _callable(word: str) -> bool:
    """Whether a bracket after a word belongs to it."""
    typed = word[-1] == ">" and word[0].isalpha()
    return (word[-1].isalnum() or typed or word[-1] in '_)]}$"`?!') and word not in _GROUPING_WORDS


_UNEVEN = frozenset({"<", "|"})
_GROUPS = _UNEVEN | OPENERS


def split(found: list[str], separator: str = ",") -> list[list[str]]:
    """The words between separators outside all brackets and types, without empty parts."""
    if separator not in found:
        return [simplified(found) if found[0] == "(" else found] if found else []
    parts = _split(found, separator) if _UNEVEN.isdisjoint(found) else _split_types(found, separator)
    return [simplified(part) if part[0] == "(" else part for part in parts if part]


def _split(found: list[str], separator: str) -> list[list[str]]:
    parts: list[list[str]] = []
    depth = start = 0
    for index, word in enumerate(found):
        if word in OPENERS:
            depth += 1
        elif word in CLOSERS:
            depth = depth - 1 if depth else 0
        elif word == separator and not depth:
            parts.append(found[start:index])
            start = index + 1
    parts.append(found[start:])
    return parts


def _split_types(found: list[str], separator: str) -> list[list[str]]:
    """The same where there may be types and the parameters of closures."""
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(found):
        word = found[at]
        end = group_end(found, at, parts[-1]) if word in _GROUPS and word != separator else at
        if word == separator:
            parts.append([])
        else:
            parts[-1].extend(found[at : end + 1])
        at = end + 1
    return parts


def bare(found: list[str]) -> list[str]:
    """The words without parentheses around all of them, and without the word that lets errors through."""
    if len(found) > 2 and found[0] == "try" and found[1] not in ("?", "!", "{"):
        found = found[1:]
    while len(found) > 2 and found[0] == "(" and found[-1] == ")" and closing(found, 0) == len(found) - 1:
        if found[-2] == "," or len(split(found[1:-1])) > 1:
            break
        found = simplified(found[1:-1])
    return found
