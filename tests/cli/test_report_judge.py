"""A judge's verdicts in the report of a job: who contradicts the judge, and how far it agrees with others."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.run_store import LocalCases
from tests.builders import write_lock, write_trial
from tests.cli.running import Cli
from tests.judge.cases import FAIL, said
from tests.judge.verdicts import verdict_of

ANSWERS = {"pass": said(), "fail": said(FAIL), "unparseable": "prose"}


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Four trials; the rewards are 1, 1, 0, 0."""
    write_lock(tmp_path, [(f"t{number}", "solver") for number in range(4)])
    for number, reward in enumerate((1, 1, 0, 0)):
        write_trial(tmp_path, f"t{number}__1", rewards={"reward": reward})
    return tmp_path


def judge(job: Path, *verdicts: str) -> None:
    for number, verdict in enumerate(verdicts):
        LocalCases().keep(str(job / f"t{number}__1"), verdict_of(ANSWERS[verdict]))


def review(cli: Cli, job: Path, *verdicts: str) -> None:
    for number, verdict in enumerate(verdicts):
        assert cli("annotate", job / f"t{number}__1", "--reviewer", "ada", "--judgment", verdict).code == 0


def reported(cli: Cli, job: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cli("report", "--json", job).out)["jobs"][0]
    return found


def percent(found: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    return {
        one["between"]: (one["measures"][0]["value"], one["measures"][0]["items"]) for one in found["agreement"]
    }


def test_a_reviewer_contradicts_the_judge(cli: Cli, job: Path) -> None:
    judge(job, "fail", "unparseable", "fail", "pass")
    review(cli, job, "pass", "pass", "fail", "defer")
    found = reported(cli, job)["evaluation"]
    assert [one["contradicts"] for one in found["reviews"]] == [["judge"], [], [], []]
    assert [one["trial"] for one in found["disagreements"]] == ["t0__1"]
    assert "t0__1     ada       pass   1       judge" in cli("report", job).out


def test_the_last_verdict_counts(cli: Cli, job: Path) -> None:
    judge(job, "fail")
    judge(job, "pass")
    review(cli, job, "pass")
    assert reported(cli, job)["evaluation"]["disagreements"] == []


def test_agreement_with_the_judge(cli: Cli, job: Path) -> None:
    judge(job, "pass", "fail", "fail", "unparseable")
    review(cli, job, "pass", "pass", "fail", "fail")
    assert percent(reported(cli, job)) == {
        "reviewers and the verifier": (1.0, 4),
        "reviewers and the judge": (pytest.approx(2 / 3), 3),
        "the verifier and the judge": (pytest.approx(2 / 3), 3),
    }
    assert "the verifier and the judge  Cohen's kappa                  0.4000" in cli("report", job).out


def test_a_judge_without_reviewers(cli: Cli, job: Path) -> None:
    """Verdicts alone are no evaluation."""
    judge(job, "pass", "pass", "pass", "fail")
    found = reported(cli, job)
    assert percent(found) == {"the verifier and the judge": (0.75, 4)}
    assert found["evaluation"] is None


@pytest.mark.parametrize("verdicts", [("pass",), ("pass", "unparseable", "unparseable", "unparseable")])
def test_one_verdict_is_no_agreement(cli: Cli, job: Path, verdicts: tuple[str, ...]) -> None:
    judge(job, *verdicts)
    assert reported(cli, job)["agreement"] == []


@pytest.mark.parametrize(
    ("reviewed", "unneeded"), [(False, {"pydantic"}), (True, {"assay.dialects.scorers.report"})]
)
def test_a_job_that_nobody_judged_needs_no_models_of_judgements(
    cli: Cli, job: Path, reviewed: bool, unneeded: set[str]
) -> None:
    if reviewed:
        review(cli, job, "pass", "pass")
    look = "import sys; from assay.cli.main import main; main(sys.argv[1:]); print(*sys.modules, sep='\\n')"
    found = subprocess.check_output([sys.executable, "-c", look, "report", job], text=True).splitlines()
    assert "assay.engine.report.evaluation_report" in found
    assert not unneeded & set(found)
