"""Fails if a graded test file was edited: its content, its mode, its type, its name, or whether it is there.

Paths are exact and relative to the workspace. A path that differs only in spelling (upper case, Unicode forms, a
dot at its end) is taken for the same file, a link in its place is an edit whatever it points to, and so is a
hard link. A path that is not there at the baseline must not appear. A path that is a folder there, or a
pattern of files that are, is an error of the scenario: it would guard nothing.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.evidence.protected_files import unmodified
from assay.evidence.workspace import Workspace
from assay.formats.path_patterns import folded, plain_path


@dataclass(frozen=True, slots=True)
class TestsUnmodified:
    """``paths`` is a list with at least one exact path."""

    kind: ClassVar[str] = "tests_unmodified"
    advisory: ClassVar[bool] = False

    paths: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.paths:
            raise ValueError("paths needs at least one path")
        for path in self.paths:
            plain_path(path)

    def run(self, evidence: Workspace) -> Outcome:
        return unmodified(evidence, [plain_path(path) for path in self.paths], folded)
