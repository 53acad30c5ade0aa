"""Type, trigger, control id, counts."""

import re

import pytest

from assay.core.errors import InputError
from assay.formats.hl7.header import (
    MessageType,
    control_id,
    message_type,
    parse_message_type,
)
from tests.formats.hl7.messages import parse_message


@pytest.mark.parametrize(
    ("field", "expected", "text"),
    [
        ("ADT^A04", MessageType("ADT", "A04"), "ADT^A04"),
        ("ADT^A04^ADT_A01", MessageType("ADT", "A04", "ADT_A01"), "ADT^A04^ADT_A01"),
        ("ACK", MessageType("ACK"), "ACK"),
        (" ADT ^A04 ", MessageType("ADT", "A04"), "ADT^A04"),
        ("", MessageType(""), ""),
        ("ADT^^ADT_A01", MessageType("ADT", "", "ADT_A01"), "ADT^^ADT_A01"),
    ],
)
def test_types(field: str, expected: MessageType, text: str) -> None:
    found = message_type(parse_message(f"MSH|^~\\&|||||||{field}|7"))
    assert (found, str(found)) == (expected, text)


def test_a_missing_type_is_empty() -> None:
    assert message_type(parse_message("MSH|^~\\&|A")) == MessageType("")


def test_custom_delimiters() -> None:
    assert message_type(parse_message("MSH$%*!@$$$$$$$ADT%A04")) == MessageType("ADT", "A04")


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        ("ADT^A04", "ADT^A04", True),
        ("ADT^A04^ADT_A01", "ADT^A04", True),
        ("ADT^A04^ADT_A01", "ADT", True),
        ("ADT^A04^ADT_A01", "ADT^A04^ADT_A01", True),
        ("ADT^A04", "ADT^A04^ADT_A01", False),
        ("ADT^A04", "ADT^A01", False),
        ("ADT^A04", "ORU", False),
        ("ADT", "ADT^A04", False),
        ("ADT^A04", " ADT ^ A04 ", True),
    ],
)
def test_a_type_fits_what_is_wanted(given: str, wanted: str, *, fits: bool) -> None:
    assert parse_message_type(given).fits(parse_message_type(wanted)) is fits


@pytest.mark.parametrize("written", ["", "^A04", "adt^a04", "ADT_A04", "ADT A04", "ADT|A04", "ADT^A04^A^X", "A4"])
def test_a_type_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"like ADT^A04, in capitals, got {written!r}")):
        parse_message_type(written)


def test_ids_and_counts() -> None:
    message = parse_message("MSH|^~\\&|||||||ADT^A04|a\\T\\b|P^T|2.5.1^USA\rOBX|1\rPID|1\rOBX|2\r")
    assert control_id(message) == "a&b"
    assert message.counts == {"MSH": 1, "OBX": 2, "PID": 1}


def test_missing_ids_are_empty() -> None:
    message = parse_message("MSH|^~\\&|A")
    assert control_id(message) == ""
