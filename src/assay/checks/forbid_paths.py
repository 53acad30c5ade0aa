"""Fails if a changed file matches a forbidden pattern, such as ``.github/*`` or ``*secrets*``.

Patterns are shell-style globs in which ``*`` also matches ``/``. Another spelling of a forbidden name
(``.GitHub``, ``.github.``, full-width letters) matches too. A rename counts under both of its paths. A change that
can't be inspected, such as a repository inside the workspace, also fails, because it may be forbidden. New files
under the baseline's ignore rules count, too.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.core.outcome import Outcome, Scored
from assay.evidence.workspace import Workspace, blind_spots, changed_paths, ignored_paths, place_of
from assay.formats.counting import counted
from assay.formats.path_patterns import check_needed_patterns, matching_in_disguise, notes_on


@dataclass(frozen=True, slots=True)
class ForbidPaths:
    """``patterns`` is a list of at least one glob. A glob can't begin with ``/`` or ``./``, or end with ``/``."""

    kind: ClassVar[str] = "forbid_paths"
    advisory: ClassVar[bool] = False

    patterns: tuple[str, ...]

    def __post_init__(self) -> None:
        check_needed_patterns(self.patterns)

    def run(self, evidence: Workspace) -> Outcome:
        paths = changed_paths(evidence)
        ignored = ignored_paths(evidence)
        matches = ((path, matching_in_disguise(path, self.patterns)) for path in (*paths, *ignored))
        findings: list[dict[str, object]] = [
            {"rule": "forbidden", "path": path, "pattern": pattern}
            for path, pattern in matches
            if pattern is not None
        ]
        findings += blind_spots(evidence)
        if findings:
            return Scored(
                0.0,
                False,
                f"{place_of(findings[0])} must not change ({len(findings)} in all)",
                {"findings": findings},
            )
        notes = list(notes_on(self.patterns, evidence))
        seen = f"{counted(len(paths), 'changed path')}, none forbidden"
        return Scored(1.0, True, "; ".join([seen, *notes]), {"notes": notes} if notes else {})
