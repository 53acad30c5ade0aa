"""``assay outcome``: one line for a program, and the exit code that was asked for."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from assay import harbor
from tests.builders import HARBOR_JOBS, edit_json
from tests.cli.running import Cli, run_assay

J1, J4 = HARBOR_JOBS / "j1", HARBOR_JOBS / "j4"
MISSING = (
    'BASE_BENCHMARK_RESULT={"reason_code": "harbor_result_missing", "resolved": 0, '
    '"score": 0.0, "status": "failed", "total": 0}\n'
)
MALFORMED = MISSING.replace("missing", "malformed")


@pytest.mark.parametrize("path", [J4, J4 / "result.json", f"{J4}/"])
def test_a_job_folder_or_its_result(cli: Cli, path: Path) -> None:
    # Scored though errored: the status follows the errors, and the score stays.
    fields = '{"reason_code": null, "resolved": 1, "score": 1.0, "status": "failed", "total": 1}'
    assert cli("outcome", path) == (0, f"BASE_BENCHMARK_RESULT={fields}\n", "")


def test_several_rewards_are_averaged_flat(cli: Cli) -> None:
    line = cli("outcome", J1).out
    score = (0.14285714285714285 + 0.24285714285714285 + 0.03571428571428571) / 3
    assert harbor.parse_outcome(line.replace('"failed"', '"completed"')).score == pytest.approx(score)
    assert '"resolved": 2,' in line


def test_a_job_without_a_result(cli: Cli, tmp_path: Path) -> None:
    assert cli("outcome", tmp_path) == (0, MISSING, "")


@pytest.mark.parametrize("errored", [0, 1])
def test_a_job_that_did_not_finish_has_not_completed(cli: Cli, tmp_path: Path, errored: int) -> None:
    path = tmp_path / "result.json"
    shutil.copy(J4 / "result.json", path)

    def stopped(result: Any) -> None:
        result["finished_at"] = None
        result["stats"]["n_errored_trials"] = errored

    edit_json(path, stopped)
    assert cli("outcome", tmp_path) == (0, MISSING.replace("missing", "partial"), "")


def test_no_job_at_all_is_a_line_and_a_complaint(cli: Cli, tmp_path: Path) -> None:
    assert cli("outcome", tmp_path / "no") == (2, MISSING, f"assay: {tmp_path}/no doesn't exist\n")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stats": null}'])
def test_a_result_that_can_not_be_used(cli: Cli, tmp_path: Path, content: str) -> None:
    (tmp_path / "result.json").write_text(content)
    assert cli("outcome", tmp_path) == (0, MALFORMED, "")


def test_a_result_that_must_not_be_read(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "result.json").symlink_to(J4 / "result.json")
    found = cli("outcome", tmp_path)
    assert (found.code, found.out) == (2, MALFORMED)
    assert found.err == f"assay: the result can't be read: {tmp_path}/result.json is a symbolic link\n"


@pytest.mark.statement("harbor.outcome-line")
@pytest.mark.parametrize("code", [0, 1, 7, 124, 255])
@pytest.mark.parametrize("job", [J4, "/no/such/job"])
def test_the_given_exit_code_is_kept(cli: Cli, job: Path, code: int) -> None:
    found = cli("outcome", job, "--exit-code", code)
    assert (found.code, found.err) == (code, "")
    assert found.out.startswith("BASE_BENCHMARK_RESULT=")


def test_as_a_process() -> None:
    assert run_assay("outcome", J4, "--exit-code", 7).code == 7


@pytest.mark.parametrize("code", [256, 512, -1, 1000])
def test_an_exit_code_that_no_process_can_have_is_refused(cli: Cli, code: int) -> None:
    """256 would end as 0: a failed run would look fine."""
    found = cli("outcome", J4, "--exit-code", code)
    assert found.code == 2
    assert len(found.err.splitlines()) == 1


@pytest.mark.parametrize("job", [J1, J4])
def test_the_line_can_be_read_back(cli: Cli, job: Path) -> None:
    # A failed status with a score above 0 is what the reader refuses.
    found = harbor.parse_outcome("noise\n" + cli("outcome", job).out)
    assert (found.score, found.reason_code) == (0.0, "harbor_result_invalid")
