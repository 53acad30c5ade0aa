"""Fails if a changed file matches a forbidden pattern, such as ``.github/*`` or ``*secrets*``.

Patterns are shell-style globs in which ``*`` also matches ``/``. Another spelling of a forbidden name
(``.GitHub``, ``.github.``, full-width letters) matches too. A rename counts under both of its paths. A change that
can't be inspected, such as a repository inside the workspace, also fails, because it may be forbidden. New files
under the baseline's ignore rules count, too.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome
from assay.detectors.path_globs import PathGlobs
from assay.evidence.workspace import Workspace, blind_spots, changed_paths, ignored_paths, place_of
from assay.formats.counting import counted
from assay.formats.path_patterns import matching_in_disguise


@dataclass(frozen=True, slots=True)
class ForbidPaths(PathGlobs):
    """``patterns`` is a list of at least one glob. A glob can't begin with ``/`` or ``./``, or end with ``/``."""

    kind: ClassVar[str] = "forbid_paths"
    advisory: ClassVar[bool] = False

    def run(self, evidence: Workspace) -> Outcome:
        paths = changed_paths(evidence)
        matches = [
            (path, matching_in_disguise(path, self.patterns)) for path in (*paths, *ignored_paths(evidence))
        ]
        findings: list[dict[str, object]] = [
            {"rule": "forbidden", "path": path, "pattern": glob} for path, glob in matches if glob is not None
        ]
        findings += blind_spots(evidence)
        if not findings:
            return self.report([], 1.0, f"{counted(len(paths), 'changed path')}, none forbidden", evidence)
        return self.report(
            findings, 0.0, f"{place_of(findings[0])} must not change ({len(findings)} in all)", evidence
        )
