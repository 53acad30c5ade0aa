"""Archives that somebody else made: nothing is written outside of the target, and nothing without end."""

import gzip
import io
import os
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.workspace.archives import ALL, Caps, check_archive, unpack_archive
from assay.core.errors import InputError
from tests.builders import within

Make = Callable[[Path, Sequence[tuple[str, str, str]]], None]
_TYPES = {
    "file": tarfile.REGTYPE,
    "program": tarfile.REGTYPE,
    "folder": tarfile.DIRTYPE,
    "link": tarfile.SYMTYPE,
    "hard link": tarfile.LNKTYPE,
    "pipe": tarfile.FIFOTYPE,
    "device": tarfile.CHRTYPE,
}
_MODES = {
    "file": stat.S_IFREG | 0o644,
    "program": stat.S_IFREG | 0o755,
    "folder": stat.S_IFDIR | 0o755,
    "link": stat.S_IFLNK | 0o777,
    "pipe": stat.S_IFIFO | 0o644,
    "device": stat.S_IFCHR | 0o644,
}


def make_tar(path: Path, members: Sequence[tuple[str, str, str]]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, content in members:
            member = tarfile.TarInfo(name)
            member.type, member.mode = _TYPES[kind], 0o755 if kind == "program" else 0o644
            if member.isreg():
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content.encode()))
            else:
                member.linkname = content
                tar.addfile(member)


def make_zip(path: Path, members: Sequence[tuple[str, str, str]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, kind, content in members:
            member = zipfile.ZipInfo(f"{name}/" if kind == "folder" else name)
            member.external_attr = _MODES[kind] << 16
            packed.writestr(member, content)


BOTH = pytest.mark.parametrize("make", [make_tar, make_zip])


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    return tmp_path / "target"


def unpacked(
    tmp_path: Path,
    target: Path,
    make: Make,
    members: Sequence[tuple[str, str, str]],
    strip: int = 0,
    caps: Caps = ALL,
) -> None:
    """Looking at an archive says the same as unpacking it, and writes nothing."""
    make(tmp_path / "archive", members)
    before = sorted(target.iterdir())
    looked = None if strip else refusal(lambda: check_archive(str(tmp_path / "archive"), caps))
    assert sorted(target.iterdir()) == before
    why = refusal(lambda: unpack_archive(str(tmp_path / "archive"), str(target), strip, caps))
    assert strip or (looked is None) == (why is None)
    if why is not None:
        raise why


def refusal(act: Callable[[], None]) -> InputError | None:
    try:
        act()
    except InputError as error:
        return error
    return None


def texts(target: Path) -> dict[str, str]:
    files = (path for path in target.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(target)): path.read_text() for path in files}


@BOTH
def test_files_programs_folders_and_links(tmp_path: Path, target: Path, make: Make) -> None:
    members = [("d", "folder", ""), ("d/a", "file", "1"), ("b", "program", "2"), ("l", "link", "/etc/passwd")]
    unpacked(tmp_path, target, make, members)
    assert texts(target) == {"d/a": "1", "b": "2"}
    assert os.readlink(target / "l") == "/etc/passwd"
    assert [stat.S_IMODE((target / name).stat().st_mode) for name in ("d/a", "b")] == [0o644, 0o755]


@BOTH
def test_leading_folders_are_left_out(tmp_path: Path, target: Path, make: Make) -> None:
    members = [("top", "folder", ""), ("./top/a", "file", "1"), ("top/in/b", "file", "2"), ("loose", "file", "3")]
    unpacked(tmp_path, target, make, members, strip=1)
    assert texts(target) == {"a": "1", "in/b": "2"}


@BOTH
@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "a/.."])
def test_names_that_lead_outside(tmp_path: Path, target: Path, make: Make, name: str) -> None:
    with pytest.raises(InputError, match="names must stay in the archive's folder, got "):
        unpacked(tmp_path, target, make, [(name, "file", "x")])
    assert not (tmp_path / "evil").exists()


@BOTH
@pytest.mark.parametrize("deep", ["out/evil", "out/in/evil", "./out//evil"])
def test_ways_through_a_link(tmp_path: Path, target: Path, make: Make, deep: str) -> None:
    (tmp_path / "outside").mkdir()
    members = [("out", "link", str(tmp_path / "outside")), (deep, "file", "x")]
    with pytest.raises(InputError, match="names must not lead through a link, got "):
        unpacked(tmp_path, target, make, members)
    assert list((tmp_path / "outside").iterdir()) == []


@BOTH
def test_a_link_that_a_file_or_folder_replaces(tmp_path: Path, target: Path, make: Make) -> None:
    write = tmp_path / "outside"
    write.write_text("untouched")
    members = [("a", "link", str(write)), ("./a", "file", "x"), ("b", "link", "/"), ("b", "folder", "")]
    unpacked(tmp_path, target, make, members)
    assert write.read_text() == "untouched"
    assert texts(target) == {"a": "x"}
    assert not (target / "b").is_symlink()


@BOTH
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_file_shows_as_such(tmp_path: Path, target: Path, make: Make, kind: str) -> None:
    unpacked(tmp_path, target, make, [("a", "file", "x"), ("x", kind, "")])
    assert stat.S_ISFIFO((target / "x").lstat().st_mode)


def test_a_name_that_comes_twice_is_what_it_was_last(tmp_path: Path, target: Path) -> None:
    members = [("a", "file", "x"), ("a", "pipe", ""), ("b", "pipe", ""), ("b", "file", "y")]
    unpacked(tmp_path, target, make_tar, members)
    assert stat.S_ISFIFO((target / "a").lstat().st_mode)
    assert (target / "b").read_text() == "y"


def test_a_hard_link_to_what_is_no_file(tmp_path: Path, target: Path) -> None:
    unpacked(tmp_path, target, make_tar, [("pipe", "pipe", ""), ("twin", "hard link", "pipe")])
    assert stat.S_ISFIFO((target / "twin").lstat().st_mode)


def test_a_hard_link_becomes_a_file_of_its_own(tmp_path: Path, target: Path) -> None:
    unpacked(tmp_path, target, make_tar, [("a", "file", "1"), ("b", "hard link", "a")])
    assert texts(target) == {"a": "1", "b": "1"}
    assert (target / "a").stat().st_nlink == 1


@pytest.mark.parametrize("linked", ["nothing", "/etc/passwd", "../outside", "b"])
def test_a_hard_link_to_what_is_not_in_the_archive(tmp_path: Path, target: Path, linked: str) -> None:
    (tmp_path / "outside").write_text("secret")
    with pytest.raises(InputError):
        unpacked(tmp_path, target, make_tar, [("b", "hard link", linked)])


def test_hard_links_do_not_multiply_beyond_the_cap(tmp_path: Path, target: Path) -> None:
    members = [("a", "file", "x" * 400), ("b", "hard link", "a"), ("c", "hard link", "a")]
    with pytest.raises(InputError, match="must hold at most 1000 bytes, got more"):
        unpacked(tmp_path, target, make_tar, members, caps=Caps(bytes=1000))


@BOTH
def test_caps(tmp_path: Path, target: Path, make: Make) -> None:
    few = Caps(1000, 2, "the upload")
    with pytest.raises(InputError, match=r"^the upload must hold at most 1000 bytes, got more"):
        unpacked(tmp_path, target, make, [("a", "file", "x" * 1001)], caps=few)
    with pytest.raises(InputError, match=r"^the upload must hold at most 2 files, got more"):
        unpacked(tmp_path, target, make, [(name, "file", "") for name in "abc"], caps=few)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_attributes_that_would_fill_the_memory(tmp_path: Path, target: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 64 << 20
    with gzip.open(tmp_path / "archive", "wb", compresslevel=1) as packed:
        packed.write(header.tobuf(tarfile.USTAR_FORMAT) + bytes(header.size))
    with pytest.raises(InputError, match="archive must have at most 1048576 bytes, got 67108864"):
        unpack_archive(str(tmp_path / "archive"), str(target))


def test_a_list_of_members_that_would_fill_the_memory(tmp_path: Path, target: Path) -> None:
    """All entries name the same file, and the end of the archive says that there is one."""
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    entry = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, 5000 * len(entry), len(local), 0)
    (tmp_path / "archive").write_bytes(local + entry * 5000 + end)
    with pytest.raises(InputError, match="must hold at most 100 files, got more"):
        unpack_archive(str(tmp_path / "archive"), str(target), caps=Caps(members=100))
    assert os.listdir(target) == []


def test_a_link_that_would_fill_the_memory(tmp_path: Path, target: Path) -> None:
    make_zip(tmp_path / "archive", [("a", "link", "x" * (8 << 20))])
    tracemalloc.start()
    with pytest.raises(InputError, match="can't be unpacked"):
        unpack_archive(str(tmp_path / "archive"), str(target))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 << 20


def test_long_names_are_kept(tmp_path: Path, target: Path) -> None:
    name = "/".join(["folder" * 10] * 10)
    unpacked(tmp_path, target, make_tar, [(name, "file", "x")])
    assert texts(target) == {name: "x"}


@BOTH
@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_half_an_archive(tmp_path: Path, target: Path, make: Make, cut: float) -> None:
    archive = tmp_path / "archive"
    make(archive, [(f"f{number}", "file", os.urandom(40).hex()) for number in range(50)])
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * cut)])
    with pytest.raises(InputError, match="archive"):
        unpack_archive(str(archive), str(target))


@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\3\4", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0"]))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "archive").write_bytes(head + data)
    (folder / "target").mkdir()
    with within(60):
        assert refusal(lambda: check_archive(str(folder / "archive"), ALL)) is not None
        assert refusal(lambda: unpack_archive(str(folder / "archive"), str(folder / "target"))) is not None


def test_damaged_compressed_content(tmp_path: Path, target: Path) -> None:
    make_zip(tmp_path / "archive", [("a", "file", "text " * 100)])
    data = bytearray((tmp_path / "archive").read_bytes())
    data[35:45] = b"\xff" * 10
    (tmp_path / "archive").write_bytes(data)
    with pytest.raises(InputError, match="can't be unpacked"):
        unpack_archive(str(tmp_path / "archive"), str(target))
    (tmp_path / "other").write_bytes(gzip.compress(b"x" * 5000)[:-20] + b"\0" * 12)
    with pytest.raises(InputError, match="can't be unpacked"):
        unpack_archive(str(tmp_path / "other"), str(target))


@pytest.mark.parametrize(("written", "name"), [("café.txt".encode(), "café.txt"), (b"caf\x82_.txt", "café_.txt")])
def test_names_in_a_zip_whose_encoding_nobody_tells(
    tmp_path: Path, target: Path, written: bytes, name: str
) -> None:
    """UTF-8, as programs on Linux write them, or what the format says."""
    path = tmp_path / "names.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("caf__.txt", "x")
    path.write_bytes(path.read_bytes().replace(b"caf__.txt", written))
    unpack_archive(str(path), str(target))
    assert os.listdir(target) == [name]


@pytest.mark.parametrize(("kind", "why"), [("text", "it is neither tar nor zip"), ("folder", "Is a directory")])
def test_what_is_no_archive_is_said_in_one_line(tmp_path: Path, target: Path, kind: str, why: str) -> None:
    path = tmp_path / "seed.tar.gz"
    path.mkdir() if kind == "folder" else path.write_text("hello\n" * 1000)
    with pytest.raises(InputError, match=rf"seed\.tar\.gz can't be unpacked: {why}$"):
        unpack_archive(str(path), str(target))


def test_an_archive_that_is_not_there(tmp_path: Path, target: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        unpack_archive(str(tmp_path / "nothing"), str(target))


@BOTH
def test_the_members_are_counted_before_anything_is_written(tmp_path: Path, target: Path, make: Make) -> None:
    """And looking at as many as may be there takes little time of the processor."""
    members = [(f"d{n % 50}/f{n}", "file", "abc") for n in range(8000)]
    make(tmp_path / "archive", members)
    began = time.process_time()
    check_archive(str(tmp_path / "archive"), Caps(members=8000))
    assert time.process_time() - began < 2
    with pytest.raises(InputError, match="must hold at most 7999 files"):
        check_archive(str(tmp_path / "archive"), Caps(members=7999))
