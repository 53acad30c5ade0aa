"""The models of the evaluation document: every field, what it may hold, and the one rule across fields."""

import json
import math
from collections.abc import Mapping
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
from assay.formats.strict_model import StrictModel

VALID = {"output_parseable": True, "schema_valid": True, "verifier_completed": True}
UNPARSEABLE = VALID | {"output_parseable": False, "schema_valid": False}

# A document with the least that each model takes, and one with all of its fields.
LEAST: dict[type[StrictModel], dict[str, Any]] = {
    VerifierSpec: {"script": "/tests/test.sh", "expected_output_path": "/workspace/a", "reward_path": "/r"},
    ValidityCheck: VALID,
    ErrorTag: {"category": "unit mismatch", "source": "mechanical"},
    ConfidenceInterval: {"low": 0.0, "high": 1.0},
    ConfidenceMetadata: {},
    Annotation: {"reviewer_id": "r1", "timestamp": "2026-01-02T03:04:05Z", "judgment": "pass"},
    EvaluationResult: {"reward": 0.93, "validity": VALID},
}
FULL: dict[type[StrictModel], dict[str, Any]] = {
    VerifierSpec: LEAST[VerifierSpec] | {"details_path": "/d"},
    ValidityCheck: VALID | {"errors": ["one", "two"]},
    ErrorTag: {"category": "parsing error", "description": "a comma too many", "source": "judge"},
    ConfidenceInterval: {"low": -0.5, "high": 0.5},
    ConfidenceMetadata: {
        "annotator_count": 3,
        "inter_rater_agreement": 0.75,
        "confidence_interval": {"low": 0.8, "high": 1.0},
        "confidence_method": "bootstrap",
    },
    Annotation: {
        "reviewer_id": "r1",
        "reviewer_discipline": "electrical engineering",
        "timestamp": "2026-01-02T03:04:05Z",
        "judgment": "defer",
        "categories": ["unit mismatch"],
        "notes": "see page 3",
    },
    EvaluationResult: {
        "reward": 0.93,
        "validity": VALID,
        "breakdown": {"voltage_drop_v": {"score": 0.95, "max_score": 1.0, "evidence": "within 2%"}},
        "error_taxonomy": [{"category": "tool failure", "description": None, "source": "human"}],
        "confidence": {"annotator_count": 2},
        "annotations": [{"reviewer_id": "r1", "timestamp": "2026-01-02T03:04:05Z", "judgment": "fail"}],
    },
}
MODELS = list(LEAST)


def names(model: type[StrictModel]) -> list[str]:
    return list(model.model_fields)


def load(model: type[StrictModel], fields: Mapping[str, Any]) -> StrictModel:
    """As a document comes in: JSON."""
    return model.model_validate_json(json.dumps(fields))


@pytest.mark.statement(
    "evaluation.validity-fields",
    "evaluation.result-fields",
    "evaluation.annotation-fields",
    "evaluation.confidence-fields",
)
@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (VerifierSpec, ["script", "expected_output_path", "reward_path", "details_path"]),
        (ValidityCheck, ["output_parseable", "schema_valid", "verifier_completed", "errors"]),
        (ErrorTag, ["category", "description", "source"]),
        (
            Annotation,
            ["reviewer_id", "reviewer_discipline", "timestamp", "judgment", "categories", "notes"],
        ),
        (
            EvaluationResult,
            ["reward", "validity", "breakdown", "error_taxonomy", "confidence", "annotations"],
        ),
        # Notes, evaluation 2.
        (
            ConfidenceMetadata,
            ["annotator_count", "inter_rater_agreement", "confidence_interval", "confidence_method"],
        ),
    ],
)
def test_the_fields_are_the_documents_in_its_order(model: type[StrictModel], fields: list[str]) -> None:
    assert names(model) == fields


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("documents", [LEAST, FULL], ids=["least", "full"])
def test_what_is_accepted_comes_out_as_it_went_in(
    model: type[StrictModel], documents: Mapping[type[StrictModel], Mapping[str, Any]]
) -> None:
    loaded = load(model, documents[model])
    assert model.model_validate_json(loaded.model_dump_json()) == loaded
    dumped = loaded.model_dump(mode="json", exclude_unset=True)
    assert dumped == documents[model]


@pytest.mark.parametrize("model", MODELS)
def test_the_defaults(model: type[StrictModel]) -> None:
    defaults = {
        VerifierSpec: {"details_path": None},
        ValidityCheck: {"errors": []},
        ErrorTag: {"description": None},
        ConfidenceInterval: {},
        ConfidenceMetadata: dict.fromkeys(names(ConfidenceMetadata)),
        Annotation: {"reviewer_discipline": None, "categories": [], "notes": None},
        EvaluationResult: dict.fromkeys(["breakdown", "error_taxonomy", "confidence", "annotations"]),
    }
    loaded = load(model, LEAST[model]).model_dump()
    assert {name: loaded[name] for name in loaded if name not in LEAST[model]} == defaults[model]


@pytest.mark.parametrize("model", [model for model in MODELS if model is not ConfidenceMetadata])
def test_what_has_no_default_is_required(model: type[StrictModel]) -> None:
    for name in LEAST[model]:
        fields = {key: value for key, value in LEAST[model].items() if key != name}
        with pytest.raises(ValidationError, match=rf"{name}\n  Field required"):
            load(model, fields)


@pytest.mark.statement("evaluation.result-strict")
@pytest.mark.parametrize("model", MODELS)
def test_unknown_fields_are_refused(model: type[StrictModel]) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        load(model, {**LEAST[model], "colour": "blue"})


@pytest.mark.parametrize("model", MODELS)
def test_nothing_changes_after_validation(model: type[StrictModel]) -> None:
    loaded = load(model, FULL[model])
    with pytest.raises(ValidationError, match="Instance is frozen"):
        setattr(loaded, names(model)[0], None)


REFUSED: list[tuple[type[StrictModel], str, object]] = [
    (VerifierSpec, "script", 1),
    (VerifierSpec, "script", None),
    (VerifierSpec, "expected_output_path", ["/workspace/a"]),
    (VerifierSpec, "reward_path", None),
    (VerifierSpec, "details_path", False),
    (ValidityCheck, "output_parseable", 1),
    (ValidityCheck, "output_parseable", "true"),
    (ValidityCheck, "schema_valid", None),
    (ValidityCheck, "verifier_completed", 0),
    (ValidityCheck, "errors", "one"),
    (ValidityCheck, "errors", [1]),
    (ValidityCheck, "errors", None),
    (ErrorTag, "category", ""),
    (ErrorTag, "category", None),
    (ErrorTag, "category", 3),
    (ErrorTag, "description", 3),
    (ErrorTag, "source", "verifier"),
    (ErrorTag, "source", "MECHANICAL"),
    (ErrorTag, "source", None),
    (ConfidenceInterval, "low", "0"),
    (ConfidenceInterval, "high", None),
    (ConfidenceInterval, "high", math.inf),
    (ConfidenceMetadata, "annotator_count", -1),
    (ConfidenceMetadata, "annotator_count", 1.0),
    (ConfidenceMetadata, "annotator_count", True),
    (ConfidenceMetadata, "inter_rater_agreement", -0.1),
    (ConfidenceMetadata, "inter_rater_agreement", 1.01),
    (ConfidenceMetadata, "inter_rater_agreement", math.nan),
    (ConfidenceMetadata, "confidence_interval", [0, 1]),
    (ConfidenceMetadata, "confidence_method", 1),
    (Annotation, "reviewer_id", ""),
    (Annotation, "reviewer_id", None),
    (Annotation, "timestamp", "yesterday"),
    (Annotation, "timestamp", None),
    (Annotation, "judgment", "PASS"),
    (Annotation, "judgment", "maybe"),
    (Annotation, "judgment", True),
    (Annotation, "categories", None),
    (Annotation, "categories", "unit mismatch"),
    (Annotation, "notes", 1),
    (EvaluationResult, "reward", -0.0001),
    (EvaluationResult, "reward", 1.0001),
    (EvaluationResult, "reward", math.nan),
    (EvaluationResult, "reward", math.inf),
    (EvaluationResult, "reward", True),
    (EvaluationResult, "reward", "1"),
    (EvaluationResult, "reward", None),
    (EvaluationResult, "validity", None),
    (EvaluationResult, "breakdown", [1]),
    (EvaluationResult, "error_taxonomy", [{"category": "x"}]),
    (EvaluationResult, "confidence", 0.9),
    (EvaluationResult, "annotations", [{}]),
]


@pytest.mark.statement("evaluation.result-strict", "evaluation.result-range")
@pytest.mark.parametrize(("model", "field", "value"), REFUSED, ids=str)
def test_nothing_is_coerced(model: type[StrictModel], field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        load(model, {**LEAST[model], field: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {field}


@pytest.mark.parametrize(("model", "field", "value"), REFUSED, ids=str)
def test_nothing_is_coerced_in_python_either(model: type[StrictModel], field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        model.model_validate({**LEAST[model], field: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {field}


@pytest.mark.statement("evaluation.own-files-readable")
@pytest.mark.parametrize("model", MODELS)
def test_what_json_load_gives_is_read_like_the_file_itself(model: type[StrictModel]) -> None:
    text = load(model, FULL[model]).model_dump_json()
    assert model.model_validate(json.loads(text)) == model.model_validate_json(text) == load(model, FULL[model])


@pytest.mark.statement("evaluation.annotation-judgments", "evaluation.tags-source")
def test_the_words_of_the_enumerations() -> None:
    """Sources are mechanical, human and judge; judgments are pass, fail and defer."""
    assert [one.value for one in ErrorSource] == ["mechanical", "human", "judge"]
    assert [one.value for one in Judgment] == ["pass", "fail", "defer"]


@pytest.mark.statement("evaluation.tags-free")
@pytest.mark.parametrize("category", ["tool failure", "parsing error", "unit mismatch", "Einheitenfehler", "∅"])
def test_there_is_no_fixed_taxonomy(category: str) -> None:
    assert ErrorTag(category=category, source=ErrorSource.JUDGE).category == category


def result(reward: float, validity: Mapping[str, bool]) -> EvaluationResult:
    return EvaluationResult(reward=reward, validity=ValidityCheck.model_validate(validity))


@pytest.mark.parametrize("reward", [1.0, 0.5, 1e-300, 5e-324])
def test_a_reward_for_output_that_can_not_be_parsed_is_rejected(reward: float) -> None:
    with pytest.raises(ValidationError, match="the output can't be parsed"):
        result(reward, UNPARSEABLE)


@pytest.mark.parametrize("reward", [0.0, -0.0, 0])
def test_a_reward_of_0_for_output_that_can_not_be_parsed_is_fine(reward: float) -> None:
    assert result(reward, UNPARSEABLE).reward == 0


@pytest.mark.parametrize("schema_valid", [True, False])
@pytest.mark.parametrize("verifier_completed", [True, False])
@pytest.mark.parametrize("reward", [0.0, 0.5, 1.0])
def test_the_other_two_flags_force_nothing(schema_valid: bool, verifier_completed: bool, reward: float) -> None:
    """Notes, evaluation 1: only ``output_parseable`` forbids a reward."""
    validity = VALID | {"schema_valid": schema_valid, "verifier_completed": verifier_completed}
    assert result(reward, validity).reward == reward


@pytest.mark.parametrize(("low", "high", "fits"), [(0, 1, True), (0.5, 0.5, True), (0.6, 0.5, False)])
def test_an_interval_has_its_ends_in_order(low: float, high: float, fits: bool) -> None:
    document = {"confidence_interval": {"low": low, "high": high}}
    if fits:
        assert load(ConfidenceMetadata, document).model_dump(exclude_unset=True) == document
    else:
        with pytest.raises(ValidationError, match=r"low must not be above high, got 0.6 and 0.5"):
            load(ConfidenceMetadata, document)


@pytest.mark.statement("evaluation.confidence-fields")
@pytest.mark.parametrize("field", names(ConfidenceMetadata))
def test_every_part_of_the_confidence_is_optional(field: str) -> None:
    alone = {field: FULL[ConfidenceMetadata][field]}
    assert load(ConfidenceMetadata, alone).model_dump(exclude_unset=True) == alone


@pytest.mark.parametrize(("count", "agreement"), [(0, 0.0), (1, 1.0), (10**6, 0.5)])
def test_the_ends_of_the_ranges(count: int, agreement: float) -> None:
    found = ConfidenceMetadata(annotator_count=count, inter_rater_agreement=agreement)
    assert (found.annotator_count, found.inter_rater_agreement) == (count, agreement)
