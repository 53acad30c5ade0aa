"""The globs that checks have as parameters: of changed paths, and of test files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.core.outcome import Scored
from assay.evidence.workspace import Workspace
from assay.formats.path_patterns import check_needed_patterns, check_patterns, notes_on


@dataclass(frozen=True, slots=True)
class PathGlobs:
    """The parameters of such a check: at least one glob."""

    patterns: tuple[str, ...]

    def __post_init__(self) -> None:
        check_needed_patterns(self.patterns)

    def report(
        self, findings: Sequence[Mapping[str, object]], share: float, summary: str, workspace: Workspace
    ) -> Scored:
        """A pass if there are no findings, with notes on globs that match less than they seem to."""
        notes = list(notes_on(self.patterns, workspace))
        seen = {name: rows for name, rows in (("findings", findings), ("notes", notes)) if rows}
        return Scored(share, not findings, "; ".join([summary, *notes]), seen)


@dataclass(frozen=True, slots=True)
class TestFileGlobs:
    """The parameters of a check that reads test files; without globs, their names tell."""

    __test__ = False

    test_globset: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_patterns(self.test_globset or ())
