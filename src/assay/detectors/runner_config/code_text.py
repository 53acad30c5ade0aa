"""The text of a Gradle build, with comments and strings told apart from the rest. Our parser knows no Groovy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_LONGEST_BODY = 20_000
_NOT_LINE_END = re.compile(r"[^\n]")
_OPENINGS = re.compile(r"//|/\*|[\"'`]")
_KINDS = {
    "//": re.compile(r"(?P<comment>//[^\n]*)"),
    "/*": re.compile(r"(?P<comment>/\*[\s\S]*?(?:\*/|\Z))"),
    '"': re.compile(r"(?P<string>\"(?:[^\"\\\n]|\\.)*+\")|(?P<unclosed>\"(?:[^\"\\\n]|\\.)*+)"),
    "'": re.compile(r"(?P<string>'(?:[^'\\\n]|\\.){0,400}+')"),
    "`": re.compile(r"(?P<string>`(?:[^`\\]|\\[\s\S])*+`)|(?P<unclosed>`(?:[^`\\]|\\[\s\S])*+)"),
}


@dataclass(frozen=True)
class CodeText:
    """``code`` has comments blanked, ``bare`` strings as well. Offsets are the same in all three."""

    text: str

    @cached_property
    def code(self) -> str:
        return self._blanked("comment")

    @cached_property
    def bare(self) -> str:
        return self._blanked("comment", "string")

    def body(self, start: int) -> tuple[int, int] | None:
        """Where the first block behind an offset begins and ends, its braces left out."""
        opening = self.bare.find("{", start)
        closing = self._closing.get(opening)
        if opening < 0 or closing is None:
            return None
        return opening + 1, min(closing, opening + _LONGEST_BODY)

    def _blanked(self, *kinds: str) -> str:
        """The text with spaces in the place of what is of these kinds."""
        parts: list[str] = []
        at = 0
        for piece in _pieces(self.text):
            if piece.lastgroup in kinds:
                parts += self.text[at : piece.start()], _NOT_LINE_END.sub(" ", piece[0])
                at = piece.end()
        return "".join(parts) + self.text[at:]

    @cached_property
    def _closing(self) -> dict[int, int]:
        """For every opening brace its closing one."""
        found: dict[int, int] = {}
        waiting: list[int] = []
        for brace in re.finditer(r"[{}]", self.bare):
            if brace[0] == "{":
                waiting.append(brace.start())
            elif waiting:
                found[waiting.pop()] = brace.start()
        return found


def _pieces(text: str) -> Iterator[re.Match[str]]:
    """Comments and strings. A string that nothing closes is none.

    Each of the quotes in one that is not closed would be read to the same end again, so they are passed over: the
    time is that of reading the text once for each kind.
    """
    unclosed_to = dict.fromkeys(_KINDS, 0)
    at = 0
    while (opening := _OPENINGS.search(text, at)) is not None:
        start, at = opening.span()
        piece = _KINDS[opening[0]].match(text, start) if start >= unclosed_to[opening[0]] else None
        if piece is None:
            continue
        if piece.lastgroup == "unclosed":
            unclosed_to[opening[0]] = piece.end()
        else:
            at = piece.end()
            yield piece
