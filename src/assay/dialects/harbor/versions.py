"""Which harbor wrote a job, and what that version does differently.

Since 0.6, lock.json names the version. Before, only the shape of result.json tells: it counts ``n_trials`` and
``n_errors`` instead of completed and errored trials, and pass@k is missing before 0.4. The numbers here were
looked up in the wheels.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.dialects.harbor.rewards import Profile

_NUMBER = re.compile(r"(\d{1,6})\.(\d{1,6})(?![\d])")


@dataclass(frozen=True, slots=True)
class HarborVersion:
    """A version of harbor. ``number`` is None if the job doesn't say which one wrote it."""

    number: str | None
    profile: Profile
    legacy_counts: bool = False
    has_pass_at_k: bool = True
    # A name such as org/data had its slash replaced in the keys of groups.
    dashed_keys: bool = False
    # Each dataset that a trial names has metrics, even if config.json doesn't declare it.
    every_source_counts: bool = False

    @property
    def title(self) -> str:
        """The version and the profile for the title of a report. Where one says both, it stands alone."""
        if self.number is None or f"harbor-{self.number}" == self.profile.value:
            return self.profile.value
        return f"harbor {self.number} ({self.profile.value})"


UNKNOWN = HarborVersion(None, Profile.HARBOR_0_13_1)


def stated_version(harbor: Any) -> HarborVersion | None:
    """The version in the entry ``harbor`` of a lock.json; None if there is none."""
    number = harbor.get("version") if isinstance(harbor, dict) else None
    return _of_number(number) if isinstance(number, str) else None


def version_of_record(recorded: Mapping[str, Any] | None) -> HarborVersion:
    """The version by the shape of a job's result, for jobs without a lock.json."""
    stats = None if recorded is None else recorded.get("stats")
    if not isinstance(stats, dict) or "n_completed_trials" in stats or "n_trials" not in stats:
        return UNKNOWN
    evals = stats.get("evals")
    groups = evals.values() if isinstance(evals, dict) else ()
    if any(isinstance(group, dict) and "pass_at_k" in group for group in groups):
        return HarborVersion("0.4 or 0.5", Profile.HARBOR_0_6, legacy_counts=True)
    return HarborVersion(
        "0.1 to 0.3", Profile.HARBOR_0_6, legacy_counts=True, has_pass_at_k=False, dashed_keys=True
    )


def _of_number(number: str) -> HarborVersion | None:
    match = _NUMBER.match(number)
    if match is None:
        return None
    release = (int(match[1]), int(match[2]))
    if release < (0, 7):
        return HarborVersion(number, Profile.HARBOR_0_6)
    if release < (0, 23):
        return HarborVersion(number, Profile.HARBOR_0_13_1, every_source_counts=release >= (0, 22))
    return HarborVersion(number, Profile.HARBOR_0_24, every_source_counts=True)
