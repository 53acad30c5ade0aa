"""Texts of all kinds become messages."""

import pytest

from assay.formats.hl7.acknowledge import render
from assay.formats.hl7.encoding import Hl7Error
from assay.formats.hl7.parse import parse
from tests.formats.hl7.messages import parse_message

MSH = "MSH|^~\\&|SEND|HOSP|RECV|LAB|20240101||ADT^A04|1|P|2.5"
PID = "PID|1||123^^^HOSP^MR||Doe^Jane"
PV1 = "PV1|1|I"
OTHER = "MSH|^~\\&|SEND|HOSP|RECV|LAB|20240101||ORU^R01|2|P|2.5"


def names(data: bytes | str) -> list[list[str]]:
    return [[segment.name for segment in message.segments] for message in parse(data).messages]


@pytest.mark.parametrize(
    "text",
    [
        f"{MSH}\r{PID}\r{PV1}\r",
        f"{MSH}\n{PID}\n{PV1}\n",
        f"{MSH}\r\n{PID}\r\n{PV1}\r\n",
        f"{MSH}\r{PID}\n{PV1}\r\n",
        f"{MSH}\n{PID}\r\n{PV1}",
        f"{MSH}\r\r\n{PID}\r\r\n{PV1}\r\r\n",
        f"\n\n{MSH}\n\n{PID}\n   \n{PV1}\n\n",
        f"\x0b{MSH}\r{PID}\r{PV1}\r\x1c\r",
        f"\x0b{MSH}\n{PID}\n{PV1}\x1c\r",
        f"\ufeff{MSH}\n{PID}\n{PV1}",
        f"\ufeff\x0b{MSH}\r{PID}\r{PV1}\r\x1c",
        f"  {MSH}\n  {PID}\n\t{PV1}",
    ],
    ids=["cr", "lf", "crlf", "mixed", "mixed2", "crcrlf", "blank", "mllp", "mllp-lf", "bom", "bom-mllp", "indent"],
)
@pytest.mark.parametrize("as_bytes", [False, True], ids=["str", "bytes"])
def test_line_ends_and_frames_make_no_difference(text: str, *, as_bytes: bool) -> None:
    transmission = parse(text.encode() if as_bytes else text)
    assert render(transmission) == f"{MSH}\r{PID}\r{PV1}\r"
    assert transmission.notes == ()


def test_places_are_counted_in_segments_and_lines() -> None:
    message = parse_message(f"\r\n{MSH}\r\n\r\n{PID}\r\n{PV1}")
    assert [(segment.position, segment.line) for segment in message.segments] == [(1, 2), (2, 4), (3, 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{MSH}\r{PID}\r{OTHER}\r", [["MSH", "PID"], ["MSH"]]),
        (f"\x0b{MSH}\r{PID}\r\x1c\r\x0b{OTHER}\r\x1c\r", [["MSH", "PID"], ["MSH"]]),
        (f"\x0b{MSH}\r{PID}\x1c\x0b{OTHER}\x1c", [["MSH", "PID"], ["MSH"]]),
        (f"{MSH}\r{PID}\rMSH$%*!@$A\rPID$1\r", [["MSH", "PID"], ["MSH", "PID"]]),
        (f"{MSH}\rZZZ|1\rA1B|2\rPID\r", [["MSH", "ZZZ", "A1B", "PID"]]),
    ],
    ids=["two", "frames", "frames-without-cr", "other-delimiters", "unknown-segments"],
)
def test_messages_and_segments_are_kept_in_order(text: str, expected: list[list[str]]) -> None:
    assert names(text) == expected
    assert names(text.encode()) == expected


def test_a_byte_order_mark_within_appended_files_is_dropped() -> None:
    assert names(b"\xef\xbb\xbf" + MSH.encode() + b"\n\xef\xbb\xbf" + OTHER.encode()) == [["MSH"], ["MSH"]]


def test_utf_16_with_its_mark_is_read() -> None:
    assert names(f"{MSH}\r{PID}\r".encode("utf-16")) == [["MSH", "PID"]]


def test_a_line_feed_is_data_where_segments_end_with_cr() -> None:
    message = parse_message(f"{MSH}\rOBX|1|TX|||one\ntwo, and\nOBX three||F\rNTE|1\r")
    assert [segment.name for segment in message.segments] == ["MSH", "OBX", "NTE"]
    assert message.segments[1].raw_fields == ("1", "TX", "", "", "one\ntwo, and\nOBX three", "", "F")


def test_a_line_that_is_no_segment_is_kept_and_said() -> None:
    transmission = parse(f"{MSH}\n{PID}\nsome words|and more\n")
    assert transmission.messages[0].segments[2].raw == "some words|and more"
    assert [note.line for note in transmission.notes] == [3]


def test_prose_that_begins_like_a_header_begins_no_message() -> None:
    assert names(f"{MSH}\nNTE|1\nMSH-9 was wrong\n") == [["MSH", "NTE", "MSH-9 was wrong"]]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "the text is empty"),
        ("\r\n \n", 1, "the text is empty"),
        ("\x0b\x1c\r", 1, "the text is empty"),
        (f"{PID}\r{MSH}", 1, "must begin with MSH"),
        ('{"resourceType": "Patient"}', 1, "must begin with MSH"),
        ("\n\nhello", 3, "must begin with MSH"),
        ("MSH", 1, "must be followed by the field separator"),
        ("MSHello", 1, "must be followed by the field separator"),
        ("MSH ^~\\& A", 1, "must be followed by the field separator"),
        ("MSH|", 1, "MSH-2 must hold one to five delimiters"),
        ("MSH||SEND", 1, "MSH-2 must hold one to five delimiters"),
        ("MSH|^~\\&#!|SEND", 1, "MSH-2 must hold one to five delimiters"),
        ("MSH|^~\\A|SEND", 1, "MSH-2 must hold one to five delimiters"),
        ('MSH|^~\\"|SEND', 1, "MSH-2 must hold one to five delimiters"),
        ("MSH|^^\\&|SEND", 1, "one character for two delimiters"),
        ("BHS|", 1, "BHS-2 must hold one to five delimiters"),
        (f"{MSH}\r{PID}\rMSH||SEND", 3, "MSH-2 must hold one to five delimiters"),
    ],
)
@pytest.mark.parametrize("as_bytes", [False, True], ids=["str", "bytes"])
def test_what_is_no_hl7_says_what_is_wrong_and_where(text: str, line: int, says: str, *, as_bytes: bool) -> None:
    with pytest.raises(Hl7Error, match=says) as caught:
        parse(text.encode() if as_bytes else text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")


def test_an_error_quotes_no_values() -> None:
    with pytest.raises(Hl7Error) as caught:
        parse("PID|1||SECRET-MRN")
    assert "SECRET" not in str(caught.value)
