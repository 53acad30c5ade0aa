"""A note for the judge, who reads it together with the task, the diff and the other results.

It inspects nothing itself and is always N/A: the judge's verdict is a separate gate.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from assay.core.outcome import MULTILINE, NotApplicable, Outcome
from assay.evidence.workspace import Workspace


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """``rubric`` is the note."""

    kind: ClassVar[str] = "llm_judge"
    advisory: ClassVar[bool] = True

    rubric: str = field(metadata=MULTILINE)

    def __post_init__(self) -> None:
        if not self.rubric.strip():
            raise ValueError(f"rubric must have some text, got {self.rubric!r}")

    def run(self, evidence: Workspace) -> Outcome:  # noqa: ARG002 - the judge looks later
        return NotApplicable("for the judge")
