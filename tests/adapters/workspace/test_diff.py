"""The cumulative diff: made in a repository of our own, so nothing in the workspace has a say in it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.workspace import diff
from assay.adapters.workspace.diff import cumulative_diff
from assay.evidence.workspace import ChangeKind, EntryKind
from tests.adapters.workspace.site import Site, write_files
from tests.adapters.workspace.test_walk import ODD_NAMES


@pytest.mark.statement("scorers.diff-captured")
def test_what_changed_is_in_it(site: Site) -> None:
    write_files(site.root, {"src/a.py": "def f(): return 1\n", "new.py": "new\n"})
    (site.root / "README.md").unlink()
    (site.root / "link").symlink_to("new.py")
    text, cut = cumulative_diff(site.capture())
    assert not cut
    for line in (
        "-def f(): return 2",
        "+def f(): return 1",
        "+new",
        "-read me",
        "new file mode 120000",
        "+new.py",
    ):
        assert line in text.splitlines()
    assert "test_a" not in text


def test_nothing_changed(site: Site) -> None:
    assert cumulative_diff(site.capture()) == ("", False)


def test_renames_modes_and_binaries(site: Site) -> None:
    (site.root / "tests/test_a.py").rename(site.root / "tests/test_b.py")
    (site.root / "src/a.py").chmod(0o755)
    write_files(site.root, {"binary": b"\0\1\2"})
    text, _ = cumulative_diff(site.capture())
    assert "rename from tests/test_a.py\nrename to tests/test_b.py" in text
    assert "old mode 100644\nnew mode 100755" in text
    assert "Binary files /dev/null and b/binary differ" in text


def test_a_file_that_became_a_folder_and_the_other_way_round(site: Site) -> None:
    (site.root / "README.md").unlink()
    write_files(site.root, {"README.md/inner": "inner\n"})
    (site.root / "src/a.py").unlink()
    (site.root / "src").rmdir()
    write_files(site.root, {"src": "a file\n"})
    text, cut = cumulative_diff(site.capture())
    assert not cut
    assert "+inner" in text
    assert "+a file" in text


@pytest.mark.parametrize(
    "attributes", ["* binary\n", "* -diff\n", "* diff=evil\n", "* filter=evil text eol=crlf\n"]
)
def test_attributes_of_the_workspace_hide_nothing(tmp_path: Path, attributes: str) -> None:
    site = Site(tmp_path, {"a.py": "old\n", ".gitattributes": attributes})
    write_files(site.root, {"a.py": "new\n", "b/.gitattributes": attributes, "b/c.py": "more\n"})
    text, _ = cumulative_diff(site.capture())
    assert {"-old", "+new", "+more"} <= set(text.splitlines())


def test_odd_names(site: Site) -> None:
    write_files(site.root, {f"odd/{name}": f"{number}\n" for number, name in enumerate(ODD_NAMES)})
    text, cut = cumulative_diff(site.capture())
    assert not cut
    assert {f"+{number}" for number in range(len(ODD_NAMES))} <= set(text.splitlines())


@given(st.binary(max_size=60))
def test_any_path_is_one_word_to_git(raw: bytes) -> None:
    quoted = diff._quote_path(os.fsdecode(raw))
    assert quoted.startswith(b'"')
    assert quoted.endswith(b'"')
    assert all(32 <= byte <= 126 for byte in quoted)


@pytest.mark.parametrize("name", [".GIT/config", "a/.Git/hooks/x", ".GIT/x.py"])
def test_names_that_git_refuses_are_shown(site: Site, name: str) -> None:
    write_files(site.root, {name: "hidden\n", "new.py": "new\n"})
    text, cut = cumulative_diff(site.capture())
    assert not cut
    assert {"+hidden", "+new", f"+++ b/{name}", f"diff --git a/{name} b/{name}"} <= set(text.splitlines())


def test_a_folder_that_became_a_link_is_shown_as_that(site: Site) -> None:
    (site.root / "elsewhere").mkdir()
    shutil.rmtree(site.root / "tests")
    (site.root / "tests").symlink_to("elsewhere")
    captured = site.capture()
    (change,) = [change for change in captured.changes if change.path == "tests"]
    assert change.before is not None
    assert change.after is not None
    found = (change.kind, change.before.kind, change.after.kind)
    assert found == (ChangeKind.TYPE, EntryKind.FOLDER, EntryKind.LINK)
    text, cut = cumulative_diff(captured)
    assert not cut
    assert {"new file mode 120000", "deleted file mode 100644", "+elsewhere"} <= set(text.splitlines())


def test_caps_are_said(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(site.root, {"a": "a\n" * 50, "b": "b\n" * 50})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "MAX_CONTENT", 120)
        text, cut = cumulative_diff(site.capture())
    assert cut
    assert "+a" in text
    assert "+b" not in text
    monkeypatch.setattr(diff, "MAX_DIFF", 30)
    text, cut = cumulative_diff(site.capture())
    assert (len(text), cut) == (30, True)


def test_the_user_s_own_configuration_has_no_say(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.noprefix")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_DIR", str(site.around))
    write_files(site.root, {"new.py": "new\n"})
    assert "diff --git a/new.py b/new.py" in cumulative_diff(site.capture())[0]


def test_the_diff_can_be_applied(site: Site) -> None:
    write_files(site.root, {"src/a.py": "def f(): return 1\n", "new \u00e9.py": "new\n"})
    text, _ = cumulative_diff(site.capture())
    target = site.around / "again"
    write_files(target, {"src/a.py": "def f(): return 2\n"})
    subprocess.run(["/usr/bin/git", "apply", "-"], cwd=target, input=text.encode(), check=True)
    assert (target / "src/a.py").read_text() == "def f(): return 1\n"
    assert (target / "new \u00e9.py").read_text() == "new\n"
