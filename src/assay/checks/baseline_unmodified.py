"""Fails if a baseline or scaffolding file was edited: a fixture, a golden file, a build script.

It guards exact paths just as ``tests_unmodified`` does. It is a type of its own so that a report tells an edited
test from an edited scaffold.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.detectors.protected_files import exact_paths, unmodified
from assay.evidence.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BaselineUnmodified:
    """``paths`` is a list of at least one exact path."""

    kind: ClassVar[str] = "baseline_unmodified"
    advisory: ClassVar[bool] = False

    paths: tuple[str, ...]

    def __post_init__(self) -> None:
        exact_paths(self.paths)

    def run(self, evidence: Workspace) -> Outcome:
        return unmodified(evidence, self.paths)
