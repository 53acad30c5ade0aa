"""Criteria files: both shapes in both languages, and refusals with file, line and field."""

from pathlib import Path

import pytest

from assay.adapters.criteria_file import load_criteria, load_data, read_criteria
from assay.core.errors import InputError

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
        (f"  - {ENTRY}    weight: '2'\n", r"a.yaml:3: criteria\[0\].weight: Input should be a valid number"),
        (f"  - {ENTRY}    weight: -1\n", r"a.yaml:3: criteria\[0\].weight: Input should be greater"),
        (f"  - {ENTRY}    wieght: 2\n", r"a.yaml:3: criteria\[0\].wieght: Extra inputs"),
        ("\n\n  - label: x\n", r"a.yaml:3: criteria\[0\].assertion: Field required"),
        ("criteria: 5\n", r"a.yaml:1: criteria: Input should be a valid (list|array)"),
        ("", "Input should be an object"),
        ("5", "Input should be an object"),
    ],
)
def test_a_file_that_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_criteria(written(tmp_path, text))


def test_a_list_has_its_lines_as_well(tmp_path: Path) -> None:
    found = read_criteria(written(tmp_path, "- a: 1\n- b: 2\n"))
    assert found.value == {"criteria": [{"a": 1}, {"b": 2}]}
    assert found.lines["criteria", 1, "b"] == 2


def test_data_is_an_object(tmp_path: Path) -> None:
    assert load_data(written(tmp_path, "a: {b: 007}")) == {"a": {"b": "007"}}
    with pytest.raises(InputError, match="data is an object"):
        load_data(written(tmp_path, "[1]"))
