"""Whether text that this Python can't parse is valid in a newer version, by a grammar that knows it."""

import re

# Type parameters, quotes inside of an f-string's braces, template strings, several exceptions without parentheses.
_NEWER = re.compile(
    r"^\s*(?:async\s+)?(?:def|class)\s+\w+\[|^\s*type\s+\w+|\b[fF][rR]?[\"'].*\{|\bt[rR]?[\"']|^\s*except\*?\s+[\w.]+\s*,",
    re.MULTILINE,
)


def is_newer_python(text: str) -> bool:
    """True where there is newer syntax and the grammar finds no error. Asked only after ``ast`` has refused."""
    if _NEWER.search(text) is None:
        return False
    from ast_grep_py import SgRoot  # noqa: PLC0415 - 45 MB that most gradings never need.

    try:
        return SgRoot(text, "python").root().find(kind="ERROR") is None
    except (RuntimeError, ValueError, TypeError):
        return False
