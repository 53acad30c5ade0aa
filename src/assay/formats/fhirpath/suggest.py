"""What an author may have meant by a name that does not exist."""

import difflib
from collections.abc import Collection


def suggestion(name: str, known: Collection[str]) -> str:
    """The end of a complaint: the nearest name, or some of those that there are."""
    lowered = {one.lower(): one for one in sorted(known)}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {lowered[near[0]]}?"
    return f"; it has {', '.join(sorted(known))}" if 0 < len(known) <= 40 else ""
