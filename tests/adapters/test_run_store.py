"""Runs in folders: what is kept is read back, and trials are runs too."""

import dataclasses
import json
from pathlib import Path

import pytest

from assay.adapters.jobs.annotations import annotate
from assay.adapters.jobs.run_store import BY_AGENT, LocalCases, keep_run, run_folders
from assay.core.errors import InputError
from assay.dialects.evaluation.models import Judgment
from assay.dialects.scorers.report import OverallVerdict, with_verdict
from assay.dialects.scorers.scenario import JudgeSection
from assay.evidence.coding_run import RunStatus
from tests.engine.test_judge_run import report
from tests.judge.cases import RUN, said
from tests.judge.verdicts import verdict_of

REPORT = report(OverallVerdict.PASS)
REPO = Path(__file__).parents[2]


def kept(folder: Path) -> str:
    keep_run(str(folder), RUN, REPORT, JudgeSection(models=["m"]))
    return str(folder)


@pytest.mark.statement("scorers.trajectory-saved", "scorers.results-on-run")
def test_a_run_is_read_back_whole(tmp_path: Path) -> None:
    found = LocalCases().read(kept(tmp_path / "run"))
    assert found.run == RUN
    assert (found.checks, found.section) == (OverallVerdict.PASS, JudgeSection(models=["m"]))


def test_text_that_json_can_not_hold(tmp_path: Path) -> None:
    keep_run(str(tmp_path / "run"), dataclasses.replace(RUN, final_response="\ud800"), REPORT, None)
    assert LocalCases().read(str(tmp_path / "run")).run.final_response == "\\ud800"


def test_judgements_are_numbered_and_never_changed(tmp_path: Path) -> None:
    store, folder = LocalCases(), kept(tmp_path / "run")
    first, second = verdict_of(said()), verdict_of("prose")
    store.keep(folder, first)
    store.keep(folder, second)
    assert store.judgements(folder) == [first, second]
    assert sorted(path.name for path in (tmp_path / "run" / "judgements").iterdir()) == ["0001.json", "0002.json"]


def test_a_verdict_in_the_report_is_the_first_judgement(tmp_path: Path) -> None:
    verdict = verdict_of(said())
    keep_run(str(tmp_path / "run"), RUN, with_verdict(REPORT, verdict), None)
    assert LocalCases().judgements(str(tmp_path / "run")) == [verdict]


def test_a_run_that_was_kept_may_be_annotated(tmp_path: Path) -> None:
    annotate(kept(tmp_path / "run"), reviewer_id="ann", judgment=Judgment.PASS)


def test_a_run_is_not_kept_twice_in_one_folder(tmp_path: Path) -> None:
    kept(tmp_path / "run")
    with pytest.raises(InputError, match="can't be kept"):
        kept(tmp_path / "run")


def test_trials_are_runs_without_a_diff() -> None:
    job = REPO / "examples/guesses"
    places = run_folders([str(job)])
    assert len(places) == 5
    found = {Path(place).name.partition("__")[0]: LocalCases().read(place) for place in places}
    capital = found["capital"].run
    assert capital.instruction == (next(job.glob("capital__*")) / "agent/instruction.md").read_text()
    assert (capital.diff, capital.status, capital.remarks[-1]) == (None, RunStatus.COMPLETED, BY_AGENT)
    assert capital.rows[0].detail.startswith("rewards: {")
    assert found["broken-verifier"].run.status is RunStatus.FAILED


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "must be the folder of a run or of several"),
        ({"run.json": "{}"}, "isn't a run that 'assay score --keep' wrote"),
        ({"run.json": "[" * 10_000}, "isn't a run that 'assay score --keep' wrote"),
        ({"result.json": "{}"}, "isn't the result of a trial"),
    ],
)
def test_a_folder_that_is_no_run(tmp_path: Path, files: dict[str, str], says: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=says):
        LocalCases().read(run_folders([str(tmp_path)])[0])


def test_a_path_that_is_no_folder() -> None:
    with pytest.raises(InputError, match="a run must be a folder, got nowhere"):
        run_folders(["nowhere"])


def test_a_trial_without_a_task(tmp_path: Path) -> None:
    trial = json.loads(next((REPO / "examples/guesses").glob("capital__*/result.json")).read_text())
    (tmp_path / "result.json").write_text(json.dumps(trial))
    with pytest.raises(InputError, match=r"must have agent/instruction.md or a trajectory with the task"):
        LocalCases().read(str(tmp_path))
