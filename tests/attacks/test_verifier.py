"""Attacks 40 to 42: clocks, reading the tests, changing the verifier."""

import os
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import load_task
from assay.cli.main import main
from tests.attacks.conftest import Attack
from tests.sandbox.backends import need, removed_afterwards
from tests.tasks import PASS, Attempt, attempt, run_arguments, trials_of, write_task

FAKE = (
    "for name in date python3 sleep sh cat ls; do printf '#!/bin/sh\\necho faked\\n' > $name; chmod +x $name; done"
)


def seconds_of(timing: dict[str, str]) -> float:
    start, end = (datetime.fromisoformat(timing[key]) for key in ("started_at", "finished_at"))
    return (end - start).total_seconds()


def test_40_time_is_told_from_outside(attack: Attack) -> None:
    before = datetime.now(UTC)
    left = attack(
        f"{FAKE}; cp date python3 /logs/agent; /bin/sleep 0.6",
        verifier="date > /logs/verifier/date; sleep 0.3; python3 -c 'print(1)' > /logs/verifier/reward.txt",
    )
    after = datetime.now(UTC)
    result = left.result
    assert left.rewards == {"reward": 1.0}
    assert "faked" not in left.text("verifier/date")
    assert 0.6 <= seconds_of(result["agent_execution"]) <= (after - before).total_seconds()
    assert 0.3 <= seconds_of(result["verifier"]) <= (after - before).total_seconds()
    assert left.gradings[0]["provenance"]["usage"]["wall_sec"] >= 0.3
    assert (
        before
        <= datetime.fromisoformat(result["started_at"])
        <= datetime.fromisoformat(result["finished_at"])
        <= after
    )


def test_40_nothing_in_the_agents_home_meets_the_verifier(isolation: str, tmp_path: Path) -> None:
    """Python runs what it finds in the home of its user, and a shell may. So the verifier has one of its own."""
    mark = f"assay-test-{uuid.uuid4().hex}"
    payload = (
        f"import os\nif os.path.exists('/tests/{mark}'):"
        "\n    open('/logs/verifier/reward.json', 'w').write('{\\\"reward\\\": 1}')\n    os._exit(0)\n"
    )
    site = (
        "$HOME/.local/lib/python$(python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])')/site-packages"
    )
    task = write_task(
        tmp_path / "task",
        verifier="echo '{\"reward\": 0}' > /logs/verifier/reward.json; python3 -c 'import json'",
        tests={mark: ""},
    )
    agent = f'mkdir -p {site}; printf "%s" "{payload}" > {site}/usercustomize.py'
    with removed_afterwards("/tmp/.local"):
        left = attempt(task, agent, tmp_path / "jobs", "--isolation", isolation)
    assert left.rewards == {"reward": 0}


def test_40_nor_does_it_where_the_agent_works_in_the_folder_that_is_the_home_elsewhere(tmp_path: Path) -> None:
    """The verifier gets what is left in /tmp if that is the working folder. Then it must not be its home."""
    need("bubblewrap")
    task = write_task(
        tmp_path / "task",
        verifier="echo '{\"reward\": 0}' > /logs/verifier/reward.json; echo $HOME; ls -A $HOME /tmp",
        dockerfile="FROM debian:12\nWORKDIR /tmp\n",
    )
    left = attempt(task, "touch /tmp/mine $HOME/mine", tmp_path / "jobs", "--isolation", "bubblewrap")
    assert left.text("verifier/test-stdout.txt").split() == ["/var/tmp", "/tmp:", "mine", "/var/tmp:"]


SEARCH = (
    "exec 2>&1; ls -d /tests /solution;"
    " grep -rls {mark} /tests /solution /workspace /logs /tmp/assay-* /var/tmp /dev/shm; echo searched"
)


def _is_not_there(line: str) -> bool:
    """Plain processes share the names of folders with other tests; this one's mark would be a further line."""
    return "No such file" in line or line in ("/tests", "/solution")


def test_41_the_tests_and_the_solution_are_not_there(attack: Attack) -> None:
    mark = uuid.uuid4().hex
    left = attack(SEARCH.format(mark=mark), tests={"expected": mark}, solution=f"# {mark}")
    found = left.text("agent/output.txt").splitlines()
    assert found[-1] == "searched"
    assert all(_is_not_there(line) for line in found[:-1])


def test_41_nor_after_another_attempt_was_verified(isolation: str, tmp_path: Path) -> None:
    """All attempts of a job share one copy of the tests, and the first one's verifier has used it by then."""
    mark = uuid.uuid4().hex
    task = write_task(tmp_path / "task", tests={"expected": mark})
    agent = SEARCH.format(mark=mark)
    main(run_arguments(task, agent, tmp_path / "jobs", "--quiet", "-k", 2, "-n", 1, "--isolation", isolation))
    for left in trials_of(tmp_path / "jobs" / "job"):
        found = left.text("agent/output.txt").splitlines()
        assert found[-1] == "searched"
        assert all(_is_not_there(line) for line in found[:-1])


def test_41_the_verifiers_environment_is_not_the_agents(attack: Attack) -> None:
    left = attack("env", toml='[verifier.env]\nANSWER_KEY = "42"\n[solution.env]\nHINT = "43"\n')
    assert "ANSWER_KEY" not in left.text("agent/output.txt")
    assert "HINT" not in left.text("agent/output.txt")


OVERWRITE = """
for place in /tests /workspace/tests /logs/tests /solution; do
    mkdir -p $place
    printf '#!/bin/sh\\necho 1 > /logs/verifier/reward.txt\\n' > $place/test.sh
    chmod +x $place/test.sh
done 2>/dev/null
true
"""


def test_42_the_verifier_comes_from_outside(attack: Attack) -> None:
    left = attack(OVERWRITE)
    assert (left.rewards, left.reward) == ({"reward": 0}, 0.0)


@pytest.mark.parametrize(
    "evil",
    [
        "echo wrong > /tests/expected",
        "rm /tests/expected; ln -s /workspace/answer.txt /tests/expected",
        "cp answer.txt /tests/new; touch -r /tests/expected /tests/new; mv /tests/new /tests/expected",
    ],
)
def test_42_tests_that_the_agents_program_changed_are_on_the_record(attack: Attack, evil: str) -> None:
    """A verifier that runs the agent's program as itself can be fooled by it, but not unseen."""
    left = attack(
        f"echo wrong > answer.txt; echo '{evil}' > program",
        tests={"expected": "right\n"},
        verifier="sh program; cmp -s answer.txt /tests/expected && echo 1 > /logs/verifier/reward.txt",
    )
    assert left.rewards == {"reward": 1.0}
    assert left.gradings[0]["provenance"]["changed_tests"] == ["expected"]


def test_42_changed_tests_are_thrown_away(attack: Attack) -> None:
    """Tests may be written to, as in harbor, and the next verifier sees them as they were."""
    left = attack(
        "true",
        tests={"expected": "right\n"},
        verifier="cd /tests; grep -c right expected > /logs/verifier/reward.txt; mkdir new && rm expected",
    )
    main(["grade", str(left.folder)])
    assert [one["rewards"] for one in left.gradings] == [{"reward": 1.0}] * 2
    assert [one["provenance"]["changed_tests"] for one in left.gradings] == [["expected"]] * 2


@pytest.mark.parametrize(
    "agent",
    [
        "ln -s /tests/expected answer.txt",
        "ln -s ../tests/expected answer.txt",
        "ln -s / up; ln -s up/tests/expected answer.txt",
        "mkdir -p a/b/c; ln -s /workspace a/b/c/d; ln -s a/b/c/d/../tests/expected answer.txt",
        "ln -s /proc/self/root/tests/expected answer.txt",
        "ln -s b answer.txt; ln -s c b; ln -s /tests/expected c",
    ],
)
def test_42_a_link_to_the_expected_answer_is_no_answer(attack: Attack, agent: str) -> None:
    left = attack(
        agent,
        tests={"expected": "right\n"},
        instruction="Write /workspace/answer.txt.",
        verifier="cmp -s answer.txt /tests/expected && r=1 || r=0; echo $r > /logs/verifier/reward.txt",
    )
    assert (left.rewards, left.reward) == ({"reward": 0.0}, 0.0)
    result = left.gradings[0]["result"]
    assert result["validity"]["verifier_completed"]
    tags = [
        tag["description"] for tag in result["error_taxonomy"] if tag["category"] == "removed before verification"
    ]
    assert any(
        tag.endswith(("a link to /tests/expected", "a link to /proc/self/root/tests/expected")) for tag in tags
    )


def test_42_a_pipe_is_an_unusable_output_and_no_missing_reward(attack: Attack) -> None:
    left = attack(
        "mkfifo answer.txt",
        instruction="Write /workspace/answer.txt.",
        verifier='[ "$(cat answer.txt)" = right ] && r=1 || r=0; echo $r > /logs/verifier/reward.txt',
    )
    result = left.gradings[0]["result"]
    assert (left.rewards, result["reward"]) == ({"reward": 0.0}, 0.0)
    assert (result["validity"]["verifier_completed"], result["validity"]["output_parseable"]) == (True, False)


def test_42_honest_links_stay(attack: Attack) -> None:
    left = attack(
        "mkdir -p bin lib; ln -s /usr/bin/env bin/env; ln -s ../lib bin/lib; ln -s /dev/null no; ln -s gone gap",
        verifier="[ -L bin/env -a -L bin/lib -a -L no -a -L gap ] && echo 1 > /logs/verifier/reward.txt",
    )
    assert left.rewards == {"reward": 1.0}


def test_42_a_module_beside_the_answer_is_not_the_verifiers(attack: Attack) -> None:
    """A verifier in Python finds its own modules, whatever lies in the folder in which it runs."""
    left = attack(
        "for name in json os sys hashlib usercustomize sitecustomize; do"
        ' echo \'open("/logs/verifier/reward.txt", "w").write("1"); raise SystemExit\' > $name.py; done',
        verifier="exec python3 /tests/check.py",
        tests={"check.py": "import json\njson.dump({'reward': 0}, open('/logs/verifier/reward.json', 'w'))\n"},
    )
    assert left.rewards == {"reward": 0}


def test_42_the_record_says_with_which_tests(attack: Attack) -> None:
    left = attack(OVERWRITE)
    hashes = left.gradings[0]["provenance"]["hashes"]
    assert hashes["task"] == load_task(left.result["task_id"]["path"]).checksum
    assert all(len(hashes[name]) == 64 for name in ("tests", "workspace", "reward"))
    assert os.path.exists(left.folder / "workspace.tar.gz")


def test_the_agents_logs_are_read_only_to_the_verifier(attack: Attack) -> None:
    left: Attempt = attack(
        "echo mine > /logs/agent/log; echo mine > /logs/artifacts/made",
        verifier=f"cat /logs/agent/log /logs/artifacts/made; rm -f /logs/agent/log; {PASS}",
    )
    assert left.text("verifier/test-stdout.txt").startswith("mine\nmine\n")
    assert left.text("agent/log") == "mine\n"
    assert left.text("artifacts/made") == "mine\n"
