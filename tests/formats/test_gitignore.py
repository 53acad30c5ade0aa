"""What ``.gitignore`` files name, compared with git itself."""

import subprocess
from pathlib import Path

import pytest

from assay.formats.globs import IgnoreRules
from tests.adapters.workspace.repositories import ENV, run_git
from tests.coding import write_files

PATHS = [
    "a.log",
    "keep.log",
    "src/a.log",
    "src/a.py",
    ".venv/bin/python",
    ".venv/lib/site.py",
    "docs/.venv/x",
    "build/out.o",
    "src/build/out.o",
    "src/deep/er/gen/x.c",
    "gen/x.c",
    "pkg/__pycache__/a.pyc",
    "#odd",
    "!odd",
    "odd*name",
    "oddXname",
    "with space ",
    "a[b].txt",
    "sub/own.txt",
    "sub/other.txt",
    "other.txt",
    "foo/bar/baz",
    "foo/x/bar/baz",
    "target",
    "deep/target/x",
]

RULES = [
    {"": "*.log\n!keep.log\n"},
    {"": ".venv\n__pycache__/\n"},
    {"": "/build/\n"},
    {"": "build/\n"},
    {"": "src/**/gen\n"},
    {"": "**/gen/\n"},
    {"": "gen/**\n"},
    {"": "\\#odd\n\\!odd\nodd\\*name\n"},
    {"": "# a comment\n\n   \n*.py \n"},
    {"": "with\\ space\\ \n"},
    {"": "a[[]b].txt\n"},
    {"": "*.t[^a]t\n"},
    {"": "*.txt\n", "sub": "!own.txt\n"},
    {"": "sub/\n", "sub": "!own.txt\n"},
    {"sub": "*\n"},
    {"": "foo/**/baz\n"},
    {"": "foo/*/baz\n"},
    {"": "foo/*\n!foo/bar\n"},
    {"": "target\r\n"},
    {"": "target/\n"},
    {"": "*\n!*.py\n!*/\n"},
    {"": "/*\n!/src\n"},
]


@pytest.mark.parametrize("texts", RULES, ids=str)
def test_it_is_what_git_says(tmp_path: Path, texts: dict[str, str]) -> None:
    write_files(tmp_path, dict.fromkeys(PATHS, "x"))
    write_files(tmp_path, {f"{folder}/.gitignore".lstrip("/"): text for folder, text in texts.items()})
    run_git(tmp_path, "init", "-q")
    asked = subprocess.run(
        ["/usr/bin/git", "-C", tmp_path, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(PATHS).encode(),
        env=ENV,
        capture_output=True,
        check=False,
    )
    ignored = set(asked.stdout.decode().split("\0")) - {""}
    rules = IgnoreRules(texts)
    assert {path for path in PATHS if rules.rule_for(path) is not None} == ignored


def test_the_rule_is_as_it_was_written() -> None:
    rules = IgnoreRules({"": "# caches\n.venv/\n", "sub": "*.log\n"})
    assert rules.rule_for(".venv/lib/a.py") == ".venv/"
    assert rules.rule_for("sub/a.log") == "*.log"
    assert rules.rule_for("a.log") is None
    assert rules.folder_rule(".venv/lib") == ".venv/"
