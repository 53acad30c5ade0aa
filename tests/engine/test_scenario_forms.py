"""The form of a scenario: nothing is lost on the way through it, and errors are at their fields."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.dialects.scorers.scenario import Scenario, scenario_record
from assay.engine.coding.score import frozen, placed_checks
from assay.web.scenario_forms import (
    ScorerFormRow,
    entered_scenario,
    moved_row,
    of_type,
    shown_scenario,
    with_row,
    without_row,
)

EXAMPLES = sorted(Path("examples/coding").rglob("scenario*.y*ml"))
WHOLE: dict[str, Any] = {
    "name": "fix the parser",
    "user_instruction": "Fix it.\nThen stop.",
    "workspace_seed": {"type": "git", "repository": "../repo", "commit": "abc"},
    "setup": {"command": "make", "timeout_s": 60},
    "turns": ["one", "two\nlines"],
    "scorers": [{"type": "command", "name": "tests", "tests": "pytest", "to_fix": ["a::b"]}],
    "expected_outcome": "refusal",
    "limits": {"time_s": 60, "cost_usd": 0.5},
    "judge": {"models": ["m"], "prices": {"tokens_in": 1.0, "tokens_out": 2.0}},
    "show_ignored": ["dist/*"],
}


def decides(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """All that a seeded task would freeze."""
    read = Scenario.model_validate(dict(scenario))
    return scenario_record(frozen(read, placed_checks(read, "scenario")))


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=str)
def test_every_example_comes_back_as_it_was(path: Path) -> None:
    before = yaml.safe_load(path.read_text())
    after = shown_scenario(before)
    assert after.is_usable
    assert decides(after.written) == decides(before)


def test_a_scenario_comes_back_as_it_was() -> None:
    assert shown_scenario(WHOLE).written == WHOLE


@pytest.mark.parametrize(
    ("entered", "place", "said"),
    [
        ({"limits.time_s": "0"}, "limits.time_s", "must be at least 1, got 0"),
        ({"limits.cost_usd": "cheap"}, "limits.cost_usd", "must be a number, got 'cheap'"),
        ({"workdir": "here"}, "workdir", "must be the absolute path of a folder"),
        ({"workspace_seed.type": "git"}, "workspace_seed.repository", "must be given, got nothing"),
        ({"workspace_seed.type": "tape"}, "workspace_seed.type", "must have 'type' set to one of"),
        ({"expected_outcome": "maybe"}, "expected_outcome", "must be 'completion' or 'refusal'"),
    ],
)
def test_errors_are_at_their_fields(entered: dict[str, str], place: str, said: str) -> None:
    found = entered_scenario(entered, [])
    assert not found.is_usable
    assert found.errors[place].startswith(said)


def test_an_error_of_a_scorer_is_in_its_row_and_nowhere_else() -> None:
    rows = [ScorerFormRow({"type": "forbid_secrets"}), ScorerFormRow({"type": "command"})]
    found = entered_scenario({}, rows)
    assert [dict(row.errors) for row in found.rows] == [{}, {"command": "must be given, got nothing"}]
    assert not found.errors


def test_two_scorers_of_one_name_are_refused() -> None:
    rows = [ScorerFormRow({"type": "forbid_secrets"}), ScorerFormRow({"type": "forbid_secrets"})]
    assert "must differ" in entered_scenario({}, rows).errors[""]


def test_rows_are_added_removed_and_moved_without_losing_what_was_entered() -> None:
    rows = [ScorerFormRow({"type": "command", "command": "make"}), ScorerFormRow({"type": "forbid_secrets"})]
    more = with_row(rows, "no_new_skips")
    assert [row.entered["type"] for row in more] == ["command", "forbid_secrets", "no_new_skips"]
    assert more[2].entered["required"] == ""
    assert with_row(rows)[2].entered["required"] == "on"
    assert [row.entered["type"] for row in moved_row(more, 0, 1)][:2] == ["forbid_secrets", "command"]
    assert moved_row(more, 0, -1) == more
    assert without_row(more, 1) == [more[0], more[2]]
    assert without_row(more, 9) == more


def test_another_type_begins_with_its_own_default_and_keeps_the_name() -> None:
    row = ScorerFormRow({"type": "command", "name": "mine", "command": "make", "required": "on"})
    assert of_type(row, "no_new_skips").entered == {"type": "no_new_skips", "name": "mine", "required": ""}
    unnamed = ScorerFormRow({"type": "command", "name": "command"})
    assert of_type(unnamed, "forbid_secrets").entered["name"] == ""
    assert of_type(row, "nonsense") == row
