"""Folders of terminal-bench results on disk."""

import json
from pathlib import Path

from assay.adapters.terminal_bench_folder import find_run_folders
from assay.evidence.files import Absent, Content, Refused
from tests.builders import run_entry, write_run_folder


def write_run(folder: Path, task: str, run: str) -> None:
    target = folder / task / run
    target.mkdir(parents=True)
    (target / "results.json").write_text(json.dumps(run_entry(task, 1, resolved=True)))


def test_the_runs_below_come_in_order_of_task_and_run(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", {"results": []})
    write_run(folder, "b", "b.1")
    write_run(folder, "a", "a.2")
    write_run(folder, "a", "a.1")
    (folder / "a" / "a.3").mkdir()
    [found] = find_run_folders(folder)
    assert [name for name, _ in found.runs] == ["a.1", "a.2", "a.3", "b.1"]
    assert [type(file) for _, file in found.runs] == [Content, Content, Absent, Content]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write_run_folder(tmp_path / "outside", {"results": []})
    write_run(outside, "a", "a.1")
    folder = write_run_folder(tmp_path / "inside" / "run", None)
    (folder / "results.json").symlink_to(outside / "results.json")
    (folder / "a").symlink_to(outside / "a")
    (tmp_path / "inside" / "linked").symlink_to(outside)
    [found] = find_run_folders(tmp_path / "inside")
    assert isinstance(found.results, Refused)
    assert (found.name, found.runs) == ("run", [])


def test_a_folder_without_metadata_is_none(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    assert find_run_folders(tmp_path) == []
    assert find_run_folders(tmp_path / "missing") == []
