"""Fails if a changed file is outside the allowed patterns.

Patterns are shell-style globs in which ``*`` also matches ``/``: ``src/*`` allows ``src/deep/file.py``. A rename
counts under both of its paths. A change that can't be inspected, such as a repository inside the workspace, also
fails, because nobody knows whether it is allowed. New files under the baseline's ignore rules don't count.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.detectors.path_globs import PathGlobs
from assay.evidence.workspace import Workspace, blind_spots, changed_paths, place_of
from assay.formats.counting import counted
from assay.formats.path_patterns import matching


@dataclass(frozen=True, slots=True)
class AllowedPaths(PathGlobs):
    """``patterns`` is a list of at least one glob. A glob can't begin with ``/`` or ``./``, or end with ``/``."""

    kind: ClassVar[str] = "allowed_paths"
    advisory: ClassVar[bool] = False

    def run(self, evidence: Workspace) -> Outcome:
        paths = changed_paths(evidence)
        outside = [path for path in paths if matching(path, self.patterns) is None]
        findings: list[dict[str, object]] = [{"rule": "outside", "path": path} for path in outside]
        findings += blind_spots(evidence)
        share = 1 - len(findings) / max(len(paths), len(findings), 1)
        return self.report(findings, share, _summary(findings, len(paths)), evidence)


def _summary(findings: list[dict[str, object]], changed: int) -> str:
    if not findings:
        return f"{counted(changed, 'changed path')}, all allowed" if changed else "nothing changed"
    first = place_of(findings[0])
    return (
        f"{len(findings)} paths are not allowed, first {first}" if len(findings) > 1 else f"{first} is not allowed"
    )
