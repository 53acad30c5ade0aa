"""Criteria files: both shapes in both languages, and refusals with file, line and field."""

from pathlib import Path

import pytest

from assay.adapters.playgrounds.playground_file import load_criteria, load_data, read_criteria
from assay.core.errors import InputError
from tests.checks.criteria.fake_state import FakeState
from tests.completing import complete

ENTRY = "label: one\n    assertion: {assert: portal-state-match}\n"


def written(tmp_path: Path, text: str, name: str = "a.yaml") -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", f"  - {ENTRY}"),
        ("a.yaml", f"criteria:\n  - {ENTRY}data: {{}}\n"),
        ("a.json", '[{"label": "one", "assertion": {"assert": "portal-state-match"}}]'),
        ("a.json", '{"criteria": [{"label": "one", "assertion": {"assert": "portal-state-match"}}]}'),
    ],
)
def test_both_shapes_in_both_languages(tmp_path: Path, name: str, text: str) -> None:
    file = load_criteria(written(tmp_path, text, name))
    assert [(one.label, one.weight, one.axis) for one in file.criteria] == [("one", 1, None)]
    assert file.criteria[0].assertion == {"assert": "portal-state-match"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"  - {ENTRY}    weight: 1e999\n", r"a.yaml:3: a value must be a finite number, .*, got '1e999'"),
        (f"  - {ENTRY}colour: 5\n", "must be"),
        ("criteria: 5\n", r"a.yaml:1: criteria must be a list, got 5"),
        ("", "must be an object of names and values, got null"),
        ("5", "must be an object of names and values, got 5"),
    ],
)
def test_a_file_that_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_criteria(written(tmp_path, text))


@pytest.mark.statement("criteria.bad-criterion")
@pytest.mark.parametrize(
    ("entry", "label", "weight", "says"),
    [
        (f"{ENTRY}    weight: '2'\n", "one", 1, "line 3: weight must be a number, got '2'"),
        (f"{ENTRY}    weight: -1\n", "one", 1, "line 3: weight must be at least 0, got -1"),
        (f"{ENTRY}    weight: 1e101\n", "one", 1, "line 3: weight must be at most 1e+100, got 1e+101"),
        (f"{ENTRY}    weight: 3\n    axis: 5\n", "one", 3, "line 4: axis must be text, got 5 (put it in quotes)"),
        (
            f"{ENTRY}    wieght: 2\n",
            "one",
            1,
            "line 3: wieght must be one of the fields id, task_id, label, assertion, weight, axis, "
            "got 'wieght' (did you mean weight?)",
        ),
        ("5\n", "criterion 1", 1, "line 1: must be an object of names and values, got 5"),
        ("assertion: {}\n    weight: 2\n", "criterion 1", 2, "line 1: label must be given, got nothing"),
        ("label: ''\n    assertion: {}\n", "criterion 1", 1, "line 1: label must not be empty, got ''"),
    ],
)
def test_a_criterion_that_can_not_be_used_fails_alone(
    tmp_path: Path, entry: str, label: str, weight: float, says: str
) -> None:
    """The others are graded, and the weight counts where it can be used."""
    good = "label: silent\n    assertion: {assert: voice-transcript, contains: [a]}\n    weight: 0\n"
    file = load_criteria(written(tmp_path, f"  - {entry}  - {good}"))
    odd, other = complete(file.criteria, {}, FakeState()).criterion_runs
    assert (odd.label, odd.weight, odd.status, odd.score, odd.passed) == (label, weight, "failed", 0.0, False)
    assert odd.details == f"the criterion can't be used: {says}"
    assert (other.label, other.status) == ("silent", "completed")


@pytest.mark.parametrize("assertion", ["", "assertion:", "assertion: hl7", "assertion: [1]", "assertion: {}"])
def test_an_assertion_that_is_none_fails_its_own_criterion_only(tmp_path: Path, assertion: str) -> None:
    file = load_criteria(written(tmp_path, f"  - label: odd\n    {assertion}\n  - {ENTRY}"))
    done = complete(file.criteria, {}, FakeState())
    assert "unsupported assertion: assert must be one of" in done.criterion_runs[0].details
    assert [run.label for run in done.criterion_runs] == ["odd", "one"]


def test_a_list_has_its_lines_as_well(tmp_path: Path) -> None:
    found = read_criteria(written(tmp_path, "- a: 1\n- b: 2\n"))
    assert found.value == {"criteria": [{"a": 1}, {"b": 2}]}
    assert found.lines["criteria", 1, "b"] == 2


def test_data_is_an_object(tmp_path: Path) -> None:
    assert load_data(written(tmp_path, "a: {b: 007}")) == {"a": {"b": "007"}}
    with pytest.raises(InputError, match="data must be an object"):
        load_data(written(tmp_path, "[1]"))
