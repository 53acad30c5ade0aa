"""A check: one question about the evidence, with its parameters.

A check knows nothing about weights, wire names, or whether it is required; a placement does.
"""

from typing import ClassVar, Protocol, TypeVar

from assay.core.outcome import Outcome

Evidence_contra = TypeVar("Evidence_contra", contravariant=True)


class Check(Protocol[Evidence_contra]):
    """A frozen dataclass whose fields are the parameters and whose ``run`` answers the question."""

    kind: ClassVar[str]

    def run(self, evidence: Evidence_contra) -> Outcome:
        """Look at the evidence and answer. Raising is allowed: ``grade`` turns it into ``Errored``."""
        ...
