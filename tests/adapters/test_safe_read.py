"""Files that an agent may have made: read without following a link, without waiting, and up to a limit."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.machine.safe_read import read_below, read_file
from assay.evidence.files import Absent, Content, Refusal, Refused
from tests.builders import unprivileged, within

LIMIT = 1000
ROOT = os.geteuid() == 0


def make_socket(path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    # A socket's path may be no longer than about a hundred bytes, and a test's folder may be longer.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        listener.bind(path.name)
    finally:
        os.chdir(before)
        listener.close()


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def link_to_a_file(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("1")
    path.symlink_to(other)


def make_device(path: Path) -> None:
    os.mknod(path, 0o20666, os.makedev(1, 5))  # /dev/zero


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


HOSTILE = [
    pytest.param(link_to_a_file, Refusal.LINK, id="link to a file"),
    pytest.param(link_to("/dev/zero"), Refusal.LINK, id="link to a device"),
    pytest.param(link_to("/"), Refusal.LINK, id="link to a folder"),
    pytest.param(lambda path: path.mkdir(), Refusal.FOLDER, id="folder"),
    pytest.param(os.mkfifo, Refusal.FIFO, id="named pipe"),
    pytest.param(make_socket, Refusal.SOCKET, id="socket"),
    pytest.param(
        make_device,
        Refusal.DEVICE,
        id="device",
        marks=pytest.mark.skipif(not ROOT, reason="only root can make a device"),
    ),
    pytest.param(make_sparse, Refusal.TOO_LARGE, id="a terabyte"),
]

NOWHERE = [
    pytest.param(lambda _path: None, id="nothing"),
    pytest.param(link_to("nowhere"), id="dangling link"),
    pytest.param(lambda path: path.symlink_to(path.name), id="link to itself"),
]


@pytest.mark.parametrize("data", [b"", b"x", b"\0\xff\n", b"y" * LIMIT])
def test_a_regular_file_up_to_the_limit_is_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    assert read_file(f"{tmp_path}/file", LIMIT) == Content(f"{tmp_path}/file", data)


def test_a_hard_link_is_a_file_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "twin").hardlink_to(tmp_path / "file")
    assert read_file(f"{tmp_path}/twin", LIMIT) == Content(f"{tmp_path}/twin", b"1")


def test_one_byte_more_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"y" * (LIMIT + 1))
    found = read_file(f"{tmp_path}/file", LIMIT)
    assert found == Refused(f"{tmp_path}/file", Refusal.TOO_LARGE, f" of {LIMIT} bytes")
    assert str(found) == f"{tmp_path}/file is larger than the limit of {LIMIT} bytes"


@pytest.mark.parametrize("limit", [10, 1 << 20])
def test_a_file_that_lies_about_its_size_is_read_up_to_the_limit(limit: int) -> None:
    # The kernel says 0 bytes for these, and they have more.
    found = read_file("/proc/self/status", limit)
    if limit == 10:
        assert isinstance(found, Refused)
        assert found.why is Refusal.TOO_LARGE
    else:
        assert isinstance(found, Content)
        assert b"Name:" in found.data


@pytest.mark.parametrize(("make", "why"), HOSTILE)
def test_anything_else_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None], why: Refusal) -> None:
    make(tmp_path / "file")
    with within(60):
        found = read_file(f"{tmp_path}/file", LIMIT)
    assert isinstance(found, Refused)
    assert (found.path, found.why) == (f"{tmp_path}/file", why)


@pytest.mark.parametrize("make", NOWHERE)
def test_what_leads_nowhere_does_not_exist(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "file")
    assert read_file(f"{tmp_path}/file", LIMIT) == Absent(f"{tmp_path}/file")


@pytest.mark.parametrize("name", ["no\0name", "x" * 10_000, "missing/file", "\ud800"])
def test_a_name_that_no_file_has(tmp_path: Path, name: str) -> None:
    assert read_file(f"{tmp_path}/{name}", LIMIT) == Absent(f"{tmp_path}/{name}")


def test_a_file_without_permission_is_not_readable(open_folder: Path) -> None:
    (open_folder / "file").write_text("1")
    (open_folder / "file").chmod(0)
    with unprivileged():
        found = read_file(f"{open_folder}/file", LIMIT)
    assert found == Refused(f"{open_folder}/file", Refusal.UNREADABLE, " (Permission denied)")


def test_a_folder_without_permission_on_the_way(open_folder: Path) -> None:
    (open_folder / "a").mkdir(mode=0o700)
    (open_folder / "a" / "file").write_text("1")
    (open_folder / "a").chmod(0)
    with unprivileged():
        found = read_below(str(open_folder), ("a", "file"), LIMIT)
    assert isinstance(found, Refused)
    assert found.why is Refusal.UNREADABLE


def test_a_pipe_that_somebody_writes_to_is_refused_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "file")
    both = os.open(tmp_path / "file", os.O_RDWR)
    try:
        os.write(both, b"1")
        with within(60):
            found = read_file(f"{tmp_path}/file", LIMIT)
    finally:
        os.close(both)
    assert isinstance(found, Refused)
    assert found.why is Refusal.FIFO


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("1")
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for parts in (("file",), ("pipe",), ("missing",), ("missing", "file"), ("..", "file"), ("file", "file")):
        read_file("/".join((str(tmp_path), *parts)), LIMIT)
        read_below(str(tmp_path), parts, LIMIT)
    assert len(os.listdir("/proc/self/fd")) == before


def test_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_bytes(b"1")
    assert read_below(str(tmp_path), ("a", "b", "file"), LIMIT) == Content(f"{tmp_path}/a/b/file", b"1")
    assert read_below(str(tmp_path), ("a", "c", "file"), LIMIT) == Absent(f"{tmp_path}/a/c/file")


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"1")
    (tmp_path / "root").symlink_to("real")
    assert isinstance(read_below(f"{tmp_path}/root", ("file",), LIMIT), Content)


@pytest.mark.parametrize("link", ["a", "a/b", "a/b/file"])
def test_a_link_on_the_way_is_not_followed(tmp_path: Path, link: str) -> None:
    real = tmp_path / "elsewhere"
    (real / "b").mkdir(parents=True)
    (real / "b" / "file").write_text("1")
    (real / "file").write_text("1")
    target = tmp_path / "root" / link
    target.parent.mkdir(parents=True)
    target.symlink_to({"a": real, "a/b": real / "b", "a/b/file": real / "file"}[link])
    found = read_below(f"{tmp_path}/root", ("a", "b", "file"), LIMIT)
    assert isinstance(found, Refused)
    assert found.why is Refusal.LINK


@pytest.mark.parametrize(
    "parts",
    [
        ("..", "secret"),
        ("a", "..", "..", "secret"),
        ("../secret",),
        ("a", "../../secret"),
        ("",),
        ("a", ".", "file"),
        ("a", "", "file"),
        ("/etc/passwd",),
        ("a", "/etc/passwd"),
        ("no\0name",),
    ],
)
def test_no_part_leads_out_of_the_folder(tmp_path: Path, parts: tuple[str, ...]) -> None:
    (tmp_path / "root" / "a").mkdir(parents=True)
    (tmp_path / "root" / "a" / "file").write_text("1")
    (tmp_path / "secret").write_text("1")
    assert isinstance(read_below(f"{tmp_path}/root", parts, LIMIT), Absent)


def test_a_file_on_the_way_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    assert read_below(str(tmp_path), ("a", "file"), LIMIT) == Absent(f"{tmp_path}/a/file")
    assert read_below(f"{tmp_path}/a", ("file",), LIMIT) == Absent(f"{tmp_path}/a/file")


@pytest.mark.parametrize("make", [os.mkfifo, make_socket])
def test_a_pipe_or_a_socket_on_the_way_is_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "a")
    with within(60):
        assert not isinstance(read_below(str(tmp_path), ("a", "file"), LIMIT), Content)


@given(parts=st.lists(st.text() | st.sampled_from(["..", ".", "/", "a", "x" * 300]), min_size=1, max_size=4))
def test_no_name_whatsoever_crashes_it(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "root"
    (root / "a").mkdir(parents=True, exist_ok=True)
    assert not isinstance(read_below(str(root), parts, LIMIT), Content)
