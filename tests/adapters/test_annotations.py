"""Reviewers' verdicts: numbered files beside a run's result. The reward is never touched."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from assay.adapters.jobs.annotations import annotate, read_annotations, read_stored_gradings, write_grading
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Judgment
from tests.builders import write_trial
from tests.dialects.evaluation.gradings import grading


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_trial(tmp_path / "job", "task__abc", rewards={"reward": 0.0})


def test_a_verdict_is_kept_with_everything_that_was_said(trial: Path) -> None:
    before = datetime.now(UTC)
    said = annotate(
        trial,
        reviewer_id="r1",
        judgment=Judgment.PASS,
        categories=["unit mismatch", "rounding"],
        notes="The verifier wants volts.",
        reviewer_discipline="electrical engineering",
    )
    assert before <= said.timestamp <= datetime.now(UTC)
    assert read_annotations(trial) == [said]
    stored = json.loads((trial / "annotations" / "0001.json").read_text())
    assert stored | {"timestamp": None} == {
        "reviewer_id": "r1",
        "reviewer_discipline": "electrical engineering",
        "timestamp": None,
        "judgment": "pass",
        "categories": ["unit mismatch", "rounding"],
        "notes": "The verifier wants volts.",
    }


def test_the_least_that_a_reviewer_says(trial: Path) -> None:
    said = annotate(trial, reviewer_id="r1", judgment=Judgment.DEFER)
    assert (said.reviewer_discipline, said.categories, said.notes) == (None, [], None)


@pytest.mark.statement("evaluation.annotation-keeps-reward")
def test_verdicts_do_not_overwrite_the_reward_or_each_other(trial: Path) -> None:
    """They sit alongside it: result and gradings stay as they are, to the byte."""
    write_grading(str(trial), grading(1, 0.0))
    watched = [trial / "result.json", trial / "gradings" / "0001.json"]
    before = [path.read_bytes() for path in watched]
    for judgment in (Judgment.PASS, Judgment.FAIL, Judgment.PASS):
        annotate(trial, reviewer_id="r1", judgment=judgment)
    assert [path.read_bytes() for path in watched] == before
    assert [one.judgment.value for one in read_annotations(trial)] == ["pass", "fail", "pass"]
    assert [one.result.reward for one in read_stored_gradings(str(trial))] == [0.0]


def test_a_path_may_be_a_text(trial: Path) -> None:
    annotate(str(trial), reviewer_id="r1", judgment=Judgment.PASS)
    assert len(read_annotations(f"{trial}/")) == 1


def test_a_folder_without_a_result_is_not_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be the folder of a finished run, but it has no result\.json"):
        annotate(tmp_path, reviewer_id="r1", judgment=Judgment.PASS)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_nobody_reviewed(trial: Path) -> None:
    assert read_annotations(trial) == []


@pytest.mark.parametrize("reviewer", ["", "\ud800"])
def test_a_reviewer_without_a_name_is_refused(trial: Path, reviewer: str) -> None:
    with pytest.raises((ValidationError, InputError)):
        annotate(trial, reviewer_id=reviewer, judgment=Judgment.PASS)
    assert read_annotations(trial) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"reviewer_id": "r1"}', '{"judgment": "maybe"}'])
def test_a_record_that_can_not_be_read_is_an_input_error(trial: Path, content: str) -> None:
    annotate(trial, reviewer_id="r1", judgment=Judgment.PASS)
    (trial / "annotations" / "0001.json").write_text(content)
    with pytest.raises(InputError, match=r"annotations/0001\.json isn't a valid annotation: "):
        read_annotations(trial)


def test_numbering_goes_on_behind_the_highest(trial: Path) -> None:
    annotate(trial, reviewer_id="r1", judgment=Judgment.PASS)
    (trial / "annotations" / "0001.json").rename(trial / "annotations" / "0007.json")
    annotate(trial, reviewer_id="r2", judgment=Judgment.FAIL)
    assert sorted(path.name for path in (trial / "annotations").iterdir()) == ["0007.json", "0008.json"]


def test_a_job_is_no_run(tmp_path: Path) -> None:
    """A verdict on a whole job would stand where nobody reads it."""
    (tmp_path / "result.json").write_text('{"id": "x", "n_total_trials": 2, "stats": {}}')
    with pytest.raises(
        InputError, match="must be the folder of a run, but it is a job; pass one of the runs in it"
    ):
        annotate(tmp_path, reviewer_id="r1", judgment=Judgment.PASS)
    assert not (tmp_path / "annotations").exists()


def test_reviewers_who_write_at_the_same_time_are_all_kept(trial: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: annotate(trial, reviewer_id=f"r{n}", judgment=Judgment.PASS), range(24)))
    assert sorted(one.reviewer_id for one in read_annotations(trial)) == sorted(f"r{n}" for n in range(24))
