"""What a check of a playground declares beside its question."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol, TypeAlias

from assay.core.check import Check
from assay.evidence.playground import PlaygroundState

Escape: TypeAlias = Callable[[str], str]
Escapes: TypeAlias = Mapping[str, Callable[[str], Escape]]
"""By the name of a field: from what is written in it to how a value is escaped there."""


class PlaygroundCheck(Check[PlaygroundState], Protocol):
    """A check that criteria can ask for.

    ``escapes`` names the fields that are written in some language, such as a path or a search, in which a value of
    the task must not change the meaning. ``path`` also counts for names, such as those in ``correlate_by``. A
    check without such fields declares none.
    """

    escapes: ClassVar[Escapes]
