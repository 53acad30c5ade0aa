"""Baselines: any names and contents come back as they were, and one that was changed is refused by name."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given

from assay.adapters.workspace import baseline as baselines
from assay.adapters.workspace.baseline import folder_baseline, load_baseline, manifest_of, store_baseline
from assay.core.errors import InputError, MeasurementError
from assay.evidence.workspace import EntryKind
from tests.adapters.workspace.site import Site, write_files
from tests.adapters.workspace.trees import LEAVES, Leaf, plant
from tests.builders import unprivileged


@given(LEAVES)
def test_any_tree_comes_back(leaves: Sequence[Leaf]) -> None:
    with tempfile.TemporaryDirectory() as name:
        around = Path(name)
        (around / "root").mkdir()
        plant(around / "root", leaves)
        source = folder_baseline(str(around / "root"))
        stored = load_baseline(str(around / "stored"), store_baseline(source, str(around / "stored")))
        assert set(stored.paths()) == set(source.paths())
        for path in source.paths():
            assert stored.entry(path) == source.entry(path)
            assert stored.read(path) == source.read(path)
        for absent in ("", "a/b/c", "zz", "%61", "a\t", "\n"):
            assert (stored.entry(absent) is None) == (absent not in source.entries)


def test_an_empty_baseline(tmp_path: Path) -> None:
    site = Site(tmp_path, {})
    assert list(site.baseline.paths()) == []
    assert site.baseline.entry("a") is None
    assert site.baseline.read("a") is None


def test_equal_folders_have_equal_hashes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_files(tmp_path / name, {"a": "1", "b/c": "2"})
    one, two = (folder_baseline(str(tmp_path / name)) for name in ("one", "two"))
    assert manifest_of(one) == manifest_of(two)
    os.link(tmp_path / "two/a", tmp_path / "elsewhere")
    assert manifest_of(folder_baseline(str(tmp_path / "two"))) == manifest_of(one)
    (tmp_path / "two/a").chmod(0o755)
    assert manifest_of(folder_baseline(str(tmp_path / "two"))) != manifest_of(one)


def test_a_changed_manifest_is_refused(site: Site) -> None:
    path = Path(site.baseline.folder, "manifest")
    path.write_bytes(path.read_bytes().replace(b"644", b"755"))
    with pytest.raises(InputError, match="manifest was changed since the task was seeded"):
        load_baseline(site.baseline.folder, site.hash)


def test_a_missing_manifest_is_refused(site: Site) -> None:
    Path(site.baseline.folder, "manifest").unlink()
    with pytest.raises(InputError, match="manifest can't be read"):
        load_baseline(site.baseline.folder, site.hash)


def test_changed_contents_are_refused_by_name(site: Site) -> None:
    path = Path(site.baseline.folder, "contents")
    path.write_bytes(path.read_bytes().replace(b"return 2", b"return 1"))
    assert site.baseline.read("README.md") == b"read me\n"
    with pytest.raises(MeasurementError, match=r"contents was changed: src/a\.py is not what was recorded"):
        site.baseline.read("src/a.py")


@pytest.mark.parametrize("how", ["cut", "gone"])
def test_contents_that_are_not_all_there_are_refused(site: Site, how: str) -> None:
    path = Path(site.baseline.folder, "contents")
    path.unlink()
    if how == "cut":
        path.touch()
    with pytest.raises(MeasurementError, match="contents"):
        site.baseline.read("src/a.py")


def test_what_is_too_large_is_not_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "MAX_READ", 10)
    assert site.baseline.read("README.md") == b"read me\n"
    assert site.baseline.read("src/a.py") is None
    assert folder_baseline(str(site.root)).read("src/a.py") is None


def test_a_baseline_that_can_not_be_read_whole_is_none(open_folder: Path) -> None:
    write_files(open_folder, {"a": "", "b": ""})
    (open_folder / "b").chmod(0)
    with unprivileged(), pytest.raises(MeasurementError, match="b can't be read"):
        folder_baseline(str(open_folder))


def test_a_file_that_changes_while_it_is_recorded(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"a": "short"})
    source = folder_baseline(str(tmp_path / "root"))
    write_files(tmp_path / "root", {"a": "longer than it was"})
    with pytest.raises(MeasurementError, match="a changed while it was recorded"):
        store_baseline(source, str(tmp_path / "stored"))


def test_a_link_is_read_as_its_target(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to("/etc/passwd")
    source = folder_baseline(str(tmp_path / "root"))
    assert source.entries["link"].kind is EntryKind.LINK
    assert source.read("link") == b"/etc/passwd"
