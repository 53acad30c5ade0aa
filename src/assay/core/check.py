"""A check: one question about the evidence, with its parameters.

A check knows nothing of weights or wire names; a placement does. What a check may declare beside its question is
here too, each in a Protocol of its own, so that nobody has to look for attributes that may be missing.
"""

from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from assay.core.outcome import Outcome

Evidence_contra = TypeVar("Evidence_contra", contravariant=True)


class Check(Protocol[Evidence_contra]):
    """A frozen dataclass whose fields are the parameters and whose ``run`` answers the question."""

    kind: ClassVar[str]

    def run(self, evidence: Evidence_contra) -> Outcome:
        """Look at the evidence and answer. Raising is allowed: ``grade`` turns it into ``Errored``."""
        ...


class GatingCheck(Check[Evidence_contra], Protocol[Evidence_contra]):
    """A check whose failure may fail a gate. It must say whether it does so unless somebody decides otherwise."""

    advisory: ClassVar[bool]
    """True for a heuristic, whose failure is only shown; False for a check whose failure fails the gate."""


@runtime_checkable
class NoteForJudge(Protocol):
    """A check that also tells the judge what to look at."""

    @property
    def rubric(self) -> str:
        """What the judge reads."""
        ...


@runtime_checkable
class NeedsCommands(Protocol):
    """A check that runs a shell command, in a sandbox."""

    @property
    def command(self) -> str:
        """The command."""
        ...


@runtime_checkable
class MayBeObjective(NeedsCommands, Protocol):
    """A check whose command may be the objective test."""

    @property
    def objective(self) -> bool:
        """Whether somebody marked it as the objective test."""
        ...
