"""The headings of a Markdown text, as CommonMark has them: `# Title`, and a title underlined with `===` or `---`.

What stands in a fenced or indented block of code or in an HTML comment is no heading. Every line is looked at
once, without patterns that could go back, because the text may be hostile.
"""

from collections.abc import Iterator

COMMENT = "<!--"
END_OF_COMMENT = "-->"
_FENCES = ("`", "~")
_STARTS_OTHER_BLOCK = (">", "-", "*", "+", "|")


def headings(text: str) -> set[str]:
    """The titles of all headings. One that is emphasised as a whole counts without the marks, too."""
    found = set(_titles(_outside_of_blocks(text)))
    return found | {title.strip("*_` ") for title in found}


def _outside_of_blocks(text: str) -> Iterator[str]:
    """The lines outside of fences and comments, without indentation. One that can't be a heading is empty."""
    fence, in_comment = "", False
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = raw.lstrip(" ")
        indented = len(raw) - len(line) > 3 or line.startswith("\t")
        if in_comment:
            in_comment = END_OF_COMMENT not in line
        elif fence:
            fence = "" if not indented and _closes(line, fence) else fence
        elif not indented and line.startswith(COMMENT):
            in_comment = END_OF_COMMENT not in line
        elif not indented:
            fence = _fence(line)
            yield "" if fence else line.rstrip(" \t")
            continue
        yield ""


def _fence(line: str) -> str:
    """The marks that open a block of code; empty where the line opens none."""
    for mark in _FENCES:
        marks = line[: len(line) - len(line.lstrip(mark))]
        if len(marks) >= 3 and (mark != "`" or mark not in line[len(marks) :]):
            return marks
    return ""


def _closes(line: str, fence: str) -> bool:
    """Whether a line has as many of the same marks, and nothing else."""
    marks = line.rstrip(" \t")
    return len(marks) >= len(fence) and not marks.strip(fence[0])


def _titles(lines: Iterator[str]) -> Iterator[str]:
    paragraph: list[str] = []
    for line in lines:
        title = _title(line)
        if title is not None:
            yield title
            paragraph = []
        elif paragraph and _underline(line):
            yield " ".join(paragraph)
            paragraph = []
        elif not line or line.startswith(_STARTS_OTHER_BLOCK):
            paragraph = []
        else:
            paragraph.append(line)


def _title(line: str) -> str | None:
    """The text after one to six number signs and a space, without the number signs that may close it."""
    rest = line.lstrip("#")
    if not 1 <= len(line) - len(rest) <= 6 or (rest and rest[0] not in " \t"):
        return None
    title = rest.strip(" \t")
    closed = title.rstrip("#")
    return closed.rstrip(" \t") if not closed or closed[-1] in " \t" else title


def _underline(line: str) -> bool:
    return line != "" and (not line.strip("=") or not line.strip("-"))
