"""``assay tasks check``: what is likely to be wrong with tasks, before anybody is measured by them."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.builders import REPO
from tests.cli.running import Cli, raw_characters
from tests.sandbox.backends import need

EXAMPLES = REPO / "examples" / "tasks"
GOOD = "#!/bin/bash\n[ -f /workspace/done ] && echo 1 > {reward} || echo 0 > {reward}\n".format(
    reward="/logs/verifier/reward.txt"
)


def write(folder: Path, test_sh: str = GOOD, **files: str) -> Path:
    """A task. Scripts are executable."""
    known = {
        "task.toml": 'schema_version = "1.3"\n',
        "instruction.md": "Touch the file done in your folder.\n",
        "tests/test.sh": test_sh,
        "solution/solve.sh": "#!/bin/bash\ntouch /workspace/done\n",
        **files,
    }
    for name, text in known.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.endswith(".sh") else 0o644)
    return folder


def test_the_examples(cli: Cli) -> None:
    """Two of them are broken on purpose, and they are the ones that are found."""
    found = cli("tasks", "check", EXAMPLES)
    lines = found.out.splitlines()
    assert found.code == 1
    assert {line for line in lines if line.endswith(": nothing found")} == {
        f"{EXAMPLES}/{name}: nothing found"
        for name in os.listdir(EXAMPLES)
        if name not in ("broken-verifier", "flaky-verifier")
    }
    why = "with set -e, a failed check ends the script without a reward"
    assert [line for line in lines if not line.endswith(": nothing found")] == [
        f"{EXAMPLES}/broken-verifier: set-e: tests/test.sh:2: {why}",
        f"{EXAMPLES}/flaky-verifier: random-verdict: tests/test.sh:2: it depends on a random number, not on the"
        " output",
        f"{EXAMPLES}/flaky-verifier: output-not-tested: instruction.md:1: the instruction asks for"
        " /workspace/answer.txt, but no test reads it",
    ]


def test_a_task_in_order(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "task")
    assert cli("tasks", "check", path) == (0, f"{path}: nothing found\n", "")


def test_findings_are_a_line_each_and_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "task", "set -e\npip install pytest\n./build\npytest && echo 1 > /x/reward.txt\n")
    found = cli("tasks", "check", path)
    assert found.code == 1
    assert sorted(line.split(": ")[1] for line in found.out.splitlines()) == ["reward-not-always", "set-e"]
    noted = cli("tasks", "check", path, "--notes").out.splitlines()
    assert [line.split(": ")[2] for line in noted if ": note: " in line] == ["unpinned", "needs-network"]


def test_a_verifier_for_want_of_a_test_sh_is_a_warning(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "task", **{"tests/verify.py": "open('/logs/verifier/reward.txt', 'w').write('1')\n"})
    (path / "tests" / "test.sh").unlink()
    found = cli("tasks", "check", path)
    assert (found.code, found.out) == (0, f"{path}: nothing found (1 note; --notes shows it)\n")
    assert cli("tasks", "check", path, "--notes").out.startswith(f"{path}: note: warning: ")


def test_a_task_that_can_not_be_loaded_does_not_hide_the_others(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "all" / "a", **{"task.toml": "[agent]\ntimeout_sec = 'x'\n"})
    good = write(tmp_path / "all" / "b")
    found = cli("tasks", "check", tmp_path / "all")
    assert (found.code, found.out) == (2, f"{good}: nothing found\n")
    assert found.err.startswith(f"assay: {tmp_path}/all/a/task.toml: agent.timeout_sec must be a valid number")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"task.toml": "[agent]\ntimeuot_sec = 1\n"},
            "mistyped-field: task: {path}/task.toml: the field agent.timeuot_sec is unknown and has no effect"
            " (did you mean timeout_sec?)",
        ),
        (
            {"environment/Dockerfile": "FROM debian:12\nCOPY nothing /workspace/\n"},
            "missing-file: environment: {path}/environment/Dockerfile:2: nothing doesn't exist in"
            " {path}/environment",
        ),
    ],
)
def test_what_harbor_ignores_is_a_finding(cli: Cli, tmp_path: Path, files: dict[str, str], said: str) -> None:
    path = write(tmp_path / "a", **files)
    found = cli("tasks", "check", path)
    assert (found.code, found.out) == (1, f"{path}: {said.format(path=path)}\n")


@pytest.mark.parametrize("name", ["missing", ""])
def test_what_is_no_task(cli: Cli, tmp_path: Path, name: str) -> None:
    found = cli("tasks", "check", tmp_path / name)
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)


def test_a_step_is_checked_like_a_task(cli: Cli, tmp_path: Path) -> None:
    path = write(
        tmp_path / "task",
        **{
            "task.toml": "[[steps]]\nname = 'one'\n[[steps]]\nname = 'two'\n",
            "steps/one/instruction.md": "x",
            "steps/two/instruction.md": "x",
            "steps/two/tests/test.sh": "#!/bin/bash\npytest\n",
            "steps/one/solution/solve.sh": "make\n",
            "steps/two/solution/solve.sh": "make\n",
        },
    )
    found = cli("tasks", "check", path)
    assert (found.code, found.out) == (
        1,
        f"{path}: no-reward: tests: no file in tests writes a reward to /logs/verifier\n",
    )


def test_names_can_not_paint_the_terminal(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "\x1b[31mtask\n", **{"tests/\x1b[2J.sh": "#!/bin/bash\nbash /solution/solve.sh\n"})
    found = cli("tasks", "check", path)
    assert found.code == 1
    assert raw_characters(found.out) == set()
    assert len(found.out.splitlines()) == 1


def test_with_run_the_oracle_and_an_idle_agent_attempt_it(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "task")
    assert cli("tasks", "check", path, "--run", "--repeat", "2") == (0, f"{path}: nothing found\n", "")


@pytest.mark.parametrize(
    ("verifier", "rules"),
    [
        ("echo 1 > /logs/verifier/reward.txt", {"always-passes", "nop"}),
        ("echo 0 > /logs/verifier/reward.txt", {"oracle"}),
        ("echo oops > /logs/verifier/reward.txt", {"oracle", "nop"}),
    ],
)
def test_with_run_a_verifier_that_says_the_same_to_everybody_is_found(
    cli: Cli, tmp_path: Path, verifier: str, rules: set[str]
) -> None:
    path = write(tmp_path / "task", f"#!/bin/bash\n{verifier}\n")
    found = cli("tasks", "check", path, "--run")
    assert found.code == 1
    assert {line.split(": ")[1] for line in found.out.splitlines()} == rules


def test_a_task_of_the_document_passes_both(cli: Cli) -> None:
    path = EXAMPLES / "voltage-drop"
    assert cli("tasks", "check", path, "--run") == (0, f"{path}: nothing found\n", "")


def test_a_task_that_can_not_be_run_here_does_not_keep_the_others_from_being_checked(
    cli: Cli, tmp_path: Path
) -> None:
    need("bubblewrap")
    write(tmp_path / "set" / "a", **{"environment/Dockerfile": "FROM python:3.12\nRUN true\n"})
    write(tmp_path / "set" / "b", **{"task.toml": '[verifier.env]\nKEY = "${ASSAY_NOT_SET}"\n'})
    good = write(tmp_path / "set" / "c")
    found = cli("tasks", "check", "--run", "--isolation", "bubblewrap", tmp_path / "set")
    assert (found.code, found.out) == (2, f"{good}: nothing found\n")
    assert [line.split(": ")[-1] for line in found.err.splitlines()] == [
        "this needs an image; pass --isolation container, or --no-image to run without one",
        "the environment variable ASSAY_NOT_SET must be set, because the task uses it for KEY",
    ]


def test_without_an_image_a_task_runs_on_the_hosts_system(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    path = write(tmp_path / "task", **{"environment/Dockerfile": "FROM python:3.12@sha256:00\nRUN true\n"})
    found = cli("tasks", "check", "--run", "--no-image", "--isolation", "bubblewrap", path)
    assert (found.code, found.err) == (0, "")


def test_the_logs_of_a_step_are_not_there_in_the_next(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    look = "#!/bin/bash\n[ -e /logs/agent/mine ] && echo 1 > {0} || echo 0 > {0}\n".format(
        "/logs/verifier/reward.txt"
    )
    leave = "#!/bin/bash\ntouch /logs/agent/mine\nln -sf /etc/passwd /logs/agent/instruction.md\n"
    path = write(
        tmp_path / "task",
        **{
            "task.toml": '[[steps]]\nname = "one"\n[[steps]]\nname = "two"\n',
            **{f"steps/{step}/instruction.md": "Do.\n" for step in ("one", "two")},
            **{f"steps/{step}/tests/test.sh": look for step in ("one", "two")},
            "steps/one/solution/solve.sh": leave,
            "steps/two/solution/solve.sh": "#!/bin/bash\ntrue\n",
        },
    )
    found = cli("tasks", "check", "--run", "--isolation", "bubblewrap", path)
    assert "the oracle agent must get 1, got 0.5" in found.out  # The first step, and not the second.


def test_a_task_that_can_not_be_run_is_read_all_the_same(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    path = write(tmp_path / "task", "#!/no/such/interpreter-of-sh\necho reward.txt\n")
    found = cli("tasks", "check", "--run", "--isolation", "bubblewrap", path)
    assert found.code == 2
    assert found.err.startswith(f"assay: {path}: the sandbox couldn't start the command: ")
    assert found.out == (
        f"{path}: reward-not-always: tests/test.sh: some paths through the script write no reward\n"
    )


def test_with_run_the_reward_counts_and_not_what_stands_beside_it(cli: Cli, tmp_path: Path) -> None:
    need("bubblewrap")
    right = '[ -e /workspace/done ] && R=1 || R=0\necho "{\\"reward\\": $R, \\"seconds\\": 0.3}"'
    path = write(tmp_path / "task", f"#!/bin/bash\n{{ {right}\n}} > /logs/verifier/reward.json\n")
    assert cli("tasks", "check", path, "--run") == (0, f"{path}: nothing found\n", "")


def test_with_run_a_verifier_that_takes_any_answer_is_found(cli: Cli, tmp_path: Path) -> None:
    path = write(
        tmp_path / "task",
        "#!/bin/bash\n[ -e /workspace/sum.txt ] && R=1 || R=0\necho $R > /logs/verifier/reward.txt\n",
        **{
            "instruction.md": "Write the sum to /workspace/sum.txt.\n",
            "solution/solve.sh": "#!/bin/bash\necho 42 > /workspace/sum.txt\n",
        },
    )
    assert cli("tasks", "check", path, "--run") == (
        1,
        f"{path}: wrong-answer: verifier: an empty file at /workspace/sum.txt gets 1, as the solution\n",
        "",
    )


def test_with_run_a_wrong_answer_that_gets_nothing_is_fine(cli: Cli, tmp_path: Path) -> None:
    path = write(
        tmp_path / "task",
        "#!/bin/bash\ngrep -q 42 /workspace/sum.txt && R=1 || R=0\necho $R > /logs/verifier/reward.txt\n",
        **{
            "instruction.md": "Write the sum to /workspace/sum.txt.\n",
            "solution/solve.sh": "#!/bin/bash\necho 42 > /workspace/sum.txt\n",
        },
    )
    assert cli("tasks", "check", path, "--run") == (0, f"{path}: nothing found\n", "")


def test_with_run_a_limit_without_room_is_found(cli: Cli, tmp_path: Path) -> None:
    slow = "#!/bin/bash\nsleep 1.8\ntouch /workspace/done\n"
    path = write(tmp_path / "task", **{"task.toml": "[agent]\ntimeout_sec = 2\n", "solution/solve.sh": slow})
    found = cli("tasks", "check", path, "--run", "--repeat", "1")
    assert found.code == 1
    assert found.out.startswith(f"{path}: no-room: task.toml: the solution took 9")


def test_with_run_a_task_without_a_solution_is_tried_by_the_others(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "task", "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n")
    shutil.rmtree(path / "solution")
    found = cli("tasks", "check", path, "--run")
    assert {line.split(": ")[1] for line in found.out.splitlines()} == {"always-passes", "no-solution", "nop"}


def test_findings_as_json(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "all" / "a", "#!/bin/bash\npip install x\necho 1 > /logs/verifier/reward.txt\n")
    write(tmp_path / "all" / "b", **{"task.toml": "[agent]\ntimeout_sec = 'x'\n"})
    found = cli("tasks", "check", tmp_path / "all", "--json")
    first, second = json.loads(found.out)["tasks"]
    assert found.code == 2
    assert first["error"] is None
    assert first["findings"][0] == {
        "kind": "always-passes",
        "level": "problem",
        "file": "tests/test.sh",
        "line": 3,
        "why": "it writes a reward of 1 whatever the tests find",
    }
    assert {one["kind"] for one in first["findings"] if one["level"] == "note"} == {"needs-network", "unpinned"}
    assert second["findings"] == []
    assert second["error"].startswith(f"{tmp_path}/all/b/task.toml: agent.timeout_sec must be")


def test_a_new_task_has_nothing_to_find_and_its_oracle_solves_it(cli: Cli, open_folder: Path) -> None:
    task = open_folder / "mine"
    assert cli("tasks", "init", task).code == 0
    done = cli("tasks", "check", task, "--run", "--repeat", "1")
    assert (done.code, done.err) == (0, ""), done.out
    assert "nothing found" in done.out
    again = cli("tasks", "init", task)
    assert (again.code, again.err) == (
        2,
        f"assay: a new task must be a folder that doesn't exist yet, got {task}\n",
    )
