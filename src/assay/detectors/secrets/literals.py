"""String literals put together again: adjacent ones, concatenations, joins, and constants used by name."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from assay.detectors.secrets.rules import HINTS
from assay.detectors.secrets.view import View, pieces_view

# From the quote that ends one literal to the quote that begins the next, with nothing between that separates them.
_GLUE = re.compile(
    r"[\"'`](?:[\s+.,&()\[\]\\]|<<|\|\||String|join|concat|append|push_str|push|str){0,60}[brfu]?[\"'`]"
    r"|\\\r?\n[ \t]{0,40}"
)
_STRING = r"\"(?:[^\"\\\n]|\\.){0,400}\"|'(?:[^'\\\n]|\\.){0,400}'|`[^`]{0,400}`"
_CONSTANT = re.compile(
    rf"(?<![\w.$])(?P<name>[A-Za-z_$][\w$]{{0,60}})[\"']?[ \t]{{0,8}}(?::[ \t]{{0,4}}&?[\w'. ]{{1,40}})?"
    rf"(?P<more>\+=|\.=|<<)?(?:=|:=|:)?(?<=[=:<])[ \t]{{0,8}}"
    rf"[brfu]?(?:(?P<string>{_STRING})|(?P<bare>[A-Za-z0-9_+/=-]{{2,200}})(?=[\s;]|$))"
)
_OPERAND = re.compile(
    rf"(?P<string>{_STRING})|(?P<name>[A-Za-z_$][\w$]{{0,60}})|(?P<other>[^\s\w+.,()&\[\]]|\n[ \t]*\n|\d)"
)
_PLACE = re.compile(r"\$?\{([A-Za-z_]\w{0,60})\}|\$([A-Za-z_]\w{0,60})|#\{([A-Za-z_]\w{0,60})\}")
_SHELL_LINE = re.compile(r"[^\n]{0,400}\$[^\n]{0,400}")
_WHOLE = [re.escape(hint) for hint in HINTS if len(hint) > 3]
# These literals are in every other file, and no token is worth the search that each of them would start.
_COMMON = {"key", "pat", "api", "sdk", "sl", "ops", "pa", "ke", "np", "re"}
_PARTS = sorted(
    {re.escape(hint[:end]) for hint in HINTS for end in range(2, len(hint) + 1) if len(hint) > 2} - _COMMON
)
# A literal that could be the first part of a token: it begins with a prefix, or is nothing but a part of one.
_BEGINNING = re.compile(rf"[\"'`=](?:(?:{'|'.join(_WHOLE)})|(?:{'|'.join(_PARTS)})(?:[\"'`\n;]|$))")


def glued(view: View) -> View | None:
    """A text without the ends of literals that only interrupt it, so that a token in two halves is whole."""
    text = _GLUE.sub("", view.text)
    if len(text) == len(view.text):
        return None

    cuts = [cut.span() for cut in _GLUE.finditer(view.text)]
    starts, removed = [0], 0
    for start, end in cuts:
        removed += end - start
        starts.append(end - removed)

    def line_at(offset: int) -> int:
        piece = bisect_right(starts, offset) - 1
        return view.line_at(offset - starts[piece] + (cuts[piece - 1][1] if piece else 0))

    return View("joined", text, line_at)


def by_name(view: View) -> View | None:
    """Concatenations in which constants stand by their names. Costly, so only where a token could begin."""
    if _BEGINNING.search(view.text) is None:
        return None
    constants = _constants(view.text)
    pieces = [*_concatenations(view, constants), *((value, 0) for value in constants.values() if len(value) > 20)]
    return pieces_view("joined", view, pieces) if constants else None


def _constants(text: str) -> dict[str, str]:
    """Names with a literal as their value; what is added to one later is part of it."""
    values: dict[str, str] = {}
    for found in _CONSTANT.finditer(text):
        value = _inner(found["string"] or found["bare"])
        values[found["name"]] = values.get(found["name"], "")[:400] + value if found["more"] else value
    return values


def _concatenations(view: View, constants: dict[str, str]) -> Iterator[tuple[str, int]]:
    parts: list[str] = []
    first = 0
    for token in _OPERAND.finditer(view.text):
        value = (
            constants.get(token[0]) if token["name"] else token["string"] and _filled(_inner(token[0]), constants)
        )
        if value is not None and len(parts) < 60:
            first = first if parts else token.start()
            parts.append(value)
            continue
        if parts and token["name"] in ("join", "concat", "f", "b", "r"):
            continue
        if parts:
            yield "".join(parts), first
        parts = []
    if parts:
        yield "".join(parts), first
    for line in _SHELL_LINE.finditer(view.text) if "$" in view.text else ():
        yield _filled(line[0], constants), line.start()


def _inner(literal: str) -> str:
    return literal[1:-1] if literal[:1] in ("'", '"', "`") else literal


def _filled(literal: str, constants: dict[str, str]) -> str:
    """A literal with ``{name}`` and ``${name}`` replaced by what the constants say."""
    if "{" not in literal and "$" not in literal:
        return literal
    return _PLACE.sub(lambda found: constants.get(found[1] or found[2] or found[3], found[0])[:400], literal)
