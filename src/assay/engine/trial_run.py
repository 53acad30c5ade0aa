"""Run one trial: the agent in its sandbox, then the verifier in a fresh one, step by step."""

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from assay.core.errors import MeasurementError
from assay.dialects.evaluation.ingest import Ingested, ingest
from assay.dialects.harbor import multi_step
from assay.dialects.harbor.env_template import resolve_env
from assay.dialects.harbor.errors import RewardError
from assay.dialects.harbor.multi_step import TrialRewards
from assay.dialects.harbor.rewards import Profile, Rewards, parse_reward_files
from assay.engine.sandbox import BASE_ENV, Command, Limits, Mount, Ran, Sandbox
from assay.engine.task import Step, Task
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.evidence.verifier_run import RunEnd, VerifierEvidence

INSTRUCTION_FILE = "/logs/agent/instruction.md"
INSTRUCTION_ENV_LIMIT = 64 * 1024
DEFAULT_AGENT_TIMEOUT_SEC = 3600.0
DEFAULT_VERIFIER_TIMEOUT_SEC = 600.0
BROKEN = "MeasurementError"


class Bench(Protocol):
    """The folders of one trial. ``seed`` comes first, and may raise ``MeasurementError`` as all of them."""

    def seed(self) -> None: ...
    def agent_mounts(self, solution: str | None) -> list[Mount]: ...
    def verifier_mounts(self, step: Step) -> list[Mount]: ...
    def write_instruction(self, text: str) -> None: ...
    def add_to_workdir(self, folder: str) -> None: ...
    def rewards(self) -> RewardFiles: ...
    def details(self) -> File: ...
    def output(self, path: str) -> File: ...


@dataclass(frozen=True, slots=True)
class Site:
    """Where trials run: the sandbox, and the host's environment, from which tasks may take values by name."""

    sandbox: Sandbox
    host_env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Agent:
    """Who attempts the task. ``command`` is a line for the shell; the oracle runs the task's own solution."""

    name: str
    command: str | None = None
    oracle: bool = False
    model: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception as a trial records it."""

    type: str
    message: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Verified:
    """One verifier run, read out: harbor's rewards or error, the evaluation, and what it was based on."""

    ran: Ran
    rewards: TrialRewards | None
    failure: Failure | None
    ingested: Ingested
    hashes: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What one step came to. ``verified`` is None where the verifier could not be run."""

    name: str | None
    agent: Ran | None
    failure: Failure | None
    verified: Verified | None


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """What a trial came to."""

    started_at: datetime
    finished_at: datetime
    steps: list[StepRecord]
    rewards: TrialRewards | None
    failure: Failure | None


def run_agent(site: Site, bench: Bench, task: Task, step: Step, agent: Agent) -> tuple[Ran | None, Failure | None]:
    """Let the agent work. An agent that has nothing to run is idle."""
    bench.write_instruction(step.instruction)
    if step.workdir_files is not None:
        bench.add_to_workdir(step.workdir_files)
    line = "/solution/solve.sh" if agent.oracle else agent.command
    if line is None:
        return None, None
    if agent.oracle and step.solution is None:
        return None, _failure("FileNotFoundError", "the task has no solution/solve.sh for the oracle to run")
    timeout = step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC
    solution_env = task.config.solution.env if agent.oracle else {}
    ran = site.sandbox.run(
        Command(
            argv=("/bin/sh", "-c", line),
            workdir=task.environment.workdir,
            limits=_limits(task, timeout),
            mounts=tuple(bench.agent_mounts(step.solution if agent.oracle else None)),
            env={**_env(site, task, {**solution_env, **agent.env}), **_instruction_env(step)},
            network=step.agent.network,
            stdin=step.instruction.encode(),
            user=step.agent.user,
            image=task.environment.image,
        )
    )
    return ran, _agent_failure(ran, timeout)


def verify(site: Site, bench: Bench, task: Task, step: Step) -> Verified:
    """Run the verifier on what is on the bench and read out its artifacts."""
    script = step.verifier.script
    # As the agent left it: a verifier may change what it looks at.
    output = None if step.declared is None else bench.output(step.verifier.expected_output_path)
    timeout = step.verifier_phase.timeout_sec or DEFAULT_VERIFIER_TIMEOUT_SEC
    ran = site.sandbox.run(
        Command(
            argv=("python3", script) if script.endswith(".py") else (script,),
            workdir=task.environment.workdir,
            limits=_limits(task, timeout),
            mounts=tuple(bench.verifier_mounts(step)),
            env=_env(site, task, step.verifier_phase.env),
            network=step.verifier_phase.network,
            user=step.verifier_phase.user,
            image=task.environment.image,
        )
    )
    files = bench.rewards()
    if ran.end.timed_out:
        # What a verifier wrote before it hung is not its last word.
        files = RewardFiles(json=Absent(files.json.path), text=Absent(files.text.path))
    details = bench.details()
    rewards, failure = _harbor_rewards(files, ran.end, timeout)
    evidence = VerifierEvidence(rewards=files, details=details, output=output, end=ran.end)
    return Verified(
        ran=ran,
        rewards=rewards,
        failure=failure,
        ingested=ingest(evidence, step.declared),
        hashes={"output": _hash(output), "reward": _hash(files.json, files.text), "details": _hash(details)},
    )


class Keeper(Protocol):
    """Keeps what a trial leaves, when it leaves it."""

    def agent_ended(self, step: str | None, ran: Ran | None) -> None:
        """The agent is gone, and nobody else has touched what it left."""
        ...

    def step_ended(self, record: StepRecord) -> None:
        """The verifier is done, too."""
        ...


def run_steps(site: Site, bench: Bench, task: Task, agent: Agent, keeper: Keeper) -> TrialRecord:
    """All steps of a trial, until one stops it."""
    started = datetime.now(UTC)
    records: list[StepRecord] = []
    for step in task.steps:
        record = _run_step(site, bench, task, step, agent, keeper, first=not records)
        records.append(record)
        keeper.step_ended(record)
        if multi_step.stops_after(_as_harbor_step(record), step.min_reward):
            break
    return TrialRecord(
        started, datetime.now(UTC), records, _trial_rewards(task, records), _trial_failure(task, records)
    )


def _run_step(
    site: Site, bench: Bench, task: Task, step: Step, agent: Agent, keeper: Keeper, *, first: bool
) -> StepRecord:
    ran: Ran | None = None
    failure: Failure | None = None
    try:
        if first:
            bench.seed()
        try:
            ran, failure = run_agent(site, bench, task, step, agent)
        finally:
            keeper.agent_ended(step.name, ran)
        verified = verify(site, bench, task, step)
    except MeasurementError as error:
        return StepRecord(step.name, ran, _failure(BROKEN, str(error)), None)
    return StepRecord(step.name, ran, failure or verified.failure, verified)


def _as_harbor_step(record: StepRecord) -> multi_step.Step:
    result = record.verified.rewards if record.verified is not None else None
    return multi_step.Step(
        verified=result is not None,
        rewards=result.rewards if result is not None else None,
        exception_type=record.failure.type if record.failure is not None else None,
    )


def _trial_rewards(task: Task, records: Sequence[StepRecord]) -> TrialRewards | None:
    """None where the measurement broke: what the steps before it came to is not what the trial would have."""
    if records[-1].verified is None:
        return None
    if not task.multi_step:
        return records[0].verified.rewards if records[0].verified is not None else None
    return multi_step.trial_rewards([_as_harbor_step(record) for record in records], task.strategy)


def _trial_failure(task: Task, records: Sequence[StepRecord]) -> Failure | None:
    """A step's exception stays with its step: harbor counts only the trial's own. A broken measurement is that."""
    return records[-1].failure if not task.multi_step or records[-1].verified is None else None


def _harbor_rewards(
    files: RewardFiles, end: RunEnd, timeout_sec: float
) -> tuple[TrialRewards | None, Failure | None]:
    if end.timed_out:
        return None, _failure("VerifierTimeoutError", f"Verifier execution timed out after {timeout_sec} seconds")
    try:
        rewards = parse_reward_files(files, Profile.HARBOR_0_13_1).rewards
    except RewardError as error:
        return None, _failure(error.exception_type, str(error))
    complaint = _not_recordable(rewards or {})
    if complaint is not None:
        return None, _failure("ValidationError", f"the rewards of VerifierResult can't be recorded: {complaint}")
    return TrialRewards(rewards), None


def _not_recordable(rewards: Rewards) -> str | None:
    """What harbor accepts and then fails on when it adds up or writes: it would take the whole job with it."""
    for key, value in rewards.items():
        if any("\ud800" <= character <= "\udfff" for character in key):
            return "a key holds half a character"
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            return "a number is beyond every float"
    return None


def _agent_failure(ran: Ran, timeout_sec: float) -> Failure | None:
    if ran.end.timed_out:
        return _failure("AgentTimeoutError", f"Agent execution timed out after {timeout_sec} seconds")
    if ran.end.exit_code == 0:
        return None
    how = f"exit code {ran.end.exit_code}" if ran.end.exit_code is not None else f"signal {ran.end.signal}"
    return _failure("NonZeroAgentExitCodeError", f"The agent ended with {how}")


def _hash(*files: File | None) -> str | None:
    return next((hashlib.sha256(file.data).hexdigest() for file in files if isinstance(file, Content)), None)


def _limits(task: Task, timeout_sec: float) -> Limits:
    environment = task.config.environment
    return Limits(
        timeout_sec=timeout_sec,
        memory_mb=environment.memory_mb,
        cpus=environment.cpus,
        file_mb=environment.storage_mb or 4096,
    )


def _env(site: Site, task: Task, own: Mapping[str, str]) -> dict[str, str]:
    """An image brings its own basic environment; elsewhere it is ours, never the host's."""
    base = {**BASE_ENV, "HOME": _home(task)} if task.environment.image is None else {}
    asked = resolve_env({**task.config.environment.env, **own}, site.host_env)
    return {**base, **task.environment.env, **asked}


def _home(task: Task) -> str:
    """A folder that is empty at every start. Programs read settings there, and an agent's would run code."""
    return BASE_ENV["HOME"] if BASE_ENV["HOME"] not in task.environment.places else "/var/tmp"  # noqa: S108


def _instruction_env(step: Step) -> dict[str, str]:
    size = len(step.instruction.encode(errors="surrogateescape"))
    fits = size <= INSTRUCTION_ENV_LIMIT and "\0" not in step.instruction
    text = {"ASSAY_INSTRUCTION": step.instruction} if fits else {}
    return {"ASSAY_INSTRUCTION_FILE": INSTRUCTION_FILE, **text}


def _failure(kind: str, message: str) -> Failure:
    return Failure(kind, message, datetime.now(UTC))
