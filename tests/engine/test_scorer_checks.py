"""Checks from the scorers of a scenario: found by name, placed by their defaults, refused in one sentence."""

import dataclasses
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.command import Command
from assay.core.errors import InputError
from assay.core.grading import Placement
from assay.core.outcome import Check
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import check_class, kinds, placed_checks, required_by_default
from assay.evidence.workspace import Workspace
from assay.formats.test_reports.rule import ReportRule
from tests.checks.configuration import CONFIGURATION

C = {"type": "command", "command": "x"}


def scenario(*scorers: dict[str, Any]) -> Scenario:
    return Scenario.model_validate({"scorers": list(scorers)})


def made(**scorer: Any) -> Check[Workspace]:
    (placed,) = placed_checks(scenario(scorer), "s.yaml")
    return placed.check


def refusal(**scorer: Any) -> str:
    with pytest.raises(InputError) as caught:
        made(**scorer)
    return str(caught.value)


@pytest.mark.parametrize("kind", kinds())
def test_every_file_among_the_checks_is_a_type_of_scorer(kind: str) -> None:
    """A frozen dataclass whose kind is its file's name, with a docstring that becomes its page."""
    found = check_class(kind)
    assert found.kind == kind == found.__module__.rpartition(".")[2]
    assert dataclasses.is_dataclass(found)
    assert found.__dataclass_params__.frozen
    assert len(inspect.getdoc(inspect.getmodule(found)) or "") > 80
    assert found.__doc__


@pytest.mark.parametrize("kind", kinds())
def test_a_type_without_its_fields_is_made_or_refused_in_a_sentence(kind: str) -> None:
    if kind in CONFIGURATION:
        assert refusal(type=kind).startswith("s.yaml: scorers[0].")
    assert made(type=kind, **CONFIGURATION.get(kind, {})).kind == kind


def test_name_and_required_are_the_placement() -> None:
    listed = scenario(
        {"name": "a", "type": "max_files_changed", "limit": 1},
        {"name": "b", "type": "max_files_changed", "limit": 2, "required": False},
        {"type": "no_new_skips", "required": True},
    )
    placed = placed_checks(listed, "s.yaml")
    assert [one.placement for one in placed] == [
        Placement("a", required=True),
        Placement("b", required=False),
        Placement("no_new_skips", required=True),
    ]


def test_no_value_for_required_is_the_default_of_the_type() -> None:
    for kind in kinds():
        (one,) = placed_checks(scenario({"type": kind, "required": None, **CONFIGURATION.get(kind, {})}), "s.yaml")
        assert one.placement.required is required_by_default(kind)


def test_lists_become_tuples_and_tables_become_parts() -> None:
    report = {"path": "r.xml", "format": "junit", "expected": ["a", "b"]}
    assert made(type="command", command="x", restore=["tests/*"], report=report) == Command(
        "x", restore=("tests/*",), report=ReportRule("r.xml", "junit", ("a", "b"))
    )


@pytest.mark.parametrize("kind", ["comand", "Command", "", "__init__", "../command", "command.py", "\x1b[31m"])
def test_a_type_that_there_is_none_of(kind: str) -> None:
    with pytest.raises((InputError, ValueError)) as caught:
        made(type=kind, command="x", name="a")
    if kind:
        assert str(caught.value).startswith(
            "s.yaml: scorers[0].type must be one of allowed_paths, assertions_not_weakened, "
        )
        assert str(caught.value).endswith(f", got {kind!r}")


@pytest.mark.parametrize(
    ("scorer", "sentence"),
    [
        ({"type": "command", "comand": "x"}, ".comand must be one of the fields command, timeout_s, "),
        ({"type": "llm_judge", "rubric": "x", "limit": 1}, ".limit must be one of the fields rubric, got 'limit'"),
        ({"type": "command"}, ".command must be given, got nothing"),
        ({**C, "timeout_s": 0}, ".timeout_s must be from 1 to 3600, got 0"),
        ({**C, "timeout_s": 3601}, ".timeout_s must be from 1 to 3600, got 3601"),
        ({**C, "timeout_s": 1.5}, ".timeout_s must be a whole number, got 1.5"),
        ({**C, "timeout_s": True}, ".timeout_s must be a whole number, got true"),
        ({**C, "timeout_s": "5"}, ".timeout_s must be a whole number, got '5'"),
        ({"type": "command", "command": ["x"]}, ".command must be text, got a list of 1 item"),
        ({**C, "report": {"path": "/r"}}, ".report: a path must be relative to the"),
        ({**C, "report": {}}, ".report.path must be given, got nothing"),
        ({"type": "allowed_paths", "patterns": []}, ".patterns must have at least one glob, got an empty list"),
        ({"type": "allowed_paths", "patterns": "src/*"}, ".patterns must be a list, got 'src/*'"),
        ({"type": "forbid_paths", "patterns": [1]}, ".patterns[0] must be text, got 1 (put it in quotes)"),
        ({"type": "max_files_changed", "limit": -1}, ".limit must be at least 0, got -1"),
        ({"type": "max_files_changed", "limit": 1.0}, ".limit must be a whole number, got 1.0"),
        ({"type": "max_files_changed", "limit": None}, ".limit must be a whole number, got null"),
        ({"type": "file_exists", "path": "../x"}, ": a path must be relative to the workspace, without '..', got"),
        ({"type": "tests_unmodified", "paths": []}, ".paths must have at least one path, got an empty list"),
        ({"type": "tests_unmodified", "paths": ["/x"]}, ": a path must be relative to the workspace, without"),
        ({"type": "baseline_unmodified", "paths": "x"}, ".paths must be a list, got 'x'"),
        ({"type": "llm_judge", "rubric": " "}, ".rubric must have some text, got ' '"),
        ({"type": "forbid_secrets", "patterns": ["x"]}, ".patterns must be left out, got the unknown field"),
    ],
)  # fmt: skip
def test_a_configuration_that_is_refused(scorer: dict[str, Any], sentence: str) -> None:
    assert refusal(**scorer).startswith(f"s.yaml: scorers[0]{sentence}")


def test_the_place_is_the_number_of_the_scorer() -> None:
    listed = scenario({"type": "llm_judge", "rubric": "x"}, {"type": "max_files_changed", "limit": -1})
    with pytest.raises(InputError, match=r"^a/b\.toml: scorers\[1\]\.limit must be at least 0, got -1$"):
        placed_checks(listed, "a/b.toml")


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
FIELDS = sorted(
    {name for config in CONFIGURATION.values() for name in config} | {"timeout_s", "restore", "report"}
)


@given(st.sampled_from(kinds()), st.dictionaries(st.sampled_from(FIELDS), plain, max_size=3))
def test_any_configuration_is_made_or_refused_in_one_line(kind: str, config: dict[str, Any]) -> None:
    try:
        placed_checks(scenario({"type": kind, **config}), "s.yaml")
    except InputError as error:
        said = str(error)
    else:
        return
    assert said.startswith("s.yaml: scorers[0]")
