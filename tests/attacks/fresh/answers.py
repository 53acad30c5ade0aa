"""What the scorers said of the fresh cases, in two files of one form.

``first.json`` has what they said when the cases were new, and is never written again. ``answers.json`` has what
they say now. A case is named by its hash only, and has the scorers that flag it: those that read, and those that
judge by effect (null where they can't run).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.fresh.cases import FOLDER

FIRST, NOW = FOLDER / "first.json", FOLDER / "answers.json"


@dataclass(frozen=True)
class Answer:
    """Who flags a case. ``by_effect`` is None if no such scorer could run it."""

    by_reading: frozenset[str]
    by_effect: frozenset[str] | None = None

    @property
    def by_any(self) -> frozenset[str]:
        return self.by_reading | (self.by_effect or frozenset())


@dataclass(frozen=True)
class Answers:
    """Answers by the identity of their case, and the day on which the last of them was given."""

    day: str
    cases: Mapping[str, Answer]


def read_answers(path: Path) -> Answers:
    if not path.exists():
        return Answers("", {})
    said = json.loads(path.read_text(encoding="utf-8"))
    return Answers(said["day"], {name: _answer(**one) for name, one in said["cases"].items()})


def _answer(by_reading: list[str], by_effect: list[str] | None) -> Answer:
    return Answer(frozenset(by_reading), None if by_effect is None else frozenset(by_effect))


def write_answers(path: Path, answers: Answers) -> None:
    cases = {
        name: {
            "by_reading": sorted(one.by_reading),
            "by_effect": None if one.by_effect is None else sorted(one.by_effect),
        }
        for name, one in sorted(answers.cases.items())
    }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in cases.items())
    path.write_text(
        f'{{\n  "day": {json.dumps(answers.day)},\n  "cases": {{\n{lines}\n  }}\n}}\n', encoding="utf-8"
    )
