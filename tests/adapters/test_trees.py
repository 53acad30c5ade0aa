"""Trees that an agent may have made: copied, packed, unpacked, removed; nothing is followed, nobody harmed."""

import contextlib
import errno
import io
import os
import shutil
import socket
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.machine import trees
from assay.adapters.machine.tree_walk import walk
from assay.adapters.machine.trees import KeptTree, copy_tree, own_tree, pack_tree, remove_tree, unpack_tree
from tests.builders import unprivileged, within
from tests.sampling import examples

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@contextlib.contextmanager
def folder_of_anybody() -> Iterator[Path]:
    """A folder for trees that pytest could not remove: closed, or deeper than Python's stack."""
    with contextlib.ExitStack() as stack:
        name = tempfile.mkdtemp(prefix="assay-trees-")
        stack.callback(subprocess.run, ["/bin/rm", "-rf", name], check=False)
        stack.callback(subprocess.run, ["/bin/chmod", "-R", "u+rwX", name], check=False)
        os.chmod(name, 0o777)  # noqa: S103 - nobody works in it, too
        yield Path(name)


@pytest.fixture
def scratch() -> Iterator[Path]:
    with folder_of_anybody() as folder:
        yield folder


def names(root: Path) -> list[str]:
    return [path for path, _ in walk(str(root))]


def snapshot(root: Path) -> dict[bytes, tuple[object, ...]]:
    """Everything in a tree: kind, mode, and content or target."""
    found: dict[bytes, tuple[object, ...]] = {}
    for path, status in walk(str(root)):
        full = os.path.join(root, path)
        if stat.S_ISLNK(status.st_mode):
            found[os.fsencode(path)] = ("link", os.readlink(os.fsencode(full)))
        elif stat.S_ISDIR(status.st_mode):
            found[os.fsencode(path)] = ("folder", stat.S_IMODE(status.st_mode))
        else:
            found[os.fsencode(path)] = ("file", stat.S_IMODE(status.st_mode), Path(full).read_bytes())
    return found


def dig(root: Path, depth: int, name: str = "d") -> None:
    """Folders inside of folders, deeper than a path can say, with a file at the bottom."""
    fd = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=fd)
        deeper = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)


def hostile_tree(root: Path) -> Path:
    """Links out, loops, dangling links, pipes, sockets, twins, and odd names."""
    root.mkdir()
    (root / "out").symlink_to("/etc")
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "loop").symlink_to("loop")
    (root / "here").symlink_to(".")
    (root / "nowhere").symlink_to("missing/\n/x")
    os.mkfifo(root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(root / "socket"))
    listener.close()
    (root / "twin-a").write_text("twin")
    (root / "twin-b").hardlink_to(root / "twin-a")
    for name in (b"new\nline", b"\xff\xfe", b"-rf", b" ", b"back\\slash", "é∅".encode(), b"n" * 255, b"...", b"*"):
        (root / os.fsdecode(name)).write_bytes(name)
    (root / "empty").mkdir()
    return root


DEPTHS = [(1100, "d"), (60, "n" * 100), (1450, "dd")]
FILES = 11
SPECIAL = 2
LINKS = 5


# --- Walking ---


def test_parents_come_before_children_and_names_are_sorted(tmp_path: Path) -> None:
    for path in ("b/z", "b/a/x", "a/y", "c"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    assert names(tmp_path) == ["a", "b", "c", "a/y", "b/a", "b/z", "b/a/x"]


def test_nothing_is_followed(scratch: Path) -> None:
    with within(60):
        found = names(hostile_tree(scratch / "tree"))
    assert len(found) == FILES + SPECIAL + LINKS + 1
    assert not any(path.startswith(("out/", "here/", "loop/")) for path in found)


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert names(tmp_path / "missing") == []


def test_a_closed_folder_is_skipped(scratch: Path) -> None:
    with unprivileged():
        (scratch / "tree" / "closed" / "deep").mkdir(parents=True)
        (scratch / "tree" / "open").mkdir()
        for mode in (0o000, 0o300):
            (scratch / "tree" / "closed").chmod(mode)
            assert names(scratch / "tree") == ["closed", "open"]


def test_a_folder_that_can_be_listed_but_not_entered_is_no_crash(scratch: Path) -> None:
    with unprivileged():
        (scratch / "tree" / "closed").mkdir(parents=True)
        (scratch / "tree" / "closed" / "x").write_text("")
        (scratch / "tree" / "closed").chmod(0o400)
        (scratch / "tree" / "open").mkdir()
        assert names(scratch / "tree")[:2] == ["closed", "open"]


@pytest.mark.parametrize(("depth", "name"), DEPTHS, ids=["deep", "long", "deep and long"])
def test_depth_without_end_is_no_crash(scratch: Path, depth: int, name: str) -> None:
    """Folders can be deeper than a path is long, and far deeper than Python's stack."""
    (scratch / "tree").mkdir()
    dig(scratch / "tree", depth, name)
    (scratch / "tree" / "zz").write_text("beside")
    assert {name, "zz"} <= set(names(scratch / "tree"))
    assert pack_tree(str(scratch / "tree"), str(scratch / "tree.tar.gz")).files >= 1
    assert copy_tree(str(scratch / "tree"), str(scratch / "copy")).files >= 1
    assert (scratch / "copy" / "zz").read_text() == "beside"


# --- Copying ---


def test_files_are_copied_with_their_modes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a" / "b").mkdir(parents=True)
    (source / "a" / "b" / "run.sh").write_text("#!/bin/sh\n")
    (source / "a" / "b" / "run.sh").chmod(0o4755)
    (source / "a" / "secret").write_text("s")
    (source / "a" / "secret").chmod(0o400)
    (source / "empty").mkdir()
    assert copy_tree(str(source), str(tmp_path / "copy")) == KeptTree(files=2, bytes=11, left_out=0)
    found = snapshot(tmp_path / "copy")
    assert found[b"a/b/run.sh"] == ("file", 0o755, b"#!/bin/sh\n")
    assert found[b"a/secret"] == ("file", 0o600, b"s")
    assert found[b"empty"][0] == "folder"


def test_a_target_may_exist_and_the_later_file_wins(tmp_path: Path) -> None:
    for folder, content in (("one", "1"), ("two", "2")):
        (tmp_path / folder / "sub").mkdir(parents=True)
        (tmp_path / folder / "sub" / "same").write_text(content)
        (tmp_path / folder / folder).write_text(content)
        copy_tree(str(tmp_path / folder), str(tmp_path / "both"))
    texts = {path: (tmp_path / "both" / path).read_text() for path in ("sub/same", "one", "two")}
    assert texts == {"sub/same": "2", "one": "1", "two": "2"}


def test_of_a_hostile_tree_only_files_and_folders_are_copied(scratch: Path) -> None:
    source = hostile_tree(scratch / "tree")
    with within(60):
        kept = copy_tree(str(source), str(scratch / "copy"))
    assert (kept.files, kept.left_out) == (FILES, LINKS + SPECIAL)
    found = snapshot(scratch / "copy")
    assert {kind for kind, *_ in found.values()} == {"file", "folder"}
    assert found[b"\xff\xfe"][2] == b"\xff\xfe"
    assert (scratch / "copy" / "twin-a").stat().st_nlink == 1


def planted(scratch: Path) -> tuple[Path, Path, Path]:
    """Files to copy, the workspace into which they belong, and something outside of it."""
    source, workspace, outside = scratch / "source", scratch / "workspace", scratch / "outside"
    (source / "data").mkdir(parents=True)
    (source / "config").write_text("new")
    (source / "data" / "x").write_text("new")
    workspace.mkdir()
    outside.mkdir()
    (outside / "victim").write_text("precious")
    (outside / "victim").chmod(0o640)
    return source, workspace, outside


def test_a_link_that_an_agent_left_in_a_files_place_is_not_written_through(scratch: Path) -> None:
    source, workspace, outside = planted(scratch)
    (workspace / "config").symlink_to(outside / "victim")
    with contextlib.suppress(OSError, ValueError):
        copy_tree(str(source), str(workspace))
    assert snapshot(outside) == {b"victim": ("file", 0o640, b"precious")}


def test_nor_is_one_in_a_folders_place(scratch: Path) -> None:
    source, workspace, outside = planted(scratch)
    (workspace / "data").symlink_to(outside)
    with contextlib.suppress(OSError, ValueError):
        copy_tree(str(source), str(workspace))
    assert snapshot(outside) == {b"victim": ("file", 0o640, b"precious")}


def test_nor_is_a_twin_of_a_file_elsewhere(scratch: Path) -> None:
    source, workspace, outside = planted(scratch)
    (workspace / "config").hardlink_to(outside / "victim")
    copy_tree(str(source), str(workspace))
    assert (workspace / "config").read_text() == "new"
    assert (outside / "victim").read_text() == "precious"


@pytest.mark.parametrize("obstacle", ["a pipe", "a folder", "a file for a folder"])
def test_what_an_agent_left_in_the_way_is_replaced_without_waiting(scratch: Path, obstacle: str) -> None:
    source, workspace, _ = planted(scratch)
    if obstacle == "a pipe":
        os.mkfifo(workspace / "config")
    elif obstacle == "a folder":
        (workspace / "config" / "deep").mkdir(parents=True)
    else:
        (workspace / "data").write_text("in the way")
    with within(60):
        copy_tree(str(source), str(workspace))
    assert (workspace / "config").read_text() == "new"
    assert (workspace / "data" / "x").read_text() == "new"


def test_a_file_that_can_not_be_read_is_left_out_and_counted(scratch: Path) -> None:
    """An empty file in its place would be evidence of something that never was."""
    with unprivileged():
        (scratch / "tree").mkdir()
        (scratch / "tree" / "closed").write_text("x")
        (scratch / "tree" / "closed").chmod(0)
        (scratch / "tree" / "open").write_text("yes")
        kept = copy_tree(str(scratch / "tree"), str(scratch / "copy"))
        assert (kept.files, kept.left_out) == (1, 1)
        assert names(scratch / "copy") == ["open"]
        packed = pack_tree(str(scratch / "tree"), str(scratch / "tree.tar.gz"))
        assert (packed.files, packed.left_out) == (1, 1)


@pytest.mark.parametrize(
    ("limit", "value", "kept"),
    [
        ("MAX_FILES", 2, KeptTree(2, 20, 3, 3)),
        ("MAX_BYTES", 35, KeptTree(3, 30, 2, 2)),
        ("MAX_FILES", 0, KeptTree(0, 0, 5, 5)),
    ],
)
def test_caps_bound_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, kept: KeptTree
) -> None:
    monkeypatch.setattr(trees, limit, value)
    (tmp_path / "tree").mkdir()
    for number in range(5):
        (tmp_path / "tree" / str(number)).write_text("x" * 10)
    assert copy_tree(str(tmp_path / "tree"), str(tmp_path / "copy")) == kept
    assert pack_tree(str(tmp_path / "tree"), str(tmp_path / "tree.tar.gz")) == kept
    assert len(names(tmp_path / "copy")) == kept.files


# --- Packing and unpacking ---


def packed_and_unpacked(source: Path, scratch: Path) -> Path:
    pack_tree(str(source), str(scratch / "tree.tar.gz"))
    (scratch / "again").mkdir()
    unpack_tree(str(scratch / "tree.tar.gz"), str(scratch / "again"))
    return scratch / "again"


def test_a_hostile_tree_comes_back_without_its_pipes_and_sockets(scratch: Path) -> None:
    source = hostile_tree(scratch / "tree")
    with within(60):
        kept = pack_tree(str(source), str(scratch / "count.tar.gz"))
        again = packed_and_unpacked(source, scratch)
    assert (kept.files, kept.left_out) == (FILES, SPECIAL)
    os.unlink(source / "pipe")
    os.unlink(source / "socket")
    assert snapshot(again) == snapshot(source)
    assert (again / "twin-a").stat().st_nlink == 1


def test_owners_and_times_are_not_in_an_archive(scratch: Path) -> None:
    (scratch / "tree").mkdir()
    (scratch / "tree" / "x").write_text("x")
    pack_tree(str(scratch / "tree"), str(scratch / "tree.tar.gz"))
    with tarfile.open(scratch / "tree.tar.gz") as archive:
        entry = archive.getmember("x")
    assert (entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) == (0, 0, "", "", 0)


def test_bits_that_lend_a_users_rights_are_not_unpacked(scratch: Path) -> None:
    (scratch / "tree").mkdir()
    (scratch / "tree" / "x").write_text("x")
    (scratch / "tree" / "x").chmod(0o6755)
    again = packed_and_unpacked(scratch / "tree", scratch)
    assert snapshot(again)[b"x"] == ("file", 0o755, b"x")


@pytest.mark.parametrize("mode", [0o555, 0o500])
def test_a_folder_that_nobody_may_write_to_comes_back_with_its_content(scratch: Path, mode: int) -> None:
    with unprivileged():
        (scratch / "tree" / "frozen" / "deep").mkdir(parents=True)
        (scratch / "tree" / "frozen" / "deep" / "x").write_text("x")
        (scratch / "tree" / "frozen").chmod(mode)
        again = packed_and_unpacked(scratch / "tree", scratch)
        assert snapshot(again) == snapshot(scratch / "tree")


NAMES = (
    st.binary(min_size=1, max_size=20)
    .filter(lambda name: not set(name) & {0, ord("/")} and name not in (b".", b".."))
    .map(os.fsdecode)
)
MODES = st.sampled_from([0o644, 0o755, 0o600, 0o444, 0o777])
LEAVES = st.tuples(st.just("file"), st.binary(max_size=50), MODES) | st.tuples(st.just("link"), NAMES, MODES)
TREES = st.recursive(
    st.dictionaries(NAMES, LEAVES, max_size=3),
    lambda inner: st.dictionaries(NAMES, LEAVES | inner, max_size=3),
    max_leaves=8,
)


def plant(root: Path, tree: dict[str, object]) -> None:
    root.mkdir()
    for name, found in tree.items():
        path = root / name
        match found:
            case dict():
                plant(path, found)
            case ("link", str(target), _):
                path.symlink_to(target)
            case ("file", bytes(content), int(mode)):
                path.write_bytes(content)
                path.chmod(mode)


@examples(50)
@given(TREES)
def test_whatever_is_packed_comes_back(tree: dict[str, object]) -> None:
    with folder_of_anybody() as scratch:
        plant(scratch / "tree", tree)
        assert snapshot(packed_and_unpacked(scratch / "tree", scratch)) == snapshot(scratch / "tree")


def archive(path: Path, *entries: tuple[str, bytes, str]) -> str:
    """An archive of somebody else's making: name, kind, and content or target."""
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                entry.linkname = content
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content.encode()))
    return str(path)


FILE, FOLDER, LINK, TWIN = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE


@pytest.mark.parametrize(
    "entries",
    [
        [("../x", FILE, "x")],
        [("/tmp/x", FILE, "x")],
        [("a", FOLDER, ""), ("a/../../x", FILE, "x")],
        [("a", FOLDER, ""), ("a/../x", FILE, "x")],
        [("..", FOLDER, "")],
        [("./..", FOLDER, "")],
        [(".//x", FILE, "x")],
        [("./../x", FILE, "x")],
        [("././x", FILE, "x")],
        [("a//x", FILE, "x")],
        [("../x", LINK, "/etc/passwd")],
        [("way", LINK, "../outside"), ("way/x", FILE, "x")],
        [("way", LINK, "/"), ("way/tmp/x", FILE, "x")],
        [("a", FOLDER, ""), ("a/way", LINK, "../.."), ("a/way/x", FILE, "x")],
        [("way", LINK, "."), ("way/x", FILE, "x")],
        [("file", FILE, "x"), ("file/x", FILE, "x")],
        [("missing/x", FILE, "x")],
    ],
    ids=lambda entries: " ".join(name for name, *_ in entries),
)
def test_a_name_that_would_leave_the_folder_is_refused(
    scratch: Path, entries: list[tuple[str, bytes, str]]
) -> None:
    (scratch / "outside").mkdir()
    (scratch / "target").mkdir()
    path = archive(scratch / "evil.tar.gz", *entries)
    with pytest.raises(ValueError, match=r"^the archive has a name (that leaves|below something)"):
        unpack_tree(path, str(scratch / "target"))
    assert names(scratch / "outside") == []
    assert sorted(os.listdir(scratch)) == ["evil.tar.gz", "outside", "target"]


def test_names_may_begin_at_the_folder_itself(scratch: Path) -> None:
    (scratch / "target").mkdir()
    path = archive(scratch / "other.tar.gz", (".", FOLDER, ""), ("./a", FOLDER, ""), ("./a/x", FILE, "text"))
    unpack_tree(path, str(scratch / "target"))
    assert (scratch / "target/a/x").read_text() == "text"


@pytest.mark.parametrize(
    "entries",
    [
        [("x", LINK, "../victim"), ("x", FILE, "new")],
        [("x", FILE, "old"), ("x", FILE, "new")],
        [("x", LINK, ".."), ("x", FOLDER, "")],
    ],
)
def test_an_entry_never_replaces_another(scratch: Path, entries: list[tuple[str, bytes, str]]) -> None:
    (scratch / "victim").write_text("precious")
    (scratch / "target").mkdir()
    path = archive(scratch / "evil.tar.gz", *entries)
    with pytest.raises((OSError, ValueError)):
        unpack_tree(path, str(scratch / "target"))
    assert (scratch / "victim").read_text() == "precious"


def test_devices_and_pipes_are_not_unpacked(scratch: Path) -> None:
    (scratch / "victim").write_text("precious")
    (scratch / "target").mkdir()
    path = archive(
        scratch / "evil.tar.gz",
        ("device", tarfile.CHRTYPE, ""),
        ("disk", tarfile.BLKTYPE, ""),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("fine", FILE, "x"),
    )
    unpack_tree(path, str(scratch / "target"))
    assert names(scratch / "target") == ["fine"]


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08" + b"\0" * 20])
def test_what_is_no_archive_is_refused(scratch: Path, content: bytes) -> None:
    (scratch / "evil.tar.gz").write_bytes(content)
    with pytest.raises((tarfile.TarError, OSError, EOFError)):
        unpack_tree(str(scratch / "evil.tar.gz"), str(scratch / "target"))


# --- Owning ---


@needs_root
def test_a_tree_is_given_away_and_nothing_that_it_links_to(scratch: Path) -> None:
    (scratch / "victim").write_text("precious")
    hostile_tree(scratch / "tree")
    (scratch / "tree" / "mine").symlink_to(scratch / "victim")
    own_tree(str(scratch / "tree"), (NOBODY, NOBODY))
    assert {status.st_uid for _, status in walk(str(scratch / "tree"))} == {NOBODY}
    assert (scratch / "tree").stat().st_uid == NOBODY
    assert (scratch / "victim").stat().st_uid == 0


def test_a_tree_without_a_new_owner_is_left_alone(scratch: Path) -> None:
    own_tree(str(scratch / "missing"), None)
    hostile_tree(scratch / "tree")
    before = {path: status.st_uid for path, status in walk(str(scratch / "tree"))}
    own_tree(str(scratch / "tree"), None)
    assert {path: status.st_uid for path, status in walk(str(scratch / "tree"))} == before


# --- Removing ---


def test_a_hostile_tree_is_removed_and_nothing_that_it_links_to(scratch: Path) -> None:
    (scratch / "outside").mkdir()
    (scratch / "outside" / "victim").write_text("precious")
    hostile_tree(scratch / "tree")
    (scratch / "tree" / "mine").symlink_to(scratch / "outside")
    with within(60):
        remove_tree(str(scratch / "tree"))
    assert not (scratch / "tree").exists()
    assert (scratch / "outside" / "victim").read_text() == "precious"


def test_what_is_not_there_is_removed_already(scratch: Path) -> None:
    remove_tree(str(scratch / "missing"))
    assert not (scratch / "missing").exists()


@pytest.mark.parametrize("mode", [0o000, 0o100, 0o400, 0o500, 0o555])
@pytest.mark.parametrize("depth", [1, 2, 5])
def test_closed_folders_are_removed_too(scratch: Path, mode: int, depth: int) -> None:
    with unprivileged():
        folder = scratch / "tree"
        chain = [folder := folder / "closed" for _ in range(depth)]
        chain[-1].mkdir(parents=True)
        (chain[-1] / "x").write_text("x")
        for one in reversed(chain):
            one.chmod(mode)
        remove_tree(str(scratch / "tree"))
        assert not os.path.lexists(scratch / "tree")


def test_the_mode_of_what_a_link_leads_to_stays(scratch: Path) -> None:
    """A link in a closed folder must not open its target."""
    with unprivileged():
        (scratch / "victim").write_text("precious")
        (scratch / "victim").chmod(0o640)
        (scratch / "tree" / "closed").mkdir(parents=True)
        (scratch / "tree" / "closed" / "link").symlink_to(scratch / "victim")
        (scratch / "tree" / "closed").chmod(0o555)
        remove_tree(str(scratch / "tree"))
        assert not (scratch / "tree").exists()
        assert stat.S_IMODE((scratch / "victim").stat().st_mode) == 0o640


@pytest.mark.parametrize(("depth", "name"), DEPTHS, ids=["deep", "long", "deep and long"])
def test_a_tree_of_any_depth_is_removed(scratch: Path, depth: int, name: str) -> None:
    (scratch / "tree").mkdir()
    dig(scratch / "tree", depth, name)
    with within(60):
        remove_tree(str(scratch / "tree"))
    assert not (scratch / "tree").exists()


def test_the_folder_around_a_tree_keeps_its_mode(tmp_path: Path) -> None:
    """Somebody else may have removed the tree first, and the folder around it is everybody's."""
    tmp_path.chmod(0o1777)
    remove_tree(str(tmp_path / "gone"))
    assert tmp_path.stat().st_mode & 0o7777 == 0o1777


def test_a_tree_that_vanishes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    around = tmp_path / "around"
    around.mkdir()
    around.chmod(0o1777)
    (around / "tree").mkdir()
    rmdir = os.rmdir

    def twice(path: str, *, dir_fd: int | None = None) -> None:
        rmdir(path, dir_fd=dir_fd)
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "rmdir", twice)
    remove_tree(str(around / "tree"))
    assert around.stat().st_mode & 0o7777 == 0o1777


def test_a_full_disk_is_no_fault_of_the_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what a verifier wrote would be kept in part, and nobody would know."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("x")

    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(trees, "copy_pieces", no_space)
    with pytest.raises(OSError, match="No space left"):
        copy_tree(str(tmp_path / "tree"), str(tmp_path / "copy"))


def test_a_path_is_left_out_with_all_that_is_below_it(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/d", "e"):
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text("x")
    kept = copy_tree(str(tmp_path / "tree"), str(tmp_path / "copy"), without={str(tmp_path / "tree" / "a" / "b")})
    assert (kept.files, kept.left_out) == (2, 0)
    assert sorted(path for path, _ in walk(str(tmp_path / "copy"))) == ["a", "a/d", "e"]


def test_an_exact_archive_keeps_times_modes_and_twins(tmp_path: Path) -> None:
    source = tmp_path / "tree"
    (source / "inner").mkdir(parents=True)
    (source / "a").write_text("same")
    (source / "inner" / "b").hardlink_to(source / "a")
    (source / "alone").write_text("same")
    (source / "alone").chmod(0o640)
    (source / "link").symlink_to("a")
    times = {"a": 1_600_000_000_123_456_789, "alone": 999, "link": 5 * 10**9, "inner": 1_234_567_890_000_000_001}
    for name, when in times.items():
        os.utime(source / name, ns=(when, when), follow_symlinks=False)
    pack_tree(str(source), str(tmp_path / "tree.tar.gz"), exact=True)
    (tmp_path / "again").mkdir()
    unpack_tree(str(tmp_path / "tree.tar.gz"), str(tmp_path / "again"))
    again = tmp_path / "again"
    assert {name: (again / name).lstat().st_mtime_ns for name in times} == times
    assert (again / "a").samefile(again / "inner" / "b")
    assert not (again / "a").samefile(again / "alone")
    assert ((again / "alone").stat().st_mode & 0o777, (again / "inner" / "b").read_text()) == (0o640, "same")


def test_an_archive_can_not_link_to_what_it_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    for goal in ("missing", "link", "folder", "../outside", str(tmp_path / "outside")):
        target = tmp_path / "target"
        target.mkdir()
        archive = tmp_path / "made.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for name, kind, to in (
                ("link", tarfile.SYMTYPE, str(tmp_path / "outside")),
                ("folder", tarfile.DIRTYPE, ""),
                ("twin", tarfile.LNKTYPE, goal),
            ):
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname, entry.mode = kind, to, 0o755
                tar.addfile(entry)
        with pytest.raises(ValueError, match=r"another name of a file|leave|outside"):
            unpack_tree(str(archive), str(target))
        shutil.rmtree(target)
