"""A hook of mkdocs: the navigation follows the folders, and links to files that aren't pages become names."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
FOLDERS = {
    "How to": "howto",
    "Reference": "reference",
    "Explanations": "explanation",
    "Evidence": "evidence",
    "Contributing": "contributing",
    "Decisions": "decisions",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Write the navigation: the tutorials, the glossary, and then a part for each folder."""
    tutorials = [page.name for page in sorted(DOCS.glob("tutorial*.md"))]
    config["nav"] = [
        {"Start": ["README.md", *tutorials, "glossary.md"]},
        *({title: list(_pages(folder))} for title, folder in FOLDERS.items()),
    ]
    return config


def _pages(folder: str) -> Iterator[str]:
    pages = sorted((DOCS / folder).glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
    yield from (f"{folder}/{page.name}" for page in pages)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Files of the repository that are no pages are named, not linked."""
    here = (DOCS / page.file.src_uri).parent

    def replaced(link: re.Match[str]) -> str:
        text, target, _anchor = link.groups()
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        path = (here / target).resolve()
        if path.is_file() and path.is_relative_to(DOCS) and path.suffix != ".py":
            return link[0]
        name = path.relative_to(DOCS.parent) if path.is_relative_to(DOCS.parent) else target
        return text if str(name) in text else f"{text} (`{name}`)"

    return _LINK.sub(replaced, markdown)
