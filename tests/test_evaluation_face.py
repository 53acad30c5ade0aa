"""``assay.evaluation``, the public face: its names, its schemas, and the whole way from a run to its record."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from assay import evaluation
from assay.evaluation import EvaluationResult, Rubric, json_schemas
from tests.builders import REPO
from tests.cli.running import Cli
from tests.dialects.evaluation.evidence import left
from tests.dialects.evaluation.gradings import grading

DOCUMENT = {
    "VerifierSpec": ["script", "expected_output_path", "reward_path", "details_path"],
    "EvaluationResult": ["reward", "validity", "breakdown", "error_taxonomy", "confidence", "annotations"],
    "Annotation": ["reviewer_id", "reviewer_discipline", "timestamp", "judgment", "categories", "notes"],
}
PARTS = {
    "ValidityCheck": ["output_parseable", "schema_valid", "verifier_completed", "errors"],
    "ErrorTag": ["category", "description", "source"],
    "ConfidenceMetadata": [
        "annotator_count",
        "inter_rater_agreement",
        "confidence_interval",
        "confidence_method",
    ],
    "Annotation": DOCUMENT["Annotation"],
}


SCHEMAS = json_schemas()


def check(name: str, document: Any) -> None:
    Draft202012Validator(SCHEMAS[name]).validate(document)


def test_the_example_of_the_module() -> None:
    failed, tried = doctest.testmod(evaluation)
    assert (failed, tried > 0) == (0, True)


def test_every_name_that_is_promised_is_there() -> None:
    assert evaluation.__all__ == sorted(evaluation.__all__)
    assert [name for name in evaluation.__all__ if not hasattr(evaluation, name)] == []


def test_the_schemas_are_of_every_model_that_is_read_or_written_as_json() -> None:
    assert list(json_schemas()) == [
        "VerifierSpec",
        "EvaluationResult",
        "Annotation",
        "AddedTag",
        "Rubric",
        "Grading",
        "TaskDescription",
    ]
    for schema in json_schemas().values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", list(DOCUMENT))
def test_the_published_names_are_the_documents(name: str) -> None:
    schema = json_schemas()[name]
    assert list(schema["properties"]) == DOCUMENT[name]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", list(PARTS))
def test_and_so_are_those_of_the_parts_of_a_result(name: str) -> None:
    part = json_schemas()["EvaluationResult"]["$defs"][name]
    assert list(part["properties"]) == PARTS[name]
    assert part["additionalProperties"] is False


def test_the_words_of_the_enumerations_are_published() -> None:
    parts = json_schemas()["EvaluationResult"]["$defs"]
    assert parts["ErrorSource"]["enum"] == ["mechanical", "human", "judge"]
    assert parts["Judgment"]["enum"] == ["pass", "fail", "defer"]
    assert json_schemas()["Rubric"]["$defs"]["Strategy"]["enum"] == ["weighted_mean", "min"]


# --- What the models write is what the schemas say ---

RUBRIC = Rubric.model_validate_json(
    '{"dimensions": [{"name": "a", "weight": 2, "description": "x"}], "strategy": "min"}'
)
SPEC = evaluation.VerifierSpec(script="/tests/test.sh", expected_output_path="/workspace/a", reward_path="/r")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("VerifierSpec", SPEC.model_dump_json()),
        ("Rubric", RUBRIC.model_dump_json()),
        ("Grading", grading(tags=(("a", "judge"),), method="x", rewards={"a": 1, "b": None}).model_dump_json()),
        ("Grading", grading(2, None, step="one").model_dump_json()),
        ("EvaluationResult", evaluation.ingest(left()).result.model_dump_json()),
        (
            "EvaluationResult",
            evaluation.ingest(left(b'{"reward": 0.93}', details=b'{"a": {"score": 1}}')).result.model_dump_json(),
        ),
    ],
)
def test_what_a_model_writes_fits_its_schema(name: str, text: str) -> None:
    check(name, json.loads(text))


def test_an_annotation_as_it_is_kept_fits_its_schema(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{}")
    evaluation.annotate(tmp_path, reviewer_id="r1", judgment=evaluation.Judgment.DEFER, notes="n")
    check("Annotation", json.loads((tmp_path / "annotations" / "0001.json").read_text()))


@given(
    st.none() | st.binary(max_size=20) | st.floats().map(lambda reward: json.dumps({"reward": reward}).encode())
)
def test_whatever_a_verifier_writes_the_result_fits_its_schema(reward: bytes | None) -> None:
    check("EvaluationResult", json.loads(evaluation.ingest(left(reward)).result.model_dump_json()))


GOOD: dict[str, Any] = json.loads(evaluation.ingest(left(b'{"reward": 0.93}')).result.model_dump_json())


@pytest.mark.parametrize(
    "change",
    [
        {"reward": 1.5},
        {"reward": "1"},
        {"reward": True},
        {"reward": None},
        {"validity": None},
        {"colour": "blue"},
        {"error_taxonomy": [{"category": "", "source": "judge"}]},
        {"error_taxonomy": [{"category": "x", "source": "verifier"}]},
        {"confidence": {"annotator_count": -1}},
        {"annotations": [{"reviewer_id": "r", "timestamp": "2026-01-01T00:00:00Z", "judgment": "maybe"}]},
    ],
)
def test_what_the_model_refuses_its_schema_refuses_too(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        EvaluationResult.model_validate_json(json.dumps(GOOD | change))
    with pytest.raises(ValidationError):
        check("EvaluationResult", GOOD | change)


# --- The whole way ---


def test_from_a_run_to_its_record(cli: Cli, tmp_path: Path) -> None:
    """The backend runs the verifier, the runner parses its artifacts, and the result is attached to the record."""
    task = REPO / "examples" / "tasks" / "voltage-drop"
    ran = cli("run", task, "--agent", "oracle", "--jobs-dir", tmp_path, "--job-name", "job", "--quiet")
    assert ran.code == 0
    (trial,) = [path.parent for path in (tmp_path / "job").glob("*/result.json")]
    (record,) = evaluation.read_gradings(str(trial))
    assert (record.number, record.step, record.reason_code) == (1, None, None)
    assert record.result.reward == 1.0
    assert record.result.validity == evaluation.ValidityCheck(
        output_parseable=True, schema_valid=True, verifier_completed=True
    )
    assert list(record.result.breakdown or ()) == ["voltage_drop_v", "voltage_drop_pct", "compliant"]
    check("Grading", json.loads((trial / "gradings" / "0001.json").read_text()))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)
