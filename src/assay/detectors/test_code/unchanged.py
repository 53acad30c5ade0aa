"""Empties the tests that two versions of a file have in common, so that only what changed is read.

Whatever is not plainly a test of its own, as formatters lay it out, is left as it is.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

from assay.detectors.test_code.chunks import Chunk, without_common
from assay.detectors.test_code.indented import indented_chunks, without_body
from assay.detectors.test_code.meanings import changed_meanings

_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("/*", "*/"))


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the tests of a language lie in lines.

    ``head`` begins a test and has its indentation as group; ``end`` is what ends it with the same indentation.
    ``marks`` may stand above it, and one of them must be a ``mark`` where that is what makes it a test.
    ``odd`` are signs that a test without something open has an even number of, and ``stays`` what keeps it whole.
    """

    head: re.Pattern[str]
    end: frozenset[str]
    marks: tuple[str, ...] = ()
    mark: re.Pattern[str] | None = None
    odd: tuple[str, ...] = ('"',)
    stays: re.Pattern[str] | None = None
    apart: str = ""
    """The line between head and body, where there is one."""


_BRACE = frozenset({"}"})
_JAVASCRIPT = _Layout(re.compile(r"([ \t]*)(?:it|test|specify)\(.*\{$"), frozenset({"})", "});"}), odd=("`",))
_LAYOUTS = {
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": _Layout(re.compile(r"()func Test\w*\(\w+ \*testing\.T\) \{$"), _BRACE, odd=("`",)),
    "java": _Layout(
        re.compile(
            r"([ \t]+)(?:(?:public|protected|final)[ \t]+)*void[ \t]+\w+\([^()]*\)"
            r"(?:[ \t]*throws[ \w.,]++)?[ \t]*+\{$"
        ),
        _BRACE,
        ("@",),
        re.compile(r"@(?:\w*Test)\b"),
    ),
    "rust": _Layout(
        re.compile(r"([ \t]*)(?:async[ \t]+)?fn[ \t]+\w+\(\)[^{}]*\{$"),
        _BRACE,
        ("#[",),
        re.compile(r"#\[(?:\w+::)*test\b"),
        stays=re.compile(r'\br#*"'),
    ),
    "ruby": _Layout(
        re.compile(r"([ \t]*)(?:(?:it|specify|scenario|test)[ \t(].*\bdo|def[ \t]+test_\w+)$"),
        frozenset({"end"}),
        odd=(),
        stays=re.compile(r"<<|^=|^__END__|%[qQ]?\W", re.MULTILINE),
    ),
    "csharp": _Layout(
        re.compile(r"([ \t]+)(?:(?:public|async|virtual)[ \t]+)+(?:void|Task)[ \t]+\w+\([^()]*\)$"),
        _BRACE,
        ("[",),
        re.compile(r"\[(?:Fact|Theory|Test|TestMethod|TestCase|InlineData|DataRow|DataTestMethod)\b"),
        stays=re.compile(r'^[ \t]*#|@"|\$@|"""', re.MULTILINE),
        apart="{",
    ),
    "kotlin": _Layout(
        re.compile(r"([ \t]+)(?:(?:public|internal|open)[ \t]+)*fun[ \t]+(?:\w+|`[^`\n]++`)\([^()]*\)[ \t]*+\{$"),
        _BRACE,
        ("@",),
        re.compile(r"@(?:\w*Test)\b"),
        stays=re.compile(r'"""'),
    ),
    "php": _Layout(
        re.compile(r"([ \t]+)(?:(?:final|public)[ \t]+)*function[ \t]+test\w*\([^()]*\)(?:[ \t]*+:[ \t]*+\w+)?$"),
        _BRACE,
        ("#[",),
        odd=('"', "'"),
        stays=re.compile(r"<<<|\?>"),
        apart="{",
    ),
    "swift": _Layout(
        re.compile(
            r"([ \t]+)(?:@MainActor[ \t]+)?func[ \t]+test\w*\(\)(?:[ \t]+async)?(?:[ \t]+throws)?[ \t]*+\{$"
        ),
        _BRACE,
        ("@",),
        stays=re.compile(r'"""|#"|^[ \t]*#', re.MULTILINE),
    ),
}


def without_unchanged(before: str, after: str, language: str) -> tuple[str, str]:
    """Both versions with the bodies of their common tests emptied; as they are where more than tests changed."""
    if language == "python":
        return without_common(before, after, indented_chunks, without_body, changed_meanings)
    layout = _LAYOUTS.get(language)
    if layout is None:
        return before, after
    return without_common(before, after, lambda lines: _chunks(lines, layout), _emptied)


def _chunks(lines: list[str], layout: _Layout) -> list[Chunk]:
    found: list[Chunk] = []
    ends: dict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if line.lstrip() in layout.end:
            ends[line].append(number)
    number = last = 0
    while number < len(lines):
        head = layout.head.match(lines[number])
        chunk = _chunk(lines, last, number, head[1], layout, ends) if head is not None else None
        if chunk is None:
            number += 1
            continue
        found.append(chunk)
        number = last = chunk.end
    return found


def _chunk(
    lines: list[str], last: int, head: int, indent: str, layout: _Layout, ends: dict[str, list[int]]
) -> Chunk | None:
    """The test whose head is on a line; None where it has no mark that makes it one, or no end."""
    first = head
    while first > last and layout.marks and lines[first - 1].lstrip().startswith(layout.marks):
        first -= 1
    if layout.mark is not None and not any(map(layout.mark.search, lines[first:head])):
        return None
    body = _body(lines, head, indent, layout)
    end = _first_end(ends, indent, body, layout) if body is not None else None
    if body is None or end is None:
        return None
    alone = _stands_alone("\n".join(lines[body:end]), layout)
    return Chunk(first, body if alone else None, end + 1, "\n".join(lines[first : end + 1]), lines[head])


def _body(lines: list[str], head: int, indent: str, layout: _Layout) -> int | None:
    """The line after the head; where a bracket stands on a line of its own, the one after that."""
    if not layout.apart:
        return head + 1
    return head + 2 if lines[head + 1 : head + 2] == [indent + layout.apart] else None


def _first_end(ends: dict[str, list[int]], indent: str, body: int, layout: _Layout) -> int | None:
    following = [_next(ends.get(indent + end, []), body) for end in layout.end]
    return min((number for number in following if number is not None), default=None)


def _next(numbers: list[int], first: int) -> int | None:
    at = bisect_left(numbers, first)
    return numbers[at] if at < len(numbers) else None


def _stands_alone(body: str, layout: _Layout) -> bool:
    """Whether nothing that begins in a body ends elsewhere, or the other way round."""
    if layout.stays is not None and layout.stays.search(body):
        return False
    return all(body.count(one) == body.count(other) for one, other in _BRACKETS) and not any(
        body.count(sign) % 2 for sign in layout.odd
    )


def _emptied(body: list[str]) -> list[str]:
    return [""] * (len(body) - 1) + body[-1:]
