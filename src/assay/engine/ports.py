"""Interfaces to the outside that the use cases need, and the rules that a job's verifier files are read under.

Adapters implement the interfaces; tests may fake them. Harbor has no place for the rules. They are in the job's
file ``.assay``, which also says that its trials have records beside harbor's; a job with the default rules may
have it empty.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

from assay.core.errors import InputError
from assay.evidence.files import ByteSource, File, RewardFiles
from assay.evidence.run import Gates

if TYPE_CHECKING:
    from assay.dialects.evaluation.models import AddedTag, Annotation, Grading
import json
from dataclasses import dataclass
from typing import Any

from assay.dialects.harbor.rewards import Profile
from assay.evidence.files import Content

Progress: TypeAlias = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """Show no progress."""


class NumberTakenError(InputError):
    """Another process wrote a record with the same number at the same time."""


class JobFolder(Protocol):
    """A job folder: a few files, and one folder per trial."""

    @property
    def name(self) -> str:
        """The folder's name."""

    def file(self, name: str) -> File:
        """A file of the job itself, such as lock.json."""

    def source(self, name: str) -> ByteSource | None:
        """A file of the job itself, to be read in pieces; None if it can't be read."""

    def scratch(self) -> BinaryIO:
        """An empty file without a name and without a buffer, which is gone once it is closed."""

    def folders(self) -> Sequence[str]:
        """The names of the folders in it, sorted. A link is not a folder."""

    def foreign(self) -> list[str]:
        """The names of all other entries that harbor didn't write, sorted."""

    def began(self, folder: str) -> bool:
        """Whether a folder without result.json looks like a trial that was started."""

    def trial_results(self) -> Iterator[tuple[str, File]]:
        """The result.json of each folder."""

    def trial_lock(self, trial: str) -> File:
        """The lock.json of a trial."""

    def source_result(self, path: str) -> File:
        """The result.json of a trial of another job, which a trial of this one names."""

    def has_records(self) -> bool:
        """Whether trials of the job have records beside their results."""

    def gradings(self, trial: str) -> "list[Grading]":
        """The gradings beside a trial's result, the oldest first. Raises ``InputError``."""

    def annotations(self, trial: str) -> "list[Annotation]":
        """The reviewers' verdicts beside a trial's result, the oldest first. Raises ``InputError``."""

    def added_tags(self, trial: str) -> "list[AddedTag]":
        """The tags that were added beside a trial's result, the oldest first. Raises ``InputError``."""

    def gates(self, trial: str) -> Gates | None:
        """The last scores and judgement of a trial; None if there are none. Raises ``InputError``."""

    def reward_files(self, trial: str, step: str | None, order: tuple[str, str]) -> RewardFiles:
        """The reward files that the verifier of a trial, or of one of its steps, wrote, read in this order."""


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
