"""Whether text that this Python can't parse is valid in a newer version, by a grammar that knows it."""

import re

SYNTAX_ERROR = "a syntax error"
"""The text of the skip that stands for a syntax error."""

# Type parameters, quotes inside of an f-string's braces, template strings, several exceptions without parentheses.
_NEWER = re.compile(
    r"^[^\S\n]*+(?:async\s+)?(?:def|class)\s+\w+\[|^[^\S\n]*+type\s+\w+|\b[fF][rR]?[\"'].{0,2000}\{|\bt[rR]?[\"']|^[^\S\n]*+except\*?\s+[\w.]+\s*,",
    re.MULTILINE,
)


def looks_newer(text: str) -> bool:
    """Whether there is anything in a text that could be newer syntax. Cheap, and asked before the grammar is."""
    return _NEWER.search(text) is not None


def is_newer_python(text: str) -> bool:
    """Whether the grammar finds no error in a text that ``ast`` refused. It may never return, so ask it apart."""
    from ast_grep_py import SgRoot  # noqa: PLC0415 - 45 MB that most gradings never need.

    try:
        return SgRoot(text, "python").root().find(kind="ERROR") is None
    except (RuntimeError, ValueError, TypeError):
        return False
