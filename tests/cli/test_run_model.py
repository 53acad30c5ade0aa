"""Agents that talk to a model while they have no network."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Cli
from tests.coding import FIXED, GUARD, TESTS, seed
from tests.sandbox.backends import need
from tests.servers.chat_server import Chat, Talk, chatting
from tests.tasks import StepSpec, attempt, run_arguments, write_steps, write_task

KEY = "sk-real-key-of-the-host-4711"
USAGE = {"prompt_tokens": 90, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}

# Asks the model once for each argument, and prints the status of each answer.
ASKS = """python3 -c '
import json, os, sys, urllib.error, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}).encode()
for _ in sys.argv[1:]:
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    asked = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        print(urllib.request.urlopen(asked).status)
    except urllib.error.HTTPError as error:
        print(error.code, json.load(error).get("error", {}).get("message", ""))
' """


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    monkeypatch.setenv("REAL_KEY", KEY)
    with chatting(Chat("Hello", usage=USAGE)) as found:
        yield found


def model(talk: Talk, *more: object) -> list[object]:
    return ["--model-endpoint", talk.url, "--model-key-env", "REAL_KEY", *more]


def used(agent_result: Any) -> list[Any]:
    names = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
    return [agent_result[name] for name in names]


def test_what_is_used_is_counted_into_the_result(cli: Cli, talk: Talk, tmp_path: Path) -> None:
    options = model(talk, "--model-price", "10,100,1", "--model-requests", 5)
    left = attempt(write_task(tmp_path / "task"), f"{ASKS} 1 2", tmp_path / "jobs", *options)
    assert left.text("agent/output.txt") == "200\n200\n"
    assert used(left.result["agent_result"]) == [
        180,
        80,
        20,
        pytest.approx(2 * (50 * 10 + 40 * 1 + 10 * 100) / 1e6),
    ]
    told = left.result["agent_result"]["metadata"]["model_access"]
    assert (told["requests"], told["refused"], told["limit_reached"]) == (2, 0, None)
    granted = {"requests": 5, "tokens": None, "cost_usd": None}
    access = {"endpoint": talk.url, "key_env": "REAL_KEY", "limits": granted}
    assert left.gradings[0]["provenance"]["agent_access"] == {"model": access}
    assert left.result["config"]["agent"]["kwargs"]["model_access"] == access
    assert "the agent's model got 2 requests\n" in left.text("trial.log")
    assert cli("audit", tmp_path / "jobs" / "job").code == 0
    assert "180 input tokens (80 cached), 20 output tokens" in cli("report", tmp_path / "jobs" / "job").out


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces"])
def test_without_a_price_there_is_no_cost(talk: Talk, tmp_path: Path, isolation: str) -> None:
    options = model(talk, "--isolation", need(isolation).name)
    left = attempt(write_task(tmp_path / "task"), f"{ASKS} 1", tmp_path / "jobs", *options)
    assert used(left.result["agent_result"]) == [90, 40, 10, None]


def test_prices_by_model(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text("[m]\ninput = 10\noutput = 100\n")
    options = model(talk, "--model-price-file", tmp_path / "prices.toml")
    left = attempt(write_task(tmp_path / "task"), f"{ASKS} 1", tmp_path / "jobs", *options)
    assert left.result["agent_result"]["cost_usd"] == pytest.approx((90 * 10 + 10 * 100) / 1e6)


# The brackets keep a search from finding its own command line.
PLACES = "/run/assay-model /proc/[0-9]*/environ /proc/[0-9]*/cmdline /tmp /logs"
SEARCH = f"grep -rqs '{KEY[:-1]}[{KEY[-1]}]' {PLACES} && echo found"


def test_the_key_stays_outside(talk: Talk, tmp_path: Path) -> None:
    """The agent looks everywhere, the verifier does, and the job's folder is searched."""
    verifier = (
        f"env | grep -q {KEY[3:]} && echo 0 > /logs/verifier/reward.txt || echo 1 > /logs/verifier/reward.txt"
    )
    agent = f"{ASKS} 1; env; {SEARCH}; ls /run/assay-model"
    left = attempt(write_task(tmp_path / "task", verifier=verifier), agent, tmp_path / "jobs", *model(talk))
    said = left.text("agent/output.txt")
    assert "found" not in said.splitlines()
    assert "OPENAI_API_KEY=assay" in said
    assert left.rewards == {"reward": 1.0}
    assert {name.lower(): value for name, value in talk.headers[0].items()}["authorization"] == f"Bearer {KEY}"
    kept = [
        path for path in (tmp_path / "jobs").rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ]
    assert kept == []


def test_nothing_else_can_be_reached(talk: Talk, tmp_path: Path) -> None:
    """Neither the endpoint by its own address, nor another port of this machine, nor by way of the proxy."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        endpoint = talk.url.split(":")[2].split("/")[0]
        agent = (
            f"for p in {endpoint} {port}; do (exec 3<>/dev/tcp/127.0.0.1/$p) 2>/dev/null && echo reached $p; done;"
            f" exec 3<>/dev/tcp/127.0.0.1/47100; printf 'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n' >&3;"
            " cat <&3"
        )
        task = write_task(tmp_path / "task", toml='[agent]\nnetwork_mode = "public"\n')
        left = attempt(task, f"bash -c '{agent.replace(chr(39), chr(34))}'", tmp_path / "jobs", *model(talk))
        other.settimeout(0.1)
        with pytest.raises(TimeoutError):
            other.accept()
    said = left.text("agent/output.txt")
    assert "reached" not in said
    assert said.startswith("HTTP/1.1 400 ")
    assert talk.paths == []
    assert left.result["agent_result"]["metadata"]["model_access"]["refused"] == 1


def test_the_verifier_has_no_door(talk: Talk, tmp_path: Path) -> None:
    verifier = (
        'r=1; test -e /run/assay-model && r=0; test -n "$OPENAI_BASE_URL" && r=0;'
        " bash -c 'exec 3<>/dev/tcp/127.0.0.1/47100' 2>/dev/null && r=0; echo $r > /logs/verifier/reward.txt"
    )
    left = attempt(write_task(tmp_path / "task", verifier=verifier), f"{ASKS} 1", tmp_path / "jobs", *model(talk))
    assert left.rewards == {"reward": 1.0}


# Twelve at a time, each with a body that is larger than any buffer on the way.
AT_ONCE = """python3 -c '
import concurrent.futures, json, os, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 1_000_000}]}).encode()
asked = [urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body) for _ in range(12)]
with concurrent.futures.ThreadPoolExecutor(12) as pool:
    print(*pool.map(lambda one: urllib.request.urlopen(one, timeout=50).status, asked))
'"""


def test_many_large_requests_at_once_do_not_block_each_other(tmp_path: Path) -> None:
    with chatting(Chat("x" * 500_000, usage=USAGE, delay=0.1)) as slow:
        left = attempt(write_task(tmp_path / "task"), AT_ONCE, tmp_path / "jobs", "--model-endpoint", slow.url)
    assert left.text("agent/output.txt") == f"{' '.join(['200'] * 12)}\n"
    assert left.result["agent_result"]["n_input_tokens"] == 12 * 90


def test_a_limit_is_that_of_the_whole_trial(talk: Talk, tmp_path: Path) -> None:
    task = write_steps(tmp_path / "task", [StepSpec("one"), StepSpec("two")])
    left = attempt(task, f"{ASKS} 1 2", tmp_path / "jobs", *model(talk, "--model-requests", 3))
    steps = [step["agent_result"] for step in left.result["step_results"]]
    assert [step["metadata"]["model_access"]["requests"] for step in steps] == [2, 1]
    assert [step["n_input_tokens"] for step in steps] == [180, 90]
    sentence = "this trial may ask its model 3 times, and it did"
    assert left.text("steps/two/agent/output.txt") == f"200\n429 {sentence}\n"
    assert steps[1]["metadata"]["model_access"]["limit_reached"] == sentence
    assert f"a limit was reached: {sentence}" in left.text("trial.log")
    assert left.rewards == {"reward": 1.0}


def test_a_coding_run_has_a_model_too(cli: Cli, talk: Talk, tmp_path: Path) -> None:
    task, _ = seed(tmp_path, TESTS, GUARD, user_instruction="Fix add().")
    agent = f"{ASKS} 1; cat > calc.py <<'EOF'\n{FIXED}EOF\n"
    options = ["--jobs-dir", tmp_path / "jobs", "--job-name", "job", *model(talk)]
    ran = cli("run", task, "-a", agent, *options)
    (result,) = (json.loads(path.read_text()) for path in (tmp_path / "jobs" / "job").glob("*/result.json"))
    assert "OVERALL  PASS" in ran.out
    assert used(result["agent_result"]) == [90, 40, 10, None]


def test_a_model_that_never_answers_is_a_broken_measurement(tmp_path: Path) -> None:
    with chatting(Chat("x", status=503)) as broken:
        options = ["--model-endpoint", broken.url]
        left = attempt(write_task(tmp_path / "task"), f"{ASKS} 1", tmp_path / "jobs", *options)
    assert (left.rewards, left.exception) == (None, "MeasurementError")
    assert left.result["exception_info"]["exception_message"] == "the agent's model didn't answer: it answers 503"
    assert left.text("agent/output.txt").startswith("503")


def test_the_agents_own_exit_code_and_signals_are_kept(talk: Talk, tmp_path: Path) -> None:
    """The forwarder is no child of the agent, and doesn't change how a closed pipe ends a program."""
    agent = "python3 -c 'import os\ntry: os.wait()\nexcept ChildProcessError: print(0)'; yes | head -n 1; exit 7"
    left = attempt(write_task(tmp_path / "task"), agent, tmp_path / "jobs", *model(talk))
    assert left.text("agent/output.txt") == "0\ny\n"
    assert left.exception == "NonZeroAgentExitCodeError"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model-tokens", "5"], "pass --model-endpoint with --model-tokens"),
        (["--model-endpoint", "nowhere"], "--model-endpoint: the URL of a model's endpoint must be like"),
        (["--model-endpoint", "http://u:p@x/v1"], "--model-endpoint: the URL of a model's endpoint must be like"),
        (["--model-endpoint", "http://x/v1", "--model-key-env", "UNSET_KEY"], "--model-key-env UNSET_KEY needs"),
        (["--model-endpoint", "http://x/v1", "--model-cost", "1"], "--model-cost needs prices"),
        (["--model-endpoint", "http://x/v1", "--model-price", "1"], "must be two or three numbers"),
        (["--model-endpoint", "http://x/v1", "--network", "public"], "pass --model-endpoint or --network public"),
        (["--model-endpoint", "http://x/v1", "-a", "oracle"], "must come with an agent that is a command"),
    ],
)
def test_options_that_do_not_fit_are_refused(cli: Cli, tmp_path: Path, options: list[str], sentence: str) -> None:
    ran = cli(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs", *options))
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err


def test_a_password_in_an_endpoint_is_not_repeated(cli: Cli, tmp_path: Path) -> None:
    options = ["--model-endpoint", "http://me:hunter2@x/v1"]
    assert "hunter2" not in cli(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path, *options)).err


def test_a_sandbox_without_a_network_of_its_own_is_refused(cli: Cli, talk: Talk, tmp_path: Path) -> None:
    need("process")
    options = model(talk, "--isolation", "process")
    ran = cli(*run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs", *options))
    assert ran.code == 2
    assert "--model-endpoint needs the isolation bubblewrap, namespaces or, as root, container, but" in ran.err


def test_a_task_can_not_ask_for_the_key(cli: Cli, talk: Talk, tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", toml='[verifier]\nenv = {K = "${REAL_KEY}"}\n')
    ran = cli(*run_arguments(task, "true", tmp_path / "jobs", *model(talk)))
    assert "must not ask for ${REAL_KEY}" in ran.err


def test_the_options_are_part_of_the_job(cli: Cli, talk: Talk, tmp_path: Path) -> None:
    arguments = run_arguments(write_task(tmp_path / "task"), "true", tmp_path / "jobs")
    assert cli(*arguments, *model(talk)).code in (0, 1)
    assert "other options" in cli(*arguments, *model(talk, "--model-tokens", 5)).err
    locked = json.loads((tmp_path / "jobs" / "job" / "lock.json").read_text())
    assert "model_access" in json.dumps(locked)
