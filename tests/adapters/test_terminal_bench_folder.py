"""Folders of terminal-bench results on disk."""

import json
from pathlib import Path

from assay.adapters.jobs.terminal_bench_folder import find_run_folders
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


def without_metadata(folder: Path) -> Path:
    (folder / "run_metadata.json").unlink()
    return folder


def test_a_list_of_runs_is_enough_for_a_run_folder(tmp_path: Path) -> None:
    folder = without_metadata(write_run_folder(tmp_path / "run", {"results": []}))
    write_run(folder, "a", "a.1")
    for path in (folder, tmp_path):
        [found] = find_run_folders(path)
        assert (found.name, [name for name, _ in found.runs]) == ("run", ["a.1"])
        assert isinstance(found.metadata, Absent)


def test_folders_of_runs_are_enough_for_a_run_folder(tmp_path: Path) -> None:
    folder = without_metadata(write_run_folder(tmp_path / "run", None))
    (folder / "a" / "a.0").mkdir(parents=True)
    write_run(folder, "a", "a.1")
    [found] = find_run_folders(folder)
    assert [name for name, _ in found.runs] == ["a.0", "a.1"]
    assert isinstance(found.results, Absent)


def test_a_run_folder_in_another_is_not_a_task_of_it(tmp_path: Path) -> None:
    outer = write_run_folder(tmp_path / "outer", {"results": []})
    write_run(outer, "a", "a.1")
    inner = write_run_folder(outer / "inner", {"results": []})
    write_run(inner, "b", "b.1")
    for path in (outer, tmp_path):
        found = find_run_folders(path)
        assert [(folder.name, [name for name, _ in folder.runs]) for folder in found] == [
            ("outer", ["a.1"]),
            ("outer/inner", ["b.1"]),
        ]


def test_run_folders_some_levels_below(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "agent" / "model" / "run1", {"results": []})
    assert [folder.name for folder in find_run_folders(tmp_path)] == ["agent/model/run1"]
    deep = tmp_path / "a" / "b" / "c" / "d"
    write_run_folder(deep, {"results": []})
    assert [folder.name for folder in find_run_folders(tmp_path)] == ["agent/model/run1"]


def test_flat_files_of_results(tmp_path: Path) -> None:
    (tmp_path / "one_results.json").write_text(json.dumps({"results": [run_entry("a", 1, resolved=True)]}))
    (tmp_path / "two_results.json").write_text(json.dumps(run_entry("a", 2, resolved=True)))
    for name, content in {"x_results.json": "{}", "y_results.json": "[", "other.json": '{"results": []}'}.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "z_results.json").symlink_to("one_results.json")
    found = find_run_folders(tmp_path)
    assert [(folder.name, type(folder.results), len(folder.runs)) for folder in found] == [
        ("one", Content, 0),
        ("two", Absent, 1),
    ]


def test_nothing_is_looked_for_in_a_harbor_job(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "job" / "inner", {"results": []})
    (tmp_path / "job" / "config.json").write_text("{}")
    assert find_run_folders(tmp_path) == []
