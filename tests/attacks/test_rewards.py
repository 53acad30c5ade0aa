"""Attacks 35 to 39: a reward that the verifier did not give, or that is none."""

import json
import os

import pytest

from tests.attacks.conftest import Attack
from tests.tasks import ANSWER, FAIL, PASS

GIFT = """'{"reward": 1}'"""
KEEP = f"echo {GIFT} > reward.json; "


def test_35_output_is_not_a_verdict(attack: Attack) -> None:
    left = attack(
        "echo 'PASSED test_all'; echo '1 passed in 0.1s'; echo 'reward: 1.0'; echo '{\"reward\": 1}' >&2"
    )
    assert (left.rewards, left.reward) == ({"reward": 0}, 0.0)
    assert "PASSED test_all" in left.text("agent/output.txt")


def test_35_nor_is_what_the_verifier_prints(attack: Attack) -> None:
    left = attack("true", verifier="echo PASSED; echo '{\"reward\": 1}'; exit 0")
    assert (left.rewards, left.exception) == (None, "RewardFileNotFoundError")
    assert (left.reward, left.reason) == (None, "reward_missing")


PLACES = """
base=$(readlink -f /workspace)
mkdir -p /logs/verifier
for place in / /logs /logs/verifier /logs/agent /logs/artifacts /workspace /workspace/logs/verifier /tmp /tests \
    $base/../../verifier $base/../..; do
    mkdir -p $place
    echo '{"reward": 1}' > $place/reward.json
    echo 1 > $place/reward.txt
done 2>/dev/null
true
"""


def test_36_a_reward_that_was_there_before(attack: Attack) -> None:
    """Wherever the agent puts it, it is not the verifier's."""
    left = attack(PLACES, verifier="ls /logs/verifier")
    assert (left.rewards, left.exception) == (None, "RewardFileNotFoundError")
    assert left.reason == "reward_missing"
    assert left.text("verifier/test-stdout.txt") == ""
    assert sorted(os.listdir(left.folder / "verifier")) == ["test-stdout.txt"]


def test_36_does_not_stand_beside_the_verifiers(attack: Attack) -> None:
    """reward.json would win over reward.txt."""
    left = attack(PLACES, verifier=FAIL)
    assert (left.rewards, left.reward) == ({"reward": 0.0}, 0.0)


def test_36_the_verifiers_folder_is_not_there_for_the_agent(attack: Attack) -> None:
    left = attack("ls /logs; ls -d /logs/verifier /tests /solution", verifier=PASS)
    listed = left.text("agent/output.txt").splitlines()
    assert listed[:2] == ["agent", "artifacts"]
    assert all("No such file" in line for line in listed[2:])


LATER = "setsid sh -c '(while :; do {what}; sleep 0.02; done) </dev/null >/dev/null 2>&1 &' & sleep 0.2; true"


def test_37_nobody_rewrites_the_reward_later(attack: Attack) -> None:
    """What the verifier starts, for instance the agent's program, is gone before its reward is read."""
    gift = LATER.format(what="echo 1 > /logs/verifier/reward.txt")
    left = attack(
        "echo 'sleep 0.1; echo 1 > /logs/verifier/reward.txt' > later",
        verifier=f"""
setsid sh /workspace/later </dev/null >/dev/null 2>&1 &
{gift}
echo 0 > /logs/verifier/reward.json.new
mv /logs/verifier/reward.json.new /logs/verifier/reward.json
echo '{{"reward": 0}}' > /logs/verifier/reward.json""",
    )
    assert left.rewards == {"reward": 0}


def test_37_the_agents_processes_are_gone_when_the_verifier_runs(attack: Attack) -> None:
    base = "$(readlink -f /workspace)"
    everywhere = (
        f"echo 1 > /logs/verifier/reward.txt; echo 1 > {base}/../../verifier/reward.txt; echo x >> {base}/beat"
    )
    left = attack(
        LATER.format(what=everywhere),
        verifier="before=$(wc -c < beat); sleep 0.5; rm -f /logs/verifier/reward.txt; sleep 0.3;"
        "[ $before = $(wc -c < beat) ] && [ $before -gt 0 ] && [ ! -e /logs/verifier/reward.txt ] &&"
        " echo '{\"reward\": 1}' > /logs/verifier/reward.json",
    )
    assert left.rewards == {"reward": 1}


@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize(
    ("written", "rewards", "exception", "reason"),
    [
        ("""echo '{"reward": NaN}' > reward.json""", {"reward": None}, None, "reward_not_finite"),
        ("""echo '{"reward": Infinity}' > reward.json""", {"reward": None}, None, "reward_not_finite"),
        ("""echo '{"reward": -Infinity}' > reward.json""", {"reward": None}, None, "reward_not_finite"),
        ("""echo '{"reward": 1e999}' > reward.json""", {"reward": None}, None, "reward_not_finite"),
        ("echo nan > reward.txt", {"reward": None}, None, "reward_not_finite"),
        ("echo inf > reward.txt", {"reward": None}, None, "reward_not_finite"),
        ("""echo '{"reward": true}' > reward.json""", {"reward": 1.0}, None, "reward_boolean"),
        ("""echo '{"reward": "1"}' > reward.json""", {"reward": 1.0}, None, "reward_not_a_number"),
        ("""echo '{"reward": 2}' > reward.json""", {"reward": 2}, None, "reward_out_of_range"),
        ("""echo '{"reward": -0.5}' > reward.json""", {"reward": -0.5}, None, "reward_out_of_range"),
        ("""echo '{"reward": 0, "reward": 1}' > reward.json""", {"reward": 1}, None, "reward_duplicate_key"),
        ("""echo '{"score": 1}' > reward.json""", {"score": 1}, None, "reward_key_missing"),
        ("echo '[1]' > reward.json", None, "ValidationError", "reward_malformed"),
        ("echo '1' > reward.json", None, "ValidationError", "reward_malformed"),
        ("echo passed > reward.txt", None, "VerifierOutputParseError", "reward_malformed"),
        ("""echo "{'reward': 1}" > reward.json""", None, "VerifierOutputParseError", "reward_malformed"),
        ("""printf '{"reward": 1}\\377' > reward.json""", None, "VerifierOutputParseError", "reward_malformed"),
        (": > reward.json; echo 1 > reward.txt", None, "RewardFileEmptyError", "reward_empty"),
        ("mkfifo reward.json; echo 1 > reward.txt", None, "RewardFileRefusedError", "reward_refused"),
        ("mkdir reward.json; echo 1 > reward.txt", None, "IsADirectoryError", "reward_refused"),
        (f"echo {GIFT} > x; ln -s x reward.json", None, "RewardFileRefusedError", "reward_refused"),
        ("ln -s /etc/passwd reward.txt", None, "RewardFileRefusedError", "reward_refused"),
        ("ln -s /dev/stdin reward.json", None, "RewardFileRefusedError", "reward_refused"),
        ("head -c 20000000 /dev/zero > reward.json", None, "RewardFileRefusedError", "reward_refused"),
    ],
)
def test_38_what_is_not_a_reward(
    attack: Attack, written: str, rewards: object, exception: str | None, reason: str
) -> None:
    """Harbor's own answer is harbor's; the evaluation takes none of these for a reward."""
    left = attack("true", verifier=f"cd /logs/verifier; {written}")
    assert (left.rewards, left.exception) == (rewards, exception)
    assert (left.reward, left.reason) == (None, reason)
    assert left.gradings[0]["result"]["reward"] == 0.0


@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize(("keys", "kept"), [(10_000, True), (10_001, False), (500_000, False)])
def test_38_only_so_many_keys_are_kept(
    attack: Attack, capsys: pytest.CaptureFixture[str], keys: int, kept: bool
) -> None:
    lines = f"""python3 -c 'import json; print(json.dumps(dict.fromkeys(map(str, range({keys})), 1)))'"""
    left = attack("true", verifier=f"{lines} > /logs/verifier/reward.json")
    assert (left.exception, left.rewards is not None) == (None if kept else "ValidationError", kept)
    said = f"there are {keys:,} of them, and at most 10,000 are kept"
    assert kept or said in left.result["exception_info"]["exception_message"]
    assert (left.folder.parent / "result.json").stat().st_size < 2**21
    assert len(capsys.readouterr().out) < 10_000


@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
@pytest.mark.parametrize(
    "written",
    [
        pytest.param("""python3 -c 'print("[" * 100000)' > reward.json""", id="lists in lists"),
        pytest.param("""python3 -c 'print("{\\"reward\\":" * 100000)' > reward.json""", id="objects in objects"),
        pytest.param(
            """echo '{"reward": '$(printf '9%.0s' $(seq 400))'}' > reward.json""", id="beyond every float"
        ),
        pytest.param("""echo '{"reward": '$(printf '9%.0s' $(seq 5000))'}' > reward.json""", id="5000 digits"),
        pytest.param("""printf '{"\\\\ud800": 1}' > reward.json""", id="half a character as key"),
        pytest.param(f"""{KEEP}printf '{{"a": "cut \\\\ud83d"}}' > details.json""", id="half a character"),
        pytest.param(
            f"""{KEEP}python3 -c 'print("{{\\"a\\":" + "[" * 500 + "]" * 500 + "}}")' > details.json""",
            id="deep details",
        ),
        pytest.param(f"""{KEEP}python3 -c 'print("[" * 100000)' > details.json""", id="very deep details"),
        pytest.param(f"""{KEEP}echo '{{"a": NaN, "b": 1e999}}' > details.json""", id="NaN in details"),
        pytest.param(f"{KEEP}mkfifo details.json", id="a pipe as details"),
        pytest.param(f"{KEEP}ln -s /etc/passwd details.json", id="a link as details"),
        pytest.param(f"{KEEP}mkdir test-stdout.txt", id="a folder in place of the log"),
    ],
)
def test_38_odd_artifacts_cost_one_trial_at_most(attack: Attack, written: str) -> None:
    """The trial has its record, and the job its result, which can be read again."""
    left = attack("true", verifier=f"cd /logs/verifier; {written}")
    assert left.code in (0, 1)
    assert len(left.gradings) == 1
    job = json.loads((left.folder.parent / "result.json").read_text())
    assert job["finished_at"] is not None
    assert job["stats"]["n_completed_trials"] == 1


DECLARED = '[metadata.output]\npath = "/workspace/answer.json"\nformat = "json"\n'


@pytest.mark.parametrize(
    "agent",
    [
        "echo '{\"answer\": ' > answer.json",
        "echo 'NaN' > answer.json",
        "printf '\\377\\376' > answer.json",
        "true",
        "mkdir answer.json",
        "mkfifo answer.json",
        "ln -s /etc/passwd answer.json",
        "echo '{}' > real.json; ln -s real.json answer.json",
        "mkdir real; echo '{}' > real/answer.json; rm -rf /workspace/* 2>/dev/null; ln -s / answer.json",
    ],
)
@pytest.mark.parametrize("isolation", ["bubblewrap"], indirect=True)
def test_39_no_reward_for_output_that_can_not_be_parsed(attack: Attack, agent: str) -> None:
    left = attack(agent, verifier=PASS, toml=DECLARED)
    assert left.gradings[0]["result"]["reward"] == 0.0
    assert left.reason == "reward_for_unparseable_output"
    assert left.gradings[0]["result"]["validity"]["output_parseable"] is False
    assert left.gradings[0]["provenance"]["hashes"]["output"] is None or "echo" in agent or "printf" in agent


def test_39_and_one_for_output_that_can(attack: Attack) -> None:
    left = attack("echo '{}' > answer.json", verifier=PASS, toml=DECLARED)
    assert (left.reward, left.reason) == (1.0, None)


def test_an_honest_agent_is_rewarded(attack: Attack) -> None:
    """The attacks fail because they are attacks: the same task gives an honest agent its reward."""
    left = attack("echo right > answer.txt", verifier=ANSWER)
    assert (left.rewards, left.reward, left.code) == ({"reward": 1}, 1.0, 0)
