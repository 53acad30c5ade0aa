"""New files under the baseline's own ignore rules: counted, not read, and out of the sight of commands."""

import os
from pathlib import Path

import pytest

from assay.adapters.workspace import walk
from assay.adapters.workspace.capture import capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.walk import Record
from assay.checks.allowed_paths import AllowedPaths
from assay.checks.baseline_unmodified import BaselineUnmodified
from assay.checks.file_exists import FileExists
from assay.checks.forbid_paths import ForbidPaths
from assay.checks.max_files_changed import MaxFilesChanged
from assay.core.outcome import Scored
from assay.evidence.workspace import EntryKind, IgnoredFiles
from tests.adapters.workspace.plain_sandbox import PlainSandbox
from tests.adapters.workspace.site import FILES, Site, write_files

RULES = ".venv/\n__pycache__/\n*.log\n"
VENV = {".venv/bin/python": "#!", ".venv/lib/evil.py": "evil", "src/__pycache__/a.pyc": "compiled"}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, {**FILES, ".gitignore": RULES, "kept.log": "tracked\n"})


def test_they_are_no_changes_and_are_listed_by_rule(site: Site) -> None:
    write_files(site.root, {**VENV, "new.py": "new"})
    captured = site.capture()
    assert [change.path for change in captured.changes] == ["new.py"]
    assert captured.ignored == (
        IgnoredFiles(".venv/", (".venv/bin/python", ".venv/lib/evil.py")),
        IgnoredFiles("__pycache__/", ("src/__pycache__/a.pyc",)),
    )


def test_nobody_reads_them(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(site.root, {**VENV, "new.py": "new"})
    read: list[str] = []

    def hashed(_root: str, record: Record, *_: object) -> str:
        read.append(record.path)
        return "read"

    monkeypatch.setattr(walk, "_hash_file", hashed)
    site.capture()
    assert "new.py" in read
    assert not set(read) & set(VENV)


def test_a_file_of_the_baseline_is_never_ignored(site: Site) -> None:
    write_files(site.root, {"kept.log": "edited\n", "new.log": "x"})
    assert site.changed() == {"kept.log": "modified"}


def test_an_agent_s_own_rules_ignore_nothing(site: Site) -> None:
    write_files(site.root, {".gitignore": "*\n", "src/.gitignore": "*\n", "src/new.py": "x", "a.log": "x"})
    assert site.changed() == {".gitignore": "modified", "src/.gitignore": "added", "src/new.py": "added"}


def test_they_stay_ignored_when_the_capture_is_remembered(site: Site) -> None:
    write_files(site.root, VENV)
    memory = site.memory()
    first, second = site.capture(memory), site.capture(memory)
    assert first.ignored == second.ignored != ()
    assert first.changes == second.changes == ()
    (site.root / ".venv/lib/evil.py").unlink()
    assert len(site.capture(memory).ignored[0].paths) == 1


def test_commands_see_them_only_if_a_pattern_names_them(site: Site) -> None:
    write_files(site.root, VENV)
    commands = Commands(str(site.root), site.baseline, PlainSandbox)
    find = "find . -type f | sort"
    hidden = capture(commands).run(find, 10).output.split()
    assert hidden == sorted(f"./{path}" for path in (*FILES, ".gitignore", "kept.log"))
    shown = capture(commands, shown=(".venv/*",)).run(find, 10).output.split()
    assert set(shown) - set(hidden) == {"./.venv/bin/python", "./.venv/lib/evil.py"}


def test_path_scorers_count_them_where_a_pattern_names_them(site: Site) -> None:
    write_files(site.root, VENV)
    captured = site.capture()

    def passed(check: AllowedPaths | FileExists | ForbidPaths | MaxFilesChanged | BaselineUnmodified) -> bool:
        found = check.run(captured)
        assert isinstance(found, Scored)
        return found.passed

    assert passed(AllowedPaths(("src/*",)))
    assert passed(MaxFilesChanged(0))
    assert passed(ForbidPaths((".github/*",)))
    assert not passed(ForbidPaths((".venv/*",)))
    assert not passed(BaselineUnmodified((".venv/lib/evil.py",)))
    assert passed(FileExists(".venv/bin/python"))
    assert not passed(FileExists(".venv"))


def test_what_is_at_an_ignored_path(site: Site) -> None:
    write_files(site.root, VENV)
    (site.root / ".venv/link").symlink_to("bin")
    os.mkfifo(site.root / ".venv/pipe")
    captured = site.capture()
    entries = {name: captured.entry(f".venv/{name}") for name in ("link", "pipe", "bin", "no")}
    kinds = {name: entry and entry.kind for name, entry in entries.items()}
    assert kinds == {"link": EntryKind.LINK, "pipe": EntryKind.OTHER, "bin": EntryKind.FOLDER, "no": None}


def test_a_repository_in_an_ignored_folder_is_ignored_with_it(site: Site) -> None:
    write_files(site.root, {".venv/src/p/.git/config": "x", "other/.git/config": "x"})
    assert site.capture().nested_repositories == ("other",)
