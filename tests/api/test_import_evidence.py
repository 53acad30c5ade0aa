"""What lies beside the results of runs comes along: files, words, gates and what was judged later."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.run_store import keep_run
from assay.adapters.service.import_runs import Importing, is_scored
from assay.adapters.service.page_source import StorePages
from assay.cli.output.read_jobs import read_results
from assay.cli.view import source_of
from assay.dialects.scorers.report import (
    Judge,
    JudgeState,
    Overall,
    OverallVerdict,
    Provenance,
    Row,
    RowVerdict,
    ScorersReport,
    StatusGate,
)
from assay.engine.explorer.imported_runs import Imported
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.trace_page import TraceQuery
from assay.engine.service.errors import ConflictError
from assay.evidence.coding_run import (
    AgentEnd,
    CodingRecord,
    Diff,
    Form,
    ProcessEnd,
    RunStatus,
    Speaker,
    StatedUsage,
    Tail,
    Trajectory,
    TrajectoryStep,
)
from assay.web.pages.run import printed_by
from tests.api.clinic import Clinic
from tests.builders import REPO

GUESSES = REPO / "examples" / "guesses"
TRIAL = "capital__a3lB16u"
ENDED = AgentEnd(ProcessEnd(0), 12.5)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job whose first trial has a trajectory of more than a part."""
    copy = tmp_path / "guesses"
    shutil.copytree(GUESSES, copy)
    steps = [{"message": "I looked\nat Canberra"}, *({"message": "x" * 1000} for _ in range(2000))]
    (copy / TRIAL / "agent" / "trajectory.json").write_text(
        json.dumps({"steps": [*steps, {"message": "farewell"}]})
    )
    return copy


def importing(clinic: Clinic) -> Importing:
    return Importing(clinic.service.imports, clinic.service.blobs, clinic.organisation)


def imported(clinic: Clinic, path: Path, name: str | None = None) -> Imported:
    return importing(clinic).job(str(path), read_results(str(path)), name)[1]


def run_of(clinic: Clinic, name: str) -> dict[str, Any]:
    [found] = clinic.get("/v1/runs", params={"name": name})["data"]
    return dict(found)


def test_files_are_read_in_parts(clinic: Clinic, job: Path) -> None:
    imported(clinic, job)
    run = run_of(clinic, TRIAL)["id"]
    listed = {one["name"]: one for one in clinic.get(f"/v1/runs/{run}/files")}
    assert {"trajectory", "verifier_output"} <= listed.keys()
    written = (job / TRIAL / "agent" / "trajectory.json").read_bytes()
    assert listed["trajectory"]["size"] == len(written)
    asked = {"start": len(written) - 12, "length": 100}
    answer = clinic.ask("GET", f"/v1/runs/{run}/files/trajectory", params=asked)
    assert (answer.content, answer.headers["Assay-File-Size"]) == (written[-12:], str(len(written)))
    known = {"If-None-Match": answer.headers["ETag"]}
    again = clinic.ask("GET", f"/v1/runs/{run}/files/trajectory", params=asked, headers=known)
    assert again.status_code == 304
    for path in (f"/v1/runs/{run}/files/nothing", "/v1/runs/run_0/files", "/v1/runs/run_0/files/trajectory"):
        assert clinic.ask("GET", path).status_code == 404
    wrong = clinic.ask("GET", f"/v1/runs/{run}/files/trajectory", params={"start": "-1"})
    assert wrong.status_code == 422


def test_words_at_both_ends_are_found(clinic: Clinic, job: Path) -> None:
    imported(clinic, job)
    for words in ("looked at canberra", "FAREWELL"):
        assert [one["name"] for one in clinic.get("/v1/runs", params={"text": words})["data"]] == [TRIAL]
    assert clinic.get("/v1/runs", params={"text": "nat"})["data"] == []


def test_what_the_agent_printed_comes_along_stream_by_stream(clinic: Clinic, job: Path) -> None:
    (job / TRIAL / "agent" / "trajectory.json").unlink()
    texts = {"output.txt": "both", "agent-stdout.txt": "to the user", "agent-stderr.txt": "to the log"}
    for name, text in texts.items():
        (job / TRIAL / "agent" / name).write_text(text)
    imported(clinic, job)
    run = run_of(clinic, TRIAL)["id"]
    kinds = {"log": "both", "stdout": "to the user", "stderr": "to the log"}
    for kind, text in kinds.items():
        assert clinic.ask("GET", f"/v1/runs/{run}/files/{kind}").text == text
    one = clinic.service
    pages = StorePages(one.store, one.imports, one.blobs, one.jobs, clinic.organisation)
    assert [shown["text"] for shown in printed_by(pages, pages.run(run))] == ["to the user", "to the log"]
    trace = pages.trace(run, "", TraceQuery())
    assert trace is not None
    assert [step.text for step in trace.steps] == ["to the user"]


def test_the_streams_of_a_kept_run_come_along(clinic: Clinic, tmp_path: Path) -> None:
    kept(tmp_path / "one", RowVerdict.PASS, JudgeState.NOT_APPLICABLE, outputs=(Tail("stderr.txt", "to the log"),))
    importing(clinic).reports(str(tmp_path), None)
    [run] = clinic.get("/v1/runs")["data"]
    assert clinic.ask("GET", f"/v1/runs/{run['id']}/files/stderr").text == "to the log"


def test_the_record_of_a_kept_run_says_its_tokens_its_cost_and_when_it_was(clinic: Clinic, tmp_path: Path) -> None:
    steps = tuple(
        TrajectoryStep(number, Speaker.AGENT, "x", time=time)
        for number, time in enumerate((None, "2026-01-05T09:00:00Z", "2026-01-05T09:01:00Z", "noon"), start=1)
    )
    trace = Trajectory(Form.ATIF, steps, usage=StatedUsage(1000, 40, 600, 0.5))
    kept(tmp_path / "runs" / "one", RowVerdict.PASS, JudgeState.PENDING, trajectory=trace, agent_end=ENDED)
    importing(clinic).reports(str(tmp_path / "runs"), None)
    [viewed] = source_of([str(tmp_path / "runs")]).lists.lines(RunQuery()).lines
    [run] = clinic.get("/v1/runs")["data"]
    assert (run["tokens"], run["cost_usd"], run["duration_sec"]) == (1040, 0.5, 12.5)
    assert (run["started_at"], run["finished_at"]) == ("2026-01-05T09:00:00Z", "2026-01-05T09:01:00Z")
    assert run["began_at"] == "2026-01-05T09:00:00Z"
    for name in ("tokens", "cost_usd", "duration_sec", "started_at", "finished_at"):
        assert getattr(viewed, name) == run[name]
    assert viewed.began_at == datetime(2026, 1, 5, 9, tzinfo=UTC)


def test_how_long_the_phases_of_a_trial_took_comes_along(clinic: Clinic, job: Path) -> None:
    imported(clinic, job)
    shown = clinic.service.imports.run(clinic.organisation, run_of(clinic, TRIAL)["id"])
    [viewed] = [line for line in source_of([str(job)]).lists.every_line(RunQuery()) if line.name == TRIAL]
    assert shown.phases == viewed.phases
    assert list(shown.phases) == ["setup", "agent", "verifier"]
    assert sum(shown.phases.values()) == pytest.approx(shown.duration_sec)


def test_a_link_is_not_followed(clinic: Clinic, job: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    log = job / TRIAL / "agent" / "final_response.txt"
    log.symlink_to(secret)
    imported(clinic, job)
    names = {one["name"] for one in clinic.get(f"/v1/runs/{run_of(clinic, TRIAL)['id']}/files")}
    assert "final_response" not in names
    assert clinic.get("/v1/runs", params={"text": "hidden"})["data"] == []


def test_what_comes_later_is_brought_up_to_date(clinic: Clinic, job: Path) -> None:
    imported(clinic, job)
    (job / TRIAL / "agent" / "final_response.txt").write_text("a last word")
    assert imported(clinic, job).known == 5
    assert [one["name"] for one in clinic.get("/v1/runs", params={"text": "last word"})["data"]] == [TRIAL]
    assert clinic.service.imports.totals(clinic.organisation).runs == 5


def test_validity_and_broken_measurements(clinic: Clinic) -> None:
    imported(clinic, GUESSES)
    found = {one["task"]: one for one in clinic.get("/v1/runs", params={"limit": 100})["data"]}
    assert found["voltage-drop"]["validity"] == "unparseable"
    assert found["broken-verifier"]["validity"] == "not_completed"
    assert found["capital"]["validity"] == "valid"
    assert found["capital"]["duration_sec"] is not None
    # No control was recorded there: what the agent could have brought about counts as 0.
    unusable = clinic.get("/v1/runs", params={"state": "unusable"})["data"]
    assert {one["task"]: one["cause"] for one in unusable} == {"broken-verifier": None, "voltage-drop": "agent"}


def report(verdict: RowVerdict, judge: JudgeState) -> ScorersReport:
    overall = OverallVerdict.PASS if verdict is RowVerdict.PASS else OverallVerdict.FAIL
    score = None if verdict is RowVerdict.ERROR else float(verdict is RowVerdict.PASS)
    return ScorersReport(
        overall=Overall(verdict=overall, score=score),
        scorers=[Row(name="t", type="test", required=True, verdict=verdict, score=score, detail="")],
        judge=Judge(state=judge),
        run=StatusGate(status=RunStatus.COMPLETED, passed=True),
        provenance=Provenance(engine="1", scenario_sha256="ab" * 32),
    )


def kept(folder: Path, verdict: RowVerdict, judge: JudgeState, **more: Any) -> None:
    folder.parent.mkdir(exist_ok=True)
    diff, response = Diff("--- a\n+++ b\n", "00" * 32, False), "all is well"
    run = CodingRecord("do it", "completion", RunStatus.COMPLETED, final_response=response, diff=diff, **more)
    keep_run(str(folder), run, report(verdict, judge), None)


def test_scored_runs_are_imported_once(clinic: Clinic, tmp_path: Path) -> None:
    runs = tmp_path / "evening"
    runs.mkdir()
    kept(runs / "good", RowVerdict.PASS, JudgeState.FAIL)
    kept(runs / "broken", RowVerdict.ERROR, JudgeState.PENDING)
    (tmp_path / "alone.json").write_text(report(RowVerdict.FAIL, JudgeState.NOT_APPLICABLE).model_dump_json())
    assert is_scored(str(runs))
    assert not is_scored(str(GUESSES))
    assert importing(clinic).reports(str(runs), None) == ("evening", Imported(2, 0, 0))
    assert importing(clinic).reports(str(runs), None) == ("evening", Imported(0, 2, 0))
    assert importing(clinic).reports(str(tmp_path / "alone.json"), "other") == ("other", Imported(1, 0, 0))
    good, broken, alone = (run_of(clinic, name) for name in ("good", "broken", "alone"))
    assert (good["kind"], good["state"], good["checks"], good["judge"]) == ("coding", "passed", "PASS", "FAIL")
    assert (good["gates_disagree"], good["run_metrics_passed"], good["run_status"]) == (True, True, "completed")
    assert (broken["checks"], broken["state"], broken["score"]) == ("FAIL", "broken", None)
    assert (broken["cause"], broken["gates_disagree"]) == ("machine", False)
    assert (alone["state"], alone["score"], alone["judge"]) == ("failed", 0.0, "NOT APPLICABLE")
    names = {one["name"] for one in clinic.get(f"/v1/runs/{good['id']}/files")}
    assert names == {"diff", "final_response", "instruction", "report"}
    found = clinic.get("/v1/runs", params={"text": "all is well"})["data"]
    assert {one["name"] for one in found} == {"broken", "good"}


def test_another_report_under_the_same_name_is_refused(clinic: Clinic, tmp_path: Path) -> None:
    path = tmp_path / "alone.json"
    path.write_text(report(RowVerdict.FAIL, JudgeState.PENDING).model_dump_json())
    importing(clinic).reports(str(path), "x")
    path.write_text(report(RowVerdict.FAIL, JudgeState.PASS).model_dump_json())
    assert importing(clinic).reports(str(path), "x")[1] == Imported(0, 1, 0)
    assert run_of(clinic, "alone")["judge"] == "PASS"
    path.write_text(report(RowVerdict.PASS, JudgeState.PASS).model_dump_json())
    with pytest.raises(ConflictError, match="the run alone of the job x was imported with another result"):
        importing(clinic).reports(str(path), "x")
