"""``assay.scorers``, the public face: its example, its schemas, and the whole way from a scenario to a report."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from assay import scorers
from assay.core.errors import InputError
from tests.builders import REPO
from tests.coding import FIXED, GUARD, TESTS, write_files, write_scenario

SCHEMAS = scorers.json_schemas()


def check(name: str, document: Any) -> None:
    Draft202012Validator(SCHEMAS[name]).validate(document)


def test_the_example_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPO)
    failed, tried = doctest.testmod(scorers)
    assert (failed, tried > 0) == (0, True)


def test_the_schemas_are_of_what_is_read_and_written() -> None:
    assert list(SCHEMAS) == ["Scenario", "ScorersReport", "JudgeVerdict", "CalibrationRecord"]
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


def test_the_report_has_the_published_shape() -> None:
    fields = ["overall", "scorers", "judge", "run", "disagreement", "suspicion", "workspace", "provenance"]
    assert list(SCHEMAS["ScorersReport"]["properties"]) == fields
    parts = SCHEMAS["ScorersReport"]["$defs"]
    assert list(parts["Overall"]["properties"]) == ["verdict", "score", "warnings", "headline", "broken"]
    assert list(parts["Row"]["properties"])[:7] == [
        *("name", "type", "required", "verdict", "score", "detail", "evidence"),
    ]
    assert parts["RowVerdict"]["enum"] == ["PASS", "FAIL", "N/A", "ERROR"]
    assert parts["OverallVerdict"]["enum"] == ["PASS", "FAIL", "N/A"]


@pytest.mark.parametrize(
    ("document", "fine"),
    [
        ({"scorers": [{"name": "a", "type": "forbid_secrets"}]}, True),
        ({"scorers": [{"name": "a", "type": "command", "command": "x", "required": False}]}, True),
        ({"scorers": None}, False),
        ({"scorers": [{"type": 1, "name": "a"}]}, False),
        ({"scorers": [{"name": "a", "type": "forbid_secrets"}], "colour": "blue"}, False),
    ],
)
def test_the_schema_of_a_scenario(document: Any, fine: bool) -> None:
    if fine:
        check("Scenario", document)
        assert len(scorers.Scenario.model_validate_json(json.dumps(document)).scorers) == 1
        return
    with pytest.raises(ValidationError):
        check("Scenario", document)
    with pytest.raises(ValueError, match="validation error"):
        scorers.Scenario.model_validate_json(json.dumps(document))


def test_from_a_scenario_to_a_report(tmp_path: Path) -> None:
    task = scorers.seed(write_scenario(tmp_path, TESTS, GUARD), tmp_path / "task")
    scorers.unpack_workspace(task, str(tmp_path / "workspace"))
    write_files(tmp_path / "workspace", {"calc.py": FIXED})
    report = scorers.score(tmp_path / "workspace", tmp_path / "task")
    check("ScorersReport", json.loads(report.model_dump_json()))
    assert report.overall == scorers.Overall(verdict=scorers.OverallVerdict.PASS, score=1.0, headline="PASS")
    assert report.provenance.scenario_sha256 == scorers.load_seeded(str(tmp_path / "task")).scenario_sha256


def test_a_run_without_a_workspace(tmp_path: Path) -> None:
    scorers.seed(write_scenario(tmp_path, GUARD), tmp_path / "task")
    report = scorers.score(None, tmp_path / "task", scorers.RunStatus.CANCELLED)
    assert (report.overall, report.run.status) == (None, scorers.RunStatus.CANCELLED)
    check("ScorersReport", json.loads(report.model_dump_json()))


def test_a_scorer_that_is_wrong_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    scenario = write_scenario(tmp_path, {**TESTS, "timeout_s": 0})
    with pytest.raises(InputError, match="timeout_s must be from 1 to 3600, got 0"):
        scorers.seed(scenario, tmp_path / "task")
    assert not (tmp_path / "task").exists()
