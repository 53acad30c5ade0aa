"""A check, which is one question about the evidence with its parameters, and its outcome.

The outcome is a score, "does not apply", or "the check broke". A broken check is a value of its own type. It is
never a number, so nobody can average it by accident. A check knows nothing of weights or wire names; a placement
does. What a check may declare beside its question has a Protocol of its own, so that nobody has to look for
attributes that may be missing.

Limits of a field are for schemas and forms: ``field(metadata=limits(1, 60))``. They are shown and not enforced: a
check looks at its fields itself, and says what is wrong in its own words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from assay.core.total import written

MOST_FINDINGS = 200


@dataclass(frozen=True, slots=True)
class Scored:
    """The check has an answer: a ``score`` from 0 to 1, and whether that is a pass.

    ``exact`` is the same score as a fraction, where a check knows it.
    """

    score: float
    passed: bool
    summary: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)
    exact: Fraction | None = None

    def __post_init__(self) -> None:
        if isinstance(self.score, bool) or not 0 <= self.score <= 1:
            raise ValueError(f"a score must be a finite number from 0 to 1, got {self.score!r}")
        if self.exact is not None and float(self.exact) != self.score:
            raise ValueError(f"a score must be its exact fraction as a float, got {self.score!r}")

    @property
    def share(self) -> Fraction:
        """The score without a rounding error, as far as that is known."""
        return written(self.score) if self.exact is None else self.exact


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The check doesn't apply to this evidence."""

    summary: str


@dataclass(frozen=True, slots=True)
class Errored:
    """The check itself broke. This says nothing about the agent."""

    summary: str
    error_type: str


Outcome: TypeAlias = Scored | NotApplicable | Errored


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
        """The text for the judge."""
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


_SCHEMA: Final = "json_schema_extra"

MULTILINE: Final[Mapping[str, Any]] = {_SCHEMA: {"format": "multiline"}}
"""A text that may have several lines."""


def limits(least: float | None = None, most: float | None = None) -> Mapping[str, Any]:
    """The smallest and the largest number that a field takes."""
    given = {"minimum": least, "maximum": most}
    return {_SCHEMA: {name: one for name, one in given.items() if one is not None}}


def limits_of(declared: Iterable[Field[Any]]) -> Iterator[tuple[str, float, float]]:
    """The fields that have both a smallest and a largest number, with these."""
    for one in declared:
        given = one.metadata.get(_SCHEMA, {})
        if "minimum" in given and "maximum" in given:
            yield one.name, given["minimum"], given["maximum"]


def one_of(choices: Iterable[str]) -> Mapping[str, Any]:
    """The texts that a field takes."""
    return {_SCHEMA: {"enum": list(choices)}}


def report_findings(
    findings: Sequence[Mapping[str, object]], failed: str, passed: str, notes: Sequence[str] = ()
) -> Scored:
    """The outcome of a check that looks for something wrong: a pass if there are no findings.

    ``failed`` says what they are; their first place is added. Evidence has the first findings and their number.
    """
    details = {"findings": list(findings[:MOST_FINDINGS]), "count": len(findings), "notes": list(notes)}
    if not findings:
        return Scored(1.0, True, passed, details)
    return Scored(0.0, False, f"{failed}, first in {findings[0]['path']}", details)
