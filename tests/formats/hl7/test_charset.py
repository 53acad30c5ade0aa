"""MSH-18 says what the bytes are; where it is wrong or silent, that is said."""

import pytest

from assay.formats.hl7.acknowledge import encode
from assay.formats.hl7.find import find_first
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path
from tests.formats.hl7.messages import parse_message

NAME = parse_path("PID-5.1")


def message(declared: str, name: str, codec: str) -> bytes:
    return f"MSH|^~\\&|A|||||||||||||||{declared}\rPID|||||{name}\r".encode(codec)


@pytest.mark.parametrize(
    ("declared", "codec", "note"),
    [
        ("UNICODE UTF-8", "utf-8", ""),
        ("UTF-8", "utf-8", ""),
        ("unicode utf-8", "utf-8", ""),
        ("UNICODE UTF-8~8859/1", "utf-8", ""),
        ("8859/1", "latin-1", ""),
        ("ISO-8859-1", "latin-1", ""),
        ("8859/15", "iso-8859-15", ""),
        ("", "utf-8", "declares no character set, and the text is not ASCII: read as UTF-8"),
        ("", "latin-1", "declares no character set, and the text is not ASCII: read as ISO-8859-1"),
        ("ASCII", "utf-8", "not in the character set that MSH-18 declares: read as UTF-8"),
        ("ASCII", "latin-1", "not in the character set that MSH-18 declares: read as ISO-8859-1"),
        ("UNICODE UTF-8", "latin-1", "not in the character set that MSH-18 declares: read as ISO-8859-1"),
        ("CNS 11643-1992", "utf-8", "a character set that is not supported: read as UTF-8"),
        ("CNS 11643-1992", "latin-1", "a character set that is not supported: read as ISO-8859-1"),
    ],
)
def test_characters(declared: str, codec: str, note: str) -> None:
    data = message(declared, "Grünwäld", codec)
    found = parse(data)
    assert find_first(NAME, found.messages[0]).text == "Grünwäld"
    assert [note in entry.text for entry in found.notes] == ([True] if note else [])
    assert encode(found.messages[0]) == data


@pytest.mark.parametrize("declared", ["", "ASCII", "8859/1", "GB 18030-2000", "nonsense"])
def test_plain_ascii_needs_no_note(declared: str) -> None:
    found = parse(message(declared, "Gruen", "ascii"))
    assert (find_first(NAME, found.messages[0]).text, found.notes) == ("Gruen", ())


@pytest.mark.parametrize(
    ("declared", "codec", "name"),
    [
        ("GB 18030-2000", "gb18030", "李明"),
        ("BIG-5", "big5", "許功蓋"),
        ("KS X 1001", "euc_kr", "김철수"),
        ("~ISO IR87", "iso2022_jp", "山田太郎"),
        ("ASCII~ISO IR87", "iso2022_jp", "恋鈴"),
        ("ISO IR159", "iso2022_jp_2", "山田"),
        ("windows-1252", "cp1252", "Zoë\u2019s"),
        ("8859/16", "iso-8859-16", "Ștefan"),
    ],
)
def test_bytes_that_look_like_delimiters_are_none_where_the_character_set_says_so(
    declared: str, codec: str, name: str
) -> None:
    found = parse(message(declared, f"{name}^X", codec))
    assert (find_first(NAME, found.messages[0]).text, found.notes) == (name, ())


def test_each_message_of_a_text_has_its_own() -> None:
    data = message("8859/1", "Köln", "latin-1") + message("UTF-8", "Köln", "utf-8")
    assert [find_first(NAME, one).text for one in parse(data).messages] == ["Köln", "Köln"]


def test_escaped_bytes_are_in_the_declared_character_set() -> None:
    data = message("8859/15", "\\XA4\\", "ascii")
    assert find_first(NAME, parse_message(data)).text == "€"


def test_a_byte_order_mark_does_not_hide_the_header() -> None:
    data = b"\xef\xbb\xbf" + message("UNICODE UTF-8", "Köln", "utf-8")
    assert find_first(NAME, parse_message(data)).text == "Köln"


def test_what_a_character_set_lacks_is_replaced_when_it_is_written() -> None:
    assert b"|?\r" in encode(parse_message("MSH|^~\\&|A|||||||||||||||8859/1\rPID|漢\r"))
