"""The evaluation document, sentence by sentence: each test names what is said there, in its order.

What takes a table of its own stands elsewhere: models in test_models, artifacts in test_ingest, formats in
test_output, the scorer in test_rubric, task folders in tests/adapters/test_task_folder, reports in
tests/engine/test_evaluation_report.
"""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from assay.dialects.evaluation.models import (
    Annotation,
    ConfidenceInterval,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Judgment,
    ValidityCheck,
    VerifierSpec,
)
from assay.dialects.evaluation.output import Declared, Format
from assay.dialects.evaluation.rubric import Dimension, Rubric, Strategy, score_rubric
from assay.engine.tasks.task import DETAILS_PATH, REWARD_PATH
from assay.evaluation import ingest
from assay.evidence.files import Absent
from tests.dialects.evaluation.evidence import OUTPUT, left

MINIMAL = b'{ "reward": 0.93 }'
DETAILS = b"""{
"voltage_drop_v": { "score": 0.95, "max_score": 1.0, "evidence": "within 2% of reference" },
"voltage_drop_pct": { "score": 1.0, "max_score": 1.0, "evidence": "exact match" },
"compliance": { "score": 1.0, "max_score": 1.0, "evidence": "correctly flagged compliant" }
}"""
BREAKDOWN = json.loads(DETAILS)


@pytest.mark.statement("evaluation.attached-to-trial")
def test_scoring_reads_verifier_artifacts_into_a_validated_result() -> None:
    assert isinstance(ingest(left(MINIMAL, details=DETAILS)).result, EvaluationResult)


def test_each_task_exposes_a_verifier_spec() -> None:
    spec = VerifierSpec(
        script="/tests/test.sh",
        expected_output_path="/workspace/answer.json",
        reward_path="/logs/verifier/reward.json",
    )
    assert spec.details_path is None


@pytest.mark.statement("evaluation.reward-json", "evaluation.details-json")
def test_the_artifacts_lie_in_logs_verifier() -> None:
    assert (REWARD_PATH, DETAILS_PATH) == ("/logs/verifier/reward.json", "/logs/verifier/details.json")


@pytest.mark.statement("evaluation.reward-json")
def test_reward_json_is_mandatory() -> None:
    found = ingest(left(details=DETAILS)).result
    assert (found.reward, found.validity.verifier_completed) == (0.0, False)


@pytest.mark.statement("evaluation.details-json")
def test_details_json_is_optional() -> None:
    found = ingest(left(MINIMAL)).result
    assert (found.reward, found.breakdown, found.validity.errors) == (0.93, None, [])


@pytest.mark.statement("evaluation.reward-json")
def test_a_minimal_reward_json_is_just_the_headline_number() -> None:
    assert ingest(left(MINIMAL)).result == EvaluationResult(
        reward=0.93,
        validity=ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=True, errors=[]),
        breakdown=None,
        error_taxonomy=None,
        confidence=None,
        annotations=None,
    )


@pytest.mark.statement("evaluation.details-fields", "evaluation.breakdown-stored")
def test_details_json_carries_the_breakdown_by_dimension() -> None:
    breakdown = ingest(left(MINIMAL, details=DETAILS)).result.breakdown
    assert breakdown == BREAKDOWN
    assert list(breakdown or ()) == ["voltage_drop_v", "voltage_drop_pct", "compliance"]


@pytest.mark.statement("evaluation.reward-authoritative")
@pytest.mark.parametrize("reward", [0.0, 0.5, 0.93, 1.0])
def test_reward_json_is_authoritative_and_details_are_not_added_up_again(reward: float) -> None:
    found = ingest(left(json.dumps({"reward": reward}).encode(), details=DETAILS)).result
    assert (found.reward, found.breakdown) == (reward, BREAKDOWN)


def documents_rubric(strategy: Strategy) -> Rubric:
    return Rubric(dimensions=[Dimension(name=name) for name in BREAKDOWN], strategy=strategy)


@pytest.mark.statement("evaluation.rubric-weighted-mean", "evaluation.rubric-min")
@pytest.mark.parametrize(("strategy", "reward"), [(Strategy.WEIGHTED_MEAN, 0.9833), (Strategy.MIN, 0.95)])
def test_the_rubric_scorer_rolls_the_examples_dimensions_up(strategy: Strategy, reward: float) -> None:
    """(0.95 + 1 + 1) / 3 rounds to four decimals; with ``min`` the worst dimension wins."""
    score = score_rubric(documents_rubric(strategy), BREAKDOWN)
    assert score.reward == reward
    assert score.to_details() == BREAKDOWN


@pytest.mark.statement("evaluation.rubric-normalises")
def test_a_scores_own_top_divides_it_and_the_quotient_is_clamped() -> None:
    """score / max_score, clamped to [0, 1]."""
    tops = Rubric(dimensions=[Dimension(name="a", max_score=20), Dimension(name="b", max_score=4)])
    found = score_rubric(tops, {"a": 5, "b": 9})
    assert [one.normalised for one in found.dimensions] == [0.25, 1.0]


@pytest.mark.statement("evaluation.reward-as-is")
def test_a_reward_that_is_written_without_a_rubric_is_used_as_it_is() -> None:
    assert ingest(left(b'{"reward": 0.123456789}')).result.reward == 0.123456789


@pytest.mark.statement("evaluation.reward-as-is", "evaluation.malformed-reward")
@pytest.mark.parametrize("reward", ["-0.1", "1.1", "NaN"])
def test_after_validation_that_is(reward: str) -> None:
    found = ingest(left(f'{{"reward": {reward}}}'.encode())).result
    assert (found.reward, found.validity.verifier_completed) == (0.0, False)


@pytest.mark.statement("evaluation.output-parseable", "evaluation.schema-valid", "evaluation.verifier-completed")
@pytest.mark.parametrize(
    ("output", "reward", "flags"),
    [
        (b'{"volts": 5.9}', MINIMAL, (True, True, True)),
        (b"not json", b'{"reward": 0}', (False, False, True)),
        (b"{}", MINIMAL, (True, False, True)),
        (b'{"volts": 5.9}', None, (True, True, False)),
    ],
)
def test_three_questions_come_before_scoring(output: bytes, reward: bytes | None, flags: tuple[bool, ...]) -> None:
    """Did it parse as its declared format, did it match the expected shape, did reward.json appear?"""
    declared = Declared(Format.JSON, schema={"required": ["volts"]})
    found = ingest(left(reward, output=output), declared).result.validity
    assert (found.output_parseable, found.schema_valid, found.verifier_completed) == flags


@pytest.mark.statement("evaluation.unparseable-forbids-reward")
def test_a_reward_for_unparseable_output_is_invalid() -> None:
    with pytest.raises(ValidationError):
        EvaluationResult(
            reward=0.01,
            validity=ValidityCheck(output_parseable=False, schema_valid=False, verifier_completed=True),
        )


@pytest.mark.statement("evaluation.unparseable-forbids-reward")
def test_ingestion_never_builds_that_combination() -> None:
    found = ingest(left(MINIMAL, output=b"not json"), Declared(Format.JSON)).result
    assert (found.reward, found.validity.output_parseable, found.validity.verifier_completed) == (0.0, False, True)


@pytest.mark.statement("evaluation.missing-reward")
def test_a_missing_reward_is_0_with_verifier_completed_false() -> None:
    found = ingest(left()).result
    assert (found.reward, found.validity.verifier_completed) == (0.0, False)
    assert found.validity.errors == ["the verifier wrote no /logs/verifier/reward.json"]


@pytest.mark.statement("evaluation.flags-diagnostic")
def test_the_other_two_flags_do_not_force_the_reward() -> None:
    declared = Declared(Format.JSON, schema={"required": ["volts"]})
    found = ingest(left(MINIMAL, output=b"{}"), declared).result
    assert (found.reward, found.validity.schema_valid) == (0.93, False)


@pytest.mark.statement("evaluation.flags-in-reports")
def test_a_wrong_agent_is_told_apart_from_one_that_left_nothing_usable() -> None:
    wrong = ingest(left(b'{"reward": 0}', output=b"{}"), Declared(Format.JSON)).result
    nothing = ingest(left(b'{"reward": 0}', output=Absent(OUTPUT)), Declared(Format.JSON)).result
    assert wrong.reward == nothing.reward == 0
    assert (wrong.validity.output_parseable, nothing.validity.output_parseable) == (True, False)
    assert (wrong.error_taxonomy, [tag.category for tag in nothing.error_taxonomy or ()]) == (
        None,
        ["missing artifact"],
    )


@pytest.mark.statement("evaluation.tags-of-verifier")
def test_verifiers_can_tag_failures() -> None:
    details = BREAKDOWN | {"error_taxonomy": [{"category": "unit mismatch", "description": "mV for V"}]}
    found = ingest(left(MINIMAL, details=json.dumps(details).encode())).result
    assert found.error_taxonomy == [
        ErrorTag(category="unit mismatch", description="mV for V", source=ErrorSource.MECHANICAL)
    ]


@pytest.mark.statement("evaluation.tags-free", "evaluation.tags-source")
@pytest.mark.parametrize("source", ["mechanical", "human", "judge"])
@pytest.mark.parametrize("category", ["tool failure", "parsing error", "unit mismatch", "a task's very own"])
def test_categories_are_the_tasks_and_the_source_says_who_classified(category: str, source: str) -> None:
    tag = ErrorTag.model_validate_json(json.dumps({"category": category, "source": source}))
    assert (tag.category, tag.source.value, tag.description) == (category, source, None)


def reviewed(judgment: Judgment, **more: Any) -> Annotation:
    return Annotation(reviewer_id="r1", timestamp=datetime(2026, 1, 2, tzinfo=UTC), judgment=judgment, **more)


@pytest.mark.statement("evaluation.annotation-keeps-reward")
@pytest.mark.parametrize("judgment", list(Judgment))
@pytest.mark.parametrize("reward", [0.0, 0.93, 1.0])
def test_annotations_stand_beside_the_reward_and_never_overwrite_it(judgment: Judgment, reward: float) -> None:
    """Disagreement stays visible on the record: a pass beside a 0, a fail beside a 1."""
    automated = ingest(left(json.dumps({"reward": reward}).encode())).result
    both = EvaluationResult.model_validate(
        automated.model_dump() | {"annotations": [reviewed(judgment, notes="I looked")]}
    )
    assert (both.reward, both.validity) == (automated.reward, automated.validity)
    assert both.annotations == [reviewed(judgment, notes="I looked")]


@pytest.mark.statement("evaluation.deterministic")
def test_the_same_output_gives_the_same_reward() -> None:
    results = {ingest(left(MINIMAL, details=DETAILS)).result.model_dump_json() for _ in range(20)}
    assert len(results) == 1


@pytest.mark.statement("evaluation.uncertainty-recorded")
def test_extra_uncertainty_has_places_of_its_own() -> None:
    """Confidence, annotations and the taxonomy: the reward stays what it was."""
    full = EvaluationResult(
        reward=0.93,
        validity=ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=True),
        breakdown=BREAKDOWN,
        error_taxonomy=[ErrorTag(category="unit mismatch", source=ErrorSource.JUDGE)],
        confidence=ConfidenceMetadata(
            annotator_count=2,
            inter_rater_agreement=0.5,
            confidence_interval=ConfidenceInterval(low=0.9, high=0.96),
            confidence_method="two judges",
        ),
        annotations=[reviewed(Judgment.DEFER, reviewer_discipline="electrical", categories=["unit mismatch"])],
    )
    assert full.reward == 0.93
    assert EvaluationResult.model_validate_json(full.model_dump_json()) == full
