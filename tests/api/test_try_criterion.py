"""A criterion is tried against a playground as it is, and nothing is different afterwards."""

from typing import Any

import pytest

from assay.formats.field_rules import values
from tests.api.clinic import Clinic, portal


def tried(clinic: Clinic, criterion: dict[str, Any], playground: str, **more: Any) -> Any:
    return clinic.post("/criteria/try", {"criterion": criterion, "playground_id": playground, **more})


@pytest.fixture
def playground(clinic: Clinic) -> str:
    identity: str = clinic.post("/playgrounds", {})["id"]
    clinic.fill(identity)
    return identity


def test_it_says_what_a_run_would(clinic: Clinic, playground: str) -> None:
    criterion = portal("status", "booked")
    found = tried(clinic, criterion, playground)
    assert (found["passed"], found["score"], found["status"]) == (True, 1.0, "completed")
    assert found["evidence"]["assertionResults"][0]["actual"] == "booked"
    wrong = tried(clinic, portal("status", "cancelled"), playground)
    assert (wrong["passed"], wrong["score"]) == (False, 0.0)


def test_a_criterion_that_can_not_be_used_says_why(clinic: Clinic, playground: str) -> None:
    found = tried(clinic, {"label": "x", "assertion": {"assert": "nonsense"}}, playground)
    assert found["status"] == "failed"
    assert found["details"].startswith("unsupported assertion: assert must be one of")


@pytest.mark.parametrize(
    ("kind", "path"),
    [("hl7-structural", "OBX[3.1=a,F]-5"), ("x12-response", "EB[01=C;06=29]07"), ("portal-state-match", "a[0].b")],
)
def test_a_path_that_means_nothing_is_refused(clinic: Clinic, playground: str, kind: str, path: str) -> None:
    rules = [{"path": path, "operator": "notExists"}]
    about = {"correlate_by": {"resource": "appointments"}, "assertions": rules}
    assertion = {"assert": kind, **(about if kind == "portal-state-match" else {"fields": rules})}
    found = tried(clinic, {"label": "x", "assertion": assertion}, playground)
    assert (found["status"], found["passed"]) == ("failed", False)
    assert path in found["details"]


def test_a_pattern_that_takes_too_many_steps_is_not_measured(
    clinic: Clinic, playground: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "MOST_STEPS", 5)
    criterion = portal("status", r"(?=b)(o|k)+\1y")
    criterion["assertion"]["assertions"][0]["operator"] = "matches"
    found = tried(clinic, criterion, playground)
    assert (found["status"], found["passed"], found["score"]) == ("failed", False, 0.0)
    assert found["details"].startswith("not measured: the pattern")


def test_it_can_refer_to_the_data_of_a_task(clinic: Clinic, playground: str) -> None:
    task = clinic.task(data={"wanted": "booked"})
    criterion = portal("status", "{{wanted}}")
    assert tried(clinic, criterion, playground, task_id=task)["passed"]
    assert not tried(clinic, criterion, playground)["passed"]


def test_nothing_is_written(clinic: Clinic, playground: str) -> None:
    before = [clinic.get(path)["data"] for path in ("/criteria", "/criterion-runs", "/task-runs", "/tasks")]
    tried(clinic, portal("status", "booked"), playground)
    after = [clinic.get(path)["data"] for path in ("/criteria", "/criterion-runs", "/task-runs", "/tasks")]
    assert after == before


def test_who_may_only_read_may_not_try(clinic: Clinic, playground: str) -> None:
    body = {"criterion": portal("status", "booked"), "playground_id": playground}
    assert clinic.ask("POST", "/criteria/try", key="reader", json=body).status_code == 403


def test_a_playground_of_somebody_else_is_not_found(clinic: Clinic) -> None:
    body = {"criterion": portal("status", "booked"), "playground_id": "play_of_nobody"}
    assert clinic.ask("POST", "/criteria/try", json=body).status_code == 404
