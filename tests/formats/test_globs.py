"""Which files a glob means."""

from fnmatch import fnmatchcase

import pytest

from assay.formats.globs import literal, matches_glob

WHOLE, APART = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("out/*.csv", "out/a.csv", True),
        ("out/*.csv", "out/A.CSV", False),
        ("out/*.csv", "out/b/a.csv", False),
        ("**/*.csv", "a.csv", True),
        ("**/*.csv", "x/y/a.csv", True),
        ("out/**", "out/x/y", True),
        ("out/**", "outer/x", False),
        ("*", ".hidden", True),
        ("r?sum?.pdf", "résumé.pdf", True),
        (f"{WHOLE}*.pdf", f"{APART} 1.pdf", True),
        (f"{APART}*.pdf", f"{WHOLE} 1.pdf", True),
        ("cafe*.pdf", f"{WHOLE}.pdf", False),
        ("[é]*", f"e\u0301t{APART}", True),
        ("名前-??.txt", "名前-01.txt", True),
    ],
)
def test_what_a_glob_means(pattern: str, path: str, meant: bool) -> None:
    assert matches_glob(path, pattern) is meant


@pytest.mark.parametrize("path", ["a/b.txt", "cases[1].dat", "what?/*.in", "[!a]", "[", "]"])
def test_a_literal_pattern_matches_its_path_and_nothing_else(path: str) -> None:
    assert fnmatchcase(path, literal(path))
    assert not fnmatchcase(path.replace("[", "x").replace("?", "x").replace("b", "x") + "x", literal(path))
