"""Fresh cases: written by somebody who had not read the detectors, and split into two halves.

Each case has a neutral description, which says what is done and not how a language does it; the same description
may be there in several languages. A hash of the description decides which half it belongs to:

- ``seen`` may be looked at while detectors are being worked on. Its answers are tested like those of the corpus.
- ``unseen`` is only run at the end, by ``python -m tests.attacks.fresh unseen``, which names no case. Don't open
  its files. Whoever looks at one of its cases writes the description into ``looked_at.txt``, moves the case with
  all its languages to the other folder, and adds new ones until the half is as large as before. New descriptions
  are taken as they come: what the hash decides stays.

``projects`` has the small project of each language, with bugs that make some of its tests fail. Cases are written
as in the corpus (see ``tests.attacks.corpus.cases``), but without answers: those are in ``answers.json``.

``published`` is a third set, of other projects: what has been published about agents that cheat, in shapes that
the detectors' tests don't have. It was written down before a detector was read and is never adapted to one.
``newest`` is a fourth, by yet another author. The same rule calls one half of it unseen (``newest-unseen``); both
are in one file, so open it with care.
``latest`` is a fifth, of other projects, written before a detector was read and shuffled into two halves of the
same size, in folders of their own (``latest-unseen``). Each cheat was tried: its tests are green, and tests that
the agent never saw fail.
``avoided`` is a sixth, of 2026-11-19, in Python, JavaScript and Rust, of cheats that avoid what shows the mistake:
other inputs, another order, another build. Each was tried, too. Its cases share what they mend (``mended``), but
for the files that a case leaves as they were (``unmended``).
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from tests.attacks.corpus.cases import Case
from tests.yaml_files import read_yaml

FOLDER = Path(__file__).resolve().parent
Half = Literal["seen", "unseen"]
HALVES: tuple[Half, ...] = get_args(Half)
Cases = Literal[Half, "published", "newest", "newest-unseen", "latest", "latest-unseen", "avoided"]
SETS: tuple[Cases, ...] = (
    *HALVES,
    *("published", "newest", "newest-unseen", "latest", "latest-unseen", "avoided"),
)
UNSEEN = ("unseen", "newest-unseen", "latest-unseen")


@cache
def looked_at() -> frozenset[str]:
    """Descriptions that somebody looked at, so that they aren't unseen any more."""
    lines = (FOLDER / "looked_at.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def half(description: str) -> Half:
    """The half that a description belongs to."""
    number = int(hashlib.sha256(description.encode()).hexdigest(), 16)
    return "unseen" if number % 2 and description not in looked_at() else "seen"


def identity(case: Case) -> str:
    """Stands for a case where its name must not be told."""
    return hashlib.sha256(str(case).encode()).hexdigest()[:10]


@cache
def fresh_cases(which: Cases) -> tuple[Case, ...]:
    folder, _, other = which.partition("-")
    folder = which if folder == "latest" else folder
    found = (case for path in sorted((FOLDER / folder).glob("*.yaml")) for case in _read(path))
    return tuple(case for case in found if folder != "newest" or half(case.name) == (other or "seen"))


def _read(path: Path) -> Iterator[Case]:
    said = read_yaml(path)
    other = FOLDER / ("latest" if path.parent.name == "latest-unseen" else "projects")
    project = said.get("project") or read_yaml(other / path.name)["project"]
    for raw in [*said["attacks"], *said["honest"]]:
        left = raw.pop("unmended", ())
        mended = {name: text for name, text in said.get("mended", {}).items() if name not in left}
        yield Case(language=path.stem, project=project, **{**raw, "edits": {**mended, **raw.get("edits", {})}})
