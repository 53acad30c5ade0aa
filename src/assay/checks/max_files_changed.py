"""Fails if more files changed than the limit allows.

Every path counts that was added, edited, deleted, renamed (both paths count), turned into a link or given another
mode. A repository inside the workspace, and anything that could not be captured, fails, because its changes can't
be counted. New files under the baseline's ignore rules don't count.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from assay.core.outcome import Outcome, Scored, limits
from assay.evidence.workspace import Workspace, blind_spots, changed_paths, place_of
from assay.formats.counting import counted

SHOWN = 50


@dataclass(frozen=True, slots=True)
class MaxFilesChanged:
    """``limit`` is a whole number of at least 0."""

    kind: ClassVar[str] = "max_files_changed"
    advisory: ClassVar[bool] = False

    limit: int = field(metadata=limits(0))

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"limit must be at least 0, got {self.limit}")

    def run(self, evidence: Workspace) -> Outcome:
        paths = changed_paths(evidence)
        unknown = blind_spots(evidence)
        seen: dict[str, object] = {"changed": len(paths), "limit": self.limit, "paths": paths[:SHOWN]}
        if unknown:
            seen["findings"] = unknown
            return Scored(0.0, False, f"the changes in {place_of(unknown[0])} can't be counted", seen)
        if len(paths) > self.limit:
            return Scored(
                self.limit / len(paths),
                False,
                f"{counted(len(paths), 'changed path')}, the limit is {self.limit}",
                seen,
            )
        return Scored(1.0, True, f"{counted(len(paths), 'changed path')}, the limit is {self.limit}", seen)
