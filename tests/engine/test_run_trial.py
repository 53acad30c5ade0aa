"""One trial: what agent and verifier get, what counts as a failure, when steps stop. With a fake sandbox."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assay.adapters.machine.local_machine import ThisHost
from assay.core.errors import MeasurementError
from assay.dialects.evaluation.output import Declared, Format
from assay.dialects.harbor.rewards import Profile, Strategy
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.machine import TrialSite
from assay.engine.ports import GradingRules
from assay.engine.run.ports import Agent
from assay.engine.run.run_trial import run_trial
from assay.engine.run.trial_record import StepRecord, TrialRecord
from assay.engine.sandbox import BASE_ENV, Images, Mount, Ran, SandboxCommand
from assay.engine.tasks.task import LoadedTask, TaskEnvironment, TaskStep
from assay.evidence.coding_run import ProcessEnd
from assay.evidence.files import Absent, Content, File, RewardFiles
from tests.tasks import ScriptedSandbox, agent_phase, make_step, make_task, verifier_phase

# The kernel takes no argument and no variable longer than this.
LONGEST_VARIABLE = 128 * 1024

Answer = Callable[[SandboxCommand], ProcessEnd]


def well(_command: SandboxCommand) -> ProcessEnd:
    return ProcessEnd(exit_code=0)


class FakeSandbox:
    """Answers commands as it is told, and remembers them."""

    owner = None
    images: Images | None = None

    def __init__(self, agent: Answer = well, verifier: Answer = well) -> None:
        self.isolation = ScriptedSandbox().isolation
        self._answers = {"agent": agent, "verifier": verifier}
        self.commands: list[tuple[str, SandboxCommand]] = []

    def run(self, command: SandboxCommand) -> Ran:
        who = "verifier" if any(mount.target == "/tests" for mount in command.mounts) else "agent"
        self.commands.append((who, command))
        end = self._answers[who](command)
        now = datetime.now(UTC)
        return Ran(end, b"", False, now, now)

    def of(self, who: str) -> SandboxCommand:
        return next(command for name, command in self.commands if name == who)


class FakeBench:
    """Has the rewards that it is told, one for each verification. Nothing is kept."""

    not_kept: Sequence[str] = ()

    def __init__(self, *rewards: bytes | None) -> None:
        self._rewards = list(rewards)
        self.done: list[str] = []

    def agent_mounts(self, solution: str | None) -> list[Mount]:
        self.done.append(f"agent with {solution}")
        return [Mount("/bench/workspace", "/workspace", writable=True)]

    def seed(self) -> None:
        self.done.append("seed")

    def remove_strays(self) -> list[str]:
        return []

    def startup_files(self) -> list[str]:
        return []

    def watch_rewards(self) -> contextlib.AbstractContextManager[Callable[[], list[str]]]:
        return contextlib.nullcontext(list)

    def changed_tests(self) -> list[str]:
        return []

    def test_texts(self) -> list[str]:
        return []

    def verifier_mounts(self, step: TaskStep) -> list[Mount]:
        self.done.append(f"verifier of {step.name}")
        return [Mount("/bench/tests", "/tests")]

    def workdir(self) -> str:
        return "/"

    def write_instruction(self, text: str) -> None:
        self.done.append(f"instruction {text}")

    def add_to_workdir(self, folder: str) -> None:
        self.done.append(f"files of {folder}")

    def rewards(self) -> RewardFiles:
        data = self._rewards.pop(0)
        json: File = Absent("reward.json") if data is None else Content("reward.json", data)
        return RewardFiles(json=json, text=Absent("reward.txt"))

    def details(self) -> File:
        return Absent("details.json")

    def output(self, path: str) -> File:
        return Absent(path)

    def keep_agent(self, target: str, artifacts: Sequence[ArtifactConfig]) -> list[dict[str, str]]:
        raise NotImplementedError

    def keep_workspace(self, target: str) -> str:
        raise NotImplementedError

    def keep_verifier(self, target: str) -> None:
        raise NotImplementedError

    def restore(self, folder: str) -> None:
        raise NotImplementedError

    def clear_agent(self) -> None: ...
    def close(self) -> None: ...


class Told:
    """Keeps nothing, and remembers what it was told."""

    def __init__(self) -> None:
        self.ended: list[str | None] = []
        self.records: list[StepRecord] = []

    def agent_ended(self, step: TaskStep, ran: Ran | None) -> None:  # noqa: ARG002
        self.ended.append(step.name)

    def step_ended(self, step: TaskStep, record: StepRecord) -> None:  # noqa: ARG002
        self.records.append(record)


def run(
    task: LoadedTask,
    agent: Agent,
    sandbox: FakeSandbox,
    bench: FakeBench,
    host_env: Mapping[str, str] | None = None,
) -> TrialRecord:
    return run_trial(TrialSite(sandbox, ThisHost(host_env or {})), bench, task, agent, Told())


COMMAND = Agent("mine", command="do it", env={"OWN": "1"})


def test_what_the_agent_gets() -> None:
    sandbox = FakeSandbox()
    config = {"environment": {"memory_mb": 64, "storage_mb": 7, "cpus": 2}}
    step = agent_phase(timeout_sec=9.0, user=1000, network=True)
    task = make_task(step, config=config, environment=TaskEnvironment("/app", {"SET": "x"}))
    run(task, COMMAND, sandbox, FakeBench(b'{"reward": 1}'), {"HOST": "secret"})
    got = sandbox.of("agent")
    assert got.argv == ("/bin/sh", "-c", "do it")
    assert (got.workdir, got.stdin, got.user, got.network, got.image) == ("/app", b"Do it.", 1000, True, None)
    limits = got.limits
    assert (limits.timeout_sec, limits.memory_mb, limits.file_mb, limits.cpus) == (9.0, 64, 7, 2)
    assert got.env == {
        **BASE_ENV,
        "SET": "x",
        "OWN": "1",
        "ASSAY_INSTRUCTION": "Do it.",
        "ASSAY_INSTRUCTION_FILE": "/logs/agent/instruction.md",
    }


def test_what_the_verifier_gets() -> None:
    sandbox = FakeSandbox()
    step = verifier_phase(env={"KEY": "${TOKEN}"}, timeout_sec=5.0, user="root", network=True)
    run(
        make_task(step),
        COMMAND,
        sandbox,
        FakeBench(b'{"reward": 1}'),
        {"TOKEN": "from the host", "HOST": "secret"},
    )
    got = sandbox.of("verifier")
    assert got.argv == ("/tests/test.sh",)
    assert got.env == {**BASE_ENV, "KEY": "from the host"}
    assert (got.limits.timeout_sec, got.network, got.stdin, got.user) == (5.0, True, b"", "root")
    assert (sandbox.of("agent").network, sandbox.of("agent").user) == (False, None)


def test_a_verifier_in_python() -> None:
    sandbox = FakeSandbox()
    step = make_step(verify=("python3", "/tests/verify.py"))
    run(make_task(step), COMMAND, sandbox, FakeBench(b'{"reward": 1}'))
    assert sandbox.of("verifier").argv == ("python3", "/tests/verify.py")


def test_an_image_brings_its_own_environment() -> None:
    sandbox = FakeSandbox()
    task = make_task(environment=TaskEnvironment("/app", {"SET": "x"}, image="image:1"))
    run(task, COMMAND, sandbox, FakeBench(b'{"reward": 1}'))
    assert sandbox.of("verifier").env == {"SET": "x"}
    assert sandbox.of("verifier").image == "image:1"


def test_an_idle_agent() -> None:
    sandbox, bench = FakeSandbox(), FakeBench(b'{"reward": 0}')
    record = run(make_task(), Agent("nop"), sandbox, bench)
    assert [who for who, _ in sandbox.commands] == ["verifier"]
    assert bench.done == ["seed", "instruction Do it.", "verifier of None"]
    assert (record.steps[0].agent, record.failure) == (None, None)
    assert record.rewards is not None
    assert record.rewards.rewards == {"reward": 0}


def test_the_oracle_runs_the_solution() -> None:
    sandbox, bench = FakeSandbox(), FakeBench(b'{"reward": 1}')
    task = make_task(config={"solution": {"env": {"HINT": "x"}}})
    run(task, Agent("oracle", oracle=True), sandbox, bench)
    assert sandbox.of("agent").argv == ("/solution/solve.sh",)
    assert sandbox.of("agent").env["HINT"] == "x"
    assert "agent with /task/solution" in bench.done


def test_only_the_oracle_has_the_solution() -> None:
    sandbox, bench = FakeSandbox(), FakeBench(b'{"reward": 1}')
    run(make_task(config={"solution": {"env": {"HINT": "x"}}}), COMMAND, sandbox, bench)
    assert "HINT" not in sandbox.of("agent").env
    assert "agent with None" in bench.done


def test_an_oracle_without_a_solution() -> None:
    sandbox = FakeSandbox()
    record = run(make_task(make_step(solution=None)), Agent("oracle", oracle=True), sandbox, FakeBench(None))
    assert [who for who, _ in sandbox.commands] == ["verifier"]
    assert record.failure is not None
    assert record.failure.type == "FileNotFoundError"


@pytest.mark.parametrize(
    ("end", "kind", "message"),
    [
        (ProcessEnd(exit_code=0), None, ""),
        (ProcessEnd(exit_code=2), "NonZeroAgentExitCodeError", "The agent ended with exit code 2"),
        (ProcessEnd(exit_code=None, signal=9), "NonZeroAgentExitCodeError", "The agent ended with signal 9"),
        (
            ProcessEnd(exit_code=None, timed_out=True),
            "AgentTimeoutError",
            "Agent execution timed out after 7.0 seconds",
        ),
    ],
)
def test_the_agents_failures_leave_it_its_reward(end: ProcessEnd, kind: str | None, message: str) -> None:
    sandbox = FakeSandbox(agent=lambda _: end)
    record = run(make_task(agent_phase(timeout_sec=7.0)), COMMAND, sandbox, FakeBench(b'{"reward": 0.5}'))
    assert record.rewards is not None
    assert record.rewards.rewards == {"reward": 0.5}
    found = (record.failure.type, record.failure.message) if record.failure is not None else (None, "")
    assert found == (kind, message)


def test_a_verifier_that_was_stopped_gave_nothing() -> None:
    sandbox = FakeSandbox(verifier=lambda _: ProcessEnd(exit_code=None, timed_out=True))
    record = run(make_task(), COMMAND, sandbox, FakeBench(b'{"reward": 1}'))
    assert record.rewards is None
    assert record.failure is not None
    assert record.failure.type == "VerifierTimeoutError"
    verified = record.steps[0].verified
    assert verified is not None
    result = verified.ingested.result
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert verified.ingested.reason_code == "reward_before_time_out"
    said = "the verifier ran out of time, so its reward doesn't count: it had written 1.0"
    assert result.validity.errors == [said]


@pytest.mark.statement("harbor.profiles")
@pytest.mark.parametrize(
    ("profile", "rewards", "failure"),
    [
        (Profile.HARBOR_0_13_1, {"reward": 1.5}, None),
        (Profile.STRICT, None, "ValidationError"),
    ],
)
def test_rewards_are_read_under_the_profile_of_the_run(
    profile: Profile, rewards: dict[str, float] | None, failure: str | None
) -> None:
    task = replace(make_task(), rules=GradingRules(profile))
    record = run(task, COMMAND, FakeSandbox(), FakeBench(b'{"reward": 1.5}'))
    assert (None if record.rewards is None else record.rewards.rewards) == rewards
    assert (None if record.failure is None else record.failure.type) == failure


@pytest.mark.statement("harbor.exit-code-ignored")
def test_a_verifiers_exit_code_is_no_verdict() -> None:
    sandbox = FakeSandbox(verifier=lambda _: ProcessEnd(exit_code=1))
    record = run(make_task(), COMMAND, sandbox, FakeBench(b'{"reward": 1}'))
    assert record.rewards is not None
    assert (record.rewards.rewards, record.failure) == ({"reward": 1}, None)


def broken(_command: SandboxCommand) -> ProcessEnd:
    raise MeasurementError("the sandbox is gone")


@pytest.mark.parametrize("who", ["agent", "verifier"])
def test_a_sandbox_that_breaks_is_nobodys_failure(who: str) -> None:
    sandbox = FakeSandbox(agent=broken) if who == "agent" else FakeSandbox(verifier=broken)
    record = run(make_task(), COMMAND, sandbox, FakeBench(None))
    assert (record.rewards, record.steps[0].verified) == (None, None)
    assert record.failure is not None
    assert (record.failure.type, record.failure.message) == ("MeasurementError", "the sandbox is gone")


@pytest.mark.parametrize("instruction", ["x" * 1000, "x" * 65_000, "x" * 200_000, "漢" * 40_000, "漢" * 64_000])
def test_a_long_instruction_fits_into_no_variable(instruction: str) -> None:
    sandbox = FakeSandbox()
    run(make_task(make_step(instruction=instruction)), COMMAND, sandbox, FakeBench(b'{"reward": 1}'))
    got = sandbox.of("agent")
    assert all(len(f"{name}={value}".encode()) < LONGEST_VARIABLE for name, value in got.env.items())
    assert got.stdin == instruction.encode()


STEPS = (make_step("one", min_reward=0.5), make_step("two", workdir_files="/task/two/workdir"), make_step("three"))


def test_steps_one_after_the_other() -> None:
    told = Told()
    bench = FakeBench(b'{"reward": 0.5}', b'{"reward": 1}', b'{"reward": 0}')
    record = run_trial(TrialSite(FakeSandbox(), ThisHost({})), bench, make_task(*STEPS), COMMAND, told)
    assert [step.name for step in record.steps] == ["one", "two", "three"]
    assert told.records == record.steps
    assert told.ended == ["one", "two", "three"]
    assert bench.done.index("files of /task/two/workdir") > bench.done.index("verifier of one")
    assert record.rewards is not None
    assert record.rewards.rewards == {"reward": 0.5}


@pytest.mark.statement("harbor.step-min-reward")
@pytest.mark.parametrize("reward", [b'{"reward": 0.4}', b'{"other": 1}', b"{}", None, b"broken"])
def test_a_step_below_its_threshold_is_the_last(reward: bytes | None) -> None:
    record = run(make_task(*STEPS), COMMAND, FakeSandbox(), FakeBench(reward))
    assert [step.name for step in record.steps] == ["one"]


def test_the_last_step_counts_where_the_task_says_so() -> None:
    task = make_task(*STEPS, config={"multi_step_reward_strategy": Strategy.FINAL.value})
    rewards = (b'{"reward": 1}', b'{"reward": 1}', b'{"reward": 0.25}')
    record = run(task, COMMAND, FakeSandbox(), FakeBench(*rewards))
    assert record.rewards is not None
    assert record.rewards.rewards == {"reward": 0.25}


def test_a_steps_failure_stays_with_its_step() -> None:
    bench = FakeBench(b'{"reward": 1}', None)
    record = run(make_task(*STEPS), COMMAND, FakeSandbox(), bench)
    failures = [step.failure.type if step.failure is not None else None for step in record.steps]
    assert failures == [None, "RewardFileNotFoundError"]
    assert record.failure is None


class UnseededBench(FakeBench):
    """Its workspace can't be made."""

    def seed(self) -> None:
        raise MeasurementError("there is no workspace")


def test_a_workspace_that_can_not_be_made_is_nobodys_failure() -> None:
    sandbox = FakeSandbox()
    record = run(make_task(), COMMAND, sandbox, UnseededBench())
    assert record.failure is not None
    assert (record.failure.type, record.failure.message) == ("MeasurementError", "there is no workspace")
    assert (record.rewards, sandbox.commands) == (None, [])


def test_a_measurement_that_breaks_in_a_later_step_leaves_no_reward() -> None:
    """What the steps before came to is not what the trial would have come to."""
    answers = iter([well, broken])

    def verifier(command: SandboxCommand) -> ProcessEnd:
        return next(answers)(command)

    record = run(make_task(*STEPS), COMMAND, FakeSandbox(verifier=verifier), FakeBench(b'{"reward": 1}'))
    assert [step.verified is None for step in record.steps] == [False, True]
    assert record.rewards is None
    assert record.failure is not None
    assert record.failure.type == "MeasurementError"


def test_a_broken_measurement_is_not_the_agents_failure() -> None:
    sandbox = FakeSandbox(agent=lambda _: ProcessEnd(exit_code=1), verifier=broken)
    record = run(make_task(), COMMAND, sandbox, FakeBench())
    assert record.failure is not None
    assert record.failure.type == "MeasurementError"


def test_what_a_dockerfile_sets_is_no_template() -> None:
    """It was expanded when it was read. Only task.toml may ask for values of the host."""
    config = {"environment": {"env": {"ASKED": "${TOKEN}", "SET": "${TOKEN}"}}}
    task = make_task(config=config, environment=TaskEnvironment("/app", {"LITERAL": "${TOKEN}", "SET": "x"}))
    sandbox = FakeSandbox()
    run(task, COMMAND, sandbox, FakeBench(b'{"reward": 1}'), {"TOKEN": "secret"})
    env = sandbox.of("verifier").env
    assert (env["LITERAL"], env["ASKED"], env["SET"]) == ("${TOKEN}", "secret", "secret")


def test_a_schema_that_can_not_be_used_is_nobodys_failure() -> None:
    """Neither a reward nor a violation is recorded for the agent."""

    class WithOutput(FakeBench):
        def output(self, path: str) -> File:
            return Content(path, b"1")

    step = make_step(declared=Declared(Format.JSON, schema={"$ref": "#/$defs/missing"}))
    record = run(make_task(step), COMMAND, FakeSandbox(), WithOutput(b'{"reward": 1}'))
    assert (record.rewards, record.steps[0].verified) == (None, None)
    assert record.failure is not None
    assert record.failure.type == "MeasurementError"
    assert record.failure.message.startswith("the schema can't be applied to the output: ")
