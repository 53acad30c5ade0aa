"""The rules that the verifiers' files of a job are read under, and how a job's folder records them.

Harbor has no place for them. They are in the job's file ``.assay``, which also says that its trials have records
beside harbor's; a job with the default rules may have it empty.
"""

import json
from dataclasses import dataclass
from typing import Any

from assay.dialects.harbor.rewards import Profile
from assay.evidence.files import Content, File

MARK = ".assay"


@dataclass(frozen=True, slots=True)
class GradingRules:
    """The profile for harbor's rewards, and whether a schema violation also forfeits the evaluation's reward."""

    profile: Profile = Profile.HARBOR_0_13_1
    schema_forbids_reward: bool = False

    def as_json(self) -> dict[str, Any]:
        return {"profile": self.profile.value, "schema_forbids_reward": self.schema_forbids_reward}


DEFAULT_RULES = GradingRules()


def recorded_rules(mark: File) -> GradingRules:
    """The rules in a job's file; the default ones if it doesn't say."""
    try:
        found = json.loads(mark.data) if isinstance(mark, Content) and mark.data else {}
        return GradingRules(
            Profile(found.get("profile", DEFAULT_RULES.profile.value)), found.get("schema_forbids_reward") is True
        )
    except (ValueError, AttributeError, RecursionError):
        return DEFAULT_RULES
