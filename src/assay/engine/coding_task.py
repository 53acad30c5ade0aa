"""A seeded task: a scenario and a baseline, frozen together."""

from dataclasses import dataclass

from assay.dialects.scorers.scenario import Scenario
from assay.evidence.baseline import Baseline, KnownBaseline


@dataclass(frozen=True, slots=True)
class Seeded:
    """A seeded task. ``notes`` holds what scorers said about their own settings when it was seeded.

    ``home`` is the archive of the home folder that setup left; None if it left none.
    """

    folder: str
    scenario: Scenario
    scenario_sha256: str
    baseline_sha256: str
    baseline: Baseline
    nested: tuple[str, ...]
    workspace_sha256: str
    notes: tuple[str, ...] = ()
    home: str | None = None

    @property
    def known(self) -> KnownBaseline:
        """The baseline together with its hash."""
        return KnownBaseline(self.baseline, self.baseline_sha256, self.nested)
