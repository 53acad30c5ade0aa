"""The checksums that harbor records of a task. The expected ones come from harbor 0.13.1 on the same trees."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import harbor_checksums
from tests.builders import within


def plain(root: Path) -> None:
    (root / "environment").mkdir()
    (root / "tests" / "data").mkdir(parents=True)
    (root / "solution").mkdir()
    (root / "task.toml").write_text('version = "1.0"\n')
    (root / "instruction.md").write_text("Do it.\n")
    (root / "LICENSE").write_text("none\n")
    (root / "environment" / "Dockerfile").write_text("FROM scratch\n")
    (root / "tests" / "test.sh").write_text("#!/bin/bash\n")
    (root / "tests" / "data" / "größe.txt").write_text("1\n")
    (root / "solution" / "solve.sh").write_text("")


def with_links(root: Path) -> None:
    plain(root)
    (root / "tests" / "link.sh").symlink_to("test.sh")
    (root / "tests" / "nowhere").symlink_to("missing")
    (root / "tests" / "more").symlink_to("data")
    (root / "steps").symlink_to("tests")


def with_leftovers(root: Path) -> None:
    plain(root)
    (root / "tests" / "__pycache__").mkdir()
    (root / "tests" / "__pycache__" / "x.txt").write_text("x")
    (root / "tests" / "empty" / "inner").mkdir(parents=True)
    for name in ("a.pyc", ".DS_Store", "b.swp", "c~", "__pycache__.py"):
        (root / "tests" / name).write_text(name)


def with_gitignore(root: Path) -> None:
    with_leftovers(root)
    (root / ".gitignore").write_text("*.txt\n!größe.txt\n/tests/c~\n# x\n")


CASES: list[tuple[Callable[[Path], None], str, str]] = [
    (
        plain,
        "3dbae91ff3eb728db74fdbe08c1401343bde961a2e859bc759444802defd3b14",
        "73425e619974fd09906b0c2b0f28634fcf586da2c8d1bf7de2c56af5481971d0",
    ),
    (
        with_links,
        "6cbb4fa582cae6489f3427a03fb94baf8b7fb9cd4b72fd39bbd29ddc608ab0b0",
        "8cfe8f11c18ae4876e91e9de91876b16a2c7a650e6bbf1d2d69b4f0235536d59",
    ),
    (
        with_leftovers,
        "cba7792e63929b5a432ebc589f5b07fe04fa5e30a9fa0407941cbaa4c21f251b",
        "71cafacc6c433b362f3f97ea2fd2d5ce6829e97eac5dc2abee1febc7bbf0da1a",
    ),
    (
        with_gitignore,
        "99589d4f1e73ce62b9a797156ff26619a9622bd3f4e5ff6559b1effe49015b6c",
        "5eae13343b71186b317222801c0eae02bbdfe2605a59d64e1891d27967f90ee8",
    ),
]


@pytest.mark.statement("harbor.harbor-checksums")
@pytest.mark.parametrize(("plant", "tree", "package"), CASES)
def test_the_checksums_are_harbors(plant: Callable[[Path], None], tree: str, package: str, tmp_path: Path) -> None:
    plant(tmp_path)
    found = harbor_checksums(str(tmp_path))
    assert (found.tree, found.package) == (tree, package)


def test_a_link_to_a_folder_around_it_ends_somewhere(tmp_path: Path) -> None:
    plain(tmp_path)
    before = harbor_checksums(str(tmp_path))
    (tmp_path / "tests" / "up").symlink_to("..")
    (tmp_path / "tests" / "self").symlink_to("self")
    with within(60):
        assert harbor_checksums(str(tmp_path)) == before
