"""Patterns of paths: fnmatch as the document has it, and names in disguise."""

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.workspace import Entry, EntryKind
from assay.formats.path_patterns import (
    check_patterns,
    fold_path,
    matching,
    matching_in_disguise,
    notes_on,
    plain_path,
    undisguised,
)
from tests.checks.fake_workspace import FakeWorkspace

paths = st.text(st.sampled_from("aA.b/ *?[]!-\u200b\uff41"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("path", "pattern", "matches"),
    [
        ("src/a.py", "src/*", True),
        ("src/deep/file.py", "src/*", True),
        ("src/deep/file.py", "src/**", True),
        ("src/deep/file.py", "src/*.py", True),
        ("src/deep/file.py", "src/?/file.py", False),
        ("src/a/file.py", "src/?/file.py", True),
        ("src/deep/file.py", "*/file.py", True),
        # The one slash before a star has to be there: gitignore's "zero or more folders" is another language.
        ("file.py", "**/file.py", False),
        ("src", "src/**", False),
        ("src/file.py", "src/**/file.py", False),
        ("src/file.py", "src", False),
        ("src/file.py", "file.py", False),
        ("src/a.py", "SRC/*", False),
        ("src/a.py", "src/[!b].py", True),
        ("src/a.py", "!src/*", False),
        ("src/[x].py", "src/[[]x].py", True),
        ("src/a\nb.py", "src/*.py", True),
        ("src/.env", "*", True),
    ],
)
def test_the_documents_patterns(path: str, pattern: str, matches: bool) -> None:
    assert (matching(path, [pattern]) is not None) is matches


def test_the_first_pattern_that_matches_is_told() -> None:
    assert matching("src/a.py", ["docs/*", "src/*", "*"]) == "src/*"
    assert matching_in_disguise("src/a.py", ["docs/*", "src/*", "*"]) == "src/*"
    assert matching("src/a.py", []) is None


@given(paths, paths)
def test_a_pattern_means_what_fnmatch_says_and_upper_case_is_upper_case(path: str, pattern: str) -> None:
    assert (matching(path, [pattern]) is not None) is fnmatchcase(path, pattern)


@given(paths, paths)
def test_a_disguise_hides_nothing_that_is_seen_without(path: str, pattern: str) -> None:
    if matching(path, [pattern]) is not None:
        assert matching_in_disguise(path, [pattern]) == pattern


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a/b", "a/b"),
        ("a./b. ", "a/b"),
        ("\uff41/b", "a/b"),
        ("e\u0301", "\u00e9"),
        ("a\u200b/\ufeffb", "a/b"),
        ("a\u00adb", "ab"),
        ("..", ".."),
        ("./a", "./a"),
        ("A/b", "A/b"),
    ],
)
def test_the_plainest_spelling(path: str, plain: str) -> None:
    assert undisguised(path) == plain


@given(st.text(max_size=20))
def test_folding_never_fails_and_is_final(path: str) -> None:
    assert fold_path(fold_path(path)) == fold_path(path)


@given(st.text(st.characters(max_codepoint=127), max_size=20))
def test_folding_ignores_case(path: str) -> None:
    assert fold_path(path.upper()) == fold_path(path) == fold_path(path.lower())


@pytest.mark.parametrize(
    ("path", "pattern", "matches"),
    [
        (".GitHub/a", ".github/*", True),
        ("x/.GitHub/a", "*/.github/*", True),
        (".github/a", ".GitHub/*", True),
        ("GitHub/a", "github/*", False),
        # A wildcard behind the dot names nothing in particular.
        (".Env", ".*", True),
        ("README.MD", "*.md", False),
    ],
)
def test_upper_and_lower_case_are_the_same_for_hidden_names_only(path: str, pattern: str, matches: bool) -> None:
    assert (matching_in_disguise(path, [pattern]) is not None) is matches


@pytest.mark.parametrize(("path", "plain"), [("a", "a"), ("./a//b/", "a/b"), ("a/./b", "a/b"), ("...", "...")])
def test_a_plain_path(path: str, plain: str) -> None:
    assert plain_path(path) == plain


@pytest.mark.parametrize("path", ["", ".", "./.", "/", "/a", "..", "../a", "a/..", "a\0"])
def test_what_is_no_path_in_a_workspace(path: str) -> None:
    with pytest.raises(ValueError, match="relative to the workspace"):
        plain_path(path)


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        (".github/", ".github/*"),
        ("src/**/", "src/**/*"),
        ("./src/*", "src/*"),
        ("/src/*", "src/*"),
        ("/", "*"),
        ("./", "*"),
        (".", "*"),
        ("src/.", "src/*"),
        ("src//a", "src/a"),
        ("src/./a", "src/a"),
        ("//src/", "src/*"),
    ],
)
def test_a_pattern_that_no_path_can_match_is_refused_with_one_that_can(pattern: str, meant: str) -> None:
    got = f"got {pattern!r} (did you mean {meant!r}?)"
    sentence = f"a pattern must be written as paths in the workspace are, {got}"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        check_patterns(["src/*", pattern])
    check_patterns([meant])


@pytest.mark.parametrize("pattern", ["", "a\0", "..", "../src/*", "src/../*", "src/.."])
def test_a_pattern_that_names_nothing_in_a_workspace_is_refused(pattern: str) -> None:
    with pytest.raises(
        ValueError, match=r"^a pattern must have (at least one character|no '\.\.', as no path).*, got "
    ):
        check_patterns([pattern])


@pytest.mark.parametrize(
    "pattern", ["*", "src", "*/a", ".github/*", "...", "a..b/.c", "!a", "[!a]", "[/./a]", "a b/\n"]
)
def test_any_other_pattern_is_fine(pattern: str) -> None:
    check_patterns([pattern])


@given(paths, paths)
def test_a_pattern_that_is_refused_matches_no_path(path: str, pattern: str) -> None:
    try:
        check_patterns([pattern])
    except ValueError:
        assert path != plain(path) or matching(path, [pattern]) is None


def plain(path: str) -> str | None:
    try:
        return plain_path(path)
    except ValueError:
        return None


class WithFolder(FakeWorkspace):
    """A workspace with a folder ``src`` in it, as a capture answers for one."""

    def entry(self, path: str) -> Entry | None:
        return Entry(EntryKind.FOLDER, 0o755, 0, "") if path == "src" else None


@pytest.mark.parametrize(
    ("pattern", "note"),
    [
        ("src", "'src' is a folder: 'src/*' matches what is in it"),
        ("!src/a.py", "'!src/a.py' excludes nothing: '!' is a character of the name"),
        ("*.{js,ts}", "'*.{js,ts}' has no alternatives: braces are characters of the name"),
        ("**/a.py", "'**/' in '**/a.py' matches at least one folder: 'a.py' also matches without one"),
        ("src/**/*.py", "'**/' in 'src/**/*.py' matches at least one folder: 'src/*.py' also matches without one"),
        ("**/*.md", None),
        ("src/*", None),
        ("src/**", None),
        ("a.py", None),
        ("[!a]*", None),
        ("{{cookiecutter.name}}/*", None),
    ],
)
def test_notes_on_patterns_that_match_less_than_they_seem_to(pattern: str, note: str | None) -> None:
    assert list(notes_on(["*.md", pattern], WithFolder())) == ([] if note is None else [note])
