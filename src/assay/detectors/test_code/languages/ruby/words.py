"""The words of Ruby.

Parentheses around arguments, ``do … end`` or braces, and the two ways to write a hash are a matter of style, so
the words have one form for all of them.
"""

import re

from assay.code.operators import RUBY
from assay.detectors.test_code.engine.expressions.brackets import OPERATORS
from assay.detectors.test_code.engine.expressions.words import Lexicon, simplified
from assay.detectors.test_code.tree import Node, ParsedText
from assay.detectors.test_code.word_sets import word_set

BLOCKS = frozenset(("do_block", "block"))
OPAQUE = word_set(
    "string heredoc_beginning regex string_array symbol_array subshell delimited_symbol chained_string"
)
_PATTERN = re.compile(
    r"""(?:\s+|\\\n|^=begin.*?(?:^=end[^\n]*|\Z)|\#[^\n]*)*"""
    r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|::|:(?:[<>=!+*/%~^&|-]+|\[\]=?)(?=[\s,)])|:[A-Za-z_]\w*[?!]?|(?:(?<![@$])[@$]++)?\w+(?:(?<=\d)\.\d+(?:e[-+]?\d+)?|[?!](?!=))?|&\.|"""
    + OPERATORS
    + r"""|.|\Z)""",
    re.DOTALL | re.MULTILINE,
)
_QUOTE = re.compile(r"""\\(['"])""")
_PERCENT = re.compile(r"%[qQ]?[^\w\s](.*)[^\w\s]\Z", re.DOTALL)
_KEPT: dict[str, list[str]] = {}
_MOST_KEPT, _LONGEST_KEPT, _FAR = 8192, 400, 2000

_Event = tuple[int, int, int, str]
"""Where the text is not taken as it stands: offset, rank there, the offset after it, the word instead."""


def literal(text: str) -> str:
    """A string in double quotes, whichever it had; everything else as it is."""
    percent = _PERCENT.match(text)
    if percent is not None or text[0] in "\"'":
        content = percent[1] if percent is not None else text[1:-1]
        return '"' + _QUOTE.sub(r"\1", content).replace('"', '\\"') + '"'
    return " ".join(text.split())


LEXICON = Lexicon(_PATTERN, literal, "\"'", operators=RUBY)


def words(tree: ParsedText, start: int, end: int) -> list[str]:
    """The words of a piece of a file, in one form for all styles. The list is shared, so it must not be changed.

    Most pieces are the same before and after a change, so they are kept; but not those with heredocs, whose text
    is not in the piece.
    """
    source = tree.text[start:end]
    if len(source) > _LONGEST_KEPT or "<<" in source:
        return _read(tree, start, end)
    found = _KEPT.get(source)
    if found is None:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        found = _KEPT[source] = _read(tree, start, end)
    return found


def _read(tree: ParsedText, start: int, end: int) -> list[str]:
    found: list[str] = []
    position = start
    for offset, _, after, word in sorted(_events(tree, start, end)):
        if offset >= position:
            found += LEXICON.words(tree.text, position, offset)
            found += LEXICON.words(word) if word[0] == "[" and len(word) > 1 else [word]
            position = after
    found += LEXICON.words(tree.text, position, end)
    return _hashes(simplified(found, RUBY))


def _events(tree: ParsedText, start: int, end: int) -> list[_Event]:
    events: list[_Event] = []
    for rank, node in enumerate(tree.within(start, end)):
        if node.end > end:
            continue
        if node.kind in OPAQUE:
            events.append((node.start, rank + 1, node.end, _opaque(tree, node)))
        elif node.kind == "argument_list" and tree.text[node.start] != "(":
            events.append((node.start, rank + 1, node.start, "("))
            events.append((node.end, -rank, node.end, ")"))
        elif node.kind in BLOCKS:
            events.extend(_block(tree, node, rank))
    return events


def _block(tree: ParsedText, node: Node, rank: int) -> list[_Event]:
    """A block in braces; that of ``expect`` in parentheses, because it is what is expected."""
    begin, finish = (2, 3) if node.kind == "do_block" else (1, 1)
    expected = tree.text[max(0, node.start - 20) : node.start].rstrip().endswith("expect")
    opens, closes = ("(", ")") if expected else ("{", "}")
    return [
        (node.start, rank + 1, node.start + begin, opens),
        (node.end - finish, -rank, node.end, closes),
    ]


def _opaque(tree: ParsedText, node: Node) -> str:
    text = tree.source(node)
    if node.kind == "heredoc_beginning":
        return _heredoc(tree, node)
    if node.kind == "string_array":
        return "[" + ", ".join(f'"{word}"' for word in text[3:-1].split()) + "]"
    if node.kind == "symbol_array":
        return "[" + ", ".join(f":{word}" for word in text[3:-1].split()) + "]"
    return literal(text)


def _heredoc(tree: ParsedText, node: Node) -> str:
    """The text that a heredoc stands for: the first body that begins after the line it is announced on."""
    for later in tree.within(node.end, node.end + _FAR):
        if later.kind == "heredoc_body":
            return '"' + " ".join(tree.source(later).split()[:-1]).replace('"', '\\"') + '"'
    return tree.source(node)


def _hashes(words: list[str]) -> list[str]:
    """``:a => 1`` written as ``a: 1``."""
    if "=>" not in words:
        return words
    found: list[str] = []
    for word in words:
        if word == "=>" and found and found[-1][:1] == ":" and len(found[-1]) > 1:
            found[-1] = found[-1][1:]
            found.append(":")
        else:
            found.append(word)
    return found
