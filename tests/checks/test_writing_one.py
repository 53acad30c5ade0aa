"""The how-to page for scorers keeps its word: its one file is all that it takes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import checks
from assay.core.errors import InputError
from assay.core.outcome import NotApplicable, Scored
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import kinds, placed_checks, required_by_default
from tests.builders import REPO
from tests.checks.fake_workspace import FakeWorkspace, added
from tests.engine import test_scorer_checks

PAGE = REPO / "docs" / "contributing" / "write-a-scorer.md"
KIND = "no_large_files"


@pytest.fixture(autouse=True)
def _one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's file among the checks."""
    code = PAGE.read_text().partition("```py\n")[2].partition("```")[0]
    (tmp_path / f"{KIND}.py").write_text(code)
    monkeypatch.setattr(checks, "__path__", [*checks.__path__, str(tmp_path)])
    yield
    sys.modules.pop(f"assay.checks.{KIND}", None)


def placed(**config: object) -> list[object]:
    scenario = Scenario.model_validate({"scorers": [{"type": KIND, **config}]})
    return [one.check for one in placed_checks(scenario, "s.yaml")]


def test_it_is_found_by_its_name() -> None:
    assert KIND in kinds()
    assert required_by_default(KIND)


def test_it_is_as_every_other_file_among_the_checks_has_to_be() -> None:
    test_scorer_checks.test_every_file_among_the_checks_is_a_type_of_scorer(KIND)
    test_scorer_checks.test_a_type_without_its_fields_is_made_or_refused_in_a_sentence(KIND)


@pytest.mark.parametrize(
    ("workspace", "outcome"),
    [
        (added("a", "x" * 10), Scored(1.0, True, "none of 1 files is too large")),
        (FakeWorkspace({"a": "x" * 99}), NotApplicable("no file was written")),
        (
            FakeWorkspace({}, {"a": "x", "b": "x" * 11}),
            Scored(
                0.5,
                False,
                "b is too large",
                {"findings": [{"rule": "too large", "path": "b", "detail": "11 bytes"}]},
            ),
        ),
    ],
)
def test_it_answers(workspace: FakeWorkspace, outcome: object) -> None:
    (check,) = placed(limit=10)
    assert check.run(workspace) == outcome  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "    advisory: ClassVar[bool] = False\n",
            "",
            "must declare 'advisory: ClassVar[bool]', True or False, got N",
        ),
        ("[bool] = False", "[bool] = 0", "must declare 'advisory: ClassVar[bool]', True or False, got 0"),
        (f'= "{KIND}"', '= "other"', f"assay.checks.{KIND} must hold a class whose kind is '{KIND}'"),
    ],
)
def test_a_file_that_leaves_something_out_is_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = tmp_path / f"{KIND}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(TypeError) as caught:
        placed(limit=10)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("limit", [0, 1.5, "10"])
def test_its_fields_are_checked(limit: object) -> None:
    with pytest.raises(InputError, match=r"s\.yaml: scorers\[0\]"):
        placed(limit=limit)
