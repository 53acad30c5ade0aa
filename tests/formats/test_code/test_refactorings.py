"""Tests that become rows of a table, in every language: an honest refactoring is nothing, a dishonest one is seen.

``refactorings`` has a file for each language. A change has the tests before and after, and what could be slipped
in with it: ``worse`` has, by what is wrong, the passages of the honest text that are replaced.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from assay.formats.test_code.findings import FilePair
from assay.formats.test_code.new_skips import compare_skips
from assay.formats.test_code.read import read_both
from assay.formats.test_code.weakening import compare_assertions

FOLDER = Path(__file__).resolve().parent / "refactorings"


def changes() -> Iterator[tuple[str, dict[str, str], dict[str, list[list[str]]]]]:
    for file in sorted(FOLDER.glob("*.yaml")):
        said = yaml.safe_load(file.read_text(encoding="utf-8"))
        for change in said["changes"]:
            texts = {
                "path": said["path"],
                **{key: change[key] for key in ("path", "before", "after") if key in change},
            }
            yield f"{file.stem}: {change['name']}", texts, change["worse"]


def honest() -> list[object]:
    return [pytest.param(texts, id=name) for name, texts, _ in changes()]


def dishonest() -> list[object]:
    return [
        pytest.param({**texts, "after": worsened(texts["after"], pairs)}, id=f"{name}, but {what}")
        for name, texts, worse in changes()
        for what, pairs in worse.items()
    ]


def worsened(text: str, pairs: list[list[str]]) -> str:
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def rules(texts: dict[str, str]) -> list[str]:
    path, before, after = texts["path"], texts["before"], texts["after"]
    old, new = read_both(path, before.encode(), path, after.encode())
    assert old is not None
    assert not old.problems
    assert new is not None
    assert not new.problems
    files = [FilePair(path, path, old, new, before, after)]
    return [each.rule for each in (*compare_assertions(files).findings, *compare_skips(files).findings)]


@pytest.mark.parametrize("texts", honest())
def test_a_refactoring_is_nothing(texts: dict[str, str]) -> None:
    assert rules(texts) == []


@pytest.mark.parametrize("texts", dishonest())
def test_what_is_slipped_in_with_it_is_seen(texts: dict[str, str]) -> None:
    assert rules(texts) != []


def test_every_language_has_some() -> None:
    assert {file.stem for file in FOLDER.glob("*.yaml")} == {
        "csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript",
    }  # fmt: skip
