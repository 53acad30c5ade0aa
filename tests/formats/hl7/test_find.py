"""What paths find, with its place."""

import pytest

from assay.formats.hl7.find import Found, find, find_first
from assay.formats.hl7.model import ABSENT, Presence
from assay.formats.hl7.path import parse_path, quote_value
from tests.formats.hl7.messages import parse_message

MESSAGE = parse_message(
    "MSH|^~\\&|A\n"
    'PID|1||111^^^H^MR~222^^^S&1.2^SS~333^^^H^MR||Doe^Jane&x||""\n'
    "OBX|1|NM|8480-6^Systolic^LN||120||||||F\n"
    "OBX|2|NM|8462-4^Diastolic^LN~D||80||||||P\n"
    "\n"
    "OBX|3|NM|8480-6^Systolic^LN\n"
    "OBX|4|ST|a]b\\F\\c||x\n"
)

Place = tuple[str, int | None, int | None]
"""The value's text (or what is there instead), the line, the repetition."""


def place(found: Found) -> Place:
    value = found.value
    text = value.text if value.presence is Presence.TEXT else value.presence.value
    return text, found.line, found.repetition


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("PID-5.1", [("Doe", 2, 1)]),
        ("PID-5.2.2", [("x", 2, 1)]),
        ("PID-7", [("null", 2, 1)]),
        ("PID-6", [("empty", 2, 1)]),
        ("PID-8", [("absent", 2, None)]),
        ("PID-3.1", [("111", 2, 1)]),
        ("PID-3[2].1", [("222", 2, 2)]),
        ("PID-3[4].1", [("absent", 2, None)]),
        ("PID-3[*].1", [("111", 2, 1), ("222", 2, 2), ("333", 2, 3)]),
        ("PID-3[*].4.2", [("absent", 2, 1), ("1.2", 2, 2), ("absent", 2, 3)]),
        ("PID-3[5=MR].1", [("111", 2, 1), ("333", 2, 3)]),
        ("PID-3[5=MR][2].1", [("333", 2, 3)]),
        ("PID-3[5=MR][1=333].1", [("333", 2, 3)]),
        ("PID-3[4.2=1.2].1", [("222", 2, 2)]),
        ("PID-3[5=XX].1", []),
        ("PID-3[5=MR][3].1", []),
        ("PID-9[*].1", []),
        ("PID-6[*]", [("empty", 2, 1)]),
        ("PID[2]-5", [("absent", None, None)]),
        ("PV1-2", [("absent", None, None)]),
        ("PV1", [("absent", None, None)]),
        ("PV1[*]-2", []),
        ("PV1[2=I]-3", []),
        ("OBX-5", [("120", 3, 1)]),
        ("OBX[2]-5", [("80", 4, 1)]),
        ("OBX[9]-5", [("absent", None, None)]),
        ("OBX[*]-5", [("120", 3, 1), ("80", 4, 1), ("absent", 6, None), ("x", 7, 1)]),
        ("OBX[3.1=8480-6]-5", [("120", 3, 1), ("absent", 6, None)]),
        ("OBX[3.1=8480-6][2]-5", [("absent", 6, None)]),
        ("OBX[3.1=8480-6][11=F]-5", [("120", 3, 1)]),
        ("OBX[3.1=8480-6][11=P]-5", []),
        ("OBX[3.1=8480-6][3]-5", []),
        ("OBX[3=D]-5", [("80", 4, 1)]),
        ("OBX[3=8462-4^Diastolic^LN]-5", [("80", 4, 1)]),
        ("OBX[3.1=8480]-5", []),
        ("OBX[2]", [("OBX|2|NM|8462-4^Diastolic^LN~D||80||||||P", 4, None)]),
        (f"OBX[3={quote_value('a]b|c')}]-5", [("x", 7, 1)]),
        ("MSH-1", [("|", 1, 1)]),
    ],
)
def test_paths_find_values_with_their_places(path: str, expected: list[Place]) -> None:
    assert [place(found) for found in find(parse_path(path), MESSAGE)] == expected


@pytest.mark.parametrize(("path", "text"), [("OBX[*]-5", "120"), ("PID-5.1", "Doe")])
def test_the_first(path: str, text: str) -> None:
    assert find_first(parse_path(path), MESSAGE).text == text


@pytest.mark.parametrize("path", ["PV1[*]-2", "PV1-2", "PID-3[5=XX]"])
def test_the_first_of_nothing_is_absent(path: str) -> None:
    assert find_first(parse_path(path), MESSAGE) == ABSENT
