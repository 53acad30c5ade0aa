"""``assay reward --rubric … --scores …``: both artifacts, each whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli, Ran, run_assay

RUBRIC = {
    "dimensions": [
        {"name": "voltage_drop_v", "weight": 2.0},
        {"name": "voltage_drop_pct", "max_score": 10},
        {"name": "compliance", "description": "flagged as it should be"},
    ]
}
SCORES = {"voltage_drop_v": {"score": 0.95, "evidence": "within 2% of reference"}, "voltage_drop_pct": 10}


@pytest.fixture
def verifier(tmp_path: Path) -> Path:
    (tmp_path / "verifier").mkdir()
    return tmp_path / "verifier"


def reward(cli: Cli, verifier: Path, rubric: Any = RUBRIC, scores: Any = SCORES) -> Ran:
    """Run the command on these two documents; text is written as it is."""
    for name, content in (("rubric.json", rubric), ("scores.json", scores)):
        text = content if isinstance(content, str) else json.dumps(content)
        (verifier.parent / name).write_text(text)
    files = ("--rubric", verifier.parent / "rubric.json", "--scores", verifier.parent / "scores.json")
    return cli("reward", *files, "--into", verifier)


def test_both_files_are_written(cli: Cli, verifier: Path) -> None:
    """(2 x 0.95 + 1 + 0) / 4, and every dimension with what was said of it."""
    assert reward(cli, verifier) == (0, "", "")
    assert (verifier / "reward.json").read_text() == '{"reward": 0.725}\n'
    assert json.loads((verifier / "details.json").read_text()) == {
        "voltage_drop_v": {"score": 0.95, "max_score": 1.0, "evidence": "within 2% of reference"},
        "voltage_drop_pct": {"score": 10, "max_score": 10.0, "evidence": None},
        "compliance": {"score": 0.0, "max_score": 1.0, "evidence": "No score provided"},
    }
    assert sorted(os.listdir(verifier)) == ["details.json", "reward.json"]


@pytest.mark.parametrize(("strategy", "expected"), [(None, 0.725), ("weighted_mean", 0.725), ("min", 0.0)])
def test_the_strategy_is_the_rubrics(cli: Cli, verifier: Path, strategy: str | None, expected: float) -> None:
    rubric = RUBRIC if strategy is None else RUBRIC | {"strategy": strategy}
    assert reward(cli, verifier, rubric).code == 0
    assert json.loads((verifier / "reward.json").read_text()) == {"reward": expected}


BAD_RUBRICS: list[tuple[str, Any, str]] = [
    ("unknown strategy", RUBRIC | {"strategy": "median"}, "rubric.json: strategy: "),
    ("no dimensions", {}, "rubric.json: dimensions: "),
    ("negative weight", {"dimensions": [{"name": "a", "weight": -1}]}, "rubric.json: dimensions.0.weight: "),
    ("unknown field", {"dimensions": [], "rollup": "min"}, "rubric.json: rollup: "),
    ("twice", {"dimensions": [{"name": "a"}, {"name": "a"}]}, "but several are called a"),
    ("no json", "{", "rubric.json: "),
    ("empty", "", "rubric.json: "),
    ("list", [], "rubric.json: "),
    ("without end", "[" * 100_000, "rubric.json: "),
]


@pytest.mark.parametrize(("rubric", "says"), [case[1:] for case in BAD_RUBRICS], ids=[c[0] for c in BAD_RUBRICS])
def test_a_rubric_that_can_not_be_used(cli: Cli, verifier: Path, rubric: Any, says: str) -> None:
    found = reward(cli, verifier, rubric)
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err
    assert ": : " not in found.err
    assert os.listdir(verifier) == []


BAD_SCORES: list[tuple[str, Any, str]] = [
    ("unknown dimension", {"colour": 1}, "scores.json: the rubric has no dimension colour"),
    ("boolean", {"compliance": True}, "scores.json: the score of compliance must be a finite number, got True"),
    ("text", {"compliance": "1"}, "scores.json: the score of compliance must be a finite number, got '1'"),
    ("nan", '{"compliance": NaN}', "scores.json: the score of compliance must be a finite number, got nan"),
    ("evidence that is no json", '{"compliance": {"score": 1, "evidence": NaN}}', ""),
    ("list", [], "scores.json: must be an object, got list"),
    ("no json", "{", "scores.json: "),
    ("empty", "", "scores.json: "),
    ("without end", "[" * 100_000, ""),
]


@pytest.mark.parametrize(("scores", "says"), [case[1:] for case in BAD_SCORES], ids=[c[0] for c in BAD_SCORES])
def test_scores_that_can_not_be_used(cli: Cli, verifier: Path, scores: Any, says: str) -> None:
    found = reward(cli, verifier, RUBRIC, scores)
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err
    assert os.listdir(verifier) == []


def test_a_score_beyond_every_float_is_no_crash(cli: Cli, verifier: Path) -> None:
    found = reward(cli, verifier, RUBRIC, f'{{"compliance": {10**400}}}')
    assert found.code in (0, 2)
    assert len(found.err.splitlines()) == (1 if found.code else 0)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--rubric", "r"),
        ("--scores", "s"),
        ("--exit-status", "0", "--rubric", "r", "--scores", "s"),
        ("--exit-status", "0", "--rubric", "r"),
    ],
)
def test_either_an_exit_status_or_a_rubric_with_scores(cli: Cli, verifier: Path, options: tuple[str, ...]) -> None:
    found = cli("reward", *options, "--into", verifier)
    says = "assay: pass either --exit-status, or --rubric and --scores (see 'assay reward --help')\n"
    assert found == (2, "", says)
    assert os.listdir(verifier) == []


@pytest.mark.parametrize("missing", ["rubric.json", "scores.json"])
def test_a_file_that_is_not_there(cli: Cli, verifier: Path, missing: str) -> None:
    reward(cli, verifier)
    (verifier.parent / missing).unlink()
    files = ("--rubric", verifier.parent / "rubric.json", "--scores", verifier.parent / "scores.json")
    found = cli("reward", *files, "--into", verifier)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert found.err.startswith(f"assay: {verifier.parent}/{missing} can't be read")


def test_a_folder_that_is_not_there(cli: Cli, verifier: Path) -> None:
    verifier.rmdir()
    found = reward(cli, verifier)
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert found.err.startswith(f"assay: can't write to {verifier}: ")


def test_as_a_process(verifier: Path) -> None:
    (verifier.parent / "rubric.json").write_text(json.dumps(RUBRIC))
    (verifier.parent / "scores.json").write_text(json.dumps(SCORES))
    files = ("--rubric", verifier.parent / "rubric.json", "--scores", verifier.parent / "scores.json")
    assert run_assay("reward", *files, "--into", verifier) == (0, "", "")
    assert json.loads((verifier / "reward.json").read_text()) == {"reward": 0.725}
