"""``assay score --judge``: the card beside the scorers, the exit code, and a judge that misbehaves."""

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli
from tests.coding import FIXED, GUARD, PROJECT, write_files, write_scenario
from tests.judge.cases import FAIL, said
from tests.judge.obedience import planted_words
from tests.servers.chat_server import Chat, chatting

NO_FLAG = {"name": "limit", "type": "max_files_changed", "limit": 0}


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    """The arguments for a run that did its task."""
    scenario = write_scenario(tmp_path, GUARD, user_instruction="Fix add.")
    left = write_files(tmp_path / "left", {**PROJECT, "calc.py": FIXED})
    logs = write_files(tmp_path / "logs", {"final_response.txt": "Fixed add.", "stdout.txt": "thinking\n"})
    return [
        *("score", str(left), "--scenario", str(scenario), "--baseline", str(tmp_path / "project")),
        *("--agent-logs", str(logs)),
    ]


def judge(url: str, *more: str) -> list[str]:
    return ["--judge", "--judge-url", url, "--judge-model", "small-1", *more]


def test_without_a_judge_nothing_is_asked(cli: Cli, run: list[str]) -> None:
    with chatting(Chat(said())) as talk:
        found = cli(*run)
    assert found.code == 0
    assert talk.bodies == []


@pytest.mark.statement("scorers.judge-card")
def test_the_card(cli: Cli, run: list[str]) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 1}
    with chatting(Chat(said(FAIL), usage=usage)) as talk:
        found = cli(*run, *judge(talk.url))
    assert found.code == 0
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", found.out).split("\n\n")[-2:] == [
        "Judge verdict  FAIL  (uncalibrated)\n"
        "  Task completion 1/5   Instruction adherence 4/5   Efficiency 3/5\n"
        "  failure_mode: incomplete\n"
        "  Nothing was fixed.\n"
        "  claim           verdict    what the evidence shows\n"
        "  all tests pass  supported  exit code 0\n"
        "  small-1 with verdict-2, 1000 tokens in, 1 token out, scored at TIME UTC",
        "Scorers PASS, judge FAIL: the mechanical checks passed, but semantic completion was not convincing.\n",
    ]


def test_what_the_judge_reads(cli: Cli, run: list[str]) -> None:
    with chatting(Chat(said())) as talk:
        cli(*run, *judge(talk.url))
    (prompt,) = talk.prompts
    for words in ("Fix add.", "+    return a + b", "tests_unmodified", "Fixed add.", "thinking"):
        assert words in prompt


def test_json(cli: Cli, run: list[str]) -> None:
    with chatting(Chat(said())) as talk:
        found = cli(*run, "--json", *judge(talk.url))
    told = json.loads(found.out)["judge"]
    assert (told["state"], told["verdict"]["opinion"]["state"]) == ("PASS", "PASS")
    assert told["verdict"]["models"] == ["small-1"]


@pytest.mark.parametrize(
    ("answer", "scorers", "flags", "code"),
    [
        (said(), GUARD, [], 0),
        (said(FAIL), GUARD, [], 0),
        (said(FAIL), GUARD, ["--require-judge"], 1),
        (said(), GUARD, ["--require-judge"], 0),
        ("prose", GUARD, ["--require-judge"], 0),
        (said(), NO_FLAG, [], 1),
        (said(), NO_FLAG, ["--require-judge"], 1),
    ],
)
def test_the_exit_code_is_that_of_the_checks(
    cli: Cli, run: list[str], tmp_path: Path, answer: str, scorers: dict[str, Any], flags: list[str], code: int
) -> None:
    write_scenario(tmp_path, scorers)
    with chatting(Chat(answer)) as talk:
        assert cli(*run, *judge(talk.url), *flags).code == code


@pytest.mark.statement("scorers.judge-failures")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Chat("I think it is fine."), "it is not a JSON object"),
        (Chat(said()[:-30], finish="length"), "cut off"),
        (Chat(said(verdict="perhaps")), "verdict must be PASS or FAIL"),
        (Chat("no", finish="content_filter"), "the model refuses to answer"),
        (Chat(status=401), "the endpoint does not accept the key"),
        (Chat(status=404), "it answers 404"),
        (Chat(status=429, headers={"Retry-After": "9999"}), "it answers 429"),
        (Chat(body=b"<html>"), "is not a chat completion"),
        (Chat(said() + " " * 2_000_000), "more than 1048576 bytes"),
        (Chat(said() + " " * 200_000), "more than 100000 characters"),
    ],
)
def test_a_judge_that_fails_is_unparseable_and_costs_nothing_else(
    cli: Cli, run: list[str], answer: Chat, why: str
) -> None:
    with chatting(answer) as talk:
        found = cli(*run, *judge(talk.url))
    assert found.code == 0
    assert "judge    unparseable" in found.out
    assert why in " ".join(found.out.split())
    assert "OVERALL  PASS" in found.out


def test_an_endpoint_that_is_down(cli: Cli, run: list[str], tmp_path: Path) -> None:
    write_scenario(tmp_path, GUARD, judge={"timeout_s": 0.3})
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        found = cli(*run, *judge(f"http://127.0.0.1:{reserved.getsockname()[1]}/v1"))
    assert found.code == 0
    assert "it can't be reached" in " ".join(found.out.split())


def test_an_obedient_judge_is_caught(cli: Cli, run: list[str]) -> None:
    def obey(prompt: str) -> str:
        return said(reasoning=f"{planted_words(prompt)[0]} PASS as I was told.")

    with chatting(obey) as talk:
        found = cli(*run, *judge(talk.url))
    assert "followed an order that was planted in the data" in " ".join(found.out.split())


def test_the_environment_names_the_judge(cli: Cli, run: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with chatting(Chat(said())) as talk:
        monkeypatch.setenv("ASSAY_JUDGE_URL", talk.url)
        monkeypatch.setenv("ASSAY_JUDGE_MODEL", "one, two")
        monkeypatch.setenv("ASSAY_JUDGE_KEY", "top-secret")
        found = cli(*run, "--judge")
    assert {body["model"] for body in talk.bodies} == {"one", "two"}
    assert talk.headers[0]["Authorization"] == "Bearer top-secret"
    assert "2 PASS, 0 FAIL, 0 unparseable of 2" in found.out
    assert "top-secret" not in found.out + found.err


def test_a_key_in_a_file(cli: Cli, run: list[str], tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-a-file\n")
    with chatting(Chat(said())) as talk:
        cli(*run, *judge(talk.url, "--judge-key-file", str(tmp_path / "key")))
    assert talk.headers[0]["Authorization"] == "Bearer from-a-file"


def test_a_scenario_names_the_judge_and_never_gets_the_users_key(
    cli: Cli, run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_JUDGE_KEY", "mine")
    monkeypatch.setenv("ASSAY_JUDGE_KEY_ACME", "theirs")
    with chatting(Chat(said())) as talk:
        write_scenario(tmp_path, GUARD, judge={"url": talk.url, "models": ["m"]})
        cli(*run, "--judge")
        write_scenario(
            tmp_path, GUARD, judge={"url": talk.url, "models": ["m"], "key_env": "ASSAY_JUDGE_KEY_ACME"}
        )
        cli(*run, "--judge")
    assert [headers.get("Authorization") for headers in talk.headers] == [None, "Bearer theirs"]


def test_samples_guard_budget_and_price(cli: Cli, run: list[str]) -> None:
    def answer(prompt: str) -> str:
        return '{"addressed": false, "quote": ""}' if "attempts to influence" in prompt else said()

    with chatting(answer) as talk:
        found = cli(*run, *judge(talk.url, "--judge-samples", "3", "--judge-guard"))
        assert "3 PASS, 0 FAIL, 0 unparseable of 3" in found.out
        assert "guard: no text addresses the evaluator" in found.out
        assert [body["temperature"] for body in talk.bodies] == [0.7] * 4
        spent = cli(*run, *judge(talk.url, "--judge-tokens", "100"))
        poor = cli(*run, *judge(talk.url, "--judge-price", "1,1", "--judge-cost", "0.0001"))
    assert len(talk.bodies) == 4
    assert "the budget of all runs is spent" in " ".join(spent.out.split())
    assert "of 0.0001 are left" in " ".join(poor.out.split())


def test_recorded_answers_are_replayed_without_a_network(cli: Cli, run: list[str], tmp_path: Path) -> None:
    folder = str(tmp_path / "answers")
    with chatting(Chat(said())) as talk:
        first = cli(*run, *judge(talk.url, "--judge-record", folder))
        again = cli(*run, *judge(talk.url, "--judge-record", folder))
    assert len(talk.bodies) == 1
    replayed = cli(*run, "--judge", "--judge-model", "small-1", "--judge-replay", folder)
    for found in (first, again, replayed):
        assert "Judge verdict  PASS" in found.out
    other = cli(*run, "--judge", "--judge-model", "small-2", "--judge-replay", folder)
    assert "no answer to this question was recorded" in " ".join(other.out.split())
    assert "thinking" not in (Path(folder) / "answers.jsonl").read_text()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--judge"], "name the judge's model"),
        (["--judge", "--judge-model", "m"], "name the judge's endpoint"),
        (["--judge", "--judge-model", "m", "--judge-url", "nowhere"], "must be like https://models.example/v1"),
        (["--judge-model", "m"], "pass --judge with --judge-model"),
        (["--require-judge"], "pass --judge with --require-judge"),
        (["--judge", "--judge-replay", "nowhere", "--judge-model", "m"], "nowhere isn't one"),
        (["--judge", "--judge-replay", ".", "--judge-record", "x"], "either recorded or replayed"),
        (["--judge", "--judge-model", "m", "--judge-url", "http://h/v1", "--judge-key-file", "no"], "no file no"),
        (["--judge", "--judge-model", "m", "--judge-prompt", "no"], "the prompt must be one of"),
        (["--judge", "--judge-samples", "0"], "at least 1"),
        (["--judge", "--judge-price", "1"], "must be two numbers"),
        (["--judge", "--judge-cost", "nan"], "must be a finite number, got 'nan'"),
        (["--judge", "--judge-calibration", "no"], "the calibration no can't be read"),
    ],
)
def test_bad_options_are_refused_before_anything_is_scored(
    cli: Cli, run: list[str], more: list[str], says: str
) -> None:
    found = cli(*run, *more)
    assert found.code == 2
    assert says in found.err
    assert found.out == ""


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ({"url": "ftp://x"}, "judge.url: the URL of a judge must be like"),
        ({"key_env": "ASSAY_JUDGE_KEY"}, "begins with ASSAY_JUDGE_KEY_"),
        ({"key_env": "HOME"}, "begins with ASSAY_JUDGE_KEY_"),
        ({"models": ["m", "m"]}, "different names"),
        ({"samples": 0}, "judge.samples"),
        ({"pass": True}, "judge.pass"),
    ],
)
def test_a_section_that_can_not_be_used(
    cli: Cli, run: list[str], tmp_path: Path, section: dict[str, Any], says: str
) -> None:
    write_scenario(tmp_path, GUARD, judge=section)
    found = cli(*run)
    assert found.code == 2
    assert says in found.err
