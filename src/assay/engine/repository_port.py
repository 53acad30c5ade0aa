"""What scoring inside a git repository asks of it: its branches, and the commits that they have in common."""

from collections.abc import Mapping
from typing import Protocol


class Repository(Protocol):
    """A repository that is only read. Nothing in it is run, and its configuration isn't looked at."""

    @property
    def folder(self) -> str:
        """A repository from which its commits can be exported."""
        ...

    @property
    def root(self) -> str:
        """The folder of the working tree."""
        ...

    @property
    def references(self) -> Mapping[str, str]:
        """The commits by the full names of branches, and HEAD."""
        ...

    @property
    def head(self) -> str | None:
        """The full name of the branch that is checked out, or a commit."""
        ...

    def merge_base(self, commit: str, *others: str) -> str | None:
        """The newest commit that a commit has in common with some others; None if there is none."""
        ...
