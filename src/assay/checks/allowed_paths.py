"""Fails if a changed file lies outside of the allowed patterns.

Patterns are shell-style globs in which ``*`` also matches ``/``: ``src/*`` allows ``src/deep/file.py``. A rename
counts under both of its paths. A change that could not be looked at, such as a repository inside the workspace, is
not known to be allowed, so it fails too.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome, Scored
from assay.evidence.workspace import Workspace, blind_spots, changed_paths
from assay.formats.counting import counted
from assay.formats.path_patterns import matching


@dataclass(frozen=True, slots=True)
class AllowedPaths:
    """``patterns`` is a list with at least one glob."""

    kind: ClassVar[str] = "allowed_paths"

    patterns: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.patterns or not all(self.patterns):
            raise ValueError("patterns needs at least one glob")

    def run(self, evidence: Workspace) -> Outcome:
        paths = changed_paths(evidence)
        findings: list[dict[str, object]] = [
            {"rule": "outside", "path": path} for path in paths if matching(path, self.patterns) is None
        ]
        findings += blind_spots(evidence)
        if not findings:
            seen = f"{counted(len(paths), 'changed path')}, none outside"
            return Scored(1.0, True, seen if paths else "nothing changed")
        share = 1 - len(findings) / max(len(paths), len(findings))
        return Scored(share, False, _summary(findings), {"findings": findings})


def _summary(findings: list[dict[str, object]]) -> str:
    first = findings[0].get("path") or findings[0].get("detail")
    return f"{len(findings)} not allowed, first {first}" if len(findings) > 1 else f"{first} is not allowed"
