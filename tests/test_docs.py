"""Pages for contributors name files that exist, and the index of decisions is up to date."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.decisions_page import decisions_index
from tests.builders import REPO

PAGES = [REPO / "CONTRIBUTING.md", *sorted((REPO / "docs" / "contributing").glob("*.md"))]
SOURCE = REPO / "src" / "assay"
ROOTS = (
    SOURCE,
    SOURCE / "detectors",
    SOURCE / "detectors" / "test_code",
    REPO,
    REPO / "tests" / "attacks" / "parity",
)

# Files that a page tells its reader to write.
NEW = re.compile(r"scala|no_large_files")
PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.py|[\w-]+)?)`")


def named(page: Path) -> Iterator[str]:
    """The paths in a page whose first folder is one of ours."""
    for path in PATH.findall(page.read_text(encoding="utf-8")):
        if not NEW.search(path) and any((root / path.partition("/")[0]).is_dir() for root in ROOTS):
            yield path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPO)))
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    missing = [path for path in named(page) if not any((root / path).exists() for root in ROOTS)]
    assert missing == []


def test_a_newcomer_can_read_contributing_in_ten_minutes() -> None:
    page = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(page.encode()) <= 8192
    assert len(list(named(REPO / "CONTRIBUTING.md"))) > 40


def test_the_index_of_decisions_has_the_status_of_each() -> None:
    index = (REPO / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    assert [part for part in decisions_index() if part not in index] == []
