"""MLLP frames, in any pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.hl7.framing import Broken, Frame, FrameReader, frame_content


def read(*pieces: bytes, max_bytes: int = 1000) -> list[bytes | str]:
    reader = FrameReader(max_bytes)
    found = [item for piece in pieces for item in reader.feed(piece)]
    return [item.content if isinstance(item, Frame) else item.reason.split(":")[0] for item in found]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x0bMSH|1\r\x1c\r", [b"MSH|1\r"]),
        (b"\x0b\x1c\r", [b""]),
        (b"\x0bA\x1c\r\x0bB\x1c\r", [b"A", b"B"]),
        (b"\x0bA\x1c\r\r\n \x0bB\x1c\r\r\n", [b"A", b"B"]),
        (b"\x0bA\x1c\x0bB\x1c\r", [b"A", b"B"]),
        (b"\x0bA\x1cB\x1c\r", [b"A\x1cB"]),
        (b"\x0bA\x0bB\x1c\r", [b"A\x0bB"]),
        (b"\x0bMSH|1\r\x0bMSH|2\r\x1c\r", ["the frame was cut off by the next one", b"MSH|2\r"]),
        (b"\x0bA", []),
        (b"\x0bA\x1c", []),
        (b"", []),
        (b"\r\n", []),
        (b"MSH|1\r", ["bytes outside of a frame"]),
        (b"\x0bA\x1c\rMSH\x0bB\x1c\r", [b"A", "bytes outside of a frame"]),
    ],
)
def test_frames(data: bytes, expected: list[bytes | str]) -> None:
    assert read(data) == expected
    assert read(*(data[at : at + 1] for at in range(len(data))))[: len(expected)] == expected


@given(st.lists(st.binary(max_size=30).filter(lambda data: not set(data) & set(b"\x0b\x1c"))), st.data())
def test_pieces_make_no_difference(contents: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(frame_content(content) for content in contents)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    pieces = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*pieces) == contents


@pytest.mark.parametrize(
    ("size", "expected"),
    [(10, [b"x" * 10]), (11, ["the message is larger than 10 bytes"])],
    ids=["fits", "too large"],
)
def test_a_message_has_a_largest_size(size: int, expected: list[bytes | str]) -> None:
    assert read(frame_content(b"x" * size), max_bytes=10) == expected


def test_a_frame_without_an_end_does_not_grow_for_ever() -> None:
    assert read(b"\x0b", b"x" * 8, b"x" * 8, max_bytes=10) == ["the message is larger than 10 bytes"]


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b"", None),
        (b"\x0bA\x1c\r", None),
        (b"\x0bA\x1c", Frame(b"A")),
        (b"\x0bA", Broken("the frame has no end", fatal=True)),
        (b"\x0b", Broken("the frame has no end", fatal=True)),
    ],
)
def test_what_is_left_at_the_end(data: bytes, left: Frame | Broken | None) -> None:
    reader = FrameReader(100)
    list(reader.feed(data))
    assert reader.finish() == left


def test_a_large_frame_in_small_pieces_is_one() -> None:
    reader = FrameReader(10_000_000)
    list(reader.feed(b"\x0b"))
    for _ in range(8000):
        assert not list(reader.feed(b"\x1c" * 500))
    assert len(list(reader.feed(b"\x1c\r"))) == 1


def test_many_small_frames_in_one_piece_are_all_there() -> None:
    assert len(read(frame_content(b"A") * 100_000)) == 100_000
