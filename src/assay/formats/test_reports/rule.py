"""Where a test runner writes its report, in which format, and which tests must be in it."""

from dataclasses import dataclass, field
from typing import ClassVar

from assay.core.outcome import one_of
from assay.formats.path_patterns import plain_path
from assay.formats.test_reports.read import FORMATS


@dataclass(frozen=True, slots=True)
class ReportRule:
    """``path`` is relative to the workspace; ``expected`` lists names or globs of tests that must all pass.

    ``recorded`` has the exact names of tests that passed on the baseline. Seeding a task fills it in.
    """

    # An unknown field in a scenario is refused.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    path: str
    format: str = field(default="junit", metadata=one_of(FORMATS))
    expected: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {self.format!r}")
        if not all(name.strip() for name in self.expected):
            raise ValueError("expected must have names or globs of tests, got an empty one")
        plain_path(self.path)
