"""Relative links in Markdown: does the file exist, and has it that heading?"""

import re
from collections.abc import Iterator
from pathlib import Path

_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def broken_links(page: Path) -> Iterator[str]:
    """The relative links of a page that lead nowhere."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    for target in _LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, heading = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (heading and heading not in _anchors(file)):
            yield target


def _anchors(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    text = page.read_text(encoding="utf-8")
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = _HEADING.findall(without_code)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
