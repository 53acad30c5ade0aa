"""``assay tag`` and ``assay result``: a failure that was classified later, and the whole of an evaluation."""

import json
from pathlib import Path

import pytest

from assay import evaluation
from assay.adapters.jobs.annotations import write_grading
from tests.builders import write_config, write_lock, write_trial
from tests.cli.running import Cli
from tests.dialects.evaluation.gradings import grading


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """A trial with a reward of 0.93."""
    job = tmp_path / "job"
    write_trial(job, "good__1", rewards={"reward": 0.93})
    write_lock(job, [("good", "solver")])
    write_config(job)
    write_grading(str(job / "good__1"), grading(1, 0.93))
    return job / "good__1"


@pytest.mark.statement("evaluation.tags-later", "evaluation.tags-source")
@pytest.mark.parametrize("source", ["mechanical", "human", "judge"])
def test_a_tag_that_is_added_later(cli: Cli, trial: Path, source: str) -> None:
    before = (trial / "gradings" / "0001.json").read_bytes()
    options = ("--category", "unit mismatch", "--description", "mV", "--source", source, "--by", "ada")
    assert cli("tag", trial, *options) == (0, "", "")
    (added,) = evaluation.read_tags(trial)
    assert (added.added_by, added.tag.source.value) == ("ada", source)
    stored = json.loads((trial / "tags" / "0001.json").read_text())
    assert stored["tag"] == {"category": "unit mismatch", "description": "mV", "source": source}
    assert json.loads(cli("result", trial, "--json").out)["error_taxonomy"] == [stored["tag"]]
    groups = json.loads(cli("report", trial.parent, "--json").out)["jobs"][0]["evaluation"]["taxonomy"]
    assert groups == [{"category": "unit mismatch", "source": source, "trials": ["good__1"]}]
    assert (trial / "gradings" / "0001.json").read_bytes() == before


def test_a_tag_of_a_job_that_nobody_graded(cli: Cli, trial: Path) -> None:
    (trial / "gradings" / "0001.json").unlink()
    assert cli("tag", trial, "--category", "x", "--by", "ada").code == 0
    groups = json.loads(cli("report", trial.parent, "--json").out)["jobs"][0]["evaluation"]["taxonomy"]
    assert groups == [{"category": "x", "source": "human", "trials": ["good__1"]}]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "the following arguments are required: --category"),
        (("--category", "x", "--source", "robot"), "argument --source: invalid choice: 'robot'"),
        (("--category", "", "--by", "ada"), "the tag isn't valid: tag.category "),
    ],
)
def test_what_is_refused(cli: Cli, trial: Path, options: tuple[str, ...], says: str) -> None:
    found = cli("tag", trial, *options)
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert found.err.startswith(f"assay: {says}")
    assert evaluation.read_tags(trial) == []


@pytest.mark.statement("evaluation.result-fields", "evaluation.disagreement-visible")
def test_a_result_is_read_with_everything_that_was_said_about_it(cli: Cli, trial: Path) -> None:
    for reviewer, judgment in (("r1", "fail"), ("r2", "pass")):
        cli("annotate", trial, "--judgment", judgment, "--reviewer", reviewer, "--category", "rounding")
    found = evaluation.read_result(trial)
    assert [one.judgment.value for one in found.annotations or ()] == ["fail", "pass"]
    assert found.confidence == evaluation.ConfidenceMetadata(annotator_count=2, inter_rater_agreement=0.0)
    assert [(tag.category, tag.source.value) for tag in found.error_taxonomy or ()] == [("rounding", "human")] * 2
    assert (found.reward, evaluation.read_gradings(trial)[0].result) == (0.93, found)
    text = cli("result", trial).out
    assert text.startswith("partial  score 0.93\n")
    assert "confidence: annotator_count 2, inter_rater_agreement 0.0" in text


def test_the_result_of_the_latest_grading(cli: Cli, trial: Path) -> None:
    write_grading(str(trial), grading(2, None))
    assert json.loads(cli("result", trial, "--json").out)["reward"] == 0.93
    assert cli("result", trial, "--grading", "latest").out.startswith("unusable  score 0  reason reward_missing\n")


def test_a_run_without_a_grading(cli: Cli, trial: Path, tmp_path: Path) -> None:
    (trial / "gradings" / "0001.json").unlink()
    says = f"assay: {trial} must have a grading, but it has none; write one with 'assay grade'\n"
    assert cli("result", trial) == (2, "", says)
    assert cli("result", tmp_path).err.endswith("but it has no result.json or run.json\n")
    (tmp_path / "run.json").write_text("{}")
    assert cli("result", tmp_path).err.endswith("it has none; 'assay view' shows the report of a coding run\n")


def test_names_of_others_can_not_paint_the_terminal(cli: Cli, trial: Path) -> None:
    cli("tag", trial, "--category", "\x1b[31mred", "--description", "a\x1b[2Jb", "--by", "ada")
    details = grading(2, 1.0).result.model_copy(update={"breakdown": {"\x1b[1m": "\x1b[2J"}})
    write_grading(str(trial), grading(2, 1.0).model_copy(update={"result": details}))
    found = cli("result", trial, "--grading", "latest")
    assert (found.code, "\x1b" in found.out) == (0, False)
