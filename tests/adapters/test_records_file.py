"""Files of records: what a line may have, and refusals with file, line and field."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.adapters.records_file import read_records
from assay.adapters.store.playground import NewEvent
from assay.core.errors import InputError
from assay.evidence.playground import StateRow, Turn

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ROW = '{"record": "row", "resource": "r", "key": "k", "data": {}'


def written(tmp_path: Path, data: str | bytes) -> str:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "a.jsonl:1: it is no valid JSON"),
        ("[1]", "a.jsonl:1: "),
        ("{}", "a.jsonl:1: record is one of event, x12_response, row, turn"),
        ('{"record": "rwo"}', "a.jsonl:1: record is one of event, x12_response, row, turn"),
        (
            f'{ROW}, "colour": 1}}',
            "a.jsonl:1: colour: there is no field 'colour' here; 'record'|; there are record, ",
        ),
        (
            '{"record": "row", "resource": "r", "kye": "k", "data": {}}',
            "a.jsonl:1: kye: there is no field 'kye' here; 'key' may be meant",
        ),
        ('{"record": "row", "resource": "r", "key": "k"}', "a.jsonl:1: data: it is needed, and missing"),
        ('{"record": "row", "resource": "", "key": "k", "data": {}}', "a.jsonl:1: resource: it can't be empty"),
        (f'{ROW}, "at": "2026-03-01T12:00:00"}}', "a.jsonl:1: at: it is a moment with its zone"),
        ('{"record": "turn", "number": 0, "speaker": "a", "text": ""}', "a.jsonl:1: number: it should be greater"),
        ('{"record": "turn", "number": "1", "speaker": "a", "text": ""}', "number: it is a whole number"),
        ('{"record": "event", "type": "x"}', "give one of payload, payload_base64 and payload_file"),
        ('{"record": "event", "type": "x", "payload": "a", "payload_base64": "YQ=="}', "give one of payload"),
        ('{"record": "event", "type": "x", "payload_base64": "?"}', "a.jsonl:1: "),
        (
            '{"record": "event", "type": "x", "payload_file": "none"}',
            "a.jsonl:1: payload_file: none can't be read",
        ),
    ],
)
def test_a_line_that_is_refused(tmp_path: Path, line: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        list(read_records(written(tmp_path, line), NOW))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_with_any_end_and_a_mark_in_front(tmp_path: Path, mark: bytes, end: bytes) -> None:
    lines = [
        f'{ROW}, "at": "2026-03-01T13:30:00+01:00"}}'.encode(),
        b"",
        b'{"record": "turn", "number": 1, "speaker": "agent", "text": "hi"}',
        b'{"record": "event", "type": "hl7_outbound", "payload_base64": "/w=="}',
    ]
    assert list(read_records(written(tmp_path, mark + end.join(lines)), NOW)) == [
        StateRow("r", "k", {}, datetime(2026, 3, 1, 12, 30, tzinfo=UTC)),
        Turn(1, "agent", "hi", NOW),
        NewEvent("hl7_outbound", b"\xff", NOW),
    ]
