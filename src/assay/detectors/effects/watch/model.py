"""The interface of every runner."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from assay.detectors.effects.reach import Reach
from assay.detectors.effects.suite import Suite, SuiteResult
from assay.evidence.workspace import Tree, Workspace


@dataclass(frozen=True, slots=True)
class Way:
    """How a run differs from a plain one: our files in the tree, words before the command, files to read."""

    tree: Tree
    setting: str = ""
    collect: tuple[str, ...] = ()


class Watch(Protocol):
    """A runner that can be asked, by files of ours in a folder whose name nobody knows before."""

    @property
    def chooses(self) -> str:
        """The tests run for a mutant, in words."""
        ...

    @property
    def is_light(self) -> bool:
        """Whether tests take as long as ever when they are watched."""
        ...

    @property
    def is_proven(self) -> bool:
        """True if it is known to choose on every version. Any other is tried out first."""
        ...

    def noting(self, tree: Tree) -> Way:
        """Run all tests, and note what they get to."""
        ...

    def choosing(self, tree: Tree, choices: list[str], reach: Reach) -> Way:
        """Run some of them."""
        ...

    def read(self, ran: SuiteResult) -> Reach | None:
        """Read the notes; None if there is nothing, or something else."""
        ...


@dataclass(frozen=True, slots=True)
class WatchQuestion:
    """Tests, whose files they are, and the folder of ours for them."""

    suite: Suite
    evidence: Workspace
    folder: str


def on_top(tree: Tree, added: Mapping[str, bytes]) -> Tree:
    """A tree with files of ours."""
    return replace(tree, files={**tree.files, **added})
