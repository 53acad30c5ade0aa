"""Jobs that are imported: once, to the last bit, and found again."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from assay.adapters.jobs.job_folder import DiskJobFolder
from assay.engine.explorer.imported_runs import Imported, Kept, import_job
from assay.engine.jobs.job import read_job
from assay.engine.jobs.job_runs import runs_of
from assay.engine.jobs.trial_additions import read_histories
from assay.engine.service.errors import ConflictError
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.builders import REPO
from tests.cli.running import Cli

JOBS = REPO / "examples" / "jobs"
GUESSES = REPO / "examples" / "guesses"


def imported(clinic: Clinic, path: Path, name: str | None = None) -> Imported:
    folder = DiskJobFolder(path)
    job = read_job(folder)
    return import_job(clinic.service.imports, clinic.organisation, job, read_histories(folder, job.trials), name)


def test_the_same_folder_twice_is_there_once(clinic: Clinic) -> None:
    assert imported(clinic, JOBS / "sorting") == Imported(16, 0, 0)
    assert imported(clinic, JOBS / "sorting") == Imported(0, 16, 0)
    assert imported(clinic, JOBS / "sorting", "again") == Imported(16, 0, 0)
    assert len(clinic.get("/v1/runs", params={"job": "sorting", "limit": 100})["data"]) == 16


@pytest.mark.parametrize("name", ['a "quoted" \\ name', "größe__1", "\N{GRINNING FACE}", "\t", "%s ? :name"])
def test_runs_are_known_again_by_any_name(clinic: Clinic, name: str) -> None:
    folder = DiskJobFolder(JOBS / "sorting")
    some = [Kept(replace(run, name=name, task=name)) for run in runs_of(read_job(folder), [], name=name)][:1]
    assert clinic.service.imports.add_runs(clinic.organisation, some) == Imported(1, 0, 0)
    assert clinic.service.imports.add_runs(clinic.organisation, some) == Imported(0, 1, 0)
    [group] = clinic.get("/v1/runs/groups", params={"by": "task"})
    assert (group["value"], group["runs"]) == (name, 1)


def test_a_nul_in_one_field_keeps_no_job_out(clinic: Clinic) -> None:
    odd = {"task": "a\0b", "exception_type": "\0", "reason": "half \ud800"}
    some = [
        Kept(replace(one, **odd)) for one in runs_of(read_job(DiskJobFolder(JOBS / "sorting")), [], name="odd")
    ][:2]
    imports = clinic.service.imports
    assert imports.add_runs(clinic.organisation, some) == Imported(2, 0, 0)
    imports.refuse_changed(clinic.organisation, "odd", some)
    assert imports.add_runs(clinic.organisation, some) == Imported(0, 2, 0)
    [first, _] = clinic.get("/v1/runs", params={"job": "odd"})["data"]
    assert (first["task"], first["exception_type"], first["reason"]) == ("a\u2400b", "\u2400", "half ?")


def test_what_is_not_there_yet_is_added_later(clinic: Clinic, tmp_path: Path) -> None:
    job = tmp_path / "half-written"
    shutil.copytree(JOBS / "half-written", job)
    first = imported(clinic, job)
    unusable = clinic.get("/v1/runs", params={"validity": "not_completed"})["data"]
    assert (first.known, first.replaced) == (0, 0)
    assert {one["reason"] for one in unusable} == {
        "harbor_trial_result_missing",
        "harbor_trial_result_malformed",
    }
    broken = next(one["name"] for one in unusable if one["reason"] == "harbor_trial_result_malformed")
    text = (job / "radix__half001" / "result.json").read_text()
    (job / broken / "result.json").write_text(text.replace("radix__half001", broken))
    assert imported(clinic, job).replaced == 1


def test_another_result_of_the_same_run_is_refused(clinic: Clinic, tmp_path: Path) -> None:
    job = tmp_path / "sorting"
    shutil.copytree(JOBS / "sorting", job)
    imported(clinic, job)
    result = job / "bubble__sort000" / "result.json"
    result.write_text(result.read_text().replace('"reward": 1.0', '"reward": 0.5'))
    with pytest.raises(ConflictError, match="bubble__sort000 of the job sorting was imported with another result"):
        imported(clinic, job)


def test_rewards_come_back_to_the_last_bit(clinic: Clinic) -> None:
    folder = DiskJobFolder(JOBS / "sorting")
    expected = {one.name: one for one in runs_of(read_job(folder), [])}
    imported(clinic, JOBS / "sorting")
    found = clinic.get("/v1/runs", params={"limit": 100})["data"]
    assert {one["name"]: json.dumps(one["rewards"]) for one in found} == {
        name: json.dumps(one.rewards) for name, one in expected.items()
    }


def test_a_reward_that_is_no_number_is_kept(clinic: Clinic, tmp_path: Path) -> None:
    job = tmp_path / "odd"
    shutil.copytree(JOBS / "sorting", job)
    trial = job / "bubble__sort000"
    (trial / "result.json").write_text(
        (trial / "result.json").read_text().replace('"reward": 1.0', '"reward": null')
    )
    (trial / "verifier" / "reward.txt").write_text("nan")
    imported(clinic, job)
    [found] = [one for one in clinic.get("/v1/runs", params={"limit": 100})["data"] if one["name"] == trial.name]
    assert (found["rewards"], found["state"], found["score"]) == ({"reward": None}, "unusable", 0.0)
    stored = clinic.service.imports.run(clinic.organisation, found["id"])
    assert stored.rewards is not None
    assert math.isnan(stored.rewards["reward"])


def test_runs_are_filtered_and_grouped(clinic: Clinic) -> None:
    imported(clinic, JOBS / "sorting")
    everything = clinic.get("/v1/runs", params={"limit": 100})["data"]
    tasks = {one["task"] for one in everything}
    for task in tasks:
        listed = clinic.get("/v1/runs", params={"task": task, "limit": 100})["data"]
        assert [one["id"] for one in listed] == [one["id"] for one in everything if one["task"] == task]
    groups = clinic.get("/v1/runs/groups", params={"by": "task"})
    assert {one["value"] for one in groups} == tasks
    assert sum(one["runs"] for one in groups) == 16
    for one in groups:
        scores = [run["score"] for run in everything if run["task"] == one["value"] and run["score"] is not None]
        assert (one["scored"], one["mean"]) == (len(scores), pytest.approx(sum(scores) / len(scores)))
    assert clinic.ask("GET", "/v1/runs/groups", params={"by": "colour"}).status_code == 422
    assert clinic.get("/v1/runs/groups", params={"by": "reason", "state": "unusable"})


def test_gradings_and_annotations(clinic: Clinic) -> None:
    imported(clinic, GUESSES)
    assert imported(clinic, GUESSES).added == 0
    runs = clinic.get("/v1/runs")["data"]
    gradings: dict[str, Any] = {one["name"]: clinic.get(f"/v1/runs/{one['id']}/gradings") for one in runs}
    assert any(len(found) > 1 for found in gradings.values())
    assert all([one["number"] for one in found] == list(range(1, len(found) + 1)) for found in gradings.values())
    run = runs[0]["id"]
    before = len(clinic.get(f"/v1/runs/{run}/annotations")["data"])
    body = {"reviewer_id": "ana", "judgment": "fail", "categories": ["wrong unit"]}
    made = clinic.post(f"/v1/runs/{run}/annotations", body, key="grader")
    assert (made["run_id"], made["judgment"], made["notes"]) == (run, "fail", None)
    listed = clinic.get(f"/v1/runs/{run}/annotations")["data"]
    assert (listed[0], len(listed)) == (made, before + 1)
    assert clinic.get(f"/v1/runs/{run}")["score"] == runs[0]["score"]
    wrong = clinic.ask("POST", f"/v1/runs/{run}/annotations", json={"reviewer_id": "ana", "judgment": "maybe"})
    assert wrong.status_code == 422


def test_the_command(where: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli = Cli(capsys)
    ran = cli("import", JOBS / "sorting", GUESSES, "--store", where, "--organisation", "north")
    assert ran.out == "sorting: 16 runs added, 0 known already\nguesses: 5 runs added, 0 known already\n"
    assert cli("import", JOBS / "sorting", "--store", where, "--organisation", "north").out == (
        "sorting: 0 runs added, 16 known already\n"
    )
    assert cli("import", JOBS / "sorting", GUESSES, "--store", where, "--name", "x").code == 2
    assert cli("import", JOBS / "nothing", "--store", where).code == 2
    apart = cli("import", JOBS, "--store", where)
    assert [line.partition(":")[0] for line in apart.out.splitlines()] == sorted(
        one.name for one in JOBS.iterdir()
    )
    assert "--name must be for a single job" in cli("import", JOBS, "--store", where, "--name", "x").err
    with serve_on(where) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        served.service.keys.add_organisation("north", "north")
        clinic = clinic_of(served, client, "north")
        assert len(clinic.get("/v1/runs", params={"limit": 100})["data"]) == 21
