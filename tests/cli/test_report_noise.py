"""Noise and agreement in the report of a job, and its picture."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.builders import HARBOR_JOBS, REPO, write_lock, write_trial
from tests.cli.running import Cli

GUESSES = REPO / "examples" / "guesses"
MONDAY = REPO / "examples" / "comparison" / "monday"


def test_the_variance_is_split_and_flaky_tasks_are_named(cli: Cli) -> None:
    found = cli("report", MONDAY).out
    assert "variance         0.2507: tasks 49 %, attempts 51 %" in found
    assert "flaky tasks      easy-12 2 of 4 (0.0676 to 0.9324)" in found
    noise = json.loads(cli("report", "--json", MONDAY).out)["jobs"][0]["evals"]["solver__model-monday__puzzles"][
        "noise"
    ]
    assert len(noise["flaky_tasks"]) == 13
    assert noise["variance"]["verifier"] is None
    assert noise["with_a_steady_verifier"]["reason"].startswith("no run was graded twice")


def test_a_flaky_verifier_is_named_with_how_flaky_it_is(cli: Cli) -> None:
    found = cli("report", GUESSES).out
    assert "flaky verifiers  flaky-verifier 1 of 4 gradings differ (0.0063 to 0.8059)" in found
    assert "verifier 67 % (by 1 run graded again)" in found
    assert "with verifiers that don't waver, the interval of the mean would be" in found


def test_reviewers_are_compared_with_the_verifier(cli: Cli) -> None:
    found = json.loads(cli("report", "--json", GUESSES).out)["jobs"][0]["agreement"]
    assert [one["between"] for one in found] == ["reviewers and the verifier"]
    percent = found[0]["measures"][0]
    assert (percent["value"], percent["items"]) == (0.5, 2)


def test_reviewers_are_compared_among_each_other(cli: Cli, tmp_path: Path) -> None:
    write_lock(tmp_path, [(f"t{number}", "solver") for number in range(4)])
    for number, verdicts in enumerate([("pass", "pass"), ("fail", "pass"), ("fail", "fail"), ("pass", "defer")]):
        trial = write_trial(tmp_path, f"t{number}__1", rewards={"reward": number % 2})
        for reviewer, verdict in zip(("ada", "grace"), verdicts, strict=True):
            assert cli("annotate", trial, "--reviewer", reviewer, "--judgment", verdict).code == 0
    found = json.loads(cli("report", "--json", tmp_path).out)["jobs"][0]["agreement"]
    assert [one["between"] for one in found] == ["reviewers among each other", "reviewers and the verifier"]
    among = {each["measure"]: (each["value"], each["items"]) for each in found[0]["measures"]}
    assert among["percent agreement"] == (pytest.approx(2 / 3), 3)
    assert among["Cohen's kappa"] == (pytest.approx(0.4), 3)


def test_one_attempt_and_one_grading_have_no_noise(cli: Cli) -> None:
    found = cli("report", HARBOR_JOBS / "j4").out
    assert "variance" not in found
    assert "agreement" not in found


def test_a_picture_of_the_curve(cli: Cli, tmp_path: Path) -> None:
    assert cli("report", MONDAY, "--svg", tmp_path / "c.svg").code == 0
    root = ElementTree.parse(tmp_path / "c.svg").getroot()  # noqa: S314 - our own
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 4


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ((MONDAY, GUESSES), "--svg draws one group of one job, got"),
        ((HARBOR_JOBS / "j1", "--key", "none"), "no run has the reward none; there are correct, reward, speed"),
    ],
)
def test_what_cant_be_drawn(cli: Cli, tmp_path: Path, argv: tuple[object, ...], sentence: str) -> None:
    found = cli("report", *argv, "--svg", tmp_path / "x.svg")
    assert found.code == 2
    assert sentence in found.err
