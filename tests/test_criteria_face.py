"""``assay.criteria``, the public face: its example, its schemas, and the whole way from a file to a verdict."""

import doctest
import json
import shutil
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from assay import criteria
from assay.core.errors import InputError
from tests.builders import REPO

EXAMPLES = REPO / "examples" / "clinical"
SCHEMAS = criteria.json_schemas()


def test_the_example_of_the_module() -> None:
    failed, tried = doctest.testmod(criteria)
    assert (failed, tried > 0) == (0, True)


def test_from_files_to_a_verdict(tmp_path: Path) -> None:
    task = EXAMPLES / "eligibility"
    playground = Path(shutil.copy(task / "playground.yaml", tmp_path))
    loaded = criteria.load(playground, task / "partial")
    assert (loaded.records > 0, loaded.files) == (True, 0)
    done = criteria.verify(task / "criteria.yaml", playground)
    assert (done.verdict, done.score) == (criteria.Verdict.PARTIAL, 0.625)
    Draft202012Validator(SCHEMAS["Completion"]).validate(json.loads(done.model_dump_json()))
    with pytest.raises(InputError, match="the playground 'eligibility' exists already"):
        criteria.load(playground, task / "passing")
    criteria.load(playground, task / "passing", replace=True)
    assert criteria.verify(task / "criteria.yaml", playground).verdict is criteria.Verdict.PASS


def test_the_former_names_are_the_same_classes() -> None:
    assert criteria.EmptySandbox is criteria.EmptyPlayground
    assert criteria.SandboxState is criteria.PlaygroundState


def test_findings() -> None:
    assert list(criteria.lint(EXAMPLES / "eligibility" / "criteria.yaml")) == []
    found = criteria.lint(EXAMPLES / "mistakes.yaml")
    assert {"unsupported", "duplicate-label"} <= {one.rule for one in found}
    assert all(one.line is not None for one in found)


@pytest.mark.parametrize("task", ["eligibility", "prior-authorisation", "scheduling"])
def test_the_schema_is_that_of_criteria_files(task: str) -> None:
    written = yaml.safe_load((EXAMPLES / task / "criteria.yaml").read_text())
    schema = Draft202012Validator(SCHEMAS["CriteriaFile"])
    schema.validate(json.loads(json.dumps(written, default=str)))
    with pytest.raises(ValidationError, match="weigth"):
        schema.validate({"criteria": [{"label": "a", "assertion": {}, "weigth": 2}]})
