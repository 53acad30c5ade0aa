"""The index of decisions: number, title and status, read from the first lines of each page."""

import re
from collections.abc import Iterator
from pathlib import Path

from docs.markdown import table

FOLDER = Path(__file__).parent / "decisions"
_HEAD = re.compile(r"# (\d{4})\. (.+)\n\n\d{4}-\d\d-\d\d, (accepted|(?:replaced by|merged into) \[\d{4}\]\(\S+\))")
_IN_PART = re.compile(r"(?:replaced|amended) by (\[\d{4}\]\(\S+\))")


def decisions_index() -> Iterator[str]:
    """The page. It ends with the numbers that no page has."""
    rows = [_row(page) for page in sorted(FOLDER.glob("0*.md"))]
    yield "# Decisions"
    yield "One page each: the question, the decision, and its consequences. A new one takes the next number."
    yield table(("number", "decision", "status"), rows)
    numbers = {int(number) for number, _, _ in rows}
    unused = [f"{number:04}" for number in range(1, max(numbers)) if number not in numbers]
    yield f"Numbers that were never used: {', '.join(unused)}."


def _row(page: Path) -> tuple[str, str, str]:
    text = page.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    if head is None:
        raise ValueError(f"{page.name} must begin with '# NNNN. Title' and, below, its date and status")
    number, title, status = head.groups()
    in_part = _IN_PART.search(text[head.end() :].partition("\n\n")[0])
    return number, f"[{title}]({page.name})", f"{status}, in part {in_part[0]}" if in_part else status
