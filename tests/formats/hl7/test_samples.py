"""Every field of every sample, compared with the PyPI package ``hl7``."""

from pathlib import Path

import pytest

from assay.formats.hl7.acknowledge import render
from assay.formats.hl7.find import find
from assay.formats.hl7.model import Message
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path
from tests.formats.hl7.messages import parse_message, trees_of
from tests.formats.hl7.oracle import Field, oracle_message, oracle_segments
from tests.formats.hl7.samples import SAMPLES

samples = pytest.mark.parametrize("path", SAMPLES.values(), ids=SAMPLES)


def stripped(segments: list[tuple[str, list[Field]]]) -> list[tuple[str, list[Field]]]:
    """The oracle drops white space behind the whole message, which is data of its last field for us."""
    segments[-1][1][-1][-1][-1][-1] = segments[-1][1][-1][-1][-1][-1].rstrip()
    return segments


@samples
def test_segments_fields_repetitions_components_and_escapes_agree(path: Path) -> None:
    message = parse_message(path.read_bytes())
    ours = [(segment.name, trees_of(segment)) for segment in message.segments]
    assert stripped(ours) == stripped(oracle_segments(path.read_text("utf-8")))


@samples
def test_nothing_about_a_sample_needs_to_be_tolerated(path: Path) -> None:
    assert parse(path.read_bytes()).notes == ()


@samples
def test_a_sample_is_written_again_as_it_was(path: Path) -> None:
    text = path.read_text("utf-8-sig")
    lines = [line for line in text.split("\n") if line]
    assert render(parse(path.read_bytes())) == "".join(f"{line}\r" for line in lines)


def first_leaves(message: Message) -> list[str]:
    """A path to the first leaf of every field of every segment that is the first of its name."""
    first = {segment.name: segment for segment in reversed(message.segments)}
    return [
        f"{segment.name}.{number}.1.1"
        for segment in first.values()
        for number in range(1, len(segment.raw_fields) + 1)
        if (segment.name, number) != ("MSH", 2)
    ]


@samples
def test_paths_find_what_the_oracle_extracts(path: Path) -> None:
    message = parse_message(path.read_bytes())
    oracle = oracle_message(path.read_text("utf-8"))
    for text in first_leaves(message):
        segment, field, component, subcomponent = text.split(".")
        expected = oracle.extract_field(segment, 1, int(field), 1, int(component), int(subcomponent))
        (found,) = find(parse_path(text), message)
        assert found.value.text.rstrip() == oracle.unescape(expected).rstrip(), text
