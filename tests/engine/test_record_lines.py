"""Lines of records: what a line may have, and refusals with file, line and field."""

from datetime import UTC, datetime

import pytest

from assay.core.errors import InputError
from assay.engine.criteria.load_playground import records_of
from assay.engine.criteria.watched_sources import NewEvent, Record
from assay.evidence.playground import StateRow, Turn

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ROW = '{"record": "row", "resource": "r", "key": "k", "data": {}'


def read(name: str, what: str) -> bytes:
    if name == "a.bin":
        return b"\xfe"
    raise InputError(f"{what} can't be read")


def records(data: bytes) -> list[Record]:
    return list(records_of(data, "a.jsonl", read, NOW))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "a.jsonl:1: must be valid JSON, got 'not json'"),
        ("[1]", "a.jsonl:1: "),
        ("{}", "a.jsonl:1: record must be one of event, x12_response, row, turn"),
        ('{"record": "rwo"}', "a.jsonl:1: record must be one of event, x12_response, row, turn"),
        (
            f'{ROW}, "colour": 1}}',
            "a.jsonl:1: colour must be one of the fields id, at, record, ",
        ),
        (
            '{"record": "row", "resource": "r", "kye": "k", "data": {}}',
            "a.jsonl:1: kye must be one of the fields .*, got 'kye' .did you mean key",
        ),
        ('{"record": "row", "resource": "r", "key": "k"}', "a.jsonl:1: data must be given, got nothing"),
        (
            '{"record": "row", "resource": "", "key": "k", "data": {}}',
            "a.jsonl:1: resource must not be empty, got ''",
        ),
        (f'{ROW}, "at": "2026-03-01T12:00:00"}}', "a.jsonl:1: at must be a time with its zone"),
        (
            '{"record": "turn", "number": 0, "speaker": "a", "text": ""}',
            "a.jsonl:1: number must be at least 1, got 0",
        ),
        (
            '{"record": "turn", "number": "1", "speaker": "a", "text": ""}',
            "number must be a whole number, got '1'",
        ),
        ('{"record": "event", "type": "x"}', "give exactly one of payload, payload_base64 and payload_file"),
        (
            '{"record": "event", "type": "x", "payload": "a", "payload_base64": "YQ=="}',
            "give exactly one of payload",
        ),
        ('{"record": "event", "type": "x", "payload_base64": "?"}', "a.jsonl:1: "),
        (
            '{"record": "event", "type": "x", "payload_file": "none"}',
            "a.jsonl:1: payload_file: none can't be read",
        ),
    ],
)
def test_a_line_that_is_refused(line: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        records(line.encode())


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_with_any_end_and_a_mark_in_front(mark: bytes, end: bytes) -> None:
    lines = [
        f'{ROW}, "at": "2026-03-01T13:30:00+01:00"}}'.encode(),
        b"",
        b'{"record": "turn", "number": 1, "speaker": "agent", "text": "hi"}',
        b'{"record": "event", "type": "hl7_outbound", "payload_base64": "/w=="}',
        b'{"record": "event", "type": "hl7_outbound", "payload_file": "a.bin"}',
    ]
    assert records(mark + end.join(lines)) == [
        StateRow("r", "k", {}, datetime(2026, 3, 1, 12, 30, tzinfo=UTC)),
        Turn(1, "agent", "hi", NOW),
        NewEvent("hl7_outbound", b"\xff", NOW),
        NewEvent("hl7_outbound", b"\xfe", NOW),
    ]
