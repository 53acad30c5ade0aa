"""What an agent leaves can be read in bounded time, whatever its files say about themselves."""

import os
import tarfile
from pathlib import Path

import pytest

from assay.adapters.machine import tree_walk, trees
from assay.adapters.machine.tree_walk import WalkReach, pieces_of, walk
from assay.adapters.machine.trees import copy_tree, pack_tree, unpack_tree
from assay.adapters.tasks.unsafe_entries import remove_strays

TERABYTE = 2**40


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    made = tmp_path / "tree"
    made.mkdir()
    return made


def _sparse(path: Path, size: int, **content: bytes) -> None:
    """A file with some content: ``at_0=b"…"``."""
    with path.open("wb") as file:
        for name, data in content.items():
            file.seek(int(name.removeprefix("at_")))
            file.write(data)
        file.truncate(size)


def test_a_sparse_file_is_copied_by_its_pieces(tree: Path, tmp_path: Path) -> None:
    _sparse(tree / "huge", TERABYTE, at_0=b"first", at_5000000000=b"later")
    kept = copy_tree(str(tree), str(tmp_path / "copy"))
    copy = tmp_path / "copy" / "huge"
    assert (kept.files, kept.left_out) == (1, 0)
    assert copy.stat().st_size == TERABYTE
    assert copy.stat().st_blocks * 512 < 2**20
    with copy.open("rb") as file:
        assert file.read(8) == b"first\0\0\0"
        file.seek(5_000_000_000)
        assert file.read(5) == b"later"


def test_a_sparse_file_is_packed_and_unpacked_by_its_pieces(tree: Path, tmp_path: Path) -> None:
    _sparse(tree / "huge", TERABYTE, at_123456789=b"content")
    _sparse(tree / "hole", TERABYTE)
    (tree / "name with ünïcode").write_text("plain")
    (tree / "empty").touch()
    archive = tmp_path / "archive.tar.gz"
    kept = pack_tree(str(tree), str(archive))
    assert (kept.files, kept.left_out) == (4, 0)
    assert archive.stat().st_size < 10_000
    back = tmp_path / "back"
    back.mkdir()
    unpack_tree(str(archive), str(back))
    assert [(path.name, path.stat().st_size) for path in sorted(back.iterdir())] == [
        ("empty", 0),
        ("hole", TERABYTE),
        ("huge", TERABYTE),
        ("name with ünïcode", 5),
    ]
    assert sum(path.stat().st_blocks for path in back.iterdir()) * 512 < 2**20
    with (back / "huge").open("rb") as file:
        file.seek(123456780)
        assert file.read(20) == b"\0" * 9 + b"content" + b"\0" * 4


def test_other_programs_can_read_the_archive(tree: Path, tmp_path: Path) -> None:
    _sparse(tree / "file", 2**20, at_300000=b"content")
    pack_tree(str(tree), str(tmp_path / "archive.tar.gz"))
    with tarfile.open(tmp_path / "archive.tar.gz") as tar:
        assert tar.getnames() == ["file"]
        content = tar.extractfile("file")
        assert content is not None
        assert content.read() == (tree / "file").read_bytes()


def test_content_counts_and_not_the_size(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MAX_BYTES", 2**20)
    _sparse(tree / "a", TERABYTE, at_0=b"x")
    (tree / "b").write_bytes(b"x" * (2**20 + 1))
    kept = copy_tree(str(tree), str(tmp_path / "copy"))
    assert os.listdir(tmp_path / "copy") == ["a"]
    assert (kept.too_much, kept.why) == (1, ["more than 0 GiB"])


def test_a_file_in_too_many_pieces(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_walk, "MAX_PIECES", 3)
    _sparse(tree / "riddled", 2**30, **{f"at_{number * 2**20}": b"x" for number in range(5)})
    kept = pack_tree(str(tree), str(tmp_path / "archive.tar.gz"))
    assert (kept.too_much, kept.why) == (1, ["a file in too many pieces"])


def test_small_holes_are_read_as_zeros(tree: Path) -> None:
    _sparse(tree / "file", 100_000, at_0=b"x", at_40000=b"x", at_99999=b"x")
    with (tree / "file").open("rb") as file:
        assert pieces_of(file.fileno()) == [(0, 100_000)]


def test_a_walk_goes_only_so_deep(tree: Path, tmp_path: Path) -> None:
    """Beyond it, every look would cost as many steps as there are folders."""
    (tree / "/".join("d" for _ in range(tree_walk.MAX_DEPTH + 5))).mkdir(parents=True)
    reach = WalkReach()
    assert len(list(walk(str(tree), reach))) == tree_walk.MAX_DEPTH
    assert [why for _, why in reach.left] == ["more than 128 folders deep"]
    kept = copy_tree(str(tree), str(tmp_path / "copy"))
    assert (kept.too_much, kept.why) == (1, ["more than 128 folders deep"])


@pytest.mark.parametrize(("most", "seen"), [(3, 3), (4, 4), (9, 9), (10, 10)])
def test_a_walk_looks_at_only_so_many(tree: Path, most: int, seen: int) -> None:
    for folder in ("a", "b"):
        (tree / folder).mkdir()
        for number in range(4):
            (tree / folder / str(number)).touch()
    reach = WalkReach(entries=most)
    assert len(list(walk(str(tree), reach))) == seen
    assert bool(reach.left) is (most < 10)


def test_what_nobody_looked_at_does_not_reach_the_verifier(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to the answer would be hidden behind many folders, or below many."""
    deep = tree / "workspace" / "/".join("d" for _ in range(tree_walk.MAX_DEPTH))
    deep.mkdir(parents=True)
    (deep / "answer").symlink_to("/tests/expected.txt")
    said = remove_strays(str(tree), ["/workspace"])
    assert not os.path.lexists(deep)
    assert said[0].endswith("was more than 128 folders deep")
    assert len(said[0]) < 200


def test_what_is_beyond_the_count_does_not_reach_the_verifier(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.tasks.unsafe_entries.WalkReach", lambda: WalkReach(128, 5))
    for number in range(9):
        (tree / "workspace" / "many").mkdir(parents=True, exist_ok=True)
        (tree / "workspace" / "many" / str(number)).symlink_to("/tests/expected.txt")
    said = remove_strays(str(tree), ["/workspace"])
    assert not os.path.lexists(tree / "workspace" / "many")
    assert said[-1] == "/workspace/many was beyond the first 5 files and folders"
