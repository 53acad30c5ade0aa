"""Lines of JSON as records of a sandbox."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.records_file import read_records
from assay.adapters.store.sandbox import NewEvent, NewResponse, Record
from assay.core.errors import InputError
from assay.evidence.sandbox_state import StateRow, Turn

NOW = datetime(2026, 3, 1, tzinfo=UTC)
AT = datetime(2026, 2, 1, 10, tzinfo=UTC)


def read(tmp_path: Path, *lines: dict[str, Any] | str) -> list[Record]:
    path = tmp_path / "r.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return list(read_records(str(path), NOW))


def test_every_kind_of_record(tmp_path: Path) -> None:
    (tmp_path / "adt.hl7").write_bytes(b"MSH|\xff\r")
    lines: list[dict[str, Any] | str] = [
        {"record": "event", "type": "e", "payload": "a\rb", "at": "2026-02-01T12:00:00+02:00"},
        {"record": "event", "type": "e", "payload_base64": "AP8="},
        {"record": "event", "type": "e", "payload_file": "adt.hl7"},
        "",
        {"record": "x12_response", "payload": ""},
        {"record": "row", "resource": "r", "key": "k", "data": {"a": [1]}},
        {"record": "turn", "number": 1, "speaker": "agent", "text": ""},
    ]
    assert read(tmp_path, *lines) == [
        NewEvent("e", b"a\rb", AT),
        NewEvent("e", b"\0\xff", NOW),
        NewEvent("e", b"MSH|\xff\r", NOW),
        NewResponse(b"", NOW),
        StateRow("r", "k", {"a": [1]}, NOW),
        Turn(1, "agent", "", NOW),
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "r.jsonl:2: Invalid JSON"),
        ("[]", "r.jsonl:2: Input should be"),
        ({}, "r.jsonl:2: Unable to extract tag using discriminator 'record'"),
        ({"record": "rwo"}, "does not match any of the expected tags: 'event', 'x12_response', 'row', 'turn'"),
        ({"record": "event", "type": "e"}, "give one of payload, payload_base64 and payload_file"),
        ({"record": "x12_response", "payload": "a", "payload_file": "b"}, "give one of"),
        ({"record": "x12_response", "payload_base64": "?"}, "base64"),
        (
            {"record": "x12_response", "payload_file": "none"},
            "r.jsonl:2: payload_file: none can't be read: No such",
        ),
        ({"record": "x12_response", "payload_file": "a\0"}, "can't be read"),
        ({"record": "turn", "number": 0, "speaker": "a", "text": ""}, "number: Input should be greater"),
        ({"record": "turn", "number": "1", "speaker": "a", "text": ""}, "number: Input should be a valid integer"),
        ({"record": "turn", "number": 1, "speaker": "a", "text": "", "x": 1}, "x: Extra inputs"),
        ({"record": "x12_response", "payload": "", "at": "2026-03-01T12:00:00"}, "at: Input should have timezone"),
    ],
)
def test_a_line_that_is_refused_is_named(tmp_path: Path, line: dict[str, Any] | str, says: str) -> None:
    good = {"record": "x12_response", "payload": ""}
    with pytest.raises(InputError, match=says):
        read(tmp_path, good, line)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        list(read_records(str(tmp_path / "none"), NOW))
