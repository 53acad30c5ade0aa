"""Types between angle brackets in a list of words: ``Foo<Bar>`` is a name, and no comparison."""

import re
from collections.abc import Sequence

_TYPE_PART = re.compile(r"[\w.,?&\[\]\s:'*]+|extends|super|::|out|in")
_AFTER_TYPE = frozenset({"(", "::", ".", "{", ">", ")", ",", "?.", "[", ""})
_MOST_TYPE = 60


def type_end(words: Sequence[str], at: int) -> int | None:
    """Where ``<…>`` that begins at an index ends, if it holds types and is no comparison."""
    depth = 0
    for index in range(at, min(len(words), at + _MOST_TYPE)):
        word = words[index]
        if word == "<":
            depth += 1
        elif word in (">", ">>"):
            depth -= len(word)
            if depth <= 0:
                following = words[index + 1] if index + 1 < len(words) else ""
                return index if following in _AFTER_TYPE else None
        elif not _TYPE_PART.fullmatch(word):
            return None
    return None
