"""A workspace against its baseline: what is said of changed and unchanged paths, and what can't be seen."""

import os
from pathlib import Path

import pytest

from assay.adapters.workspace import capture as captures
from assay.adapters.workspace import walk
from assay.evidence.workspace import EntryKind
from tests.adapters.workspace.site import FILES, Site, write_files
from tests.builders import within


def test_nothing_changed(site: Site) -> None:
    assert site.changed() == {}


def test_each_kind_of_change(site: Site) -> None:
    write_files(site.root, {"src/a.py": "changed", "new.py": "new", "README.md": "read me\n"})
    (site.root / "README.md").chmod(0o755)
    (site.root / "tests").rename(site.root / "checks")
    (site.root / "link").symlink_to("new.py")
    assert site.changed() == {
        "README.md": "mode",
        "checks/test_a.py": "renamed",
        "link": "added",
        "new.py": "added",
        "src/a.py": "modified",
    }


def test_what_was_and_what_is(site: Site) -> None:
    write_files(site.root, {"src/a.py": "now"})
    (site.root / "README.md").unlink()
    (site.root / "README.md").symlink_to("src/a.py")
    captured = site.capture()
    assert (captured.before("src/a.py"), captured.after("src/a.py")) == (FILES["src/a.py"].encode(), b"now")
    assert (captured.before("README.md"), captured.after("README.md")) == (FILES["README.md"].encode(), None)
    assert captured.link_target("README.md") == "src/a.py"
    assert captured.link_target("src/a.py") is None
    assert captured.link_target("nothing") is None
    assert captured.before("nothing") is captured.after("nothing") is None
    assert list(captured.baseline_paths()) == sorted(FILES)


def test_an_entry_is_what_is_there_now(site: Site) -> None:
    write_files(site.root, {"src/a.py": "now", "new/deep": ""})
    (site.root / "tests/test_a.py").unlink()
    captured = site.capture()
    kinds = {path: found.kind for path in ("src/a.py", "new/deep", "README.md") if (found := captured.entry(path))}
    assert kinds == dict.fromkeys(("src/a.py", "new/deep", "README.md"), EntryKind.FILE)
    folder = captured.entry("tests")
    assert folder is not None
    assert folder.kind is EntryKind.FOLDER
    for absent in ("tests/test_a.py", "nothing", "nothing/at/all", "README.md/x", "n" * 300):
        assert captured.entry(absent) is None


@pytest.mark.parametrize("moved", [True, False])
def test_a_folder_in_the_place_of_a_file(site: Site, moved: bool) -> None:
    if moved:
        (site.root / "src/a.py").rename(site.root / "src/b.py")
    else:
        (site.root / "src/a.py").unlink()
    (site.root / "src/a.py").mkdir()
    entry = site.capture().entry("src/a.py")
    assert entry is not None
    assert entry.kind is EntryKind.FOLDER


def test_an_entry_behind_a_link_is_none(site: Site) -> None:
    (site.root / "src").rename(site.around / "outside")
    (site.root / "src").symlink_to(site.around / "outside")
    captured = site.capture()
    assert captured.entry("src/a.py") is None
    assert captured.after("src/a.py") is None
    assert {change.path: change.kind.value for change in captured.changes} == {
        "src": "type",
        "src/a.py": "deleted",
    }


def test_an_entry_outside_is_none(site: Site) -> None:
    write_files(site.around, {"outside": "x"})
    captured = site.capture()
    for path in ("../outside", "src/../../outside", "/etc/passwd"):
        assert captured.after(path) is None
        entry = captured.entry(path)
        assert entry is None or entry.kind is not EntryKind.FILE


@pytest.mark.parametrize("changed", [True, False])
def test_the_names_of_a_file_are_counted(site: Site, changed: bool) -> None:
    os.link(site.root / "src/a.py", site.around / "handle")
    if changed:
        (site.around / "handle").write_text("changed")
    entry = site.capture().entry("src/a.py")
    assert entry is not None
    assert entry.names == 2


def test_a_relative_root_and_one_behind_a_link(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(site.root, {"src/a.py": "now"})
    (site.around / "link").symlink_to(site.root)
    monkeypatch.chdir(site.around)
    for root in (Path("workspace"), Path("link"), site.around / "link"):
        site.root = root
        captured = site.capture()
        assert [change.path for change in captured.changes] == ["src/a.py"]
        assert captured.after("src/a.py") == b"now"
        assert captured.entry("README.md") is not None


def test_repositories_that_were_there_are_not_news(tmp_path: Path) -> None:
    site = Site(tmp_path, {"vendor/.git/HEAD": "x", "vendor/a.c": "x"})
    write_files(site.root, {"other/.git/HEAD": "x"})
    assert site.capture().nested_repositories == ("other",)


def test_git_of_the_workspace_is_no_change(site: Site) -> None:
    write_files(site.root, {".git/config": "x", ".git/hooks/pre-commit": "x"})
    assert site.changed() == {}


def test_caps_are_said(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "MAX_RECORDS", 1)
        assert site.capture().cut == ("there are more than 1 files",)
    monkeypatch.setattr(walk, "MAX_FILE", 8)
    assert sorted(site.capture().cut) == [
        "src/a.py is too large: 18 bytes",
        "tests/test_a.py is too large: 16 bytes",
    ]


def test_a_large_file_is_compared_but_not_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "MAX_READ", 8)
    write_files(site.root, {"src/a.py": "x" * 9})
    assert site.changed() == {"src/a.py": "modified"}
    assert site.capture().after("src/a.py") is None


def test_pipes_are_not_waited_for(site: Site) -> None:
    (site.root / "src/a.py").unlink()
    os.mkfifo(site.root / "src/a.py")
    with within(60):
        assert site.changed() == {"src/a.py": "type"}
        assert site.capture().after("src/a.py") is None
