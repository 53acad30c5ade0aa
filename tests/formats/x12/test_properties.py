"""What holds for any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.x12.loops import place_sets
from assay.formats.x12.model import Document, NotX12Error
from assay.formats.x12.path import parse_path
from assay.formats.x12.select import select, select_all
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import SAMPLES, isa, render

PATHS = [
    parse_path(text)
    for text in ("ISA06", "GS08", "ST01", "TA101", "2110C/EB[01=B]07", "NM1[2]03", "STC01-1", "2100[2]/*/SVC02[1]")
]

NAMES = "ISA GS ST SE GE IEA TA1 HL BHT NM1 EB TRN LX CLP SVC AK2 IK3 III LS LE"
VALUES = "271 835 277 278 999 20 21 22 23 EV 1 2 3 00501 005010X214 0001 B IL"
MARKS = "**** ~~~~ :^|' \x1d\x1c \ufeff é \r\n"
HEADERS = (isa(), isa(end=":\n"), isa().replace("*", "|"), "ISA*00*", "HL*1**20~HL*2*1*21~")

pieces = st.sampled_from([*NAMES.split(), *VALUES.split(), *MARKS, *HEADERS])
lines = st.lists(pieces, max_size=60).map("".join)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A sample with a part replaced by something else."""
    data = SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))].read_bytes()
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 200)))
    return data[:start] + draw(st.binary(max_size=5) | pieces.map(str.encode)) + data[end:]


hostile = (
    damaged()
    | st.binary()
    | st.binary().map(lambda data: isa().encode() + data)
    | lines.map(str.encode)
    | lines.map(lambda text: (isa() + text).encode())
)


def read(data: bytes | str) -> Document | None:
    try:
        return tokenize(data)
    except NotX12Error:
        return None


@given(hostile)
def test_no_bytes_raise_anything_but_the_formats_own_error(data: bytes) -> None:
    document = read(data)
    if document is None:
        return
    placed_sets = place_sets(document)
    for path in PATHS:
        select_all(path, document)
        for placed_set in placed_sets:
            select(path, placed_set)


@given(st.text() | lines | lines.map(lambda text: isa() + text))
def test_no_text_raises_anything_but_the_formats_own_error(text: str) -> None:
    document = read(text)
    if document is not None:
        place_sets(document)


@given(hostile)
def test_what_was_read_is_written_as_it_was(data: bytes) -> None:
    document = read(data)
    if document is not None and not any(finding.kind == "line_break" for finding in document.findings):
        assert render(document).encode(document.encoding) == data


@given(hostile)
def test_what_was_written_is_read_again_as_the_same(data: bytes) -> None:
    document = read(data)
    if document is not None:
        assert tokenize(render(document)).interchanges == document.interchanges


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_written_as_they_were(name: str) -> None:
    data = SAMPLES[name].read_bytes()
    assert render(tokenize(data)).encode() == data


@given(hostile)
def test_every_segment_of_every_set_is_placed_once(data: bytes) -> None:
    document = read(data)
    if document is None:
        return
    for placed_set in place_sets(document):
        assert tuple(placed.segment for placed in placed_set.segments) == placed_set.set.segments


@given(hostile)
def test_no_segment_is_lost(data: bytes) -> None:
    document = read(data)
    for interchange in document.interchanges if document else ():
        inside = {one.number for group in interchange.groups for part in group.sets for one in part.segments}
        assert inside <= {one.number for one in interchange.segments}
        assert [one.number for one in interchange.segments] == list(range(1, len(interchange.segments) + 1))


SET_271 = isa() + "GS*HB*A*B*20240101*1200*1*X*005010X279A1~ST*271*0001~"


def chain(length: int) -> str:
    """Levels of which each stands in the one before."""
    return "".join(f"HL*{number}*{number - 1}*{20 + number % 4}*1~" for number in range(1, length))


def test_a_thousand_levels_inside_each_other() -> None:
    (placed_set,) = place_sets(tokenize(SET_271 + chain(1_001)))
    assert len(placed_set.loops) == 1_001
    assert max(len(loop.path) for loop in placed_set.loops) <= 6
