"""details.json as a breakdown: kept as it was written, and read again as it was kept."""

import json
from typing import Any

import pytest

from assay.dialects.evaluation.models import Grading
from assay.dialects.evaluation.verifier_words import DEPTH_LIMIT, read_details
from assay.evaluation import ingest
from assay.evidence.files import Content
from tests.dialects.evaluation.evidence import DETAILS, left
from tests.dialects.evaluation.gradings import grading

NOT_FINITE = f"{DETAILS} has null for a number that is not finite"
SEVERAL = f"{DETAILS} has the last of several values for a key"


def read(text: str) -> tuple[dict[str, Any] | None, str | None]:
    return read_details(Content(DETAILS, text.encode()))


@pytest.mark.statement("evaluation.details-flat")
@pytest.mark.parametrize(
    ("text", "breakdown"),
    [
        ('{"a": {"score": 0.95, "max_score": 1.0, "evidence": "e"}, "b": 1}', None),
        ('{"": 0.5, "b": -0.0, "c": 1e-400, "d": [true, null, "é∅", "\\u0000"]}', None),
        (f'{{"a": {"9" * 4000}}}', None),
        ('{"score": -3, "max_score": 0, "evidence": {"anything": ["at all"]}}', None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_was_written_is_kept(text: str, breakdown: dict[str, Any] | None) -> None:
    assert read(text) == (breakdown or json.loads(text), None)


@pytest.mark.parametrize(
    ("text", "breakdown", "says"),
    [
        ('{"a": NaN}', {"a": None}, NOT_FINITE),
        ('{"a": {"score": -Infinity, "max_score": 1}}', {"a": {"score": None, "max_score": 1}}, NOT_FINITE),
        ('{"a": [1e400, NaN, 2]}', {"a": [None, None, 2]}, NOT_FINITE),
        ('{"a": 1, "a": 2}', {"a": 2}, SEVERAL),
        ('{"a": {"score": 1, "score": 0}}', {"a": {"score": 0}}, SEVERAL),
        ('{"a": 1, "a": NaN}', {"a": None}, f"{NOT_FINITE} and has the last of several values for a key"),
    ],
)
def test_what_no_record_can_hold_is_replaced_and_that_is_said(
    text: str, breakdown: dict[str, Any], says: str
) -> None:
    """JSON has no NaN: a null that nobody explains would look like one that was written."""
    assert read(text) == (breakdown, says)
    found = ingest(left(b'{"reward": 0.5}', details=text.encode())).result
    assert (found.reward, found.breakdown, found.validity.errors) == (0.5, breakdown, [says])
    assert [tag.category for tag in found.error_taxonomy or ()] == ["malformed artifact"]


def test_a_null_that_was_written_is_no_reason_to_complain() -> None:
    assert read('{"a": null}') == ({"a": None}, None)


def nested(levels: int, opening: str, closing: str) -> str:
    return '{"a":' + opening * (levels - 1) + "1" + closing * (levels - 1) + "}"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("levels", [1, 2, DEPTH_LIMIT - 1, DEPTH_LIMIT, DEPTH_LIMIT + 1, 150, 200, 250, 300, 900])
def test_every_record_can_be_read_again_however_deep_the_details_are(
    levels: int, opening: str, closing: str
) -> None:
    """A grading that can't be read again would cost the run everything that was ever said about it."""
    found = ingest(left(b'{"reward": 0.5}', details=nested(levels, opening, closing).encode()))
    record = grading(result=found.result)
    assert Grading.model_validate_json(record.model_dump_json(indent=2)) == record
    assert (found.result.breakdown is not None) is (levels < DEPTH_LIMIT)
    if levels >= DEPTH_LIMIT:
        assert found.result.validity.errors == [f"{DETAILS} is nested deeper than {DEPTH_LIMIT} levels"]


def test_half_a_character_costs_the_breakdown() -> None:
    assert read('{"a": "\\ud800"}') == (
        None,
        f"{DETAILS} has half a character, which can't be written again",
    )


def test_a_tag_is_bounded_whatever_the_verifier_wrote() -> None:
    """It stands in every report; the breakdown has it in full."""
    written = {"error_taxonomy": [{"category": "c" * 10**5, "description": "d" * 10**5}]}
    found = ingest(left(b'{"reward": 0.5}', details=json.dumps(written).encode())).result
    assert [len(tag.category) < 3000 for tag in found.error_taxonomy or ()] == [True]
    assert [len(tag.description or "") < 3000 for tag in found.error_taxonomy or ()] == [True]
    assert found.breakdown == written
