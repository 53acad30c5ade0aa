"""A harbor job folder on disk."""

import os
from pathlib import Path

import pytest

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.core.errors import InputError
from assay.dialects.harbor.rewards import Profile
from assay.evidence.files import Absent, Content, Refusal, Refused
from tests.builders import write_trial

ORDER = Profile.HARBOR_0_13_1.order


def test_folders_and_foreign_files_are_listed_apart_and_sorted(tmp_path: Path) -> None:
    for name in ("b__1", "a__1", "zzz"):
        (tmp_path / name).mkdir()
    for name in ("config.json", "lock.json", "result.json", "job.log", "notes.txt", ".hidden"):
        (tmp_path / name).write_text("")
    (tmp_path / "linked__1").symlink_to("a__1")
    os.mkfifo(tmp_path / "pipe")
    folder = DiskJobFolder(tmp_path)
    assert folder.folders() == ["a__1", "b__1", "zzz"]
    assert folder.foreign() == [".hidden", "linked__1", "notes.txt", "pipe"]


@pytest.mark.parametrize("suffix", ["", "/", "/."])
def test_its_name_is_the_folders(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "my-job").mkdir()
    assert DiskJobFolder(f"{tmp_path}/my-job{suffix}").name == "my-job"


def test_files_of_the_job_are_read_with_care(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "lock.json").symlink_to("config.json")
    folder = DiskJobFolder(tmp_path)
    assert folder.file("config.json") == Content(f"{tmp_path}/config.json", b"{}")
    assert folder.file("lock.json") == Refused(f"{tmp_path}/lock.json", Refusal.LINK)
    assert folder.file("result.json") == Absent(f"{tmp_path}/result.json")


@pytest.mark.parametrize(
    ("name", "inside", "began"),
    [
        ("task__abc", None, True),
        ("folder", None, False),
        ("folder", "anything.txt", False),
        ("folder", "trial.log", True),
        ("folder", "config.json", True),
        ("folder", "agent", True),
        ("folder", "exception.txt", True),
    ],
)
def test_what_looks_like_a_trial(tmp_path: Path, name: str, inside: str | None, began: bool) -> None:
    (tmp_path / name).mkdir()
    if inside is not None:
        (tmp_path / name / inside).write_text("")
    assert DiskJobFolder(tmp_path).began(name) is began


def test_results_come_in_the_order_of_the_names(tmp_path: Path) -> None:
    write_trial(tmp_path, "b__1")
    (tmp_path / "a__1").mkdir()
    found = list(DiskJobFolder(tmp_path).trial_results())
    assert [name for name, _ in found] == ["a__1", "b__1"]
    assert [type(file) for _, file in found] == [Absent, Content]


def test_reward_files_of_a_trial_and_of_a_step(tmp_path: Path) -> None:
    files = {"verifier/reward.txt": "1", "steps/one/verifier/reward.json": "{}"}
    write_trial(tmp_path, "t__1", files=files)
    folder = DiskJobFolder(tmp_path)
    assert folder.reward_files("t__1", None, ORDER).text == Content(f"{tmp_path}/t__1/verifier/reward.txt", b"1")
    assert folder.reward_files("t__1", "one", ORDER).json == Content(
        f"{tmp_path}/t__1/steps/one/verifier/reward.json", b"{}"
    )


@pytest.mark.parametrize(
    ("trial", "step"), [("../t__1", None), ("t__1", "../../x"), ("t__1", "/etc"), ("t__1", "..")]
)
def test_names_never_lead_out_of_the_folder(tmp_path: Path, trial: str, step: str | None) -> None:
    write_trial(tmp_path, "t__1", files={"verifier/reward.txt": "1", "x/verifier/reward.txt": "1"})
    (tmp_path / "job").mkdir()
    write_trial(tmp_path / "job", "t__1", files={"verifier/reward.txt": "1", "x/verifier/reward.txt": "1"})
    found = DiskJobFolder(tmp_path / "job").reward_files(trial, step, ORDER)
    assert isinstance(found.json, Absent)
    assert isinstance(found.text, Absent)


def test_what_is_no_folder_can_not_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"/missing doesn\'t exist$"):
        DiskJobFolder(tmp_path / "missing")
    with pytest.raises(InputError, match=r"/file must be a job folder, but it is a file$"):
        DiskJobFolder(tmp_path / "file")
    with pytest.raises(InputError, match=r"can't be read: File name too long$"):
        DiskJobFolder(tmp_path / ("x" * 300))
