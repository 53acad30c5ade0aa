"""A benchmark in one request, and the lint of criteria over HTTP."""

import json
from pathlib import Path

import pytest

from tests.api.clinic import Clinic, portal
from tests.cli.running import Cli

WRONG = {
    "label": "x",
    "assertion": {"assert": "hl7-structural", "message_type": "A04", "fields": [{"path": "PID-5 "}]},
}


@pytest.mark.both_databases
def test_a_benchmark_in_one_request(clinic: Clinic) -> None:
    tasks = [
        {"name": f"task {n}", "criteria": [portal("status", "booked"), portal("status", n)]} for n in range(30)
    ]
    made = clinic.ask("POST", "/v1/benchmarks/bulk", json={"slug": "visits", "tasks": tasks})
    assert made.status_code == 201, made.text
    found = made.json()
    assert made.headers["location"] == f"/v1/benchmarks/{found['benchmark']['id']}"
    assert [task["name"] for task in found["tasks"]] == [task["name"] for task in tasks]
    for task in found["tasks"]:
        assert clinic.get(f"/v1/tasks/{task['id']}?expand=criteria") == task
        assert len(task["criteria"]) == 2
    assert [task["task_id"] for task in found["version"]["tasks"]] == [task["id"] for task in found["tasks"]]
    assert len(clinic.post("/v1/benchmark-runs", {"benchmark": "visits"})["task_runs"]) == 30


def test_all_of_it_or_nothing(clinic: Clinic) -> None:
    clinic.post("/v1/benchmarks", {"slug": "taken"})
    for body, status in (
        ({"slug": "taken", "tasks": [{"name": "x"}]}, 409),
        ({"slug": "new", "tasks": [{"name": "x"}, {"name": ""}]}, 422),
        (
            {
                "slug": "new",
                "tasks": [{"name": "x"}, {"name": "y", "criteria": [{"label": "\0" * 3, "n": 1e400}]}],
            },
            422,
        ),
        ({"slug": "new", "tasks": []}, 422),
    ):
        found = clinic.ask("POST", "/v1/benchmarks/bulk", content=json.dumps(body))
        assert found.status_code == status, found.text
    assert clinic.get("/v1/tasks")["data"] == []
    assert len(clinic.get("/v1/benchmarks")["data"]) == 1


def test_lint_finds_the_same_as_the_command(
    clinic: Clinic, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "criteria.json"
    file = {"criteria": [WRONG, portal("status", "{{nothing}}"), {"label": 1}], "data": {}}
    path.write_text(json.dumps(file))
    told = Cli(capsys)("criteria", "lint", path)
    found = clinic.post("/v1/criteria/lint", file, key="reader")
    assert len(found) > 3
    assert told.out.splitlines() == [f"{path}:{one['line']}: {one['rule']}: {one['message']}" for one in found]
    assert clinic.post("/v1/criteria/lint", {"criteria": [portal("status", "booked", since="run_start")]}) != []
