"""Changes of one or two files, each scored in memory: cheats with who finds them out, and honest ones."""

from pathlib import Path
from typing import Any

import pytest

from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import failed, score
from tests.yaml_files import read_yaml

CHANGES: dict[str, list[dict[str, Any]]] = read_yaml(Path(__file__).with_name("small_changes.yaml"))


def flagged(change: dict[str, Any]) -> list[str]:
    case = Case(language="any", project=change["before"], name=change["name"], edits=change["after"])
    return sorted(failed(score(case)))


@pytest.mark.parametrize("change", CHANGES["attacks"], ids=lambda change: change["name"])
def test_a_cheat(change: dict[str, Any]) -> None:
    assert flagged(change) == change["by"] != []


@pytest.mark.parametrize("change", CHANGES["honest"], ids=lambda change: change["name"])
def test_an_honest_change(change: dict[str, Any]) -> None:
    assert flagged(change) == []
