"""What a check is: one question with its parameters, asked of evidence.

A check knows nothing of weights, of required or advisory, or of wire names; a placement does.
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
