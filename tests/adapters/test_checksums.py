"""Hashes of files and of folders: whatever changes what a folder is, changes its hash; nothing else does."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.adapters.machine.tree_walk import checksum, file_checksum
from tests.builders import within


def test_the_hash_of_a_file_is_its_contents(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert file_checksum(str(tmp_path / "x")) == hashlib.sha256(b"abc").hexdigest()


def plant(root: Path) -> Path:
    """A small tree with every kind of thing in it."""
    (root / "tests" / "data").mkdir(parents=True)
    (root / "other").mkdir()
    (root / "tests" / "test.sh").write_text("#!/bin/sh\n")
    (root / "tests" / "test.sh").chmod(0o755)
    (root / "tests" / "data" / "x").write_text("x")
    (root / "to-file").symlink_to("tests/test.sh")
    (root / "to-folder").symlink_to("tests")
    (root / "to-nothing").symlink_to("missing")
    return root


def relink(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


def swap(link: Path, content: str) -> None:
    link.unlink()
    link.write_text(content)


def remove(path: Path) -> None:
    path.unlink()


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda root: (root / "tests/test.sh").write_text("#!/bin/sh\ntrue\n"),
    "content of the same length": lambda root: (root / "tests/data/x").write_text("y"),
    "mode": lambda root: (root / "tests/test.sh").chmod(0o644),
    "name": lambda root: (root / "tests/data/x").rename(root / "tests/data/y"),
    "place": lambda root: (root / "tests/data/x").rename(root / "tests/x"),
    "one more file": lambda root: (root / "tests/new").write_text(""),
    "one file less": lambda root: remove(root / "tests/data/x"),
    "target of a link to a file": lambda root: relink(root / "to-file", "tests/data/x"),
    "target of a link to a folder": lambda root: relink(root / "to-folder", "other"),
    "target of a dangling link": lambda root: relink(root / "to-nothing", "elsewhere"),
    "one more link to a folder": lambda root: (root / "tests/new").symlink_to("data"),
    "a file for a link": lambda root: swap(root / "to-file", "tests/test.sh"),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_change_changes_the_hash(tmp_path: Path, change: str) -> None:
    root = plant(tmp_path / "tree")
    before = checksum(str(root))
    CHANGES[change](root)
    assert checksum(str(root)) != before


def test_the_same_tree_has_the_same_hash_wherever_and_whenever_it_is(tmp_path: Path) -> None:
    one, other = plant(tmp_path / "one"), plant(tmp_path / "other")
    os.utime(other / "tests" / "test.sh", (1, 1))
    assert checksum(str(one)) == checksum(str(other)) == checksum(f"{one}/")


def test_the_order_in_which_files_were_made_does_not_matter(tmp_path: Path) -> None:
    letters = [f"{number}" for number in range(50)]
    for root, order in (("one", letters), ("other", letters[::-1])):
        (tmp_path / root).mkdir()
        for name in order:
            (tmp_path / root / name).write_text(name)
    assert checksum(str(tmp_path / "one")) == checksum(str(tmp_path / "other"))


def test_nothing_is_followed_and_nobody_waits(tmp_path: Path) -> None:
    root = plant(tmp_path / "tree")
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to(".")
    with within(60):
        before = checksum(str(root))
    (tmp_path / "outside").write_text("1")
    relink(root / "to-nothing", "../outside")
    linked = checksum(str(root))
    (tmp_path / "outside").write_text("2")
    assert checksum(str(root)) == linked != before


@pytest.mark.parametrize("name", [b"\xff\xfe", b"new\nline", "é∅".encode(), b" "])
def test_any_name_that_a_file_may_have(tmp_path: Path, name: bytes) -> None:
    (tmp_path / os.fsdecode(name)).write_text("x")
    alone = checksum(str(tmp_path))
    (tmp_path / "another").write_text("x")
    assert checksum(str(tmp_path)) != alone
