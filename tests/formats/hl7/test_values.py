r"""Delimiters, escapes, and the four things that a place can hold."""

import pytest

from assay.formats.hl7.encoding import STANDARD, Encoding, escape, unescape
from assay.formats.hl7.find import find_first
from assay.formats.hl7.model import ABSENT, EMPTY, NULL, Presence, Value
from assay.formats.hl7.path import parse_path
from tests.formats.hl7.messages import parse_message

MSH = "MSH|^~\\&|A\r"


def text(value: str) -> Value:
    return Value(Presence.TEXT, value)


@pytest.mark.parametrize(
    ("pid", "path", "expected"),
    [
        ("PID|1|x", "PID-2", text("x")),
        ("PID|1|x", "PID-2.1", text("x")),
        ("PID|1|x", "PID-2.1.1", text("x")),
        ("PID|1|x", "PID-2.2", ABSENT),
        ("PID|1|x", "PID-2.1.2", ABSENT),
        ("PID|1|x", "PID-3", ABSENT),
        ("PID|1|x|", "PID-3", EMPTY),
        ("PID|1|x|", "PID-3.1", EMPTY),
        ("PID|1|x|||", "PID-5", EMPTY),
        ("PID|1|x|||", "PID-6", ABSENT),
        ("PID|||x", "PID-1", EMPTY),
        ("PID", "PID-1", ABSENT),
        ("PID|", "PID-1", EMPTY),
        ('PID|""', "PID-1", NULL),
        ('PID|""', "PID-1.1", NULL),
        ('PID|""', "PID-1.2", ABSENT),
        ('PID|""^b', "PID-1.1", NULL),
        ('PID|""^b', "PID-1.2", text("b")),
        ('PID|a^""&c', "PID-1.2.1", NULL),
        ('PID|a~""', "PID-1[2]", NULL),
        ('PID|"', "PID-1", text('"')),
        ('PID|""""', "PID-1", text('""""')),
        ("PID|\\X2222\\", "PID-1", text('""')),
        ("PID|a^b&c^d", "PID-1.2", text("b&c")),
        ("PID|a^b&c^d", "PID-1.2.2", text("c")),
        ("PID|a^b~c^d", "PID-1", text("a^b")),
        ("PID|a^b~c^d", "PID-1[2]", text("c^d")),
        ("PID|a^^", "PID-1", text("a^^")),
        ("PID|a^^", "PID-1.3", EMPTY),
        ("PID|a^^", "PID-1.4", ABSENT),
        ("PID| a ", "PID-1", text(" a ")),
    ],
)
def test_text_empty_null_and_absent_are_told_apart(pid: str, path: str, expected: Value) -> None:
    assert find_first(parse_path(path), parse_message(MSH + pid)) == expected


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("plain", "plain"),
        (r"a\F\b", "a|b"),
        (r"a\S\b", "a^b"),
        (r"a\T\b", "a&b"),
        (r"a\R\b", "a~b"),
        (r"a\E\b", "a\\b"),
        (r"\E\F\E\ ".strip(), "\\F\\"),
        (r"one\.br\two", "one\ntwo"),
        (r"\H\loud\N\ quiet", "loud quiet"),
        (r"\X41\\X42\C", "ABC"),
        (r"\X0D0A\ ".strip(), "\r\n"),
        (r"\XC3A9\ ".strip(), "é"),
        (r"\XC3\\XA9\ ".strip(), "é"),
        (r"\XE9\ ".strip(), "é"),
        (r"\xe9\ ".strip(), "\\xe9\\"),
        (r"\X4\ ".strip(), "\\X4\\"),
        (r"\XZZ\ ".strip(), "\\XZZ\\"),
        (r"\X\ ".strip(), "\\X\\"),
        (r"\Zsite\ and \.sp2\ ".strip(), "\\Zsite\\ and \\.sp2\\"),
        (r"\Z1\S\Z2\ ".strip(), "\\Z1\\S\\Z2\\"),
        (r"\C2842\ ".strip(), "\\C2842\\"),
        (r"\P\ ".strip(), "\\P\\"),
        (r"C:\temp and \T\ ".strip(), "C:\\temp and &"),
        ("\\", "\\"),
        ("\\\\\\", "\\\\\\"),
        (r"\F", "\\F"),
    ],
)
def test_escapes(written: str, meant: str) -> None:
    assert unescape(written, STANDARD) == meant


@pytest.mark.parametrize(
    ("header", "pid", "path", "expected"),
    [
        ("MSH$%*!@$A", "PID$a%b@c*d", "PID-1.2.2", text("c")),
        ("MSH$%*!@$A", "PID$a%b@c*d", "PID-1[2]", text("d")),
        ("MSH$%*!@$A", "PID$!F!!S!!R!!E!!T!", "PID-1", text("$%*!@")),
        ("MSH$%*!@$A", "PID$a\\F\\^b", "PID-1", text("a\\F\\^b")),
        ("MSH$%*!@$A", "PID$a%b@c", "PID-1", text("a^b&c")),
        ("MSH$%*!@$A", "PID$a^b%c", "PID-1", text("a\\S\\b^c")),
        ("MSH$%*!@$A", "PID$a%b!S!", "PID-1", text("a^b\\S\\")),
        ("MSH$%*!@$A", "PID$a%b@c*d", "PID", text("PID|a^b&c~d")),
        ("MSH|^~\\&#|A", "PID|a\\P\\b#", "PID-1", text("a#b#")),
        ("MSH|^~\\&#|A", "PID|a&b", "PID-1.1.2", text("b")),
        ("MSH|^~|A", "PID|a&b\\T\\", "PID-1.1.1", text("a&b\\T\\")),
        ("MSH|^|A", "PID|a~b^c", "PID-1.1", text("a~b")),
        ("MSH|^~_&|A", "PID|a_T_b_T_c", "PID-1", text("a&b&c")),
        ("MSH|^~.&|A", "PID|..br.T.", "PID-1", text("..br&")),
    ],
)
def test_delimiters_are_what_the_header_says(header: str, pid: str, path: str, expected: Value) -> None:
    assert find_first(parse_path(path), parse_message(f"{header}\r{pid}\r")) == expected


def test_what_a_header_leaves_out_is_not_used() -> None:
    """The oracle falls back to the standard delimiters here; by the standard they are plain data."""
    assert parse_message("MSH|^~|A").encoding == Encoding(escape=None, subcomponent=None)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MSH-1", text("|")),
        ("MSH-1.1.1", text("|")),
        ("MSH-2", text("^~\\&")),
        ("MSH-2.1.1", text("^~\\&")),
        ("MSH-2.2", ABSENT),
        ("MSH-3", text("APP")),
        ("MSH-4.2", text("2")),
        ("MSH-9", ABSENT),
    ],
)
def test_the_header_counts_its_separator_as_a_field(path: str, expected: Value) -> None:
    assert find_first(parse_path(path), parse_message("MSH|^~\\&|APP|FAC^2")) == expected


@pytest.mark.parametrize(
    ("plain", "written"),
    [
        ("a|b^c&d~e\\f", r"a\F\b\S\c\T\d\R\e\E\f"),
        ("x\ry\n", r"x\X0D\y\X0A\ ".strip()),
        ('""', r"\X2222\ ".strip()),
    ],
)
def test_text_is_escaped(plain: str, written: str) -> None:
    assert escape(plain, STANDARD) == written


def test_without_an_escape_character_delimiters_become_spaces() -> None:
    assert escape("a|b^c\rd&e", Encoding(escape=None, subcomponent=None)) == "a b c d&e"
