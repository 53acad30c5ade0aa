"""What the use cases need from the outside. Adapters provide it; tests may fake it."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from assay.evidence.files import File, RewardFiles

Progress: TypeAlias = Callable[[int, int], None]


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


class JobFolder(Protocol):
    """A job as it lies on disk: a few files, and one folder a trial."""

    @property
    def name(self) -> str:
        """The folder's name."""
        ...

    def file(self, name: str) -> File:
        """A file of the job itself, such as lock.json."""
        ...

    def folders(self) -> list[str]:
        """The names of the folders in it, sorted. A link is not a folder."""
        ...

    def foreign(self) -> list[str]:
        """The names of everything else that harbor did not write, sorted."""
        ...

    def began(self, folder: str) -> bool:
        """Whether a folder without result.json looks like a trial that began."""
        ...

    def trial_results(self) -> Iterator[tuple[str, File]]:
        """The result.json of each folder, as it is found."""
        ...

    def has_records(self) -> bool:
        """Whether trials of the job have gradings or annotations beside their results."""
        ...

    def records(self, trial: str, kind: str) -> list[bytes]:
        """The records of one kind ("gradings", "annotations") beside a trial's result, the oldest first."""
        ...

    def reward_files(self, trial: str, step: str | None) -> RewardFiles:
        """What the verifier of a trial, or of one of its steps, left."""
        ...
