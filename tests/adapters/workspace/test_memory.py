"""What is remembered between two captures never hides a change, whatever was done to times, sizes and names."""

import contextlib
import mmap
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.adapters.workspace import baseline as baselines
from assay.adapters.workspace import memory, walk
from assay.adapters.workspace.memory import Memory, kinds_below
from assay.adapters.workspace.walk import Record
from tests.adapters.workspace.site import Site, write_files
from tests.builders import unprivileged

PATH = "src/a.py"
OLD, NEW = "def f(): return 2\n", "def f(): return 1\n"


def settle() -> None:
    """Until what was written is older than a tick of the clock."""
    time.sleep(2 * memory.TICK_SEC)


@pytest.fixture
def settled(site: Site) -> Site:
    """A workspace that was captured once, when nothing in it was fresh."""
    settle()
    assert site.changed(site.memory()) == {}
    return site


@contextlib.contextmanager
def hashes() -> Iterator[list[str]]:
    """Which files are read while they are hashed."""
    read: list[str] = []
    original = walk._hash_file

    def noting(root: str, record: Record, limit: int, cut: list[str]) -> str:
        read.append(record.path)
        return original(root, record, limit, cut)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "_hash_file", noting)
        yield read


def keeping_times(root: Path, edit: Callable[[], None]) -> None:
    before = (root / PATH).stat()
    edit()
    os.utime(root / PATH, ns=(before.st_atime_ns, before.st_mtime_ns))


def forged(root: Path) -> None:
    keeping_times(root, lambda: write_files(root, {PATH: NEW}))


def replaced_by_rename(root: Path) -> None:
    def edit() -> None:
        write_files(root, {"new": NEW})
        (root / "new").rename(root / PATH)

    keeping_times(root, edit)


def through_a_hard_link(root: Path) -> None:
    other = root.parent / "other"
    os.link(root / PATH, other)
    other.write_text(NEW)
    other.unlink()


def mapped(root: Path) -> None:
    with (root / PATH).open("r+b") as file, mmap.mmap(file.fileno(), 0) as view:
        assert view[:3] == b"def"
        view[:] = NEW.encode()


def swapped_folders(root: Path) -> None:
    """No file changes its time when a folder above it is renamed."""
    (root / "src").rename(root / "old")
    write_files(root, {PATH: NEW})
    shutil.rmtree(root / "old")


def touched_with_a_tool(root: Path) -> None:
    before = (root / PATH).stat().st_mtime
    write_files(root, {PATH: NEW})
    subprocess.run(["/usr/bin/touch", "-d", f"@{before}", str(root / PATH)], check=True)


def in_place(root: Path) -> None:
    with (root / PATH).open("r+b") as file:
        file.seek(len(NEW) - 2)
        file.write(b"1")


MODIFY = [
    forged,
    replaced_by_rename,
    through_a_hard_link,
    mapped,
    swapped_folders,
    touched_with_a_tool,
    in_place,
]


@pytest.mark.parametrize("edit", MODIFY, ids=lambda edit: edit.__name__)
def test_an_edit_of_the_same_size_shows_up(settled: Site, edit: Callable[[Path], None]) -> None:
    assert len(OLD) == len(NEW)
    edit(settled.root)
    assert settled.changed(settled.memory()) == {PATH: "modified"}


@pytest.mark.parametrize("edit", MODIFY, ids=lambda edit: edit.__name__)
def test_an_edit_in_the_tick_of_the_capture_shows_up(site: Site, edit: Callable[[Path], None]) -> None:
    """The capture is made at once, and the edit at once after it."""
    write_files(site.root, {PATH: OLD})
    assert site.changed(site.memory()) == {}
    edit(site.root)
    assert site.changed(site.memory()) == {PATH: "modified"}


@pytest.mark.parametrize("fresh", [True, False])
def test_what_happens_to_the_file_itself_shows_up(site: Site, fresh: bool) -> None:
    def again(expected: dict[str, str]) -> None:
        if not fresh:
            settle()
        assert site.changed(site.memory()) == expected

    file = site.root / PATH
    again({})
    file.chmod(0o755)
    again({PATH: "mode"})
    file.chmod(0o644)
    again({})
    file.unlink()
    again({PATH: "deleted"})
    again({PATH: "deleted"})
    file.symlink_to("elsewhere")
    again({PATH: "type"})
    file.unlink()
    file.mkdir()
    again({PATH: "deleted"})
    file.rmdir()
    os.mkfifo(file)
    again({PATH: "type"})
    file.unlink()
    write_files(site.root, {PATH: OLD, "new": "1"})
    again({"new": "added"})
    again({"new": "added"})
    (site.root / "new").rename(site.root / "newer")
    again({"newer": "added"})
    file.rename(site.root / "moved.py")
    again({"newer": "added", "moved.py": "renamed"})
    (site.root / "moved.py").rename(file)
    (site.root / "newer").unlink()
    again({})


def test_a_fresh_file_that_is_deleted_afterwards(site: Site) -> None:
    write_files(site.root, {"new": "1"})
    assert site.changed(site.memory()) == {"new": "added"}
    (site.root / "new").unlink()
    (site.root / PATH).unlink()
    assert site.changed(site.memory()) == {PATH: "deleted"}


def test_attributes_are_no_change(settled: Site) -> None:
    os.setxattr(settled.root / PATH, "user.note", b"1")
    assert settled.changed(settled.memory()) == {}


def test_a_workspace_in_which_everything_is_fresh(site: Site) -> None:
    for path in (PATH, "README.md", "tests/test_a.py"):
        os.utime(site.root / path)
    assert site.changed(site.memory()) == {}
    assert site.changed(site.memory()) == {}


def test_what_nobody_touched_is_not_read_again(settled: Site) -> None:
    write_files(settled.root, {PATH: NEW})
    settle()
    with hashes() as read:
        assert settled.changed(settled.memory()) == {PATH: "modified"}
    assert read == [PATH]
    with hashes() as read:
        assert settled.changed(settled.memory()) == {PATH: "modified"}
    assert read == []


@pytest.mark.parametrize(
    ("changed", "fresh"),
    [(1000.0, False), (1002.0, True), (1001.5, False), (1002.49, True), (1002.6, True), (1002.44, False)],
)
def test_times_without_a_fraction_tick_slowly(changed: float, fresh: bool) -> None:
    """Where a file system counts in seconds, a second edit within the same one has the same time."""
    record = Record("f", 0o644, 1, changed, 1, "a")
    assert memory._is_fresh(record, 1002.5 + 0.1 * changed.is_integer()) == fresh


def stored(site: Site) -> Path:
    return next((site.around / "memory").iterdir())


@pytest.mark.parametrize("keep", [0, 1, 64, 65, 70, 100, -1])
def test_a_truncated_memory_is_forgotten(settled: Site, keep: int) -> None:
    """Half a memory would not know that a file was there, and not miss it."""
    file = stored(settled)
    file.write_bytes(file.read_bytes()[:keep])
    (settled.root / PATH).unlink()
    assert settled.changed(settled.memory()) == {PATH: "deleted"}


@pytest.mark.parametrize("junk", [b"", b"\n", b"{}\n", b"\0" * 100, b"{}\n\0\0", b"[1]\nx\0", b"\xff" * 100])
def test_a_memory_of_something_else_is_forgotten(settled: Site, junk: bytes) -> None:
    stored(settled).write_bytes(junk)
    write_files(settled.root, {PATH: NEW})
    assert settled.changed(settled.memory()) == {PATH: "modified"}


def test_a_line_that_was_changed_is_forgotten(settled: Site) -> None:
    file = stored(settled)
    file.write_bytes(file.read_bytes().replace(b"README", b"RAEDME"))
    assert settled.changed(settled.memory()) == {}


def test_a_memory_that_is_a_folder(settled: Site) -> None:
    file = stored(settled)
    file.unlink()
    file.mkdir()
    assert settled.changed(settled.memory()) == {}


def test_another_baseline_has_a_memory_of_its_own(settled: Site) -> None:
    write_files(settled.root, {PATH: NEW})
    first = (settled.hash, settled.baseline)
    settled.freeze()
    settle()
    assert settled.changed(settled.memory()) == {}
    settled.hash, settled.baseline = first
    assert settled.changed(settled.memory()) == {PATH: "modified"}


@pytest.mark.parametrize("how", ["mv", "cp -a"])
def test_a_workspace_elsewhere(settled: Site, how: str) -> None:
    """A copy that keeps all times is not taken for the original, nor is what is put in the original's place."""
    write_files(settled.root, {PATH: NEW})
    settle()
    assert settled.changed(settled.memory()) == {PATH: "modified"}
    original, other = settled.root, settled.around / "other"
    subprocess.run([*how.split(), str(original), str(other)], check=True)
    settled.root = other
    write_files(other, {"README.md": "other"})
    assert settled.changed(settled.memory()) == {PATH: "modified", "README.md": "modified"}
    shutil.rmtree(original, ignore_errors=True)
    other.rename(original)
    settled.root = original
    assert settled.changed(settled.memory()) == {PATH: "modified", "README.md": "modified"}


def test_a_file_that_became_unreadable(open_folder: Path) -> None:
    site = Site(open_folder)
    settle()
    (open_folder / "memory").mkdir(mode=0o777)
    (open_folder / "memory").chmod(0o777)
    with unprivileged():
        assert site.changed(site.memory()) == {}
    (site.root / PATH).chmod(0)
    with unprivileged():
        assert site.capture(site.memory()).cut == (f"{PATH} can't be read: Permission denied",)


def test_what_was_cut_is_not_remembered(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    settle()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "MAX_FILE", 10)
        assert len(site.capture(site.memory()).cut) == 2
    assert site.changed(site.memory()) == {}
    monkeypatch.setattr(baselines, "MAX_READ", 0)
    assert site.changed(site.memory()) == {}


def test_a_cache_that_can_not_be_written_is_no_harm(site: Site) -> None:
    settle()
    (site.around / "file").touch()
    for _ in range(2):
        assert site.changed(Memory(str(site.root), site.hash, str(site.around / "file/cache"))) == {}


def test_memories_of_workspaces_that_were_scored_long_ago_go(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_KEPT", 3)
    settle()
    folder = site.around / "memory"
    for number in range(5):
        assert site.changed(Memory(str(site.root), f"baseline {number}", str(folder))) == {}
        newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (number, number))
    assert sorted(path.stat().st_mtime for path in folder.iterdir()) == [2, 3, 4]


def on_tmpfs(folder: str) -> bool:
    return kinds_below(folder) == {"tmpfs"}


@pytest.mark.skipif(not on_tmpfs("/dev/shm"), reason="there is no tmpfs here")
@pytest.mark.parametrize("edit", MODIFY, ids=lambda edit: edit.__name__)
def test_nothing_is_remembered_where_times_stand_still(edit: Callable[[Path], None]) -> None:
    """On tmpfs a file that is mapped and read first can be written without any of its times moving."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        site = Site(Path(name))
        settle()
        assert site.changed(site.memory()) == {}
        edit(site.root)
        assert site.changed(site.memory()) == {PATH: "modified"}
