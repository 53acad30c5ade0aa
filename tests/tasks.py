"""Builders of small task folders, and what an attempt at one of them left."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.cli.main import main
from tests.builders import DATA
from tests.cli.running import ASSAY

JOB = "job"
PASS = "echo 1 > /logs/verifier/reward.txt"
FAIL = "echo 0 > /logs/verifier/reward.txt"

# Worth 1 if, and only if, the agent did what it was asked.
ANSWER = (
    'if [ "$(cat /workspace/answer.txt 2>/dev/null)" = right ]; then echo \'{"reward": 1}\';'
    " else echo '{\"reward\": 0}'; fi > /logs/verifier/reward.json"
)
SOLUTION = "echo right > /workspace/answer.txt"
TASK_TOML = 'schema_version = "1.3"\n'


def script(path: Path, lines: str, interpreter: str = "/bin/sh") -> Path:
    """An executable script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{interpreter}\n{lines}\n")
    path.chmod(0o755)
    return path


def write_task(
    folder: Path,
    *,
    verifier: str = ANSWER,
    solution: str | None = SOLUTION,
    instruction: str = "Do what you are asked.\n",
    toml: str = "",
    dockerfile: str = "FROM debian:12\nWORKDIR /workspace\n",
    tests: Mapping[str, str] | None = None,
) -> Path:
    """A task with one step. ``verifier`` and ``solution`` are lines for the shell; ``tests`` are further files."""
    (folder / "environment").mkdir(parents=True)
    (folder / "task.toml").write_text(TASK_TOML + toml)
    (folder / "instruction.md").write_text(instruction)
    (folder / "environment" / "Dockerfile").write_text(dockerfile)
    script(folder / "tests" / "test.sh", verifier)
    for name, text in (tests or {}).items():
        (folder / "tests" / name).write_text(text)
    if solution is not None:
        script(folder / "solution" / "solve.sh", solution)
    return folder


@dataclass(frozen=True)
class StepSpec:
    """One step of a task with several."""

    name: str
    verifier: str = PASS
    solution: str = "true"
    toml: str = ""
    workdir: Mapping[str, str] | None = None


def write_steps(folder: Path, steps: Sequence[StepSpec], *, toml: str = "", workdir: str = "/workspace") -> Path:
    """A task with several steps."""
    (folder / "environment").mkdir(parents=True)
    (folder / "environment" / "Dockerfile").write_text(f"FROM debian:12\nWORKDIR {workdir}\n")
    tables = [f'[[steps]]\nname = "{step.name}"\n{step.toml}' for step in steps]
    (folder / "task.toml").write_text("\n".join([TASK_TOML + toml, *tables]))
    for step in steps:
        root = folder / "steps" / step.name
        script(root / "tests" / "test.sh", step.verifier)
        script(root / "solution" / "solve.sh", step.solution)
        (root / "instruction.md").write_text(f"Do the step {step.name}.\n")
        for name, text in (step.workdir or {}).items():
            (root / "workdir").mkdir(exist_ok=True)
            (root / "workdir" / name).write_text(text)
    return folder


class Attempt:
    """What is left of one trial."""

    def __init__(self, folder: Path, code: int = 0) -> None:
        self.folder = folder
        self.code = code

    @property
    def result(self) -> Any:
        return json.loads((self.folder / "result.json").read_text())

    @property
    def rewards(self) -> Any:
        """Harbor's rewards; None where there are none."""
        found = self.result["verifier_result"]
        return None if found is None else found["rewards"]

    @property
    def exception(self) -> str | None:
        found = self.result["exception_info"]
        return None if found is None else str(found["exception_type"])

    @property
    def gradings(self) -> list[Any]:
        return [json.loads(path.read_text()) for path in sorted((self.folder / "gradings").glob("*.json"))]

    @property
    def reward(self) -> float | None:
        """The evaluation's reward; None where the verifier did not complete."""
        result = self.gradings[-1]["result"]
        return float(result["reward"]) if result["validity"]["verifier_completed"] else None

    @property
    def reason(self) -> str | None:
        """Why the evaluation's reward is not the verifier's."""
        found: str | None = self.gradings[-1]["reason_code"]
        return found

    def text(self, path: str) -> str:
        return (self.folder / path).read_text(errors="surrogateescape")


def run_arguments(task: Path, agent: str, jobs: Path, *options: object) -> list[str]:
    """The arguments of ``assay run`` for one job."""
    arguments = ["run", task, "--agent", agent, "--jobs-dir", jobs, "--job-name", JOB, *options]
    return [str(argument) for argument in arguments]


def attempt(task: Path, agent: str, jobs: Path, *options: object) -> Attempt:
    """Let an agent attempt a task once. ``agent`` is a command for the shell, oracle or nop."""
    code = main(run_arguments(task, agent, jobs, "--quiet", "--agent-name", "hostile", *options))
    trials = trials_of(jobs / JOB)
    assert len(trials) == 1, f"assay run ended with {code} and left {len(trials)} trials"
    return Attempt(trials[0].folder, code)


def trials_of(job: Path) -> list[Attempt]:
    """The finished trials of a job, by name."""
    return [Attempt(path.parent) for path in sorted(job.glob("*/result.json"))]


def start_assay(*argv: object, tmp: Path | None = None) -> "subprocess.Popen[str]":
    """Start the command as a process of its own, with its temporary files in ``tmp``."""
    env = {**os.environ, "TMPDIR": str(tmp)} if tmp is not None else None
    return subprocess.Popen(
        [ASSAY, *map(str, argv)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )


def key_tree(value: Any) -> Any:
    """The keys of a JSON value at every level, without its values. A list counts as all its members together."""
    if isinstance(value, dict):
        return {key: key_tree(inner) for key, inner in value.items()}
    if isinstance(value, list):
        trees = [tree for tree in map(key_tree, value) if tree is not None]
        return [merged] if (merged := _merged(trees)) else None
    return None


def _merged(trees: list[Any]) -> Any:
    merged: dict[str, Any] = {}
    for tree in trees:
        merged |= tree if isinstance(tree, dict) else {}
    return merged


HARBOR_JOB = DATA / "harbor_jobs" / "j1"
