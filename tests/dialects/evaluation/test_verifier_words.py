"""What a verifier says in details.json about failures and about its own confidence, and what is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.evaluation.models import ConfidenceInterval, ConfidenceMetadata
from assay.dialects.evaluation.verifier_words import read_words
from assay.evaluation import EvaluationResult, ingest
from tests.dialects.evaluation.evidence import left

PATH = "/logs/verifier/details.json"


def graded(**details: Any) -> EvaluationResult:
    return ingest(left(b'{"reward": 0.5}', details=json.dumps(details).encode())).result


@pytest.mark.statement("evaluation.tags-source")
@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (
            [{"category": "a", "source": "oracle"}],
            'error_taxonomy[0].source must be one of mechanical, human, judge, got "oracle"',
        ),
        (
            [{"category": "a"}, {"category": "b", "source": "Judge"}],
            'error_taxonomy[1].source must be one of mechanical, human, judge, got "Judge"',
        ),
        (
            [{"category": "a", "source": ["judge"]}],
            "error_taxonomy[0].source must be one of mechanical, human, judge, got a list",
        ),
        (
            [{"category": "a", "source": None}],
            "error_taxonomy[0].source must be one of mechanical, human, judge, got null",
        ),
        ([{"category": ""}], 'error_taxonomy[0].category must be a text, got ""'),
        ([{"description": "x"}], "error_taxonomy[0].category must be a text, got null"),
        ([3], "error_taxonomy[0] must be an object with a category, got 3"),
        ("unit mismatch", 'error_taxonomy must be a list of tags, got "unit mismatch"'),
        ({"category": "a"}, "error_taxonomy must be a list of tags, got an object"),
    ],
)
def test_a_tag_that_can_not_be_used_is_refused_and_said(written: object, complaint: str) -> None:
    """It costs no reward, the good ones are kept, and nothing is taken for something else."""
    found = graded(error_taxonomy=written)
    assert (found.reward, found.validity.errors) == (0.5, [f"{PATH}: {complaint}"])
    tags = [(tag.category, tag.source.value) for tag in found.error_taxonomy or ()]
    kept = [("a", "mechanical")] if written == [{"category": "a"}, {"category": "b", "source": "Judge"}] else []
    assert tags == [("malformed artifact", "mechanical"), *kept]


def test_complaints_have_an_end() -> None:
    found = graded(error_taxonomy=[0] * 1000)
    assert len(found.validity.errors) == 4
    assert found.validity.errors[-1] == f"{PATH}: and 997 more like these"


def test_tags_have_an_end() -> None:
    found = graded(error_taxonomy=[{"category": "a"}] * 1001)
    says = f"{PATH}: error_taxonomy must have at most 1000 tags, got 1001; the others are left out"
    assert (found.validity.errors, len(found.error_taxonomy or ())) == ([says], 1001)


@pytest.mark.parametrize("number", [10**400, 2**63, 1e300])
def test_numbers_beyond_reason_can_be_written_down_or_are_refused(number: float) -> None:
    found = graded(confidence={"annotator_count": number})
    assert EvaluationResult.model_validate_json(found.model_dump_json()) == found


@pytest.mark.statement("evaluation.uncertainty-recorded", "evaluation.confidence-fields")
def test_the_confidence_of_a_verifier_is_read() -> None:
    written = {
        "annotator_count": 3,
        "inter_rater_agreement": 0.75,
        "confidence_interval": {"low": 0.4, "high": 0.6},
        "confidence_method": "three judges",
    }
    found = graded(confidence=written, part=1)
    assert found.confidence == ConfidenceMetadata(
        annotator_count=3,
        inter_rater_agreement=0.75,
        confidence_interval=ConfidenceInterval(low=0.4, high=0.6),
        confidence_method="three judges",
    )
    assert found.breakdown == {"confidence": written, "part": 1}
    assert found.validity.errors == []


@pytest.mark.parametrize("written", [0.9, {"score": 0.9, "max_score": 1.0, "evidence": "sure"}, None, {}, "high"])
def test_a_part_of_the_reward_may_be_called_confidence(written: object) -> None:
    found = graded(confidence=written)
    assert (found.confidence, found.validity.errors) == (None, [])


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ({"annotator_count": -1}, "confidence.annotator_count"),
        ({"annotators": 3}, "confidence.annotators"),
        ({"inter_rater_agreement": 2}, "confidence.inter_rater_agreement"),
        ({"confidence_interval": {"low": 1, "high": 0}}, "confidence.confidence_interval"),
    ],
)
def test_a_confidence_that_can_not_be_used_is_refused_and_said(written: dict[str, Any], place: str) -> None:
    found = graded(confidence=written)
    assert (found.reward, found.confidence) == (0.5, None)
    (error,) = found.validity.errors
    assert error.startswith(f"{PATH}: {place} can't be used: ")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@given(ANYTHING, ANYTHING)
def test_nothing_that_a_verifier_writes_breaks_it(tags: Any, confidence: Any) -> None:
    found = read_words({"error_taxonomy": tags, "confidence": confidence})
    assert all(isinstance(one, str) for one in found.refused)
