"""A note for the judge, who reads it beside the task, the diff and the other results.

It looks at nothing itself and is always N/A: the judge's verdict is a gate of its own and gates no scorer.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import NotApplicable, Outcome
from assay.evidence.workspace import Workspace


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """``rubric`` is the note."""

    kind: ClassVar[str] = "llm_judge"
    advisory: ClassVar[bool] = True

    rubric: str

    def __post_init__(self) -> None:
        if not self.rubric.strip():
            raise ValueError(f"rubric must have some text, got {self.rubric!r}")

    def run(self, evidence: Workspace) -> Outcome:  # noqa: ARG002 - the judge looks, later
        return NotApplicable("for the judge")
