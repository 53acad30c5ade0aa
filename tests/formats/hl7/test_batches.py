"""Batches and files, complete and not."""

import pytest

from assay.formats.hl7.acknowledge import render
from assay.formats.hl7.model import Batch
from assay.formats.hl7.parse import parse

FHS, FTS, BHS = "FHS|^~\\&|F\r", "FTS|1\r", "BHS|^~\\&|B\r"
ONE, TWO = "MSH|^~\\&|1\rPID|1\r", "MSH|^~\\&|2\r"


def shape(batch: Batch) -> tuple[bool, int, bool]:
    return batch.header is not None, len(batch.messages), batch.trailer is not None


@pytest.mark.parametrize(
    ("text", "file", "batches", "notes"),
    [
        (ONE, (False, False), [(False, 1, False)], []),
        (ONE + TWO, (False, False), [(False, 2, False)], []),
        (BHS + ONE + TWO + "BTS|2\r", (False, False), [(True, 2, True)], []),
        (BHS + ONE + TWO + "BTS\r", (False, False), [(True, 2, True)], []),
        (BHS + "BTS|0\r", (False, False), [(True, 0, True)], []),
        (FHS + BHS + ONE + "BTS|01\r" + FTS, (True, True), [(True, 1, True)], []),
        (FHS + BHS + ONE + "BTS|1\r" + BHS + TWO + "BTS|1\rFTS|2\r", (True, True), [(True, 1, True)] * 2, []),
        (FHS + ONE + FTS, (True, True), [(False, 1, False)], []),
        (BHS + ONE, (False, False), [(True, 1, False)], ["no BTS"]),
        (BHS + ONE + BHS + TWO + "BTS|1\r", (False, False), [(True, 1, False), (True, 1, True)], ["no BTS"]),
        (ONE + "BTS|1\r", (False, False), [(False, 1, True)], ["no BHS began"]),
        (ONE + FTS, (False, True), [(False, 1, False)], ["no FHS began"]),
        (BHS + ONE + "BTS|7\r", (False, False), [(True, 1, True)], ["which is 1"]),
        (FHS + BHS + ONE + "BTS|1\rFTS|x\r", (True, True), [(True, 1, True)], ["which is 1"]),
        (FHS + ONE + FHS + TWO + "FTS\r", (True, True), [(False, 1, False)] * 2, ["second FHS"]),
        (BHS + "NTE|1\r" + ONE + "BTS|1\r", (False, False), [(True, 1, True)], ["comes after BHS"]),
    ],
)
def test_batches_and_files(
    text: str, file: tuple[bool, bool], batches: list[tuple[bool, int, bool]], notes: list[str]
) -> None:
    found = parse(text)
    assert (found.header is not None, found.trailer is not None) == file
    assert [shape(batch) for batch in found.batches] == batches
    assert len(found.notes) == len(notes)
    assert all(part in note.text for part, note in zip(notes, found.notes, strict=True))
    if not notes:
        assert render(found) == text


def test_a_trailer_is_read_with_the_delimiters_of_its_header() -> None:
    found = parse("BHS$%*!@$B\rMSH|^~\\&|1\rBTS|1\r")
    assert found.batches[0].header is not None
    assert found.batches[0].header.raw_fields == ("$", "%*!@", "B")
    assert found.batches[0].trailer is not None
    assert found.batches[0].trailer.raw_fields == ("1",)
