"""Source code as words, read from its syntax tree."""

import re
from functools import lru_cache

from assay.detectors.source_signs.code import Code
from assay.detectors.source_signs.grammar import SourceGrammar, grammar_of
from assay.detectors.test_code.tree import Node, parse

_QUOTES = re.compile(r"""^[A-Za-z$@#]{0,3}#*["'`]+|["'`]+#*$""")


_OPENED = {")": "(", "]": "[", "}": "{"}


# Words of Python for signs that other languages have.
_PYTHON_SIGNS = {"and": "&&", "or": "||", "not": "!", "is": "==", "True": "true", "False": "false", "None": "null"}


@lru_cache(maxsize=1)
def read_code(text: str, language: str) -> Code:
    """Parse a text. May never return, so it is called apart. Two questions about a text follow upon each other."""
    family = "javascript" if language in ("typescript", "tsx") else language
    grammar = grammar_of(family)
    code = Code(family, parse(text, language, grammar.kinds))
    opaque = [node for node in code.tree.nodes if node.kind in grammar.strings | grammar.comments]
    position = 0
    for node in opaque:
        if node.start >= position:
            _add(code, grammar, position, node.start)
            if node.kind in grammar.comments:
                code.comments.append(node)
            else:
                _add_string(code, node)
            position = node.end
    _add(code, grammar, position, len(code.tree.text))
    if family == "python":
        _fold_texts(code.words, code.starts)
    _close(code)
    return code


def _add(code: Code, grammar: SourceGrammar, start: int, end: int) -> None:
    for found in grammar.own.word.finditer(code.tree.text, start, end):
        code.words.append(found[0] if code.language != "python" else _PYTHON_SIGNS.get(found[0], found[0]))
        code.starts.append(found.start())


def _add_string(code: Code, node: Node) -> None:
    """A string; one that is added to another is put into that one."""
    text = '"' + _QUOTES.sub("", code.tree.source(node))
    words = code.words
    if len(words) > 1 and words[-1] in ("+", ".") and words[-2][0] == '"':
        words.pop()
        code.starts.pop()
        words[-1] += text[1:]
    else:
        words.append(text)
        code.starts.append(node.start)


def _fold_texts(words: list[str], starts: list[int]) -> None:
    """Put ``"".join(["a", "b"])`` and ``"ba"[::-1]`` of Python together."""
    for index in range(len(words) - 5, -1, -1):
        if words[index][0] != '"' or words[index + 1] not in (".", "["):
            continue
        text, at = words[index][1:], index + 5
        if words[index + 1 : index + 6] == ["[", "::", "-", "1", "]"]:
            words[index : index + 6], starts[index : index + 6] = [f'"{text[::-1]}'], [starts[index]]
        elif words[index + 1 : index + 4] == [".", "join", "("] and words[index + 4] in ("[", "("):
            parts = []
            while at < len(words) and words[at][0] == '"':
                parts.append(words[at][1:])
                at += 2 if words[at + 1 : at + 2] == [","] else 1
            if words[at : at + 2] in (["]", ")"], [")", ")"]):
                words[index : at + 2], starts[index : at + 2] = [f'"{text.join(parts)}'], [starts[index]]


def _close(code: Code) -> None:
    waiting: list[int] = []
    for index, word in enumerate(code.words):
        if word in ("(", "[", "{"):
            waiting.append(index)
        elif word in _OPENED and waiting and code.words[waiting[-1]] == _OPENED[word]:
            code.closing[waiting.pop()] = index
