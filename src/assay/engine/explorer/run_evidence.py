"""The files and words that lie beside the result of a run."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from assay.engine.explorer.blobs import KeptFile


@dataclass(frozen=True, slots=True)
class Evidence:
    """The files of a run, and what is searched of them."""

    files: Sequence[KeptFile] = field(default=())
    text: str = ""


# The evidence of a run by its name.
FindEvidence: TypeAlias = Callable[[str], Evidence]


class EvidenceSource(Protocol):
    """Where the evidence of runs is found."""

    def batch(self) -> AbstractContextManager[FindEvidence]:
        """Find the evidence of some runs. Their files are kept when this ends."""
        ...


class _NoEvidence:
    """Fulfils ``EvidenceSource`` for runs that have nothing but a result."""

    def batch(self) -> AbstractContextManager[FindEvidence]:
        return nullcontext(lambda _name: Evidence())


NO_EVIDENCE: Final[EvidenceSource] = _NoEvidence()
