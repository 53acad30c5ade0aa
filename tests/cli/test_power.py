"""``assay power``: how much data shows a difference."""

import json
from pathlib import Path

import pytest

from tests.builders import REPO, write_trial
from tests.cli.running import Cli

EXAMPLES = REPO / "examples" / "comparison"
MONDAY, TUESDAY, WEDNESDAY = (EXAMPLES / name for name in ("monday", "tuesday", "wednesday"))


def test_a_pilot_of_two_agents(cli: Cli) -> None:
    found = cli("power", MONDAY, WEDNESDAY, "--difference", "0.12")
    assert (found.code, found.err) == (0, "")
    assert "0.0150 between tasks, 0.3139 of single attempts (from monday and wednesday, 30 tasks)" in found.out
    assert found.out.splitlines()[5].split() == ["2", "96", "384", "-"]
    assert found.out.splitlines()[-1] == (
        "more tasks are cheaper: 23 more tasks with 4 attempts (424 trials in all), "
        "rather than 5 more attempts at the pilot's 30 tasks (540 trials in all)"
    )


def test_dear_tasks_make_attempts_the_cheaper_way(cli: Cli) -> None:
    argv = (
        "power",
        MONDAY,
        WEDNESDAY,
        "--difference",
        "0.12",
        "--task-cost",
        "10",
        "--trial-cost",
        "0.1",
        "--json",
    )
    found = json.loads(cli(*argv).out)
    assert found["advice"].startswith("more attempts are cheaper: 5 more attempts at the pilot's 30 tasks")
    assert found["with_the_pilots_tasks"]["cost"] == pytest.approx(54)


def test_a_pilot_of_one_agent_says_what_it_assumes(cli: Cli) -> None:
    found = cli("power", MONDAY, "--difference", "0.05", "--correlation", "0.7")
    assert "if a second agent's means correlate with its by 0.7" in found.out
    alike = json.loads(cli("power", MONDAY, "--difference", "0.05", "--correlation", "1", "--json").out)
    assert alike["pilot"]["variances"]["tasks"] == 0


def test_variances_may_be_given(cli: Cli) -> None:
    found = json.loads(
        cli("power", "--variances", "0.05", "0.3", "--difference", "0.05", "--attempts", "3,3", "--json").out
    )
    assert [(one["attempts"], one["tasks"]) for one in found["designs"]] == [(3, 473)]


def test_a_pilot_that_is_large_enough_says_so(cli: Cli) -> None:
    assert (
        "the pilot's 30 tasks with 4 attempts are enough"
        in cli("power", MONDAY, TUESDAY, "--difference", "0.3").out
    )


def test_costs_come_from_the_pilot(cli: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        for task in ("x", "y", "z"):
            for number in range(2):
                rewards = {"reward": float((task == "x" or number == 0) and name == "b")}
                write_trial(tmp_path / name, f"{task}__{number}", rewards=rewards, usage={"cost_usd": 0.25})
    found = json.loads(cli("power", tmp_path / "a", tmp_path / "b", "--difference", "0.2", "--json").out)
    assert found["pilot"]["cost_per_trial"] == 0.25


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (("--difference", "0.1"), "pass a pilot or --variances, one of the two"),
        ((MONDAY, "--variances", "0", "1", "--difference", "0.1"), "pass a pilot or --variances, one of the two"),
        ((MONDAY, "--difference", "0"), "the difference must be a finite number above 0, got 0"),
        ((MONDAY,), "required: --difference"),
        ((MONDAY, "--difference", "0.1", "--correlation", "2"), "a correlation must be from -1 to 1, got 2"),
        (
            (MONDAY, TUESDAY, WEDNESDAY, "--difference", "0.1"),
            "a pilot is of one or two agents, got monday, tuesday",
        ),
        ((MONDAY, MONDAY, "--difference", "0.1"), "each job must be named once"),
        ((MONDAY, "--difference", "0.1", "--attempts", "0"), "must be whole numbers of at least 1"),
        ((MONDAY, "--difference", "0.1", "--power", "1"), "the power must be from 0.5 to below 1, got 1"),
    ],
)
def test_bad_input_gets_a_sentence(cli: Cli, argv: tuple[object, ...], sentence: str) -> None:
    found = cli("power", *argv)
    assert found.code == 2
    assert sentence in found.err


def test_one_task_is_no_pilot(cli: Cli, tmp_path: Path) -> None:
    write_trial(tmp_path / "a", "x__1", rewards={"reward": 1})
    found = cli("power", tmp_path / "a", "--difference", "0.1")
    assert found.err == "assay: a can't be a pilot: one task says nothing about others\n"
