"""An agent that breaks its measurement gets 0. Only a verifier that also fails without the agent is broken."""

import os
from pathlib import Path

import pytest

from assay.cli.main import main
from tests.cli.running import Cli
from tests.sandbox.backends import need
from tests.tasks import JOB, Attempt, attempt, run_arguments, script, trials_of, write_task

JSON = "/logs/verifier/reward.json"
TEXT = "/logs/verifier/reward.txt"
# Runs the agent's program. The environment has one that does nothing.
VERIFIER = f"""set -e
if [ -e /no-such-thing ]; then
    pip install pytest==8.4.1
fi
sh program
echo 0 > {TEXT}"""
FETCH = "python3 -c 'import socket; socket.create_connection((\"example.org\", 443))'"

# The program that an agent leaves: it is the instruction, which the agent writes to its workspace.
WAYS = {
    "hang": "sleep 600",
    "fill-disk": "for i in 1 2 3 4 5 6 7 8; do head -c 9000000 /dev/zero > big$i; done; sleep 600",
    "use-memory": "python3 -c 'bytearray(1 << 32)'",
    "kill": "kill -9 $PPID; sleep 600",
    "terminate": "kill -15 $PPID; exit 1",
    "fake-network": "echo 'curl: (6) Could not resolve host: example.org'",
    "fake-network-and-end": "echo 'curl: (6) Could not resolve host: example.org'; exit 1",
    "bad-bytes": rf"printf '\377\376' > {JSON}",
    "nan": f"echo '{{\"reward\": NaN}}' > {JSON}",
    "infinity": f"echo '{{\"reward\": Infinity}}' > {JSON}",
    "deep": f"python3 -c 'print(\"[\" * 200000)' > {JSON}",
    "huge": f"head -c 30000000 /dev/zero > {JSON}",
    "pipe": f"mkfifo {JSON}",
    "link": f"ln -s /etc/passwd {JSON}",
    "folder": f"mkdir {TEXT}",
    "empty": f": > {JSON}",
    "nothing": "exit 3",
    "too-much": f"echo '{{\"reward\": 1.5}}' > {JSON}",
    "boolean": f"echo '{{\"reward\": true}}' > {JSON}",
    "text": f'echo \'{{"reward": "1"}}\' > {JSON}',
    "no-key": f"echo '{{\"other\": 1}}' > {JSON}",
    "twice": f'echo \'{{"reward": 1, "reward": 1}}\' > {JSON}',
    "unparseable": f"# Write /workspace/a.json.\necho '{{\"reward\": 1}}' > {JSON}",
}
HONEST = {
    "needs-network": (f"pip install pytest==8.4.1 >/dev/null 2>&1\n{FETCH}\necho 0 > {TEXT}", "machine"),
    "needs-tool": (f"set -e\nnosuchtool --version\necho 1 > {TEXT}", "verifier"),
    "uses-uv": ("uv run --with pytest==8.4.1 pytest", "machine"),
    "too-slow": ("sleep 600", "verifier"),
    "out-of-range": (f"echo 2 > {TEXT}", "verifier"),
}
LIMITS = "[verifier]\ntimeout_sec = 3.0\n[environment]\nstorage_mb = 40\nmemory_mb = 512\n"


@pytest.fixture(scope="module", autouse=True)
def _bubblewrap() -> None:
    need("bubblewrap")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Attempt]:
    """One job in which every way is tried, each at a task of its own."""
    root = tmp_path_factory.mktemp("control")
    for name, program in WAYS.items():
        task = write_task(
            root / "tasks" / name,
            verifier=VERIFIER,
            instruction=program,
            toml=LIMITS,
            dockerfile="FROM debian:12\nWORKDIR /workspace\nCOPY program /workspace/program\n",
        )
        script(task / "environment" / "program", "true")
    for name, (verifier, _) in HONEST.items():
        write_task(root / "tasks" / name, verifier=verifier, toml=LIMITS)
    main(run_arguments(root / "tasks", "cat > program", root / "jobs", "--quiet"))
    return {found.folder.name.partition("__")[0]: found for found in trials_of(root / "jobs" / JOB)}


@pytest.mark.parametrize("way", WAYS)
def test_an_agent_that_breaks_its_measurement_gets_zero(trials: dict[str, Attempt], way: str) -> None:
    (grading,) = trials[way].gradings
    assert (grading["cause"], grading["result"]["reward"]) == ("agent", 0.0), grading["control"]
    assert trials[way].exception != "MeasurementError"
    if way != "unparseable":
        assert grading["control"]["untouched"] == "reward 0"
        assert grading["control"]["again"] is not None


@pytest.mark.parametrize("name", HONEST)
def test_a_verifier_that_fails_without_an_agent_is_broken(trials: dict[str, Attempt], name: str) -> None:
    (grading,) = trials[name].gradings
    assert grading["cause"] == HONEST[name][1], grading["control"]
    assert grading["result"]["validity"]["verifier_completed"] is False
    assert grading["control"]["untouched"].partition(":")[0] == grading["control"]["first"].partition(":")[0]


def test_the_log_tells_what_was_run(trials: dict[str, Attempt]) -> None:
    log = trials["nothing"].text("trial.log")
    assert "the verifier was run again: reward_missing: No reward file found at" in log
    assert "the verifier was run on the untouched workspace: reward 0\nthe cause is the agent\n" in log


def test_the_verifier_of_a_second_run_gets_the_workspace_of_the_agent(tmp_path: Path) -> None:
    """And not one that the first run changed."""
    verifier = 'set -e\ntest "$(cat answer.txt)" = right\nrm answer.txt\ntest -e /nowhere'
    left = attempt(write_task(tmp_path / "task", verifier=verifier), "oracle", tmp_path / "jobs")
    assert left.text("verifier/test-stdout.txt") == ""
    with_log = "cat answer.txt; rm answer.txt; echo; false"
    left = attempt(write_task(tmp_path / "other", verifier=with_log), "oracle", tmp_path / "others")
    assert left.text("verifier/test-stdout.txt") == "right\n\n"


def test_grading_again_decides_too(cli: Cli, tmp_path: Path) -> None:
    task = write_task(
        tmp_path / "task", verifier="set -e\nif [ -e program ]; then sh program; fi\n" + f"echo 0 > {TEXT}"
    )
    left = attempt(task, "echo exit 1 > program", tmp_path / "jobs", "--no-control")
    assert [one["cause"] for one in left.gradings] == [None]
    found = cli("grade", left.folder)
    assert found.out.endswith("grading 2  reward 0 (reward_missing, caused by the agent)\n")
    cli("grade", left.folder, "--no-control")
    assert [one["cause"] for one in left.gradings] == [None, "agent", None]


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces", "process"])
@pytest.mark.parametrize("agent", ["no-such-agent --fast", "/etc/passwd", "/no/such/agent"])
def test_an_agent_that_is_not_there_is_told_before_the_first_trial(
    cli: Cli, tmp_path: Path, isolation: str, agent: str
) -> None:
    need(isolation)
    task = write_task(tmp_path / "task")
    found = cli(*run_arguments(task, agent, tmp_path / "jobs", "--isolation", isolation))
    program = agent.split(maxsplit=1)[0]
    assert (found.code, f"the agent can't start: there is no program {program}" in found.err) == (2, True)
    assert not (tmp_path / "jobs").exists()


@pytest.mark.parametrize("agent", ["true; exit 127", "sh -c 'exit 126'", "cd /; no-such-agent", "./mine"])
def test_an_agent_that_ends_as_if_it_had_not_started_has_failed(tmp_path: Path, agent: str) -> None:
    left = attempt(write_task(tmp_path / "task"), agent, tmp_path / "jobs")
    assert (left.reward, left.exception) == (0, "NonZeroAgentExitCodeError")


def test_an_agent_that_its_image_does_not_have_is_broken(tmp_path: Path) -> None:
    task = write_task(tmp_path / "task", dockerfile=f"FROM {need('container').image}\nWORKDIR /workspace\n")
    left = attempt(task, "no-such-agent", tmp_path / "jobs", "--isolation", "container")
    assert (left.rewards, left.exception) == (None, "MeasurementError")


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces"])
def test_start_up_files_of_a_shared_environment_are_told(cli: Cli, tmp_path: Path, isolation: str) -> None:
    need(isolation)
    task = write_task(
        tmp_path / "task",
        toml='[verifier]\nenvironment_mode = "shared"\n',
        verifier=f"python3 -c 1; cat ~/r > {TEXT}",
    )
    packages = (
        "~/.local/lib/python$(python3 -c 'import sys; print(*sys.version_info[:2], sep=chr(46))')/site-packages"
    )
    forge = (
        f"echo 0 > ~/r; mkdir -p {packages}; echo \"import os; os.system('echo 1 > /root/r')\" > {packages}/a.pth"
    )
    options = ("--isolation", isolation)
    found = cli(*run_arguments(task, forge, tmp_path / "jobs", *options))
    assert "a.pth, which programs read when they start" in found.err
    assert "start-up file left" in found.out
    (trial,) = trials_of(tmp_path / "jobs" / JOB)
    assert trial.reward == 0  # Python starts without the user's packages.
    left = attempt(task, forge, tmp_path / "strict", "--profile", "strict", *options)
    assert (left.reward, left.reason) == (None, "reward_after_startup_files")
    cli("grade", left.folder, *options)
    assert left.reason == "reward_after_startup_files"
    honest = attempt(task, "echo 1 > ~/r; echo x > ~/notes", tmp_path / "honest", "--profile", "strict", *options)
    assert (honest.reward, honest.reason) == (1, None)


def test_a_killed_verifier_and_two_rewards_are_told(cli: Cli, tmp_path: Path) -> None:
    kills = write_task(tmp_path / "tasks" / "kills", verifier=f"sh program; echo 0 > {TEXT}")
    two = write_task(tmp_path / "tasks" / "two", verifier=f"echo '{{\"reward\": 1}}' > {JSON}; echo 0 > {TEXT}")
    agent = f"echo 'echo 1 > {TEXT}; kill -9 $PPID; sleep 9' > program"
    found = cli(*run_arguments(tmp_path / "tasks", agent, tmp_path / "jobs"))
    assert "killed by signal 9" in found.err
    assert f"{JSON} has 1.0, but {TEXT} has 0.0" in found.err
    assert {one.reward for one in trials_of(tmp_path / "jobs" / JOB)} == {1.0}
    for task, reason in ((kills, "reward_before_kill"), (two, "reward_files_disagree")):
        left = attempt(task, agent, tmp_path / task.name, "--profile", "strict")
        assert (left.reward, left.reason, left.rewards) == (None, reason, None)
        assert left.exception == "VerifierOutputParseError"


DAEMONS = {
    "overwritten": "echo 1 > reward.txt",
    "renamed": "echo 1 > other; mv other reward.txt",
    "another file": "echo '{\"reward\": 1}' > reward.json",
    "made in another folder": "mkdir sub; echo 1 > sub/x; mv sub/x reward.txt",
}


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel tells only root who writes")
@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces", "process"])
@pytest.mark.parametrize("forge", DAEMONS.values(), ids=list(DAEMONS))
def test_a_reward_of_a_process_that_the_verifier_left_alone_is_told(
    cli: Cli, tmp_path: Path, isolation: str, forge: str
) -> None:
    need(isolation)
    verifier = f"cd /logs/verifier; sh /workspace/program; echo 0 > {TEXT}; sleep 0.6"
    task = write_task(tmp_path / "task", verifier=verifier, instruction=f"(sleep 0.2; {forge}) &\n")
    agent = "cat > program"
    options = ("--isolation", isolation)
    found = cli(*run_arguments(task, agent, tmp_path / "jobs", *options))
    assert "was written by a process that test.sh doesn't wait for" in found.err
    assert "interference with the verifier" in found.out
    (trial,) = trials_of(tmp_path / "jobs" / JOB)
    assert trial.reward == 1
    left = attempt(task, agent, tmp_path / "strict", "--profile", "strict", *options)
    assert left.reward is None
    assert left.reason in ("reward_after_interference", "reward_files_disagree")


@pytest.mark.parametrize("isolation", ["bubblewrap", "namespaces", "process"])
@pytest.mark.parametrize(
    "verifier",
    [
        f"echo 0 > {TEXT}; (sleep 5 &); python3 -c \"open('{TEXT}', 'w').write('1')\"",
        "cd /logs/verifier; echo 1 > .part; mv .part reward.txt; mkfifo pipe; cat pipe & echo > pipe; wait",
        "exec > /logs/verifier/reward.txt; sh -c 'echo 1'",
        f"(tail -f {TEXT} > /dev/null 2>&1 &); echo 1 | tee {TEXT}; sleep 0.1",
    ],
)
def test_an_honest_verifier_may_leave_processes_alone(tmp_path: Path, isolation: str, verifier: str) -> None:
    need(isolation)
    task = write_task(tmp_path / "task", verifier=verifier)
    left = attempt(task, "true", tmp_path / "jobs", "--profile", "strict", "--isolation", isolation)
    assert (left.reward, left.reason) == (1, None)
    tags = left.gradings[0]["result"]["error_taxonomy"] or []
    assert [one["category"] for one in tags] == []
