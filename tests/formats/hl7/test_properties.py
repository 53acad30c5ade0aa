"""What holds for any bytes and for any well-formed message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.hl7.acknowledge import encode, render
from assay.formats.hl7.encoding import STANDARD, Encoding, Hl7Error, escape, unescape
from assay.formats.hl7.find import find
from assay.formats.hl7.header import control_id, message_type
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path
from tests.formats.hl7.messages import parse_message, trees_of

PATHS = [parse_path(text) for text in ("MSH-2", "PID-5.1.2", "PID-3[*].1", "OBX[3.1=a]-5", "OBX[*]", "MSH[2]-1")]
PUNCTUATION = "|^~\\&#$%*!@:;+_.-/"

WORDS = b'MSH PID BHS BTS FHS FTS OBX | ^ ~ \\ & "" \\X41\\ \xef\xbb\xbf \xff\xfe \xc3 \xa9 MSH|^~\\&| a'
pieces = st.sampled_from([*WORDS.split(b" "), b"\r", b"\n", b"\x0b", b"\x1c", b" "])
hostile = st.binary() | st.lists(pieces, max_size=40).map(b"".join)
nearly = st.lists(pieces, max_size=40).map(lambda parts: b"MSH|^~\\&|" + b"".join(parts))


def look_everywhere(message: Message) -> None:
    encode(message)
    message_type(message)
    control_id(message)
    for path in PATHS:
        find(path, message)


@given(hostile | nearly)
def test_no_bytes_raise_anything_but_the_formats_own_error(data: bytes) -> None:
    try:
        messages = parse(data).messages
    except Hl7Error as error:
        assert error.line >= 1  # noqa: PT017 - either way something is asserted
        return
    for message in messages:
        look_everywhere(message)
        assert message.header.name == "MSH"


@given(
    st.text() | nearly.map(lambda data: data.decode("latin-1")) | st.text().map(lambda text: f"MSH|^~\\&|{text}")
)
def test_no_text_raises_anything_but_the_formats_own_error(text: str) -> None:
    try:
        messages = parse(text).messages
    except Hl7Error as error:
        assert error.line >= 1  # noqa: PT017 - either way something is asserted
        return
    assert all(message.header.name == "MSH" for message in messages)


@given(hostile | nearly)
def test_what_was_tolerated_once_reads_the_same_when_it_is_written_again(data: bytes) -> None:
    try:
        written = render(parse(data))
    except Hl7Error:
        return
    if written:
        assert render(parse(written)) == written


encodings = st.permutations(PUNCTUATION).map(
    lambda chars: Encoding(chars[0], chars[1], chars[2], chars[3], chars[4], chars[5])
)
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
component = st.lists(plain, min_size=1, max_size=3)
repetition = st.lists(component, min_size=1, max_size=3)
field = st.lists(repetition, min_size=1, max_size=3)
segments = st.lists(st.lists(field, max_size=4), max_size=4)
Tree = list[list[list[str]]]


def written(content: Tree, encoding: Encoding) -> str:
    """A field in delimiters."""
    inner, middle, outer = encoding.subcomponent or "", encoding.component or "", encoding.repetition or ""
    return outer.join(
        middle.join(inner.join(escape(leaf, encoding) for leaf in leaves) for leaves in components)
        for components in content
    )


@given(encodings, segments)
def test_a_well_formed_message_round_trips(encoding: Encoding, content: list[list[Tree]]) -> None:
    sep = encoding.field
    lines = [f"MSH{sep}{encoding.characters}{sep}A"]
    lines += [sep.join(["ZZZ", *(written(tree, encoding) for tree in trees)]) for trees in content]
    text = "".join(f"{line}\r" for line in lines)
    message = parse_message(text)
    assert render(message) == text
    assert parse_message(encode(message)).segments[1:] == message.segments[1:]
    assert [trees_of(one) for one in message.segments[1:]] == content


@given(encodings, st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_escaped_is_meant(encoding: Encoding, text: str) -> None:
    assert unescape(escape(text, encoding), encoding) == text


MILLION = 1_000_000


def test_a_long_path_is_read_or_refused() -> None:
    parse_path(f'OBX[3.1="{"x" * MILLION}"]-5')
    with pytest.raises(Exception, match="HL7 path"):
        parse_path(f'OBX[3.1="{"x" * MILLION}')


def test_the_standard_encoding_is_the_default() -> None:
    assert parse_message("MSH|^~\\&|A").encoding == STANDARD
