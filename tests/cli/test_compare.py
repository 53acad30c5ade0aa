"""``assay compare``: two or more agents, what can't be compared, and the gate of a pipeline."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.builders import REPO, write_trial
from tests.cli.running import Cli

EXAMPLES = REPO / "examples" / "comparison"
MONDAY, TUESDAY, WEDNESDAY = (EXAMPLES / name for name in ("monday", "tuesday", "wednesday"))


def job(folder: Path, rewards: dict[str, list[float | None]], **fields: Any) -> Path:
    """A job with these rewards by task; None is a trial without one."""
    for task, values in rewards.items():
        for number, value in enumerate(values):
            given = (
                {"exception": "EnvironmentStartTimeoutError"} if value is None else {"rewards": {"reward": value}}
            )
            write_trial(folder, f"{task}__{number}", task=task, **given, **fields)
    return folder


def steps(count: int, value: float) -> dict[str, list[float | None]]:
    return {
        f"t{number:02d}": [value, 1.0 - value] if number % 4 == 0 else [value, value] for number in range(count)
    }


def test_a_difference_that_is_decided(cli: Cli) -> None:
    found = cli("compare", MONDAY, TUESDAY)
    assert (found.code, found.err) == (0, "")
    assert "difference  +0.1917, 95 % +0.0886 to +0.2948 (clustered t)" in found.out
    assert "verdict     tuesday is better" in found.out
    assert found.out.index("middling-19") < found.out.index("hard-29") < found.out.index("easy-00")


def test_a_difference_that_is_not_decided_says_what_could_have_been_shown(cli: Cli) -> None:
    found = cli("compare", MONDAY, WEDNESDAY)
    assert "no difference shown; data like these would show one of 0.1618 four times out of five" in found.out


def test_several_agents_have_pairs_and_ranks(cli: Cli) -> None:
    found = json.loads(cli("compare", "--json", MONDAY, TUESDAY, WEDNESDAY).out)
    assert {agent["label"]: agent["ranks"] for agent in found["agents"]} == {
        "monday": [2, 3],
        "tuesday": [1, 1],
        "wednesday": [2, 3],
    }
    assert [pair["better"] for pair in found["pairs"]] == ["tuesday", None, "tuesday"]
    for pair in found["pairs"]:
        assert pair["test"]["adjusted_p"] >= pair["test"]["p"]
    text = cli("compare", MONDAY, TUESDAY, WEDNESDAY).out
    assert "wednesday against tuesday" in text
    assert "2 to 3" in text


def test_markdown_has_tables(cli: Cli) -> None:
    found = cli("compare", "--markdown", MONDAY, TUESDAY)
    assert found.out.startswith("| agent ")
    assert "| difference | +0.1917, 95 % +0.0886 to +0.2948 (clustered t) |" in found.out


def test_only_common_tasks_count(cli: Cli, tmp_path: Path) -> None:
    first = job(tmp_path / "a", {"x": [1.0], "y": [0.0], "old": [1.0]})
    second = job(tmp_path / "b", {"y": [1.0], "x": [1.0], "new": [0.0], "newer": [0.0]})
    found = cli("compare", first, second)
    assert "2 compared; 1 only in a (old); 2 only in b (new, newer)" in found.out
    assert "McNemar, exact" in found.out


def test_broken_runs_are_left_out_and_bounded(cli: Cli, tmp_path: Path) -> None:
    first = job(tmp_path / "a", {"x": [1.0, None], "y": [0.0, 0.0], "z": [None, None]})
    second = job(tmp_path / "b", {"x": [1.0, 1.0], "y": [1.0, 1.0], "z": [0.0, 0.0]})
    [pair] = json.loads(cli("compare", "--json", first, second).out)["pairs"]
    assert (pair["difference"], pair["common_tasks"], pair["open_runs"]) == (0.5, 2, [3, 0])
    assert pair["bounds"] == pytest.approx([0.0, 0.5])


def test_cost_tokens_and_time_stand_beside_it(cli: Cli, tmp_path: Path) -> None:
    usage = {"n_input_tokens": 100, "n_output_tokens": 20, "cost_usd": 0.5}
    times = {"started_at": "2026-01-05T09:00:00Z", "finished_at": "2026-01-05T09:00:41.5Z"}
    first = job(tmp_path / "a", {"x": [1.0], "y": [0.0]}, usage=usage, **times)
    second = job(tmp_path / "b", {"x": [1.0], "y": [0.0]}, usage=None, started_at="now", finished_at="then")
    found = cli("compare", first, second).out.splitlines()
    assert found[1].split()[-3:] == ["$0.5000", "120", "41.5"]
    assert found[2].split()[-3:] == ["-", "-", "-"]


def test_successes_may_be_compared_instead_of_rewards(cli: Cli, tmp_path: Path) -> None:
    first = job(tmp_path / "a", {"x": [0.4], "y": [0.6]})
    second = job(tmp_path / "b", {"x": [0.5], "y": [0.9]})
    [pair] = json.loads(cli("compare", "--json", "--threshold", "0.5", first, second).out)["pairs"]
    assert pair["difference"] == 0.5


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ({"task_checksum": "a" * 64}, {"task_checksum": "b" * 64}, "the version differs for 2 tasks such as x"),
    ],
)
def test_different_versions_are_refused_or_marked(
    cli: Cli, tmp_path: Path, first: dict[str, Any], second: dict[str, Any], what: str
) -> None:
    one = job(tmp_path / "a", {"x": [1.0], "y": [0.0]}, **first)
    other = job(tmp_path / "b", {"x": [1.0], "y": [1.0]}, **second)
    refused = cli("compare", one, other)
    assert (refused.code, refused.out) == (2, "")
    assert f"a and b can't be compared: {what} (--anyway compares them)" in refused.err
    marked = cli("compare", "--anyway", one, other)
    assert marked.code == 0
    assert f"note: {what}" in marked.out


def test_a_task_that_changed_within_a_job_is_refused(cli: Cli, tmp_path: Path) -> None:
    one = job(tmp_path / "a", {"x": [1.0]}, task_checksum="a" * 64)
    write_trial(one, "x__9", task="x", rewards={"reward": 0.0}, task_checksum="b" * 64)
    other = job(tmp_path / "b", {"x": [1.0]}, task_checksum="a" * 64)
    assert "the version differs for 1 task such as x" in cli("compare", one, other).err


def test_the_same_hashes_need_no_note(cli: Cli, tmp_path: Path) -> None:
    one = job(tmp_path / "a", {"x": [1.0], "y": [0.0]}, task_checksum="a" * 64)
    other = job(tmp_path / "b", {"x": [1.0], "y": [1.0]}, task_checksum="a" * 64)
    assert "note:" not in cli("compare", one, other).out


@pytest.mark.parametrize(
    ("base", "new", "code", "sentence"),
    [
        (TUESDAY, MONDAY, 1, "monday is worse than tuesday by more than 0.02"),
        (MONDAY, TUESDAY, 0, "tuesday isn't worse than monday by more than 0.02"),
        (MONDAY, WEDNESDAY, 3, "undecided whether wednesday is worse by more than 0.02"),
    ],
)
def test_the_gate_decides_only_what_the_data_show(
    cli: Cli, tmp_path: Path, base: Path, new: Path, code: int, sentence: str
) -> None:
    junit = tmp_path / "gate.xml"
    found = cli("compare", base, new, "--fail-if-worse-than", "0.02", "--junit", junit, "--github")
    assert found.code == code
    assert sentence in found.out
    kinds = {1: ("error", "failure"), 0: ("notice", None), 3: ("warning", "skipped")}
    line = found.out.splitlines()[-1]
    assert line.startswith(f"::{kinds[code][0]} title=assay compare::")
    assert "%25 interval" in line
    [case] = ElementTree.parse(junit).getroot()  # noqa: S314 - our own
    assert [child.tag for child in case] == ([] if code == 0 else [kinds[code][1]])


def test_an_undecided_gate_says_how_much_more_would_decide(cli: Cli) -> None:
    found = cli("compare", "--json", MONDAY, WEDNESDAY, "--fail-if-worse-than", "0.02")
    gate = json.loads(found.out)["gate"]
    assert (gate["decision"], gate["more_attempts"]) == ("undecided", 736)


def test_a_hostile_name_stays_within_its_line(cli: Cli, tmp_path: Path) -> None:
    name = 'evil"<&>%0A\n::error::x'
    one = job(tmp_path / "a", {name: [1.0], "y": [0.0]}, agent="x")
    other = job(tmp_path / "b\x1b[31m", {name: [0.0], "y": [1.0]}, agent="x")
    svg = tmp_path / "p.svg"
    found = cli("compare", one, other, "--fail-if-worse-than", "0", "--github", "--svg", svg)
    assert not any(line.startswith("::error::") for line in found.out.splitlines())
    assert "\x1b" not in found.out
    ElementTree.parse(svg)  # noqa: S314 - our own


@pytest.mark.parametrize("jobs", [(MONDAY, TUESDAY), (MONDAY, TUESDAY, WEDNESDAY)])
def test_a_picture_is_well_formed_and_the_same_each_time(cli: Cli, tmp_path: Path, jobs: tuple[Path, ...]) -> None:
    texts = set()
    for name in ("1.svg", "2.svg"):
        assert cli("compare", *jobs, "--svg", tmp_path / name).code == 0
        texts.add((tmp_path / name).read_text())
    [text] = texts
    root = ElementTree.fromstring(text)  # noqa: S314 - our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "<style" not in text
    assert "<script" not in text


def test_the_same_input_gives_the_same_text(cli: Cli) -> None:
    assert cli("compare", MONDAY, TUESDAY).out == cli("compare", MONDAY, TUESDAY).out


def test_agents_of_one_job_may_be_compared(cli: Cli, tmp_path: Path) -> None:
    folder = job(tmp_path / "a", {"x": [1.0], "y": [0.0]}, agent="one")
    for task in ("x", "y"):
        write_trial(folder, f"{task}__z", task=task, agent="two", rewards={"reward": 1.0})
    assert "two__ds" in cli("compare", folder).out
    assert "needs exactly two agents" in cli("compare", folder, MONDAY, "--fail-if-worse-than", "0").err
    assert (
        "a comparison needs two agents with scores, got only a" in cli("compare", folder, "--group", "one__ds").err
    )


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ((MONDAY, MONDAY), "each job must be named once"),
        ((MONDAY, EXAMPLES / ".." / "comparison" / "monday"), "are the same folder"),
        ((MONDAY,), "a comparison needs two agents with scores, got only monday"),
        ((MONDAY, TUESDAY, "--key", "speed"), "monday is left out: no run has the reward speed; there are reward"),
        ((MONDAY, TUESDAY, "--group", "x"), "no job has the group x; there are"),
        ((MONDAY, TUESDAY, "--junit", "x"), "pass --fail-if-worse-than, too"),
        ((MONDAY, TUESDAY, "--fail-if-worse-than", "-1"), "must be at least 0, got '-1'"),
        ((MONDAY, TUESDAY, "--fail-if-worse-than", "nan"), "must be a finite number, got 'nan'"),
        ((MONDAY, "nowhere"), "nowhere"),
    ],
)
def test_bad_input_gets_a_sentence(cli: Cli, argv: tuple[object, ...], sentence: str) -> None:
    found = cli("compare", *argv)
    assert found.code == 2
    assert sentence in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ({"x": [1.0]}, {"y": [1.0]}, "can't be said: there is no task that both have a reward for"),
        ({"x": [1.0]}, {"x": [0.0]}, "can't be said: one task says nothing about others"),
        ({"x": [None]}, {"x": [0.0]}, "can't be said: there is no task that both have a reward for"),
        ({"x": [0.5], "y": [0.25]}, {"x": [0.75], "y": [0.5]}, "can't be said: all tasks differ alike"),
    ],
)
def test_what_cant_be_said_is_said(
    cli: Cli, tmp_path: Path, first: dict[str, Any], second: dict[str, Any], sentence: str
) -> None:
    # An agent without any reward has no key to choose, so it gets one elsewhere.
    first = first | {"only-a": [0.5]}
    found = cli("compare", job(tmp_path / "a", first), job(tmp_path / "b", second), "--fail-if-worse-than", "0")
    assert found.code == 3
    assert sentence in found.out


def test_an_agent_without_scores_is_left_out(cli: Cli, tmp_path: Path) -> None:
    jobs = [job(tmp_path / "a", {"x": [None]}), job(tmp_path / "b", {"x": [1.0]})]
    found = cli("compare", *jobs)
    why = "a is left out: no run has a score (1 broken)"
    assert (found.code, found.err) == (
        2,
        f"assay: a comparison needs two agents with scores, got only b; {why}\n",
    )
    others = cli("compare", *jobs, job(tmp_path / "c", {"x": [0.0]}))
    assert (others.code, others.err) == (0, "")
    assert f"\nnote: {why}\n" in others.out


def test_an_agent_with_several_rewards_is_left_out_until_one_is_chosen(cli: Cli, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_trial(tmp_path / name, "x__1", task="x", rewards={"speed": 1, "size": 0})
    found = cli("compare", tmp_path / "a", tmp_path / "b")
    assert found.code == 2
    assert "a is left out: its rewards are speed, size; choose one with --key" in found.err
    assert cli("compare", tmp_path / "a", tmp_path / "b", "--key", "speed").code == 0


def test_a_reward_that_is_not_finite_counts_as_0(cli: Cli, tmp_path: Path) -> None:
    first = job(tmp_path / "a", {"x": [1.0], "y": [0.0]})
    write_trial(first, "z__1", rewards={"reward": None}, files={"verifier/reward.txt": "nan"})
    second = job(tmp_path / "b", {"x": [1.0], "y": [1.0], "z": [1.0]})
    [pair] = json.loads(cli("compare", "--json", first, second).out)["pairs"]
    # 1, 0 and 0 against 1, 1 and 1; if that one had got a 1, the difference would be a third.
    assert (pair["common_tasks"], pair["open_runs"]) == (3, [1, 0])
    assert pair["difference"] == pytest.approx(2 / 3)
    assert pair["bounds"] == pytest.approx([1 / 3, 2 / 3])


def test_an_answer_that_the_agent_spoilt_counts_as_0(cli: Cli, tmp_path: Path) -> None:
    first = job(tmp_path / "a", {"x": [1.0], "y": [0.0]})
    write_trial(first, "z__1", exception="AgentTimeoutError")
    second = job(tmp_path / "b", {"x": [1.0], "y": [1.0], "z": [1.0]})
    [pair] = json.loads(cli("compare", "--json", first, second).out)["pairs"]
    assert (pair["common_tasks"], pair["open_runs"], pair["bounds"]) == (3, [0, 0], None)
    assert pair["difference"] == pytest.approx(2 / 3)
