"""The tests of a file, in every language for which there is a reader here."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from assay.detectors.effects.mutants import LARGEST, SourceText
from assay.detectors.effects.poison import go, javascript, python
from assay.detectors.effects.poison.spots import Spot

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_READERS: Final[dict[str, Callable[["SgNode", str, str], Iterator[Spot]]]] = {
    "python": python.tests_in,
    "javascript": javascript.tests_in,
    "typescript": javascript.tests_in,
    "go": go.tests_in,
}


def spots_in(source: SourceText) -> list[Spot]:
    """The tests of a file, in the order of the text. To be called apart: the parser may never return."""
    from ast_grep_py import SgRoot  # noqa: PLC0415

    read = _READERS.get(source.language)
    if read is None or len(source.text) > LARGEST:
        return []
    return list(read(SgRoot(source.text, source.language).root(), source.path, source.text))
