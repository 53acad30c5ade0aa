"""Tokens of Java, Rust and C#: enough to compare expressions, split arguments and make source uniform.

Syntax trees say where an assertion is; its inside is read here, because the arguments of a Rust macro have no tree
and because one slice of text is cheaper than many nodes.
"""

import re
from functools import lru_cache

_TOKEN = re.compile(
    r"""
      //[^\n]* | /\*(?:[^*]|\*(?!/))*(?:\*/|\Z)                     # comments
    | ([bc]?r\#+"(?:[^"]|"(?!\#))*(?:"\#+|\Z) | [bc]?r"[^"]*(?:"|\Z)   # Rust's raw strings
    |  (?:(?<![$@])[$@]++)?\"{3}(?:[^"]|"(?!""))*(?:\"{3,5}|\Z)           # text blocks
    |  \$?@\$?"(?:""|[^"])*(?:"|\Z)                                    # verbatim strings
    |  [$bc]?"(?:\\.|[^"\\])*(?:"|\Z)
    |  b?'(?:\\[^']+|\\'|[^'\\])'
    |  '[^\W\d]\w*                                                  # lifetimes
    |  0[xX][\da-fA-F_]+\w* | (?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?\w*
    |  [@\#]?[^\W\d]\w*
    |  -> | => | ==?=? | !=?=? | [<>]=(?!>) | && | \|\| | :: | \?\.|\?\? | \.\.[=.]? | \S)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")
_MARKS = frozenset("()[]{}<>.,;:=!&|+-*/%^?@#~$\\")
_TYPE_PART = re.compile(r"[\w.,?&\[\]\s:']+|extends|super|::")
_AFTER_TYPE: tuple[list[str], ...] = ([], ["("], ["::"], ["."], ["{"], [">"], [")"], [","])
_MOST_PARENTHESES = 8
_PLAIN_RAW = re.compile(r'(?:@|r\#*)"([^"\\]*)"\#*')

Tokens = list[str]


def tokens(text: str) -> Tokens:
    """The tokens of a piece of source, without comments and white space."""
    return [_plain(part) for part in _TOKEN.findall(text) if part]


@lru_cache(maxsize=4096)
def _plain(part: str) -> str:
    """One spelling for strings and numbers that have several."""
    if part[0].isdigit():
        return part.replace("_", "")
    if part[0] in "@r" and part[-1] in '"#':
        raw = _PLAIN_RAW.fullmatch(part)
        return f'"{raw[1]}"' if raw else part
    return part


def uniform(parts: Tokens) -> str:
    """The same tokens always give the same text, however they were laid out."""
    if len(parts) == 1:
        return parts[0]
    pieces: list[str] = []
    after_word = False
    for part in parts:
        if part in _CLOSE and pieces and pieces[-1] == ", ":
            pieces.pop()
        word = part[0] not in _MARKS
        if word and after_word:
            pieces.append(" ")
        pieces.append(", " if part == "," else part)
        after_word = word and part[-1] not in _MARKS
    return "".join(pieces).strip()


def closing(parts: Tokens, at: int) -> int:
    """Where the bracket that opens at ``at`` is closed; the last index where it never is."""
    depth = 0
    for index in range(at, len(parts)):
        if parts[index] in _OPEN:
            depth += 1
        elif parts[index] in _CLOSE:
            depth -= 1
            if depth <= 0:
                return index
    return len(parts) - 1


def type_arguments_end(parts: Tokens, at: int) -> int | None:
    """Where ``<…>`` that begins at ``at`` ends, if it holds types and not a comparison."""
    depth = 0
    for index in range(at, min(len(parts), at + 60)):
        part = parts[index]
        if part == "<":
            depth += 1
        elif part == ">":
            depth -= 1
            if depth == 0:
                before_a_name = at == 0 or parts[at - 1] == "."
                return index if before_a_name or parts[index + 1 : index + 2] in _AFTER_TYPE else None
        elif not _TYPE_PART.fullmatch(part):
            return None
    return None


def split(parts: Tokens, separators: frozenset[str]) -> list[Tokens]:
    """The pieces between separators that stand outside all brackets, type arguments and closure parameters."""
    if separators.isdisjoint(parts):
        return [parts]
    pieces: list[Tokens] = [[]]
    at = 0
    while at < len(parts):
        end = _group_end(parts, at, pieces[-1]) if parts[at] in _GROUPS else at
        if end == at and parts[at] in separators:
            pieces.append([])
        else:
            pieces[-1].extend(parts[at : end + 1])
        at = end + 1
    return pieces


_GROUPS = _OPEN | {"<", "|"}


def _group_end(parts: Tokens, at: int, before: Tokens) -> int:
    """Where the brackets, type arguments or closure parameters that begin here end; here where none begin."""
    if parts[at] == "<":
        return (type_arguments_end(parts, at) or at) if at else at
    if parts[at] != "|":
        return closing(parts, at)
    if before and before != ["move"]:
        return at
    return next((index for index in range(at + 1, len(parts)) if parts[index] == "|"), at)


_COMMA = frozenset({","})


def arguments(parts: Tokens) -> list[Tokens]:
    """The arguments between two brackets, each without redundant parentheses."""
    return [bare(piece) for piece in split(parts, _COMMA) if piece]


def bare(parts: Tokens) -> Tokens:
    """Without parentheses around the whole."""
    for _ in range(_MOST_PARENTHESES):
        if len(parts) < 3 or parts[0] != "(" or closing(parts, 0) != len(parts) - 1:
            break
        inner = parts[1:-1]
        if len(split(inner, _COMMA)) > 1:
            break
        parts = inner
    return parts


def mentions(text: str, name: str, times: int = 1) -> bool:
    """Does a name stand in a text at least so often, as a word of its own?"""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            times -= 1
            if times <= 0:
                return True
        at = text.find(name, end)
    return False
