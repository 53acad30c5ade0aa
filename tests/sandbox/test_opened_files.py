"""Files that a command opens in a sandbox are noted outside of it. In every backend."""

import os
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from assay.adapters.sandbox import kernel
from assay.adapters.workspace.capture import capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.opened_files import Watcher, watching
from assay.checks.test_data_unmodified import TestDataUnmodified as Check
from assay.core.outcome import Scored
from assay.engine.sandbox import Mount
from assay.evidence.workspace import Opened
from tests.adapters.workspace.site import Site, write_files
from tests.sandbox.backends import Backend

FILES = {
    "a.txt": "a",
    "b.txt": "b",
    "empty": "",
    "deep/er/c.dat": "c",
    "deep/er/d d\n.dat": "d",
    "written": "old",
    "both": "old",
}


def fill(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    folder.chmod(0o777)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o666)
        path.parent.chmod(0o777)
    return folder


def opened(backend: Backend, folder: Path, lines: str) -> Opened:
    with watching(str(folder)) as watcher:
        ran = backend.run(f"cd /workspace && {lines}", mounts=(Mount(str(folder), "/workspace", writable=True),))
        assert ran.end.exit_code == 0, ran.output
    return watcher.opened()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("cat a.txt > /dev/null", {"a.txt"}),
        ("cat < empty", {"empty"}),
        ("cat deep/er/*", {"deep/er/c.dat", "deep/er/d d\n.dat"}),
        ("cd deep && cat ../b.txt", {"b.txt"}),
        ("sh -c 'cat b.txt' & wait", {"b.txt"}),
        ("ls -R . > /dev/null; test -f a.txt", set()),
        ("echo new > written", set()),
        ("echo more >> written; cat written", {"written"}),
        ("mkdir made; echo x > made/x; cat made/x", set()),
        ("cp -r deep copied; cat copied/er/c.dat", {"deep/er/c.dat", "deep/er/d d\n.dat"}),
        ("mv b.txt moved; mv deep/er/c.dat deep/er/e; cat moved deep/er/e", {"moved", "deep/er/e"}),
        ("rm a.txt; true", set()),
    ],
)
def test_what_is_noted(bubblewrap: Backend, open_folder: Path, lines: str, expected: set[str]) -> None:
    assert opened(bubblewrap, fill(open_folder), lines) == Opened(frozenset(expected))


def test_in_every_sandbox(backend: Backend, open_folder: Path) -> None:
    if backend.name == "process":
        pytest.skip("plain processes see the folder under its own name")
    assert opened(backend, fill(open_folder), "cat a.txt deep/er/c.dat").paths == {"a.txt", "deep/er/c.dat"}


def test_a_file_is_also_noted_by_links_to_it(bubblewrap: Backend, open_folder: Path) -> None:
    fill(open_folder)
    (open_folder / "current").symlink_to("deep/er/c.dat")
    (open_folder / "other").symlink_to("b.txt")
    (open_folder / "folder").symlink_to("deep")
    (open_folder / "outside").symlink_to("/etc/passwd")
    (open_folder / "loop").symlink_to("loop")
    found = opened(bubblewrap, open_folder, "cat current; cat outside > /dev/null; cat loop || true")
    assert found.paths == {"current", "deep/er/c.dat", "folder/er/c.dat"}


def test_a_database_that_is_read_and_written_is_read(bubblewrap: Backend, open_folder: Path) -> None:
    database = sqlite3.connect(fill(open_folder) / "cases.db")
    database.execute("create table cases (a)")
    database.close()
    (open_folder / "cases.db").chmod(0o666)
    read = 'python3 -c \'import sqlite3; sqlite3.connect("cases.db").execute("select * from cases")\''
    assert opened(bubblewrap, open_folder, read).paths == {"cases.db"}


def test_a_mapped_file_is_read(bubblewrap: Backend, open_folder: Path) -> None:
    read = "import mmap\nfile = open('a.txt', 'r+b')\nassert mmap.mmap(file.fileno(), 0)[0]"
    lines = f'python3 -c "{read}"'
    assert opened(bubblewrap, fill(open_folder), lines).paths == {"a.txt"}


def test_a_cheat_with_data_in_a_real_sandbox(view: Backend, open_folder: Path) -> None:
    site = Site(open_folder, {"check.sh": "read wanted < golden; test $(cat program) = $wanted", "golden": "1\n"})
    write_files(site.root, {"golden": "2\n", "program": "2\n"})
    commands = Commands(str(site.root), site.baseline, lambda: view.sandbox)
    found = Check("sh check.sh", 20).run(capture(commands))
    assert isinstance(found, Scored)
    assert found.summary == "golden, which tests read, was changed"


# --- What can't be watched is said ---


def test_more_folders_than_are_watched(open_folder: Path) -> None:
    fill(open_folder, {"node_modules/a/x": "", "src/y": "", "z": ""})
    with watching(str(open_folder), most=2) as watcher:
        for path in ("node_modules/a/x", "src/y", "z"):
            (open_folder / path).read_bytes()
    assert watcher.opened() == Opened(
        frozenset({"src/y", "z"}), ("2 of 4 folders weren't watched: the limit is 2",)
    )


def test_no_watch_to_be_had(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(kernel, "call", refuse)
    with watching(str(open_folder)) as watcher:
        pass
    assert watcher.opened() == Opened(missed=("files can't be watched on this machine: Too many open files",))


def test_a_queue_that_overflows_is_told(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watcher, "read_until", _only_at_the_end(Watcher.read_until))
    fill(open_folder)
    with watching(str(open_folder)) as watcher:
        for _ in range(int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())):
            (open_folder / "a.txt").read_bytes()
            (open_folder / "b.txt").read_bytes()
    assert watcher.opened().missed == ("files were opened faster than they could be noted",)


def _only_at_the_end(read_until: Callable[[Watcher, int, int], None]) -> Callable[[Watcher, int, int], None]:
    def late(self: Watcher, queue: int, stop: int) -> None:
        os.eventfd_read(stop)
        os.eventfd_write(stop, 1)
        read_until(self, queue, stop)

    return late


def test_a_steady_stream_is_noted_whole(open_folder: Path) -> None:
    fill(open_folder)
    with watching(str(open_folder)) as watcher:
        for _ in range(5_000):
            (open_folder / "a.txt").read_bytes()
            (open_folder / "b.txt").read_bytes()
    assert watcher.opened() == Opened(frozenset({"a.txt", "b.txt"}))
