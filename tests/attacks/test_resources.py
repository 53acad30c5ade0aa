"""Attack 47: fork bombs, floods, daemons that hold the pipe, abuse of time; by the agent and by the verifier."""

import contextlib
import time

import pytest

from tests.attacks.conftest import Attack
from tests.builders import within
from tests.sandbox.backends import no_plain_processes
from tests.tasks import ANSWER, PASS

DAEMON = "setsid sh -c '(sleep 300) &' & sleep 0.2"
# A bomb has all its processes after a few milliseconds, and takes both processors until it is ended.
BOMB_SEC = 0.3
SHORT = "timeout_sec = 1.0\n"


def undisturbed(isolation: str) -> contextlib.AbstractContextManager[None]:
    """The process sandbox counts the processes of its user on the whole machine, a bomb elsewhere included."""
    return contextlib.nullcontext() if isolation == "process" else no_plain_processes()


def test_47_a_fork_bomb_of_the_agent(attack: Attack, isolation: str) -> None:
    with within(60), undisturbed(isolation):
        toml = f"[agent]\ntimeout_sec = {BOMB_SEC}\n"
        left = attack("b() { b | b & }; b; sleep 60", toml=toml, verifier=PASS, alone=True)
    assert left.exception in ("AgentTimeoutError", "NonZeroAgentExitCodeError")
    assert left.rewards == {"reward": 1.0}


# An agent tries it in every sandbox, and the verifier's is the same.
@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_47_a_fork_bomb_of_the_verifier(attack: Attack, isolation: str) -> None:
    with within(60), undisturbed(isolation):
        toml = f"[verifier]\ntimeout_sec = {BOMB_SEC}\n"
        bomb = "echo 'b() { b | b & }; b; sleep 60' > program"
        left = attack(bomb, toml=toml, verifier="sh program; sleep 60", alone=True)
    assert left.rewards is None
    assert left.exception in ("VerifierTimeoutError", "RewardFileNotFoundError")


def test_47_a_flood_of_output(attack: Attack) -> None:
    flood = "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo last"
    with within(40):
        left = attack(f"{flood}; {flood} >&2", verifier=f"{flood}; {PASS}")
    assert left.rewards == {"reward": 1.0}
    for log in ("agent/output.txt", "verifier/test-stdout.txt"):
        assert left.text(log).startswith("[the beginning was cut off]\n")
        assert left.text(log).endswith("last\n")
        assert (left.folder / log).stat().st_size < 300_000


def test_47_daemons_that_hold_the_pipe(attack: Attack) -> None:
    began = time.monotonic()
    left = attack(f"{DAEMON}; echo done", verifier=f"{DAEMON}; {PASS}")
    assert left.rewards == {"reward": 1.0}
    assert left.text("agent/output.txt") == "done\n"
    assert time.monotonic() - began < 100


def test_47_an_agent_that_never_ends(attack: Attack) -> None:
    """What it left by then is verified: the time was its own to spend."""
    with within(30):
        left = attack(
            "echo right > answer.txt; trap '' TERM; while :; do sleep 1; done",
            toml=f"[agent]\n{SHORT}",
            verifier=ANSWER,
        )
    assert (left.exception, left.rewards) == ("AgentTimeoutError", {"reward": 1})


def test_47_a_verifier_that_never_ends(attack: Attack) -> None:
    """A reward that was written before is not its last word."""
    with within(30):
        left = attack("true", toml=f"[verifier]\n{SHORT}", verifier=f"{PASS}; sleep 300")
    assert (left.exception, left.rewards) == ("VerifierTimeoutError", None)
    assert (left.reward, left.reason) == (None, "reward_before_time_out")
    assert left.gradings[0]["result"]["error_taxonomy"][0]["category"] == "time-out"


def test_47_a_verifier_that_is_killed_for_its_memory(attack: Attack, isolation: str) -> None:
    if isolation != "bubblewrap":
        pytest.skip("memory is limited for each process, not for all together")
    left = attack("true", toml="[environment]\nmemory_mb = 60\n", verifier="head -c 300m /dev/zero | tail; exit 9")
    tags = [tag["category"] for tag in left.gradings[0]["result"]["error_taxonomy"]]
    assert tags[0] == "out of memory"
    assert left.reward is None


@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_47_a_file_that_is_larger_than_the_disk(attack: Attack) -> None:
    left = attack(
        "truncate -s 1T big; head -c 50m /dev/zero > other; true",
        toml="[environment]\nstorage_mb = 20\n",
        verifier="[ $(stat -c %s big) = 0 ] && [ $(stat -c %s other) = 20971520 ] && " + PASS,
    )
    assert left.rewards == {"reward": 1.0}
    assert (left.folder / "workspace.tar.gz").stat().st_size < 1_000_000


def test_47_an_agent_that_fills_the_disk(attack: Attack) -> None:
    """The agent's fault, and no more than that: it is stopped, and the verifier runs."""
    left = attack(
        "echo right > answer.txt; for i in 1 2 3; do head -c 15m /dev/zero > $i; done; sleep 30; echo never",
        toml="[environment]\nstorage_mb = 20\n",
        verifier=f"rm -f 1 2 3; {ANSWER}",
    )
    assert left.exception == "DiskLimitError"
    assert left.rewards == {"reward": 1}
    assert "the agent used more than 20 MB of disk after" in left.text("trial.log")
    assert "MB on disk" in left.text("trial.log")


def test_47_a_verifier_that_fills_the_disk(attack: Attack) -> None:
    """As with its time: a reward that was written before is not its last word."""
    fill = "for i in 1 2 3; do head -c 15m /dev/zero > $i; done; sleep 30"
    left = attack("true", toml="[environment]\nstorage_mb = 20\n", verifier=f"{PASS}; {fill}")
    assert (left.exception, left.rewards) == ("DiskLimitError", None)
    assert (left.reward, left.reason) == (None, "reward_before_disk_limit")
    assert left.gradings[0]["result"]["error_taxonomy"][0]["category"] == "out of disk"
