"""Whatever an agent writes into a file, it is read or said to be unreadable."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.file_content.rules import FORMATS
from assay.formats.file_content.text import FileFormatError, Wanted, pass_through
from assay.formats.globs import check_glob, in_glob, matches_glob

PATHS = {
    "text": ["content", "line.1", "line.*"],
    "json": ["a.0", "$..a"],
    "csv": ["a", "1.a", "*.a"],
    "hl7": ["PID-5.1", "OBX[*]-5"],
    "x12": ["BPR02", "ISA06"],
}
BEGINNINGS = st.sampled_from([b"", b"MSH|^~\\&|", b"ISA*00*", b'{"a": [', b"a,b\n", b"\xff\xfe"])


@pytest.mark.parametrize("name", FORMATS)
@given(BEGINNINGS, st.binary(max_size=300))
def test_no_bytes_crash_a_reader(name: str, beginning: bytes, data: bytes) -> None:
    with contextlib.suppress(FileFormatError):
        find = FORMATS[name].reader.open_content(beginning + data)
        for path in PATHS[name]:
            assert isinstance(find(path), list)


@given(st.binary(max_size=50), st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), st.integers(1, 9))
def test_a_text_is_found_wherever_chunks_end(before: bytes, text: str, size: int) -> None:
    data = b"--" + before + text.encode() + b"--"
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    passage = pass_through(chunks, Wanted(texts=[text], keep=1000))
    assert passage.present == {text: True}
    assert passage.content == data
    assert pass_through(chunks, Wanted(keep=len(data) - 1)).content is None


@given(st.text(min_size=1))
def test_a_value_in_a_pattern_means_itself(value: str) -> None:
    with contextlib.suppress(ValueError):
        pattern = f"a{in_glob(value)}b"
        check_glob(pattern)
        assert matches_glob(f"a{value}b", pattern)
        assert not matches_glob(f"a{value}xb", pattern)


@pytest.mark.parametrize("path", ["", "0.a", "01.a", "-1.a", "*", "3", "**.a", "1234567890.a", '"a"', ".a"])
def test_a_path_into_a_csv_that_is_none(path: str) -> None:
    with pytest.raises(ValueError, match="a path into a CSV must be"):
        FORMATS["csv"].reader.check_path(path)
