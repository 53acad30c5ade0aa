"""Acknowledgements, as a sender gets them."""

from datetime import UTC, datetime

import pytest

from assay.formats.hl7.acknowledge import INTERNAL_ERROR, AckError, build_ack, encode, render, reply_to
from tests.formats.hl7.messages import parse_message

NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
FULL = "MSH|^~\\&|SAPP^1|SFAC|RAPP|RFAC^2.3^ISO|20240101||ADT^A04^ADT_A01|C\\T\\1|T|2.5.1\rPID|1"


def ack(text: str, *args: str, error: AckError | None = None) -> str:
    return render(build_ack(parse_message(text), *args, now=NOW, control_id="9", error=error))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "header"),
    [
        (FULL, "MSH|^~\\&|RAPP|RFAC^2.3^ISO|SAPP^1|SFAC|20240506070809+0000||ACK^A04^ACK|9|T|2.5.1"),
        ("MSH|^~\\&|S|||||||1", "MSH|^~\\&|||S||20240506070809+0000||ACK|9|P|2.5.1"),
        ("MSH|^~\\&|S||||||ORU^R01|1|P|2.3", "MSH|^~\\&|||S||20240506070809+0000||ACK^R01|9|P|2.3"),
        ("MSH$%*!@$S$$R$$$$ADT%A04$1$P$2.3", "MSH$%*!@$R$$S$$20240506070809+0000$$ACK%A04$9$P$2.3"),
        ("MSH|^~\\&#|S||R||||ADT^A04|1|P|2.7", "MSH|^~\\&#|R||S||20240506070809+0000||ACK^A04|9|P|2.7"),
        ("MSH|^~\\&|A", "MSH|^~\\&|||A||20240506070809+0000||ACK|9|P|2.5.1"),
        (
            "MSH|^~\\&|A|||||||1|P|2.5||||||8859/1",
            "MSH|^~\\&|||A||20240506070809+0000||ACK|9|P|2.5||||||8859/1",
        ),
    ],
)
def test_the_header_goes_back_to_the_sender(message: str, header: str) -> None:
    assert ack(message).split("\r")[0] == header


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ((), "MSA|AA|C\\T\\1"),
        (("AE", "not now"), "MSA|AE|C\\T\\1|not now"),
        (("AR", "a|b\rPID|1"), "MSA|AR|C\\T\\1|a\\F\\b\\X0D\\PID\\F\\1"),
        (("CA",), "MSA|CA|C\\T\\1"),
    ],
)
def test_the_answer_has_the_code_and_the_control_id(args: tuple[str, ...], answer: str) -> None:
    assert ack(FULL, *args).split("\r")[1:] == [answer, ""]


@pytest.mark.parametrize(
    ("version", "segment"),
    [
        ("2.5.1", "ERR|||207^Application internal error^HL70357|E||||why"),
        ("2.8", "ERR|||207^Application internal error^HL70357|E||||why"),
        ("2.3", "ERR|^^^207&Application internal error&HL70357"),
    ],
)
def test_an_error_is_written_as_the_version_has_it(version: str, segment: str) -> None:
    message = f"MSH|^~\\&|||||||ADT^A04|1|P|{version}"
    assert ack(message, "AE", "why", error=INTERNAL_ERROR).split("\r")[2] == segment


def test_what_could_not_be_read_is_answered_in_the_standard_delimiters() -> None:
    found = build_ack(None, "AR", "no MSH", now=NOW, control_id="9")
    assert render(found) == "MSH|^~\\&|||||20240506070809+0000||ACK|9|P|2.5.1\rMSA|AR||no MSH\r"


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="an acknowledgement code must be one of AA, AE"):
        ack(FULL, "OK")


def test_it_goes_out_in_the_character_set_that_came_in() -> None:
    data = "MSH|^~\\&|Köln|||||||1|P|2.5||||||8859/1".encode("latin-1")
    assert b"|K\xf6ln|" in encode(build_ack(parse_message(data), now=NOW, control_id="9"))


def test_a_control_id_comes_back_byte_for_byte_even_if_the_character_set_was_declared_wrongly() -> None:
    data = "MSH|^~\\&|A|||||||Ü1|P|2.5||||||ASCII".encode("latin-1")
    assert encode(build_ack(parse_message(data), now=NOW, control_id="9")).endswith(b"MSA|AA|\xdc1\r")


def test_an_acknowledgement_is_a_message_like_any_other() -> None:
    built = build_ack(parse_message(FULL), "AE", "why", now=NOW, control_id="9", error=INTERNAL_ERROR)
    assert parse_message(render(built)) == built


@pytest.mark.parametrize(
    ("content", "stored", "answers"),
    [
        (FULL, True, ["MSA|AA|C\\T\\1"]),
        (FULL, False, ["MSA|AE|C\\T\\1|the message could not be stored; send it again later"]),
        (f"{FULL}\rMSH|^~\\&|||||||ADT^A04|2", True, ["MSA|AA|C\\T\\1", "MSA|AA|2"]),
        ("MSH|^~\\&|||||||ACK^A04|1\rMSA|AA|7", True, []),
        (
            "hello",
            True,
            ["MSA|AR||line 1: the text must begin with MSH (or BHS or FHS, for a batch or a file)"],
        ),
        ("", True, ["MSA|AR||line 1: the text is empty; a message begins with MSH"]),
    ],
)
def test_replies(content: str, answers: list[str], *, stored: bool) -> None:
    reply = reply_to(content.encode(), stored=stored, now=NOW, new_id=lambda: "9").decode()
    assert [line for line in reply.split("\r") if line.startswith("MSA")] == answers


def answers(fields: str, *, stored: bool) -> list[str]:
    data = f"MSH|^~\\&|S|F|R|F|20240101||ADT^A04|7|P|2.5.1|||{fields}\rPID|1\r".encode()
    said = reply_to(data, stored=stored, now=NOW, new_id=lambda: "9").decode()
    return [line.split("|")[1] for line in said.split("\r") if line.startswith("MSA")]


@pytest.mark.parametrize(
    ("accept", "application", "when_stored", "when_not"),
    [
        ("", "", ["AA"], ["AE"]),
        ('""', "", ["AA"], ["AE"]),
        ("AL", "", ["CA"], ["CE"]),
        ("AL", "NE", ["CA"], ["CE"]),
        ("AL", "AL", ["CA"], ["CE"]),
        (" al ", "NE", ["CA"], ["CE"]),
        ("SU", "NE", ["CA"], []),
        ("ER", "NE", [], ["CE"]),
        ("NE", "NE", [], []),
        ("NE", "AL", ["AA"], ["AE"]),
        ("", "AL", ["AA"], ["AE"]),
        ("NE", "ER", [], ["AE"]),
        ("NE", "SU", ["AA"], []),
        ("ER", "AL", ["AA"], ["CE"]),
        ("SU", "ER", ["CA"], ["AE"]),
        ("??", "", ["CA"], ["CE"]),
    ],
)
def test_the_sender_says_which_answer_it_wants(
    accept: str, application: str, when_stored: list[str], when_not: list[str]
) -> None:
    assert answers(f"{accept}|{application}", stored=True) == when_stored
    assert answers(f"{accept}|{application}", stored=False) == when_not
