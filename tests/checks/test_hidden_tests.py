"""Hidden tests: they run beside the others, their disagreement fails, and nothing of them is kept."""

import json
from pathlib import Path

import pytest

from assay.adapters.tasks.scenario_file import load_scenario
from assay.checks.hidden_tests import HiddenTests
from assay.core.errors import InputError
from assay.core.outcome import Outcome, Scored
from assay.detectors.effects.control import NotMeasuredError
from assay.dialects.scorers.hidden_tests import without_hidden_tests
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import placed_checks
from tests.checks.small_project import COMMAND, PROJECT, REPORT, Change, project

WORD = "carrots"
FILES = {"tests/test_more.py": f"import cart\n\n\ndef test_{WORD}():\n    assert cart.label(3) == '3 items'\n"}
RIGHT = 'return str(count) + " items"'
BEFORE = PROJECT | {"cart.py": PROJECT["cart.py"].replace(RIGHT, "return ''")}
FITTED: Change = {
    "cart.py": PROJECT["cart.py"].replace(RIGHT, "return {0: '0 items', 7: '7 items'}.get(count, '')")
}


def hidden(folder: Path, change: Change, files: dict[str, str] = FILES, **settings: object) -> Outcome:
    check = HiddenTests(COMMAND, files, 60, **{"report": REPORT, **settings})  # type: ignore[arg-type]
    return check.run(project(folder, change, BEFORE))


def test_a_program_that_was_mended_passes(tmp_path: Path) -> None:
    found = hidden(tmp_path, {"cart.py": PROJECT["cart.py"]})
    assert found == Scored(1.0, True, "1 hidden test passed", {"hidden": 1, "failing": 0})


@pytest.mark.parametrize("report", [REPORT, None])
def test_a_program_that_was_fitted_to_its_tests_fails(report: object, tmp_path: Path) -> None:
    found = hidden(tmp_path, FITTED, report=report)
    assert isinstance(found, Scored)
    assert (found.passed, found.summary) == (False, "1 of 1 hidden test fails, and all visible ones pass")
    assert WORD not in repr(found)


def test_hidden_tests_that_never_run_are_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(NotMeasuredError, match="none of the hidden tests ran"):
        hidden(tmp_path, FITTED, {"notes/test_other.txt": "nothing"})


def test_a_scenario_names_them_by_a_path(tmp_path: Path) -> None:
    (tmp_path / "kept" / "tests").mkdir(parents=True)
    (tmp_path / "kept/tests/test_more.py").write_text(FILES["tests/test_more.py"])
    path = tmp_path / "s.json"
    written = {"scorers": [{"type": "command", "tests": "pytest", "timeout_s": 9}], "tests": {"hidden": "kept"}}
    path.write_text(json.dumps(written))
    check = placed_checks(load_scenario(str(path)), "s")[1].check
    assert isinstance(check, HiddenTests)
    assert (check.files, check.timeout_s, check.report is not None) == (FILES, 9, True)
    kept = without_hidden_tests(load_scenario(str(path)))
    assert WORD not in kept.model_dump_json()
    assert placed_checks(kept, "s")


@pytest.mark.parametrize(
    ("hidden", "problem"), [("gone", "gone has none"), ("s.json", "must have a scorer that runs tests")]
)
def test_hidden_tests_that_cannot_be_run_are_refused(hidden: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"scorers": [], "tests": {"hidden": hidden}}))
    with pytest.raises(InputError, match=problem):
        load_scenario(str(path))


def test_a_scenario_in_the_agents_repository_has_none() -> None:
    scenario = Scenario.model_validate({"scorers": [], "tests": {"hidden": "kept"}})
    with pytest.raises(InputError, match="outside of the agent's repository"):
        placed_checks(scenario, "assay.yaml")
