"""A repository is read without running git in it: its configuration, hooks and filters never count."""

from pathlib import Path

import pytest

from assay.adapters.workspace.borrowed_repository import borrow_repository, find_root
from assay.adapters.workspace.git_export import export_commit
from assay.core.errors import InputError
from tests.adapters.workspace.repositories import commit_all, make_repository, run_git
from tests.adapters.workspace.site import write_files


def test_branches_head_and_merge_base(tmp_path: Path) -> None:
    (first,) = make_repository(tmp_path, {"a": "1"})
    run_git(tmp_path, "checkout", "-q", "-b", "work")
    write_files(tmp_path, {"b": "2"})
    second = commit_all(tmp_path)
    with borrow_repository(str(tmp_path)) as repository:
        assert repository.references == {"refs/heads/main": first, "refs/heads/work": second, "HEAD": second}
        assert (repository.head, repository.root) == ("refs/heads/work", str(tmp_path))
        assert repository.merge_base(second, first) == first
        assert repository.merge_base(second, "0" * 40) is None
        export_commit(repository.folder, first, str(tmp_path / "out"))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a"]


def test_packed_references_worktrees_and_a_detached_head(tmp_path: Path) -> None:
    (first,) = make_repository(tmp_path / "main", {"a": "1"})
    run_git(tmp_path / "main", "pack-refs", "--all")
    run_git(tmp_path / "main", "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    with borrow_repository(str(tmp_path / "tree")) as repository:
        assert (repository.references["refs/heads/main"], repository.references["HEAD"]) == (first, first)
        assert repository.head == first


def test_the_main_branch_of_a_clone(tmp_path: Path) -> None:
    (first,) = make_repository(tmp_path / "origin", {"a": "1"})
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}/origin", "clone")
    with borrow_repository(str(tmp_path / "clone")) as repository:
        assert repository.references["refs/remotes/origin/HEAD"] == first
        assert repository.merge_base(first, first) == first


def test_nothing_of_the_repository_is_run(tmp_path: Path) -> None:
    """Whatever configuration an agent plants: git doesn't see it."""
    (first,) = make_repository(tmp_path, {"a": "1"})
    mark = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "diff.external", "core.pager", "uploadpack.packObjectsHook"):
        run_git(tmp_path, "config", key, str(script))
    (tmp_path / ".git/config").write_text((tmp_path / ".git/config").read_text() + "[core\n  broken")
    with borrow_repository(str(tmp_path)) as repository:
        assert repository.merge_base(first, first) == first
        export_commit(repository.folder, first, str(tmp_path / "out"))
    assert not mark.exists()


def test_links_in_the_place_of_references_are_not_followed(tmp_path: Path) -> None:
    (first,) = make_repository(tmp_path / "r", {"a": "1"})
    (tmp_path / "secret").write_text("1" * 40)
    (tmp_path / "r/.git/refs/heads/link").symlink_to(tmp_path / "secret")
    with borrow_repository(str(tmp_path / "r")) as repository:
        assert repository.references == {"refs/heads/main": first, "HEAD": first}


def test_the_root_is_found_from_below(tmp_path: Path) -> None:
    make_repository(tmp_path / "r", {"a/b/c": "1"})
    assert find_root(str(tmp_path / "r/a/b")) == str(tmp_path / "r")
    assert find_root("/") is None


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        (None, "must be a git repository, but "),
        ("gitdir: /nowhere\n", "must be a git repository, but /nowhere has no objects"),
        ("nonsense", "can't be read"),
    ],
)
def test_what_is_no_repository(tmp_path: Path, written: str | None, sentence: str) -> None:
    if written is not None:
        (tmp_path / ".git").write_text(written)
    with pytest.raises(InputError, match=sentence), borrow_repository(str(tmp_path)):
        pass


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    with (
        pytest.raises(InputError, match="must be a git repository with a commit"),
        borrow_repository(str(tmp_path)),
    ):
        pass
