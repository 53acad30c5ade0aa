"""``assay audit``: 0 if everything follows, 1 if something differs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.builders import HARBOR_JOBS, REPO, edit_json, run_entry, write_run_folder, write_trial
from tests.cli.running import Cli


@pytest.fixture
def tampered(tmp_path: Path) -> Path:
    """A real job whose record has one wrong number."""
    job = Path(shutil.copytree(HARBOR_JOBS / "j4", tmp_path / "j4"))
    edit_json(job / "result.json", lambda content: content["stats"].update(n_errored_trials=0))
    return job


@pytest.mark.parametrize("name", ["j1", "j4"])
def test_what_harbor_wrote(cli: Cli, name: str) -> None:
    found = cli("audit", HARBOR_JOBS / name)
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[-1] == f"{name}: consistent, byte for byte"
    assert "DIFFERS" not in found.out


def test_quiet_says_only_the_verdict(cli: Cli) -> None:
    assert cli("audit", "--quiet", HARBOR_JOBS / "j1").out == "j1: consistent, byte for byte\n"


def test_what_differs_is_shown_with_both_values(cli: Cli, tampered: Path) -> None:
    assert cli("audit", "--quiet", tampered) == (
        1,
        "  stats.n_errored_trials  DIFFERS\n"
        "    recorded  0\n"
        "    derived   1\n"
        "j4: 1 of 22 fields don't follow from the trials\n",
        "",
    )


def test_one_of_several_is_enough(cli: Cli, tampered: Path) -> None:
    found = cli("audit", "--quiet", HARBOR_JOBS / "j1", tampered)
    assert found.code == 1
    assert found.out.startswith("j1: consistent, byte for byte\n\n  stats.n_errored_trials")


def test_another_layout_and_an_unfinished_job(cli: Cli, tmp_path: Path) -> None:
    job = Path(shutil.copytree(HARBOR_JOBS / "j4", tmp_path / "j4"))
    edit_json(job / "result.json", lambda content: content.update(finished_at=None, id=7))
    found = cli("audit", "--quiet", job)
    assert (found.code, found.out) == (0, "j4: consistent, field by field (the job did not finish)\n")


def test_a_long_value_is_cut(cli: Cli, tampered: Path) -> None:
    edit_json(tampered / "result.json", lambda content: content["stats"].update(extra="x" * 10_000))
    line = next(line for line in cli("audit", tampered).out.splitlines() if "xxx" in line)
    assert len(line) < 220
    assert line.endswith("… (10002 characters)")


def as_json(found: Any) -> Any:
    """Parsed by the letter: NaN is not JSON."""
    return json.loads(found.out, parse_constant=pytest.fail)["audits"]


def test_json(cli: Cli, tampered: Path) -> None:
    found = cli("audit", "--json", HARBOR_JOBS / "j1", tampered)
    good, bad = as_json(found)
    assert found.code == 1
    assert (good["job"], good["consistent"], good["identical"], good["finished"]) == ("j1", True, True, True)
    assert (bad["job"], bad["consistent"], bad["identical"]) == ("j4", False, False)
    assert [finding for finding in bad["findings"] if finding["standing"] == "differs"] == [
        {"field": "stats.n_errored_trials", "standing": "differs", "recorded": 0, "derived": 1}
    ]


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_json_is_json_whatever_was_recorded(cli: Cli, tampered: Path, value: Any) -> None:
    edit_json(tampered / "result.json", lambda content: content["stats"].update(extra=value))
    assert as_json(cli("audit", "--json", tampered))[0]["consistent"] is False


@pytest.mark.parametrize("depth", [100, 300, 600, 900])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_record_nested_deeply_is_no_traceback(
    cli: Cli, tampered: Path, options: tuple[str, ...], depth: int
) -> None:
    text = (tampered / "result.json").read_text()
    (tampered / "result.json").write_text(
        text.replace('"n_retries": 0', f'"n_retries": {"[" * depth}{"]" * depth}')
    )
    found = cli("audit", tampered, *options)
    assert found.code in (1, 2)


def test_a_reward_that_was_nan_and_is_not_any_more(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path, "t__1", rewards={"reward": 1.0}, files={"verifier/reward.txt": "nan"})
    (tmp_path / "result.json").write_text('{"stats": {}}')
    [found] = as_json(cli("audit", "--json", tmp_path))
    assert {
        "field": "trial t__1",
        "standing": "differs",
        "recorded": {"reward": 1.0},
        "derived": {"reward": None},
    } in found["findings"]


def test_published_figures_of_terminal_bench(cli: Cli, tmp_path: Path) -> None:
    results = {"results": [run_entry("t", 1, resolved=True)], "accuracy": 1.0, "n_resolved": 1}
    write_run_folder(tmp_path / "right" / "run", results)
    write_run_folder(tmp_path / "wrong" / "run", results | {"accuracy": 0.5})
    assert cli("audit", "--quiet", tmp_path / "right") == (0, "right: consistent, field by field\n", "")
    found = cli("audit", "--quiet", tmp_path / "wrong")
    assert (found.code, found.out.splitlines()[0]) == (1, "  run.accuracy  DIFFERS")


def test_jobs_of_a_submission_are_audited_one_by_one(cli: Cli, tmp_path: Path) -> None:
    for name in ("j1", "j4"):
        shutil.copytree(HARBOR_JOBS / name, tmp_path / name, symlinks=True)
    found = cli("audit", "--quiet", tmp_path)
    assert (found.code, found.out) == (0, "j1: consistent, byte for byte\n\nj4: consistent, byte for byte\n")
    audits = json.loads(cli("audit", "--json", tmp_path).out)["audits"]
    assert [(audit["job"], audit["version"]) for audit in audits] == [
        ("j1", "harbor-0.13.1"),
        ("j4", "harbor-0.13.1"),
    ]


def test_where_nothing_was_recorded_nothing_is_called_consistent(cli: Cli) -> None:
    found = cli("audit", "--quiet", REPO / "examples" / "comparison" / "monday")
    assert found == (0, "monday: nothing is recorded that follows from the trials\n", "")
