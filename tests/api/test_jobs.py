"""Job folders over HTTP: imported once, and reported as on the command line."""

import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.api.clinic import Clinic
from tests.api.coding import packed
from tests.builders import REPO
from tests.cli.running import Cli

SORTING = REPO / "examples" / "jobs" / "sorting"


def archive_of(folder: Path, name: str | None = None) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        tar.add(folder, arcname=name or folder.name)
    return content.getvalue()


def test_a_job_is_imported_once_and_reported_as_by_the_command(
    clinic: Clinic, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = archive_of(SORTING)
    first = clinic.ask("POST", "/v1/jobs", content=sent, key="grader")
    assert first.status_code == 201, first.text
    made = first.json()
    assert (made["added"], made["known"], made["job"]["name"]) == (16, 0, "sorting")
    again = clinic.ask("POST", "/v1/jobs", content=sent).json()
    assert (again["added"], again["known"], again["job"]["id"]) == (0, 16, made["job"]["id"])
    [listed] = clinic.get("/v1/jobs")["data"]
    assert listed == again["job"]
    [expected] = json.loads(Cli(capsys)("report", SORTING, "--json").out)["jobs"]
    assert clinic.get(f"/v1/jobs/{made['job']['id']}", key="reader")["report"] == expected
    [other] = json.loads(Cli(capsys)("report", SORTING, "--json", "--threshold", "0.5", "-k", "1,2").out)["jobs"]
    asked = {"threshold": "0.5", "k": "1,2"}
    assert clinic.get("/v1/jobs/sorting", params=asked)["report"] == other
    trials = clinic.get("/v1/jobs/sorting/trials", params={"limit": 100})["data"]
    assert len(trials) == 16
    assert {one["job"] for one in trials} == {"sorting"}
    page = clinic.get("/v1/jobs/sorting/trials", params={"limit": 10})
    rest = clinic.get("/v1/jobs/sorting/trials", params={"limit": 10, "cursor": page["_meta"]["next"]})
    assert [*page["data"], *rest["data"]] == trials


def test_another_result_of_the_same_trial_is_refused(clinic: Clinic, tmp_path: Path) -> None:
    clinic.ask("POST", "/v1/jobs", content=archive_of(SORTING))
    job = tmp_path / "sorting"
    shutil.copytree(SORTING, job)
    result = job / "bubble__sort000" / "result.json"
    result.write_text(result.read_text().replace('"reward": 1.0', '"reward": 0.5'))
    found = clinic.ask("POST", "/v1/jobs", content=archive_of(job))
    assert (found.status_code, found.json()["error"]["code"]) == (409, "conflict")
    other = clinic.ask("POST", "/v1/jobs", content=archive_of(job), params={"name": "other"}).json()
    assert (other["added"], other["job"]["name"]) == (16, "other")


def test_archives_that_are_no_jobs(clinic: Clinic) -> None:
    for content, why in (
        (b"hello", "the archive can't be unpacked"),
        (packed({"a/readme.md": "x"}), "the archive must be a job folder"),
        (packed({"../config.json": "{}"}), "names must stay in the archive's folder"),
        (packed({"config.json": "{}"}), "name must be given"),
    ):
        found = clinic.ask("POST", "/v1/jobs", content=content)
        assert found.status_code == 422, found.text
        assert why in found.json()["error"]["message"]
    for asked in ({"threshold": "much"}, {"k": "0"}, {"grading": "best"}):
        clinic.ask("POST", "/v1/jobs", content=archive_of(SORTING))
        assert clinic.ask("GET", "/v1/jobs/sorting", params=asked).status_code == 422
    for name in ("jobs/nothing", "jobs/nothing/trials"):
        assert clinic.ask("GET", f"/v1/{name}").status_code == 404
