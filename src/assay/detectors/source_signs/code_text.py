"""Code of a language with braces, or of Ruby, with its comments and its strings told apart from the rest.

Enough to look for a few constructs without a grammar, in time that grows with the text and not faster.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice

_BLOCK = re.compile(r"(?P<comment>/\*[\s\S]*?(?:\*/|\Z))")
_LINE = re.compile(r"(?P<comment>//[^\n]*)")
_IN_LINE = re.compile(r"(?P<string>\"(?:[^\"\\\n]|\\.)*+\")|(?P<unclosed>\"(?:[^\"\\\n]|\\.)*+)")
_RUBY_SINGLE = re.compile(r"(?P<string>'(?:[^'\\\n]|\\.)*+')|(?P<unclosed>'(?:[^'\\\n]|\\.)*+)")
_OVER_LINES = re.compile(r"(?P<string>\"(?:[^\"\\]|\\[\s\S])*+\")|(?P<unclosed>\"(?:[^\"\\]|\\[\s\S])*+)")
_TEMPLATE = re.compile(r"(?P<string>`(?:[^`\\]|\\[\s\S])*+`)|(?P<unclosed>`(?:[^`\\]|\\[\s\S])*+)")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How comments and strings of a language begin, and what each is from its first sign on."""

    openings: re.Pattern[str]
    kinds: dict[str, re.Pattern[str]]


_CURLY = _Grammar(
    re.compile(r"//|/\*|[\"'`]"),
    {
        "//": _LINE,
        "/*": _BLOCK,
        '"': _IN_LINE,
        "'": re.compile(r"(?P<string>'(?:[^'\\\n]|\\.){0,400}+')"),
        "`": _TEMPLATE,
    },
)
_RUST = _Grammar(
    re.compile(r"//|/\*|[\"']"),
    {"//": _LINE, "/*": _BLOCK, '"': _OVER_LINES, "'": re.compile(r"(?P<string>'(?:[^'\\\n]|\\.)')")},
)
_RUBY = _Grammar(
    re.compile(r"#|^=begin|[\"']", re.MULTILINE),
    {
        "#": re.compile(r"(?P<comment>(?<!\S)#[^\n]*)"),
        "=begin": re.compile(r"(?P<comment>=begin[\s\S]*?(?:^=end[^\n]*|\Z))", re.MULTILINE),
        '"': _IN_LINE,
        "'": _RUBY_SINGLE,
    },
)
_GRAMMARS = {"rust": _RUST, "ruby": _RUBY}
_MOST_MATCHES, _LONGEST_BODY = 300, 20_000
_NOT_LINE_END = re.compile(r"[^\n]")
# In Go, a statement may stand before the condition.
_GO_CONDITION = re.compile(r"\b(?:if|for|switch|case)\b([^{\n]{0,400})|(?!)()")
_CONDITION = re.compile(
    r"\b(?:if|while|unless|elsif|switch|match|case|until)\b([^{;\n]{0,400})|([^;{}\n?]{1,300})\?(?![.?])"
)


@dataclass(frozen=True)
class CodeText:
    """``code`` has comments blanked, ``bare`` strings as well. Offsets are the same in all three."""

    language: str
    text: str

    @cached_property
    def code(self) -> str:
        return self._blanked("comment")

    @cached_property
    def bare(self) -> str:
        return self._blanked("comment", "string")

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def source_line(self, offset: int) -> str:
        start = self._starts[self.line(offset) - 1]
        return self.text[start : start + 400].partition("\n")[0]

    def body(self, start: int) -> tuple[int, int] | None:
        """Where the first block behind an offset begins and ends, its braces left out."""
        opening = self.bare.find("{", start)
        closing = self._closing.get(opening)
        if opening < 0 or closing is None:
            return None
        return opening + 1, min(closing, opening + _LONGEST_BODY)

    def depth(self, offset: int) -> int:
        """How many blocks an offset is in."""
        places, depths = self._depths
        at = bisect_right(places, offset) - 1
        return depths[at] if at >= 0 else 0

    def conditions(self) -> Iterator[tuple[int, str]]:
        """What decides something: behind ``if`` and its kin, or before a question mark."""
        for found in (_GO_CONDITION if self.language == "go" else _CONDITION).finditer(self.code):
            # A question mark in a text asks nothing.
            if found[1] or self.bare[found.end() - 1] == "?":
                yield found.start(), _without_body(found[1]) if found[1] else found[2] or ""

    def _blanked(self, *kinds: str) -> str:
        """The text with spaces in the place of what is of these kinds."""
        parts: list[str] = []
        at = 0
        for piece in _pieces(self.text, _GRAMMARS.get(self.language, _CURLY)):
            if piece.lastgroup in kinds:
                parts += self.text[at : piece.start()], _blank(piece[0])
                at = piece.end()
        return "".join(parts) + self.text[at:]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def _depths(self) -> tuple[list[int], list[int]]:
        braces = [(found.start(), 1 if found[0] == "{" else -1) for found in re.finditer(r"[{}]", self.bare)]
        return [place for place, _ in braces], list(accumulate(step for _, step in braces))

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


def _pieces(text: str, grammar: _Grammar) -> Iterator[re.Match[str]]:
    """Comments and strings. A string that nothing closes is none.

    Each of the quotes in one that is not closed would be read to the same end again, so they are passed over: the
    time is that of reading the text once for each kind.
    """
    unclosed_to = dict.fromkeys(grammar.kinds, 0)
    at = 0
    while (opening := grammar.openings.search(text, at)) is not None:
        start, at = opening.span()
        piece = grammar.kinds[opening[0]].match(text, start) if start >= unclosed_to[opening[0]] else None
        if piece is None:
            continue
        if piece.lastgroup == "unclosed":
            unclosed_to[opening[0]] = piece.end()
        else:
            at = piece.end()
            yield piece


def found_in(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches of a pattern. A file with more than some hundreds of them needs no more to be looked at."""
    return islice(pattern.finditer(text), _MOST_MATCHES)


def _without_body(condition: str) -> str:
    """``(a) f()`` without what follows the parentheses."""
    if not condition.lstrip().startswith("("):
        return condition
    depth = 0
    for at, sign in enumerate(condition):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            return condition[: at + 1]
    return condition


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(" ", text)
