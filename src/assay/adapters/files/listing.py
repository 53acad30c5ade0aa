"""Listings of object stores, which come in pages."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from assay.adapters.files.names import below
from assay.adapters.files.patience import MAX_FILES
from assay.core.errors import MeasurementError
from assay.evidence.playground import StoredFile

Item = TypeVar("Item")


def in_pages(what: str, ask: Callable[[str], tuple[Sequence[Item], str | None]]) -> Iterator[Item]:
    """All items. ``ask`` gives those of the page behind a mark ("" for the first), and the mark of the next page,
    None behind the last.
    """
    count, mark = 0, ""
    while True:
        items, following = ask(mark)
        yield from items
        count += len(items)
        if following is None:
            return
        if following in ("", mark) or count > MAX_FILES:
            raise MeasurementError(f"{what}: the listing repeats itself, or has over {MAX_FILES} files")
        mark = following


def prefix_of(folder: str) -> str:
    """A prefix that ends with a slash, or none."""
    return f"{folder.strip('/')}/" if folder.strip("/") else ""


def stored_file(prefix: str, key: str, size: int, changed: datetime) -> StoredFile | None:
    """An object below a prefix; None for anything else, such as the prefix itself."""
    path = below(prefix, key)
    if path is None:
        return None
    return StoredFile(path, size, changed if changed.tzinfo else changed.replace(tzinfo=UTC))
