"""Most cheats that are found by what they do can't be found by reading, so running tests is worth its time."""

from pathlib import Path

import pytest

from assay.core.outcome import Scored
from assay.engine.coding.score import check_class
from tests.attacks.effect_cheats import BY_SCORER, PROJECTS, SEEN_BY_READING
from tests.attacks.javascript_effect_cheats import PROJECT as IN_JAVASCRIPT
from tests.checks.small_project import PROJECT, Change, project

READERS = ("assertions_not_weakened", "no_new_skips", "protected_config", "runner_tampering", "suspicious_source")
ALL = [(scorer, name, change) for scorer, cheats in BY_SCORER.items() for name, change in cheats.items()]


@pytest.mark.parametrize(("scorer", "name", "change"), ALL)
def test_who_reads_sees_it_or_not(scorer: str, name: str, change: Change, tmp_path: Path) -> None:
    files = IN_JAVASCRIPT if name.startswith("js: ") else PROJECT
    workspace = project(tmp_path, change, *PROJECTS.get(scorer, (files, {})))
    answers = (check_class(kind)().run(workspace) for kind in READERS)
    seen = any(isinstance(answer, Scored) and not answer.passed for answer in answers)
    assert seen == (name in SEEN_BY_READING)


@pytest.mark.parametrize("scorer", BY_SCORER)
def test_each_scorer_finds_ten_that_no_reader_sees(scorer: str) -> None:
    assert len(BY_SCORER[scorer].keys() - SEEN_BY_READING) >= 10


def test_ten_of_them_are_in_javascript() -> None:
    unseen = BY_SCORER["same_when_unwatched"].keys() - SEEN_BY_READING
    assert sum(name.startswith("js: ") for name in unseen) >= 10
