"""Text in which nothing is hidden."""

import re

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")


def visible(text: object) -> str:
    """A text on one line in which nothing is hidden: no control characters, nothing that turns the direction."""
    whole = str(text)
    if whole.isprintable():
        return whole
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "replace").decode() for one in whole)


def lines(text: object) -> str:
    """A text of several lines, each of them visible. Colours of a terminal are left out; tabs are kept."""
    plain = _COLOURS.sub("", str(text))
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in plain.splitlines())
