"""Honest refactorings in every language are nothing, and what is slipped in with them is seen.

``refactorings`` has tests that become rows of a table, ``rewrites`` all other ways to write the same demands: in
other files, words, helpers and libraries. Both have a file for each language. A change has the tests before and
after, as one text or by their paths, and what could be slipped in with it: ``worse`` has, by what is wrong, the
passages of the honest text that are replaced. ``flagged`` is true for an honest change that is taken for a cheat.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.new_skips import compare_skips
from assay.detectors.test_code.read import read_both
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here
from tests.sampling import sampled
from tests.yaml_files import read_yaml

HERE = Path(__file__).resolve().parent
FOLDERS = ("refactorings", "rewrites")
LANGUAGES = {"csharp", "go", "java", "javascript", "python", "ruby", "rust", "typescript"}

Texts = dict[str, str]


@cache
def changes() -> list[tuple[str, Texts, Texts, dict[str, list[list[str]]], bool]]:
    return list(_read())


def _read() -> Iterator[tuple[str, Texts, Texts, dict[str, list[list[str]]], bool]]:
    for folder in FOLDERS:
        for file in sorted((HERE / folder).glob("*.yaml")):
            said = read_yaml(file)
            for change in said["changes"]:
                path = change.get("path", said.get("path"))
                before, after = (by_path(change[side], path) for side in ("before", "after"))
                yield (
                    f"{file.stem}: {change['name']}",
                    before,
                    after,
                    change["worse"],
                    change.get("flagged", False),
                )


def by_path(texts: str | Texts, path: str) -> Texts:
    return {path: texts} if isinstance(texts, str) else texts


def honest() -> list[object]:
    return [pytest.param(before, after, flagged, id=name) for name, before, after, _, flagged in changes()]


def dishonest() -> list[object]:
    return [
        pytest.param(before, worsened(after, pairs), id=f"{name}, but {what}")
        for name, before, after, worse, _ in changes()
        for what, pairs in worse.items()
    ]


def worsened(texts: Texts, pairs: list[list[str]]) -> Texts:
    for old, new in pairs:
        assert any(old in text for text in texts.values()), old
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    return texts


def rules(before: Texts, after: Texts) -> list[str]:
    files = [pair(path, before.get(path), after.get(path)) for path in {**before, **after}]
    return [each.rule for each in (*compare_assertions(files).findings, *compare_skips(files).findings)]


def pair(path: str, before: str | None, after: str | None) -> FilePair:
    texts = [text.encode() if text is not None else None for text in (before, after)]
    old, new = read_both(path, texts[0], path, texts[1], read_here)
    assert not (old and old.problems)
    assert not (new and new.problems)
    return FilePair(path, path, old, new, before or "", after or "")


@pytest.mark.parametrize(("before", "after", "flagged"), honest())
def test_a_refactoring_is_nothing(before: Texts, after: Texts, flagged: bool) -> None:
    assert bool(rules(before, after)) is flagged


@pytest.mark.parametrize(("before", "after"), sampled(dishonest(), 3))
def test_what_is_slipped_in_with_it_is_seen(before: Texts, after: Texts) -> None:
    assert rules(before, after) != []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_language_has_some(folder: str) -> None:
    assert {file.stem for file in (HERE / folder).glob("*.yaml")} == LANGUAGES
