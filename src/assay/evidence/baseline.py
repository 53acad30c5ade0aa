"""The state of a workspace before the agent began, as checks and captures compare with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from assay.evidence.workspace import Entry


class Baseline(Protocol):
    """A state to compare with."""

    def paths(self) -> Iterable[str]: ...

    def entry(self, path: str) -> Entry | None: ...

    def read(self, path: str) -> bytes | None:
        """The content of a file, or the target of a link; None for anything else, and for a file over the cap."""
        ...


@dataclass(frozen=True, slots=True)
class KnownBaseline:
    """A baseline with the hash of all of it, and the repositories that were inside the workspace then."""

    baseline: Baseline
    sha256: str
    nested: tuple[str, ...]
