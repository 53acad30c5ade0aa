"""The files of a commit: any way to name it, no code of the repository's, nothing outside of the target."""

import os
import shutil
from pathlib import Path

import pytest

from assay.adapters.workspace.git_export import export_commit, is_address
from assay.core.errors import InputError
from tests.adapters.workspace.repositories import commit_all, make_repository, run_git
from tests.adapters.workspace.site import write_files


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    first, _ = make_repository(folder, {"a.py": "old\n", "deep/b.sh": "#!\n"}, {"a.py": "new\n"})
    run_git(folder, "tag", "v1", first)
    run_git(folder, "tag", "-a", "-m", "Signed", "v1-annotated", first)
    run_git(folder, "branch", "stable", first)
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


@pytest.mark.parametrize(
    "name", ["v1", "v1-annotated", "stable", "HEAD~1", "main^", "FULL", "SHORT", ":/A change"]
)
def test_any_name_of_a_commit(repository: Path, target: Path, name: str) -> None:
    full = run_git(repository, "rev-parse", "v1")
    wanted = {"FULL": full, "SHORT": full[:8], ":/A change": "HEAD~1"}.get(name, name)
    assert export_commit(str(repository), wanted, str(target)) == full
    assert (target / "a.py").read_text() == "old\n"


@pytest.mark.parametrize("name", ["nothing", "0" * 40, "HEAD:a.py", "--all", "", "main..stable", "\n"])
def test_an_unknown_commit(repository: Path, target: Path, name: str) -> None:
    with pytest.raises(InputError, match="has no commit"):
        export_commit(str(repository), name, str(target))
    assert list(target.iterdir()) == []


def test_a_bare_repository(repository: Path, target: Path, tmp_path: Path) -> None:
    run_git(repository, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare"))
    export_commit(str(tmp_path / "bare"), "main", str(target))
    assert (target / "a.py").read_text() == "new\n"


def test_an_address(repository: Path, target: Path) -> None:
    export_commit(f"file://{repository}", "main", str(target))
    assert (target / "a.py").read_text() == "new\n"
    with pytest.raises(InputError, match=r"file://.* has no commit 'nothing'"):
        export_commit(f"file://{repository}", "nothing", str(target))
    with pytest.raises(InputError, match="can't be cloned"):
        export_commit(f"file://{repository}-gone", "main", str(target))


@pytest.mark.parametrize("address", ["ext::sh -c 'touch CANARY' ", "ext::sh -c touch% CANARY", "fd::7"])
def test_addresses_that_are_commands_are_refused(address: str, target: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    with pytest.raises(InputError):
        export_commit(address.replace("CANARY", str(canary)) + "://", "main", str(target))
    assert not canary.exists()


@pytest.mark.parametrize(
    ("text", "remote"),
    [
        ("https://example.org/a.git", True),
        ("git@example.org:a/b.git", True),
        ("file:///a", True),
        ("a/b", False),
        ("/a/b:c", False),
        ("./a:b", False),
        ("..", False),
    ],
)
def test_addresses_and_paths(text: str, remote: bool) -> None:
    assert is_address(text) == remote


def test_a_folder_inside_of_a_repository_is_none(repository: Path, target: Path) -> None:
    """Else the whole repository around it would be taken for the seed."""
    for folder in (repository / "deep", repository / "nothing"):
        with pytest.raises(InputError, match="must be a git repository"):
            export_commit(str(folder), "HEAD", str(target))


def test_modes_links_and_submodules(repository: Path, target: Path) -> None:
    (repository / "deep/b.sh").chmod(0o755)
    (repository / "link").symlink_to("/etc/passwd")
    make_repository(repository / "module", {"inner": "x"})
    commit_all(repository)
    export_commit(str(repository), "HEAD", str(target))
    assert os.readlink(target / "link") == "/etc/passwd"
    assert os.access(target / "deep/b.sh", os.X_OK)
    assert sorted(path.name for path in target.iterdir()) == ["a.py", "deep", "link"]


def test_contents_are_the_objects_own(repository: Path, target: Path, tmp_path: Path) -> None:
    """No attribute, filter or ident changes them on the way out."""
    write_files(
        repository,
        {"c.txt": "$Id$\r\nline\n", ".gitattributes": "* ident text eol=crlf filter=evil export-ignore\n"},
    )
    run_git(repository, "config", "filter.evil.smudge", f"touch {tmp_path}/canary; cat")
    run_git(repository, "config", "core.autocrlf", "true")
    commit_all(repository)
    export_commit(str(repository), "HEAD", str(target))
    assert (target / "c.txt").read_bytes() == b"$Id$\nline\n"
    assert not (tmp_path / "canary").exists()


def test_a_replaced_commit_is_not_taken_for_the_original(repository: Path, target: Path) -> None:
    old, new = run_git(repository, "rev-parse", "v1"), run_git(repository, "rev-parse", "HEAD")
    run_git(repository, "replace", old, new)
    export_commit(str(repository), old, str(target))
    assert (target / "a.py").read_text() == "old\n"


@pytest.mark.parametrize("program", ["remote.origin.uploadpack", "core.sshCommand"])
def test_a_missing_object_is_not_fetched(repository: Path, target: Path, tmp_path: Path, program: str) -> None:
    """A partial clone fetches what it lacks by itself, with the program that its configuration names."""
    canary = tmp_path / "canary"
    where = "ssh://localhost/x" if program == "core.sshCommand" else str(repository / ".git")
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": where,
        program: f"touch {canary}; false",
    }.items():
        run_git(repository, "config", key, value)
    blob = run_git(repository, "rev-parse", "HEAD:a.py")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InputError, match=r"the repository lacks the content of 'a\.py'"):
        export_commit(str(repository), "HEAD", str(target))
    assert not canary.exists()


def tree_of(repository: Path, rows: bytes) -> str:
    tree = run_git(repository, "hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=rows)
    return run_git(repository, "commit-tree", "-m", "Made by hand", tree)


def row(repository: Path, mode: str, name: str, kind: str, content: bytes) -> bytes:
    made = run_git(repository, "hash-object", "-t", kind, "-w", "--stdin", "--literally", stdin=content)
    return f"{mode} {name}\0".encode() + bytes.fromhex(made)


@pytest.mark.parametrize("name", ["..", ".git", ".GIT"])
def test_a_tree_that_leads_outside(repository: Path, target: Path, name: str) -> None:
    inner = row(repository, "100644", "evil", "blob", b"x")
    commit = tree_of(repository, row(repository, "40000", name, "tree", inner))
    with pytest.raises(InputError):
        export_commit(str(repository), commit, str(target))
    assert not (target.parent / "evil").exists()


@pytest.mark.parametrize("link_first", [True, False])
@pytest.mark.parametrize("mode", ["100644", "120000"])
def test_a_tree_with_a_link_and_a_folder_of_one_name(
    repository: Path, target: Path, tmp_path: Path, link_first: bool, mode: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    rows = [
        row(repository, "120000", "a", "blob", os.fsencode(outside)),
        row(repository, "40000", "a", "tree", row(repository, mode, "evil", "blob", b"x")),
    ]
    commit = tree_of(repository, b"".join(rows if link_first else rows[::-1]))
    with pytest.raises(InputError, match="can't be written"):
        export_commit(str(repository), commit, str(target))
    assert list(outside.iterdir()) == []


def test_a_damaged_repository(repository: Path, target: Path) -> None:
    shutil.rmtree(repository / ".git/objects")
    (repository / ".git/objects").mkdir()
    with pytest.raises(InputError):
        export_commit(str(repository), "HEAD", str(target))
