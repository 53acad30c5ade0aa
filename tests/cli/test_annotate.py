"""``assay annotate``: a reviewer's verdict, beside the reward, and shown where the two differ."""

import getpass
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.annotations import read_annotations, write_grading
from tests.builders import write_config, write_lock, write_trial
from tests.cli.running import Cli, run_assay
from tests.dialects.evaluation.gradings import grading


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job as harbor leaves it: one trial passed, one failed."""
    folder = tmp_path / "job"
    write_trial(folder, "good__1", rewards={"reward": 1.0})
    write_trial(folder, "bad__2", rewards={"reward": 0.0})
    write_lock(folder, [("good", "solver"), ("bad", "solver")])
    write_config(folder)
    return folder


def evaluation(cli: Cli, job: Path, *options: str) -> Any:
    return json.loads(cli("report", job, "--json", *options).out)["jobs"][0]["evaluation"]


def reviewed(cli: Cli, job: Path) -> list[list[str]]:
    """The rows of the table of reviews, word by word."""
    lines = iter(cli("report", job).out.splitlines())
    next(line for line in lines if line.startswith("reviewed "))
    return [line.split() for line in itertools.takewhile(bool, lines)]


def test_everything_that_can_be_said(cli: Cli, job: Path) -> None:
    said = [
        "--category",
        "unit mismatch",
        "--category",
        "rounding",
        "--notes",
        "volts",
        "--discipline",
        "electrical",
    ]
    assert cli("annotate", job / "good__1", "--judgment", "fail", "--reviewer", "r1", *said) == (0, "", "")
    found = read_annotations(job / "good__1")[0]
    assert (found.reviewer_id, found.reviewer_discipline, found.judgment.value) == ("r1", "electrical", "fail")
    assert (found.categories, found.notes) == (["unit mismatch", "rounding"], "volts")


def test_the_reviewer_is_the_user_unless_somebody_else_is_named(cli: Cli, job: Path) -> None:
    assert cli("annotate", job / "good__1", "--judgment", "pass").code == 0
    assert read_annotations(job / "good__1")[0].reviewer_id == getpass.getuser()


def test_a_user_whose_name_nobody_knows(cli: Cli, job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr(getpass, "getuser", unknown)
    found = cli("annotate", job / "good__1", "--judgment", "pass")
    assert found == (2, "", "assay: your user name can't be found; pass --reviewer\n")


@pytest.mark.statement("evaluation.annotation-judgments")
@pytest.mark.parametrize("judgment", ["pass", "fail", "defer"])
def test_the_three_judgments(cli: Cli, job: Path, judgment: str) -> None:
    assert cli("annotate", job / "bad__2", "--judgment", judgment, "--reviewer", "r1").code == 0
    assert read_annotations(job / "bad__2")[0].judgment.value == judgment


@pytest.mark.parametrize("options", [(), ("--judgment", "maybe"), ("--judgment", "PASS")])
def test_any_other_is_refused(cli: Cli, job: Path, options: tuple[str, ...]) -> None:
    found = cli("annotate", job / "bad__2", *options)
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert read_annotations(job / "bad__2") == []


def test_a_folder_that_is_no_run(cli: Cli, tmp_path: Path) -> None:
    found = cli("annotate", tmp_path, "--judgment", "pass", "--reviewer", "r1")
    says = f"assay: {tmp_path} must be the folder of a finished run, but it has no result.json or run.json\n"
    assert found == (2, "", says)


def test_a_run_that_can_not_be_written_to_is_one_line(job: Path) -> None:
    (job / "bad__2" / "annotations").write_text("a file")
    found = run_assay("annotate", job / "bad__2", "--judgment", "pass", "--reviewer", "r1")
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert found.err.startswith("assay: ")


@pytest.mark.parametrize("option", ["--notes", "--reviewer", "--category", "--discipline"])
def test_what_is_no_text_is_refused_in_one_line(job: Path, option: str) -> None:
    """A terminal may send bytes that are not UTF-8, and a record could not hold them."""
    found = run_assay("annotate", job / "bad__2", "--judgment", "pass", option, os.fsdecode(b"\xff"))
    assert found.code in (0, 2)
    assert len(found.err.splitlines()) == (1 if found.code else 0)
    assert len(read_annotations(job / "bad__2")) == (0 if found.code else 1)


def test_the_result_stays_as_it_is(cli: Cli, job: Path) -> None:
    before = (job / "good__1" / "result.json").read_bytes()
    cli("annotate", job / "good__1", "--judgment", "fail", "--reviewer", "r1")
    assert (job / "good__1" / "result.json").read_bytes() == before
    assert json.loads(cli("report", job, "--json").out)["jobs"][0]["evals"]["solver__ds"]["n"] == 2


# --- Reports ---


@pytest.mark.parametrize(("trial", "judgment", "reward"), [("good__1", "fail", 1.0), ("bad__2", "pass", 0.0)])
def test_a_report_shows_where_they_differ(cli: Cli, job: Path, trial: str, judgment: str, reward: float) -> None:
    write_grading(str(job / trial), grading(1, reward))
    cli("annotate", job / trial, "--judgment", judgment, "--reviewer", "r1", "--notes", "I looked")
    row = {"trial": trial, "reviewer_id": "r1", "judgment": judgment, "reward": reward}
    said = row | {"contradicts": ["verifier"], "categories": [], "notes": "I looked"}
    assert (evaluation(cli, job)["disagreements"], evaluation(cli, job)["reviews"]) == ([said], [said])
    assert reviewed(cli, job) == [[trial, "r1", judgment, f"{reward:g}", "verifier", "I", "looked"]]


@pytest.mark.statement("evaluation.disagreement-visible")
@pytest.mark.parametrize("judgment", ["fail", "pass"])
def test_a_verdict_on_a_reward_of_0_93_is_shown_and_contradicts_nobody(cli: Cli, job: Path, judgment: str) -> None:
    """It is neither a pass nor a fail."""
    write_grading(str(job / "good__1"), grading(1, 0.93))
    cli("annotate", job / "good__1", "--judgment", judgment, "--reviewer", "r1")
    assert reviewed(cli, job) == [["good__1", "r1", judgment, "0.93"]]
    assert evaluation(cli, job)["disagreements"] == []


@pytest.mark.parametrize(("trial", "judgment"), [("good__1", "pass"), ("bad__2", "fail"), ("good__1", "defer")])
@pytest.mark.parametrize("graded", [True, False], ids=["graded", "harbor's own"])
def test_and_nothing_where_they_agree(cli: Cli, job: Path, trial: str, judgment: str, graded: bool) -> None:
    """Harbor's jobs have no gradings: there the verifier's word is the trial's own reward."""
    if graded:
        write_grading(str(job / trial), grading(1, 1.0 if trial == "good__1" else 0.0))
    cli("annotate", job / trial, "--judgment", judgment, "--reviewer", "r1")
    assert evaluation(cli, job)["disagreements"] == []
    reward = "1" if trial == "good__1" else "0"
    assert reviewed(cli, job) == [[trial, "r1", judgment, reward]]


def test_the_reward_of_a_run_that_was_never_graded_is_its_own(cli: Cli, job: Path) -> None:
    cli("annotate", job / "good__1", "--judgment", "fail", "--reviewer", "r1")
    assert [one["reward"] for one in evaluation(cli, job)["disagreements"]] == [1.0]


def test_notes_can_not_paint_the_terminal(cli: Cli, job: Path) -> None:
    cli("annotate", job / "bad__2", "--judgment", "pass", "--reviewer", "\x1b[31mr1", "--notes", "a\x1b[2Jb\nc")
    text = cli("report", job).out
    assert "\x1b" not in text
    assert "\\x1b[2J" in text
