"""What a playground's systems recorded gets in: one by one, in lists, and as a stream of lines."""

import base64
import json
from typing import Any

import pytest

from tests.api.clinic import BOOKED, Clinic, portal, said

HL7 = "MSH|^~\\&|A|B|C|D|20260301||ADT^A04|1|P|2.5\rPID|1||007||DOE^JANE\r"
EDI = (
    "ISA*00*          *00*          *ZZ*A              *ZZ*B              *260301*1200*^*00501*000000001*0*P*:~"
    "GS*HB*A*B*20260301*1200*1*X*005010X279A1~ST*271*0001~BHT*0022*11*1*20260301*1200~SE*3*0001~GE*1*1~IEA*1*000000001~"
)


def hl7(path: str, expected: str) -> dict[str, Any]:
    fields = [{"path": path, "expected": expected}]
    return {"label": path, "assertion": {"assert": "hl7-structural", "fields": fields}}


def x12(path: str, expected: str) -> dict[str, Any]:
    fields = [{"path": path, "expected": expected}]
    return {"label": path, "assertion": {"assert": "x12-response", "transaction_set": "271", "fields": fields}}


def file(pattern: str, contains: str) -> dict[str, Any]:
    return {
        "label": pattern,
        "assertion": {"assert": "sftp-file-present", "pattern": pattern, "contains": contains},
    }


def started(clinic: Clinic, *criteria: dict[str, Any]) -> tuple[str, str]:
    made = clinic.post("/v1/task-runs", {"task_id": clinic.task(*criteria)})
    clinic.post(f"/v1/task-runs/{made['id']}/start")
    return made["id"], f"/v1/playgrounds/{made['playground_id']}"


@pytest.mark.statement(
    "criteria.hl7-source",
    "criteria.portal-source",
    "criteria.sftp-source",
    "criteria.voice-source",
    "criteria.x12-source",
    "criteria.evidence-hl7",
    "criteria.evidence-portal",
    "criteria.evidence-sftp",
    "criteria.evidence-voice",
    "criteria.evidence-x12",
)
def test_every_kind_of_record_is_what_criteria_look_at(clinic: Clinic) -> None:
    run, box = started(
        clinic,
        hl7("PID.5.1", "DOE"),
        x12("BHT02", "11"),
        portal("status", "booked"),
        said("good morning"),
        file("out/*.txt", "done"),
    )
    events = [{"type": "hl7_outbound", "payload": HL7}]
    assert clinic.post(f"{box}/events", events) == {"recorded": 1}
    packed = base64.b64encode(EDI.encode()).decode()
    assert clinic.post(f"{box}/responses", {"payload_base64": packed}) == {"recorded": 1}
    clinic.fill(box.rpartition("/")[2])
    put = clinic.ask("PUT", f"{box}/files/out/a.txt", content=b"all done")
    assert (put.status_code, put.json()["size"]) == (200, 8)
    done = clinic.post(f"/v1/task-runs/{run}/complete")
    assert [
        (one["label"], one["passed"], one["details"]) for one in done["criterion_runs"] if not one["passed"]
    ] == []
    assert done["verdict"] == "pass"
    found = {one["assert"]: set(one["evidence"]) for one in done["criterion_runs"]}
    for kind, key in (
        ("hl7-structural", "field_results"),
        ("x12-response", "fieldResults"),
        ("portal-state-match", "assertionResults"),
        ("voice-transcript", "phraseResults"),
        ("sftp-file-present", "fieldResults"),
    ):
        assert key in found[kind], found


def test_a_list_is_recorded_whole_or_not_at_all(clinic: Clinic) -> None:
    run, box = started(clinic, said("one"))
    turns = [{"number": n, "speaker": "agent", "text": text} for n, text in ((1, "one"), (1, "again"))]
    found = clinic.ask("POST", f"{box}/turns", json=turns)
    assert (found.status_code, found.json()["error"]["message"]) == (422, "turn 1 exists already")
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "fail"


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("rows", {"resource": "a", "key": "b"}, "0.data must be given, got nothing"),
        ("rows", [{"resource": "a", "key": "b", "data": {}}, {"resource": 1}], "1.resource must be text, got 1"),
        ("rows", {"resource": "a", "key": "b\0", "data": {}}, "must not contain a NUL character"),
        ("rows", {"resource": "a", "key": "k" * 1001, "data": {}}, "must be a text of 1 to 1000 bytes"),
        ("turns", {"number": 0, "speaker": "a", "text": ""}, "0.number must be at least 1, got 0"),
        ("turns", {"number": 2**40, "speaker": "a", "text": ""}, "the number of a turn must be"),
        ("events", {"type": "x"}, "give exactly one of payload and payload_base64"),
        ("events", {"type": "x", "payload_file": "/etc/passwd"}, "0.payload_file"),
        ("events", {"type": "x", "payload": "y", "at": "2026-01-01T00:00:00"}, "at must be a time with its zone"),
        ("responses", {"payload_base64": "%"}, "0"),
        ("turns", [{}] * 1001, "must have at most 1000 items"),
        ("turns", "hello", "must be an object"),
    ],
)
def test_records_that_can_not_be(clinic: Clinic, kind: str, body: object, why: str) -> None:
    box = clinic.post("/v1/playgrounds", {})["id"]
    found = clinic.ask("POST", f"/v1/playgrounds/{box}/{kind}", json=body)
    assert found.status_code == 422, found.text
    assert why in found.json()["error"]["message"]


def test_a_stream_answers_for_every_line(clinic: Clinic) -> None:
    run, box = started(clinic, portal("status", "booked"), said("good morning"))
    row = {"record": "row", "resource": "appointments", "key": "a1", "data": BOOKED}
    turn = {"record": "turn", "number": 1, "speaker": "agent", "text": "Good morning"}
    lines = [json.dumps(row), "", "{", json.dumps(turn), json.dumps(turn), '{"record": "smell"}']
    found = clinic.ask("POST", f"{box}/records", content="\n".join(lines).encode())
    answers = [json.loads(line) for line in found.text.splitlines()]
    assert (found.status_code, found.headers["content-type"]) == (200, "application/x-ndjson")
    assert [(one["line"], one["ok"]) for one in answers] == [
        (1, True),
        (3, False),
        (4, True),
        (5, False),
        (6, False),
    ]
    assert answers[3]["error"]["message"] == "turn 1 exists already"
    assert answers[4]["error"]["message"].startswith("record must be one of event, x12_response, row, turn")
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"


def test_a_stream_of_many_lines(clinic: Clinic) -> None:
    box = clinic.post("/v1/playgrounds", {})["id"]

    def lines() -> Any:
        for number in range(1, 501):
            yield (
                json.dumps({"record": "turn", "number": number, "speaker": "a", "text": "x" * 100}).encode()
                + b"\n"
            )

    found = clinic.ask("POST", f"/v1/playgrounds/{box}/records", content=lines())
    assert [json.loads(line)["ok"] for line in found.text.splitlines()] == [True] * 500
    assert len(clinic.service.store.turns(box)) == 500


@pytest.mark.parametrize("path", ["..%2Fx", "a/../../x", "a//b", "%00", "a%5Cb", "%2E/x", "x" * 1001])
def test_a_file_stays_in_its_playground(clinic: Clinic, path: str) -> None:
    box = clinic.post("/v1/playgrounds", {})["id"]
    found = clinic.ask("PUT", f"/v1/playgrounds/{box}/files/{path}", content=b"x")
    assert found.status_code in (404, 405, 422)


def test_a_file_is_replaced(clinic: Clinic) -> None:
    run, box = started(clinic, file("*.txt", "second"))
    for content in (b"first", b"second"):
        assert clinic.ask("PUT", f"{box}/files/a.txt", content=content).status_code == 200
    assert clinic.post(f"/v1/task-runs/{run}/complete")["verdict"] == "pass"
