"""The cases as they are written down: a small project for each language, and what an agent does to it.

A file is named like its language; folders below have further projects. A file has the project's files by their
path, then ``attacks`` and ``honest`` changes. A case has a name and, as far as it needs them:

- ``row``: the attack's number in the list of attacks
- ``edits``: what becomes of a file, by its path: its whole new text, null where it is deleted, or a list of pairs
  of an old passage, which must occur once, and a new one
- ``moves`` and ``links``: new names of files by the old ones; targets of symbolic links by their path
- ``scorers``: scorers with a configuration, beside the ones that need none
- ``by``: who finds it out, all of them and nobody else
- ``missed``: why nobody does; ``flagged``: who takes an honest change for a cheat, and ``why``

What is missed, or falsely flagged, is part of the corpus: a case is never left out for its answer. The tests hold
each answer to what is written here, so whoever makes a detector better finds the cases to be corrected.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.attacks.corpus.stand_ins import filled_in
from tests.yaml_files import read_yaml

FOLDER = Path(__file__).resolve().parent

Edit = str | None | list[list[str]]


@dataclass(frozen=True, eq=False)
class Case:
    """One change of one project, and what is to be said of it."""

    language: str
    project: Mapping[str, str]
    name: str
    row: int | None = None
    edits: Mapping[str, Edit] = field(default_factory=dict)
    moves: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    scorers: tuple[Mapping[str, Any], ...] = ()
    by: frozenset[str] = frozenset()
    missed: str = ""
    flagged: frozenset[str] = frozenset()
    why: str = ""

    @property
    def honest(self) -> bool:
        return self.row is None

    @property
    def expected(self) -> frozenset[str]:
        """Who says FAIL."""
        return self.flagged if self.honest else self.by

    def __str__(self) -> str:
        return f"{self.language}: {self.name}"


@cache
def cases() -> tuple[Case, ...]:
    return tuple(case for path in sorted(FOLDER.rglob("*.yaml")) for case in _read(path))


def _read(path: Path) -> Iterator[Case]:
    said = read_yaml(path)
    for raw in [*said["attacks"], *said["honest"]]:
        sets = {key: frozenset(raw.get(key, ())) for key in ("by", "flagged")}
        filled = {key: filled_in(raw.get(key, {})) for key in ("edits", "moves", "links")}
        scorers = tuple(raw.get("scorers", ()))
        yield Case(
            **{**raw, **sets, **filled, "scorers": scorers, "language": path.stem, "project": said["project"]}
        )


def attacks() -> list[Case]:
    return [case for case in cases() if not case.honest]


def controls() -> list[Case]:
    return [case for case in cases() if case.honest]
