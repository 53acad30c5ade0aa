"""``assay score predictions.jsonl``: SWE-bench's patches, each of them a run."""

import json
from pathlib import Path

import pytest

from tests.adapters.workspace.repositories import make_repository, run_git
from tests.cli.running import Cli
from tests.coding import FIXED, PROJECT, write_files

SCENARIO = {"scorers": [{"name": "fixed", "type": "command", "command": "grep -q '+ b' calc.py"}]}
DIFF_OF_NOTHING = "--- a/gone.py\n+++ b/gone.py\n@@ -1 +1 @@\n-a\n+b\n"


def prediction(instance: str, patch: str | None, model: str = "m") -> dict[str, object]:
    return {"instance_id": instance, "model_name_or_path": model, "model_patch": patch}


@pytest.fixture
def place(open_folder: Path) -> Path:
    """Two repositories, a scenario, and the patch that mends either."""
    for name in ("pallets__calc-1", "pallets__calc-2"):
        make_repository(open_folder / "repositories" / name, PROJECT)
    (open_folder / "scenario.json").write_text(json.dumps(SCENARIO))
    there = open_folder / "repositories" / "pallets__calc-1"
    write_files(there, {"calc.py": FIXED})
    (open_folder / "fix.diff").write_text(run_git(there, "diff") + "\n")
    write_files(there, {"calc.py": FIXED.replace("+", "*")})
    (open_folder / "wrong.diff").write_text(run_git(there, "diff") + "\n")
    run_git(there, "checkout", "-q", ".")
    return open_folder


def test_each_is_a_run(cli: Cli, place: Path) -> None:
    fix, wrong = ((place / name).read_text() for name in ("fix.diff", "wrong.diff"))
    rows = [
        prediction("pallets__calc-1", fix),
        prediction("pallets__calc-2", wrong),
        prediction("pallets__calc-1", DIFF_OF_NOTHING, "n"),
        prediction("pallets__calc-2", None, "n"),
    ]
    (place / "all.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    options = ("--repositories", place / "repositories", "--scenario", place / "scenario.json")
    done = cli("score", place / "all.jsonl", *options, "--json")
    assert done.code == 1, done.err
    found = json.loads(done.out)
    assert [(one["state"], one["score"]) for one in found["runs"]] == [
        ("passed", 1.0),
        ("failed", 0.0),
        ("unusable", 0.0),
        ("unusable", 0.0),
    ]
    assert found["counts"] == {"passed": 1, "failed": 1, "unusable": 2}
    assert found["runs"][0]["report"]["workspace"]["changed"][0]["path"] == "calc.py"
    assert found["runs"][2]["reason"].startswith("model_patch must be a patch of the baseline: ")
    shown = cli("score", place / "all.jsonl", *options).out.splitlines()
    assert shown[0].split() == ["instance", "model", "state", "suspect"]
    assert shown[1].split() == ["pallets__calc-1", "m", "passed", "0.00", "PASS"]
    assert shown[-1] == "4 runs: 1 passed, 1 failed, 2 unusable"
    # The form in which the harness writes gold patches, and one baseline for all.
    (place / "all.json").write_text(json.dumps({"pallets__calc-1": rows[0]}))
    baseline = place / "repositories" / "pallets__calc-2"
    done = cli("score", place / "all.json", "--scenario", place / "scenario.json", "--baseline", baseline)
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 run: 1 passed")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "must hold at least one prediction, but is empty"),
        (["{"], "must hold predictions as JSON: "),
        (["[]"], "line 1 must be an object with instance_id, model_name_or_path and model_patch"),
        ([prediction("", "x")], 'line 1: instance_id must be a text, got ""'),
        ([prediction("a/../b", "x")], "line 1: instance_id must be a name without '/', got 'a/../b'"),
        ([{"instance_id": "a", "model_patch": ""}], "line 1: model_name_or_path must be a text, got null"),
        (
            [prediction("a", "x") | {"model_patch": 5}],
            "line 1: model_patch must be a patch as text or null, got 5",
        ),
        (
            [prediction("a", "x"), prediction("a", "y")],
            "line 2 must be the only answer of m to a, but ALL line 1 is one, too",
        ),
        ([prediction("a", "x")], "FOLDER must have a repository named like each instance, but has none for a"),
    ],
)
def test_what_is_no_set_of_predictions(cli: Cli, tmp_path: Path, lines: list[object], problem: str) -> None:
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines))
    done = cli("score", path, "--repositories", tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert problem.replace("ALL", str(path)).replace("FOLDER", str(tmp_path)) in done.err


def test_options_of_a_single_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text(json.dumps(prediction("a", "x")))
    done = cli("score", tmp_path / "all.jsonl", "--format", "sarif")
    assert (done.code, "--format is for a single run: leave it out for " in done.err) == (2, True)
    done = cli("score", tmp_path, "--repositories", tmp_path)
    assert (done.code, "--repositories is for predictions" in done.err) == (2, True)
