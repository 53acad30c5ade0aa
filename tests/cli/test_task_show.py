"""``assay tasks show``: what was written or inferred about a task, as text, as JSON and in Python."""

import json
from pathlib import Path

import pytest

from assay import evaluation
from assay.core.errors import InputError
from tests.builders import REPO
from tests.cli.running import Cli
from tests.tasks import write_task

EXAMPLES = REPO / "examples" / "tasks"


@pytest.mark.statement("evaluation.verifier-spec", "evaluation.test-sh", "evaluation.output-path-inferred")
@pytest.mark.parametrize("name", ["capital", "two-steps", "voltage-drop"])
def test_the_command_and_python_say_the_same(cli: Cli, name: str) -> None:
    task = str(EXAMPLES / name)
    described = evaluation.describe_task(task)
    found = json.loads(cli("tasks", "show", task, "--json").out)
    assert found == {"tasks": [described.model_dump(mode="json")]}
    assert evaluation.TaskDescription.model_validate(found["tasks"][0]) == described


def test_the_verifier_spec_of_a_task_is_public() -> None:
    spec = evaluation.describe_task(EXAMPLES / "voltage-drop").steps[0].verifier
    assert spec == evaluation.VerifierSpec(
        script="/tests/test.sh",
        expected_output_path="/workspace/answer.json",
        reward_path="/logs/verifier/reward.json",
        details_path="/logs/verifier/details.json",
    )


def test_limits_environment_and_what_the_output_must_be(cli: Cli, tmp_path: Path) -> None:
    toml = """
[metadata.output]
path = "/workspace/a.json"
schema = "s.json"
[agent]
timeout_sec = 60.0
[verifier]
timeout_sec = 5.0
network_mode = "public"
env = { TOKEN = "${HOME}" }
[environment]
cpus = 2
memory_mb = 512
"""
    task = write_task(tmp_path / "task", toml=toml)
    (task / "s.json").write_text("{}")
    lines = [line.split(maxsplit=1) for line in cli("tasks", "show", task).out.splitlines() if line]
    assert ["limits", "2 CPUs, 512 MB of memory"] in lines
    assert ["agent", "at most 60 s, without network"] in lines
    assert ["expected", "output  /workspace/a.json (from task.toml)"] in lines
    assert ["output", "must be   json, schema"] in lines
    # Values of variables may be secrets.
    assert ["verifier", "runs    at most 5 s, with network, variables TOKEN"] in lines


def test_a_task_that_can_not_be_loaded_does_not_hide_the_others(cli: Cli, tmp_path: Path) -> None:
    good = write_task(tmp_path / "set" / "good")
    (write_task(tmp_path / "set" / "bad") / "instruction.md").unlink()
    found = cli("tasks", "show", tmp_path / "set")
    assert (found.code, len(found.err.splitlines())) == (2, 1)
    assert found.out.startswith(f"good · {good} · ")
    with pytest.raises(InputError, match=r"instruction\.md doesn't exist"):
        evaluation.describe_task(tmp_path / "set" / "bad")


def test_check_says_which_path_is_taken_and_a_note_is_no_mistake(cli: Cli, tmp_path: Path) -> None:
    clear = write_task(
        tmp_path / "clear",
        instruction="Turn /workspace/in.csv into /workspace/answer.txt.\n",
        dockerfile="FROM debian:12\nWORKDIR /workspace\nCOPY in.csv .\n",
    )
    (clear / "environment" / "in.csv").write_text("a\n")
    found = cli("tasks", "check", clear, "--notes")
    given = "there before the agent starts: /workspace/in.csv"
    why = f"the output is /workspace/answer.txt, from the instruction; {given}"
    assert found == (0, f"{clear}: note: instruction.md: {why}\n{clear}: nothing found\n", "")
    unclear = write_task(tmp_path / "unclear", instruction="Write /workspace/a.csv and /workspace/b.csv.\n")
    assert (
        ": note: output: instruction.md: it names several paths" in cli("tasks", "check", unclear, "--notes").out
    )


def test_names_can_not_paint_the_terminal(cli: Cli, tmp_path: Path) -> None:
    task = write_task(tmp_path / "\x1b[31mred")
    found = cli("tasks", "show", task)
    assert (found.code, "\x1b" in found.out) == (0, False)
