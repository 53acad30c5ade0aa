"""Which kind of results a folder holds."""

from pathlib import Path

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.adapters.jobs.results_folder import JobFolders, SubmissionFolders, open_results
from assay.core.errors import InputError
from tests.builders import HARBOR_JOBS, write_run_folder, write_trial


@pytest.mark.parametrize("name", ["j1", "j4"])
def test_a_harbor_job(name: str) -> None:
    assert isinstance(open_results(str(HARBOR_JOBS / name)), DiskJobFolder)


@pytest.mark.parametrize("only", ["config.json", "lock.json", "result.json"])
def test_one_of_its_files_is_enough_for_a_job(tmp_path: Path, only: str) -> None:
    (tmp_path / only).write_text("{}")
    assert isinstance(open_results(str(tmp_path)), DiskJobFolder)


def test_one_trial_is_enough_for_a_job(tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1")
    assert isinstance(open_results(str(tmp_path)), DiskJobFolder)


def test_a_run_folder_of_terminal_bench_and_a_folder_of_them(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "run1", {"results": []})
    write_run_folder(tmp_path / "run2", {"results": []})
    single, both = open_results(str(tmp_path / "run1")), open_results(str(tmp_path))
    assert isinstance(single, SubmissionFolders)
    assert isinstance(both, SubmissionFolders)
    assert [folder.name for folder in single.folders] == ["run1"]
    assert [folder.name for folder in both.folders] == ["run1", "run2"]


@pytest.mark.parametrize("inside", ["verifier", "steps"])
def test_a_trials_own_folder_is_told_apart(tmp_path: Path, inside: str) -> None:
    (tmp_path / inside).mkdir()
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(InputError, match="must be a job folder, but it is a trial; pass the job folder around it"):
        open_results(str(tmp_path))


@pytest.mark.parametrize("inside", [(), ("a-folder/",), ("a-file",), ("a-folder/config.json",)])
def test_any_other_folder_is_no_job(tmp_path: Path, inside: tuple[str, ...]) -> None:
    for name in inside:
        path = tmp_path / name
        if name.endswith("/"):
            path.mkdir()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text("")
    with pytest.raises(
        InputError, match=r"must be a job folder, but it has no config\.json, lock\.json or result\.json"
    ):
        open_results(str(tmp_path))


def write_job(folder: Path, name: str, file: str, content: str) -> None:
    write_trial(folder / name, f"t__{name}")
    (folder / name / file).write_text(content)


def test_a_folder_of_jobs_is_one_submission(tmp_path: Path) -> None:
    write_job(tmp_path, "a", "config.json", '{"job_name": "a"}')
    write_job(tmp_path, "b", "lock.json", '{"trials": []}')
    write_job(tmp_path, "c", "result.json", '{"stats": {}}')
    (tmp_path / "notes").mkdir()
    found = open_results(str(tmp_path))
    assert isinstance(found, JobFolders)
    assert (found.name, [folder.name for folder in found.folders]) == (tmp_path.name, ["a", "b", "c"])


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"task": {}}', '{"trial_name": "x", "config": {}}'])
def test_a_trial_is_not_a_job_although_its_files_have_the_same_names(tmp_path: Path, content: str) -> None:
    """Since harbor 0.17, a trial has a lock.json of its own."""
    write_trial(tmp_path, "t__1", files={"lock.json": content, "config.json": content})
    assert isinstance(open_results(str(tmp_path)), DiskJobFolder)


def test_a_job_that_holds_other_jobs_is_a_job(tmp_path: Path) -> None:
    write_job(tmp_path, "a", "config.json", '{"job_name": "a"}')
    (tmp_path / "config.json").write_text('{"job_name": "outer"}')
    assert isinstance(open_results(str(tmp_path)), DiskJobFolder)
