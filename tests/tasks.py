"""Builders of small tasks, as folders and in memory, and what an attempt at one of them left."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.cli.main import main
from assay.dialects.evaluation.models import VerifierSpec
from assay.dialects.harbor.task_config import TaskConfig
from assay.engine.sandbox import Images, Isolation, Ran, SandboxCommand
from assay.engine.tasks.task import HarborChecksums, LoadedTask, TaskEnvironment, TaskPhase, TaskStep
from assay.evidence.coding_run import ProcessEnd
from tests.builders import HARBOR_JOBS

JOB = "job"
HARBOR_JOB = HARBOR_JOBS / "j1"
PASS = "echo 1 > /logs/verifier/reward.txt"  # noqa: S105 - a verdict, not a password
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


def write_hello_task(folder: Path) -> Path:
    """A task for an image that somebody else names, whose verifier needs nothing but a shell and grep."""
    for path, text in {
        "task.toml": 'version = "1.0"\n[environment]\ndocker_image = "any"\nworkdir = "/workspace"\n',
        "instruction.md": "Write hello to /workspace/hello.txt.\n",
        "solution/solve.sh": "echo hello > /workspace/hello.txt\n",
        "tests/test.sh": "cd /workspace; grep -q hello hello.txt; echo $((1 - $?)) > /logs/verifier/reward.txt\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
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
            (root / "workdir" / name).parent.mkdir(parents=True, exist_ok=True)
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


def key_order(value: Any) -> Any:
    """The keys of a JSON value at every level, in their order, without the values. Names of trials are values."""
    if isinstance(value, dict):
        return [(key, key_order(inner)) for key, inner in value.items() if not _counts_trials(inner)]
    if isinstance(value, list):
        found = [tree for tree in map(key_order, value) if tree is not None]
        return found[:1] or None
    return None


def _counts_trials(value: Any) -> bool:
    """Whether an object has rewards or exceptions as keys, and the trials that have them as values."""
    return isinstance(value, dict) and bool(value) and all(isinstance(inner, list) for inner in value.values())


def make_step(name: str | None = None, **fields: Any) -> TaskStep:
    """A step in memory."""
    spec = VerifierSpec(
        script="/tests/test.sh",
        expected_output_path="/workspace",
        reward_path="/logs/verifier/reward.json",
        details_path="/logs/verifier/details.json",
    )
    plain = TaskStep(
        name=name,
        instruction="Do it.",
        verifier=spec,
        verify=("/tests/test.sh",),
        tests=("/task/tests",),
        solve=("/solution/solve.sh",),
        solution="/task/solution",
        workdir_files=None,
        declared=None,
        agent=TaskPhase("agent", timeout_sec=None, user=None, network=False, env={}),
        verifier_phase=TaskPhase("verifier", timeout_sec=None, user=None, network=False, env={}),
    )
    return replace(plain, **fields)


def make_task(
    *steps: TaskStep,
    name: str = "task",
    config: Mapping[str, Any] | None = None,
    environment: TaskEnvironment | None = None,
) -> LoadedTask:
    """A task in memory."""
    return LoadedTask(
        name=name,
        path=f"/{name}",
        config=TaskConfig.model_validate(config or {}),
        steps=steps or (make_step(),),
        environment=environment or TaskEnvironment(workdir="/workspace"),
        checksum="0" * 64,
        harbor_checksums=HarborChecksums("1" * 64, "2" * 64),
    )


Places = Mapping[str, Path]
Act = Callable[[Places], object]


def gives(reward: object) -> Act:
    """A verifier that gives a reward."""
    return lambda places: (places["/logs/verifier"] / "reward.json").write_text(json.dumps({"reward": reward}))


GENEROUS = gives(1)


def idle(_places: Places) -> None:
    """Nothing happens."""


class ScriptedSandbox:
    """Does in this process what an agent and a verifier would do in theirs: each is told where its folders are."""

    owner: tuple[int, int] | None = None
    images: Images | None = None

    def __init__(self, agent: Act = idle, verifier: Act = GENEROUS, backend: str = "scripted") -> None:
        self.isolation = Isolation(
            backend=backend,
            pid_namespace=True,
            no_network=True,
            read_only_system=True,
            memory_limit="none",
            process_limit="none",
            cpu_limit="none",
            user="nobody",
        )
        self.agent = agent
        self.verifier = verifier
        self.commands: list[SandboxCommand] = []

    def run(self, command: SandboxCommand) -> Ran:
        started = datetime.now(UTC)
        self.commands.append(command)
        places = {mount.target: Path(mount.source) for mount in command.mounts}
        (self.verifier if "/tests" in places else self.agent)(places)
        return Ran(ProcessEnd(exit_code=0), b"said\n", False, started, datetime.now(UTC))


def agent_phase(**fields: Any) -> TaskStep:
    """A step whose agent is run in another way than usual."""
    return replace(make_step(), agent=replace(make_step().agent, **fields))


def verifier_phase(**fields: Any) -> TaskStep:
    return replace(make_step(), verifier_phase=replace(make_step().verifier_phase, **fields))
