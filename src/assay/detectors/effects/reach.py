"""The tests that get to each mutant, as far as a runner could be asked.

The answer comes from a process that runs the agent's code. It only decides which tests are run on which mutant; a
wrong one makes a mutant look unnoticed on both sides, or costs time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from assay.detectors.effects.mutants import Mutant


class KnownPlaces(Protocol):
    """Of which places it is known who gets there. All tests are run for a mutant elsewhere."""

    def file(self, path: str) -> bool: ...

    def mutant(self, mutant: Mutant) -> bool: ...


@dataclass(frozen=True, slots=True)
class InFunctions:
    """Code outside of functions runs when a file is loaded, by whichever test is the first."""

    def file(self, path: str) -> bool:  # noqa: ARG002 - as all of them
        return True

    def mutant(self, mutant: Mutant) -> bool:
        return mutant.function > 0


@dataclass(frozen=True, slots=True)
class InFiles:
    """Everything in files with some endings; an empty ending is that of every file."""

    endings: tuple[str, ...] = ("",)

    def file(self, path: str) -> bool:
        return path.endswith(self.endings)

    def mutant(self, mutant: Mutant) -> bool:
        return self.file(mutant.path)


class ReachedCode(Protocol):
    """A test's reach."""

    @property
    def paths(self) -> Iterable[str]:
        """The files that it gets to."""
        ...

    def has(self, mutant: Mutant) -> bool: ...


@dataclass(frozen=True, slots=True)
class Calls:
    """Functions by path and line, with whether their lines are unknown, and lines of files."""

    calls: Mapping[tuple[str, int], bool]
    lines: Mapping[str, frozenset[int]]

    @property
    def paths(self) -> Iterable[str]:
        return (path for path, _ in self.calls)

    def has(self, mutant: Mutant) -> bool:
        whole = self.calls.get((mutant.path, mutant.function))
        if whole is None or whole:
            return bool(whole)
        return _meets(self.lines, mutant)


@dataclass(frozen=True, slots=True)
class LoadedFiles:
    """Files, with the lines of those whose lines are known."""

    files: frozenset[str]
    lines: Mapping[str, frozenset[int]]

    @property
    def paths(self) -> Iterable[str]:
        return self.files

    def has(self, mutant: Mutant) -> bool:
        if mutant.path in self.lines:
            return _meets(self.lines, mutant)
        return mutant.path in self.files


@dataclass(frozen=True, slots=True)
class Everything:
    """A test of which nothing is known, and that may get anywhere."""

    paths: tuple[str, ...] = ()

    def has(self, mutant: Mutant) -> bool:  # noqa: ARG002 - as all of them
        return True


def _meets(lines: Mapping[str, frozenset[int]], mutant: Mutant) -> bool:
    return not lines.get(mutant.path, frozenset()).isdisjoint(range(mutant.first, mutant.last + 1))


@dataclass(frozen=True, slots=True)
class Reach:
    """Each test's reach, or each test file's, by what the runner takes to choose it.

    ``names`` has the tests of each as a report names them.
    """

    tests: Mapping[str, ReachedCode]
    names: Mapping[str, frozenset[str]]
    known: KnownPlaces = InFunctions()

    def can_reach(self, path: str) -> bool:
        """Whether a mutant in a file may be reached."""
        if not self.known.file(path) or any(isinstance(one, Everything) for one in self.tests.values()):
            return True
        return any(path in one.paths for one in self.tests.values())

    def has(self, mutant: Mutant) -> bool:
        """Whether any test may get to a mutant."""
        return not self.known.mutant(mutant) or any(one.has(mutant) for one in self.tests.values())

    def reaching(self, mutant: Mutant, among: frozenset[str], surely: frozenset[str] = frozenset()) -> list[str]:
        """The choices that run those tests out of some that get to a mutant, and others if they do or not."""
        return sorted(
            choice
            for choice, one in self.tests.items()
            if self.names[choice] & surely or (self.names[choice] & among and one.has(mutant))
        )

    def named(self, choices: Iterable[str]) -> frozenset[str]:
        """The tests that are run when so much is chosen."""
        return frozenset[str]().union(*(self.names[choice] for choice in choices))
