"""Whether text that this Python can't parse is Python of a newer version: a grammar that knows those too tells."""

import re

# Type parameters, quotes inside of an f-string's braces, template strings, several exceptions without parentheses.
_NEWER = re.compile(
    r"^[^\S\n]*+(?:async\s+)?(?:def|class)\s+\w+\[|^[^\S\n]*+type\s+\w+|\b[fF][rR]?[\"'].{0,2000}\{|\bt[rR]?[\"']|^[^\S\n]*+except\*?\s+[\w.]+\s*,",
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
