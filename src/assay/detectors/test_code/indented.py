"""Tests in lines where indentation says what belongs to them.

Whatever is not plainly a test of its own (a name that is there twice, text over several lines, brackets that don't
close) is left as it is.
"""

import re

from assay.detectors.test_code.chunks import Chunk

_DECORATOR = re.compile(r"^([ \t]*)@\w")
_HEADER = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(")
_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)")
_ONE_LINE = re.compile(r"\)[^#\n]{0,1000}:[ \t]*$")
_ENDS_HEADER = re.compile(r"^[ \t]*\)[^#\n]{0,1000}:[ \t]*$")
_QUOTES = ('"""', "'''")


def indented_chunks(lines: list[str]) -> list[Chunk]:
    """The tests among some lines."""
    found: list[Chunk] = []
    number = 0
    within = ""
    while number < len(lines):
        header = _header_after(lines, number)
        if header is None:
            inside = _CLASS.match(lines[number])
            within = inside.group(1) if inside is not None else within
            number += 1
            continue
        chunk = _chunk(lines, number, header, within)
        found.append(chunk)
        number = chunk.end
    return found


def _header_after(lines: list[str], number: int) -> int | None:
    """The line with the ``def`` of the test that begins here, be it with a decorator; None where none begins."""
    line = lines[number]
    if _HEADER.match(line):
        return number
    decorated = _DECORATOR.match(line)
    if decorated is None:
        return None
    indent = decorated.group(1)
    for following in range(number + 1, min(number + 400, len(lines))):
        line = lines[following]
        if _HEADER.match(line) and line.startswith(indent) and line[len(indent)] not in " \t":
            return following
        inside = not line.strip() or line.startswith((f"{indent} ", f"{indent}\t"))
        if not inside and not line.startswith(
            (f"{indent})", f"{indent}]", f"{indent}@", f"{indent}#", f"{indent}}}")
        ):
            return None
    return None


def _chunk(lines: list[str], first: int, header: int, within: str) -> Chunk:
    found = _HEADER.match(lines[header])
    name = found.group(2) if found is not None else ""
    indent = len(lines[header]) - len(lines[header].lstrip())
    start = _body_start(lines, header)
    end = start if start is not None else header + 1
    while end < len(lines) and (_depth(lines[end]) > indent or _is_remark(lines[end])):
        end += 1
    while end > header + 1 and _depth(lines[end - 1]) <= indent:
        end -= 1
    while end > header + 1 and not lines[end - 1].strip():
        end -= 1
    plain = start is not None and start < end and _stands_alone(lines[start:end])
    owner = within if indent else ""
    return Chunk(first, start if plain else None, end, "\n".join(lines[first:end]), f"{owner}.{name}", owner)


def _depth(line: str) -> int:
    """How far a line is indented. An empty one is wherever its surroundings are."""
    text = line.lstrip()
    return len(line) - len(text) if text else len(line) + 1000


def _is_remark(line: str) -> bool:
    """A comment belongs to a body however it is indented."""
    return line.lstrip().startswith("#")


def _body_start(lines: list[str], header: int) -> int | None:
    if _ONE_LINE.search(lines[header]):
        return header + 1
    for number in range(header + 1, min(header + 40, len(lines))):
        if _ENDS_HEADER.match(lines[number]):
            return number + 1
    return None


def _stands_alone(body: list[str]) -> bool:
    """Whether nothing that begins in these lines ends elsewhere, or the other way round."""
    text = "\n".join(body)
    if any(text.count(quotes) % 2 for quotes in _QUOTES) or body[-1].endswith("\\"):
        return False
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))


def without_body(body: list[str]) -> list[str]:
    """As many lines that do nothing."""
    first = next((line for line in body if line.strip() and not _is_remark(line)), body[0])
    indent = first[: len(first) - len(first.lstrip())] or " "
    return [f"{indent}pass"] + [""] * (len(body) - 1)
