"""Forms of scorers: made from the check's own declaration, and read back into entries that a scenario takes."""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

import pytest

from assay.core.outcome import MULTILINE, Outcome, Scored, limits, one_of
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import check_class, kinds, placed_checks
from assay.evidence.workspace import Workspace
from assay.web.declared_forms import FormControl, entered_as, form_of, value_of
from assay.web.scenario_forms import entered_scorer, form_of_check, scorer_form, scorer_forms, shown_scorer
from tests.checks.configuration import CONFIGURATION


@dataclass(frozen=True, slots=True)
class Inside:
    """``depth`` is how deep."""

    depth: int
    shape: Literal["round", "square"] = "round"


@dataclass(frozen=True, slots=True)
class MadeUp:
    """``words`` are looked for, in any order. Case counts. ``most`` is from 1 to 9; ``note`` is for people."""

    kind: ClassVar[str] = "made_up"
    advisory: ClassVar[bool] = True

    words: tuple[str, ...]
    most: int = field(default=3, metadata=limits(1, 9))
    share: float = 0.5
    note: str = field(default="", metadata=MULTILINE)
    way: str = field(default="slow", metadata=one_of(("slow", "fast")))
    exact: bool = True
    table: dict[str, int] = field(default_factory=dict)
    inside: Inside | None = None

    def run(self, evidence: Workspace) -> Outcome:  # noqa: ARG002 - nobody runs it
        return Scored(1.0, True, "made up")


# Rules about calls have parts of their own. The files of hidden tests are read from a folder; nobody enters them.
AS_JSON = {"trajectory": {"must_call", "must_not_call", "in_order"}, "hidden_tests": {"files"}}


@pytest.mark.parametrize("kind", kinds())
def test_every_type_of_the_catalogue_has_a_form_of_all_its_fields(kind: str) -> None:
    found = scorer_form(kind)
    assert found is not None
    declared = {one.name for one in fields(check_class(kind))}  # type: ignore[arg-type]
    assert declared <= {one.name.partition(".")[0] for one in found.form.fields}
    assert found.about.endswith(".")
    assert found.required is not check_class(kind).advisory
    assert {one.name for one in found.form.fields if one.control is FormControl.JSON} == AS_JSON.get(kind, set())


def test_a_new_check_has_a_form_without_new_code() -> None:
    found = form_of_check(MadeUp)
    controls = {one.name: one.control for one in found.form.fields}
    assert controls == {
        "words": FormControl.LINES,
        "most": FormControl.WHOLE_NUMBER,
        "share": FormControl.NUMBER,
        "note": FormControl.LONG_TEXT,
        "way": FormControl.CHOICE,
        "exact": FormControl.TOGGLE,
        "table": FormControl.JSON,
        "inside.depth": FormControl.WHOLE_NUMBER,
        "inside.shape": FormControl.CHOICE,
    }
    assert (found.type, found.label, found.required) == ("made_up", "Made up", False)
    words, most = found.form.field("words"), found.form.field("most")
    assert words is not None
    assert most is not None
    assert (words.required, words.help) == (True, "Words are looked for, in any order. Case counts.")
    assert (most.least, most.most, most.default, most.help) == (1, 9, 3, "Most is from 1 to 9")


def test_what_was_entered_becomes_the_value_and_back() -> None:
    form = form_of(MadeUp)
    entered = {
        "words": " one \r\n\r\ntwo",
        "most": "3",
        "share": "0.25",
        "note": "",
        "way": "fast",
        "table": '{"a": 1}',
        "inside.depth": "2",
        "inside.shape": "square",
    }
    value = value_of(form, entered)
    assert value == {
        "words": ["one", "two"],
        "share": 0.25,
        "way": "fast",
        "exact": False,
        "table": {"a": 1},
        "inside": {"depth": 2, "shape": "square"},
    }
    again = entered_as(form, value)
    assert value_of(form, again) == value
    assert (again["words"], again["most"], again["exact"]) == ("one\ntwo", "3", "")


@pytest.mark.parametrize("kind", kinds())
def test_a_scorer_comes_back_as_it_was(kind: str) -> None:
    written: dict[str, Any] = {"type": kind, "name": "mine", **CONFIGURATION.get(kind, {})}
    texts, rest = shown_scorer(written)
    entered = entered_scorer(texts, rest)
    assert not entered.errors
    assert entered.written == written


def test_fields_that_the_form_does_not_know_are_kept_and_reported() -> None:
    texts, rest = shown_scorer({"type": "max_files_changed", "name": "few", "limit": 3, "colour": "red"})
    assert rest == {"colour": "red"}
    entered = entered_scorer(texts, rest)
    assert entered.written["colour"] == "red"
    assert "colour" in entered.errors


@pytest.mark.parametrize(
    ("entered", "errors"),
    [
        ({"type": "command"}, {"command": "must be given, got nothing"}),
        (
            {"type": "command", "command": "make", "timeout_s": "soon"},
            {"timeout_s": "must be a whole number, got 'soon'"},
        ),
        (
            {"type": "command", "command": "make", "timeout_s": "0"},
            {"timeout_s": "must be from 1 to 3600, got 0"},
        ),
        (
            {"type": "command", "command": "make", "report.expected": "a\nb"},
            {"report.path": "must be given, got nothing"},
        ),
        (
            {"type": "command", "timeout_s": "soon"},
            {"command": "must be given, got nothing", "timeout_s": "must be a whole number, got 'soon'"},
        ),
        ({"type": "max_files_changed", "limit": "-1"}, {"limit": "must be at least 0, got -1"}),
        ({"type": "allowed_paths"}, {"patterns": "must be given, got nothing"}),
        ({"type": "command", "tests": "mocha"}, {"tests": "must be one of"}),
        ({"type": "nonsense"}, {"type": "must be one of"}),
        ({"type": ""}, {"type": "must not be empty"}),
        ({"type": "command", "tests": "pytest"}, {}),
    ],
)
def test_errors_are_at_their_fields(entered: dict[str, str], errors: dict[str, str]) -> None:
    found = entered_scorer(entered).errors
    assert found.keys() == errors.keys()
    for name, said in errors.items():
        assert found[name].startswith(said)


def test_required_is_written_only_where_it_differs_from_the_type() -> None:
    assert "required" not in entered_scorer({"type": "forbid_secrets", "required": "on"}).written
    assert entered_scorer({"type": "forbid_secrets"}).written["required"] is False
    assert entered_scorer({"type": "no_new_skips", "required": "on"}).written["required"] is True


def test_entered_scorers_make_a_scenario() -> None:
    scorers = [
        dict(entered_scorer({"type": "command", "tests": "pytest", "required": "on"}).written),
        dict(entered_scorer({"type": "max_files_changed", "limit": "4", "name": "few files"}).written),
    ]
    placed = placed_checks(Scenario.model_validate({"scorers": scorers}), "form")
    assert [one.placement.name for one in placed] == ["command", "few files"]


def test_the_forms_of_all_types_are_sorted_and_named() -> None:
    assert [one.type for one in scorer_forms()] == kinds()
    assert {one.label for one in scorer_forms()} >= {"Max files changed", "LLM judge", "Command"}
