"""Run one trial: the agent in its sandbox, then the verifier in a fresh one, step by step."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from assay.core.errors import MeasurementError
from assay.dialects.harbor.rewards import Step, TrialRewards, stops_after, trial_rewards
from assay.engine.machine import TrialSite
from assay.engine.model_access import ModelUse
from assay.engine.run.ports import Agent, Bench
from assay.engine.run.run_verifier import FailedDownloadError, agent_command, run_verifier, sandbox_env
from assay.engine.run.trial_record import BROKEN, TOO_MUCH_DISK, Failure, StepRecord, TrialRecord, Verified
from assay.engine.sandbox import CommandLimits, Ran, SandboxCommand
from assay.engine.tasks.task import LoadedTask, TaskStep

# Shorter values, such as 1 or true, are no secrets, and occur everywhere.
SHORTEST_SECRET = 6
# A shell ends so if a program can't be run, or isn't there.
CANT_START = (126, 127)
LOOK_SEC = 60.0


# Runs the verifier of a step.
Verify: TypeAlias = Callable[[TaskStep], Verified]


class StepRecorder(Protocol):
    """Keeps the files of a trial as soon as each part ends."""

    def agent_ended(self, step: TaskStep, ran: Ran | None) -> None:
        """Called after the agent ended, before anything else touches the files that it left."""

    def step_ended(self, step: TaskStep, record: StepRecord) -> None:
        """Called after the verifier ended."""


def run_trial(
    site: TrialSite,
    bench: Bench,
    task: LoadedTask,
    agent: Agent,
    recorder: StepRecorder,
    verify: Verify | None = None,
) -> TrialRecord:
    """Run all steps of a trial, or until one of them stops it. Without ``verify``, verifiers have no control."""
    verify = verify or (lambda step: run_verifier(site, bench, task, step))
    started = site.host.now()
    records: list[StepRecord] = []
    for step in task.steps:
        record = _run_step(site, bench, task, step, agent, recorder, verify, first=not records)
        records.append(record)
        recorder.step_ended(step, record)
        if stops_after(_as_harbor_step(record), step.min_reward):
            break
    return TrialRecord(
        started, site.host.now(), records, _trial_rewards(task, records), _trial_failure(task, records)
    )


def _run_step(
    site: TrialSite,
    bench: Bench,
    task: LoadedTask,
    step: TaskStep,
    agent: Agent,
    recorder: StepRecorder,
    verify: Verify,
    *,
    first: bool,
) -> StepRecord:
    run = AgentEnding()
    try:
        if first:
            bench.seed()
        try:
            run = run_agent(site, bench, task, step, agent)
        finally:
            recorder.agent_ended(step, run.ran)
        run.check_measured()
        verified = verify(step)
    except MeasurementError as error:
        verifier = error.verified.ran if isinstance(error, FailedDownloadError) else None
        broken = Failure(BROKEN, str(error), site.host.now())
        return StepRecord(step.name, run.ran, broken, None, verifier, run.model)
    failure = verified.failure if verified.broken else run.failure or verified.failure
    return StepRecord(step.name, run.ran, failure, verified, verified.ran, run.model)


@dataclass(frozen=True, slots=True)
class AgentEnding:
    """How the agent ended, its failure if there was one, and what it asked its model for.

    ``missing`` is its program, if that can't be started at all.
    """

    ran: Ran | None = None
    failure: Failure | None = None
    model: ModelUse | None = None
    missing: str | None = None

    def check_measured(self) -> None:
        """Raise ``MeasurementError`` if the agent never began, or asked its model and never got through."""
        if self.missing is not None:
            raise MeasurementError(f"the agent can't start: there is no program {self.missing} in its sandbox")
        if self.model is not None and self.model.outage is not None:
            raise MeasurementError(f"the agent's model didn't answer: {self.model.outage}")


def run_agent(site: TrialSite, bench: Bench, task: LoadedTask, step: TaskStep, agent: Agent) -> AgentEnding:
    """Run the agent. An agent without a command does nothing."""
    bench.write_instruction(step.instruction)
    if step.workdir_files is not None:
        bench.add_to_workdir(step.workdir_files)
    if agent.oracle and step.solution is None:
        message = "the task has no solution/solve.sh for the oracle to run"
        return AgentEnding(failure=Failure("FileNotFoundError", message, site.host.now()))
    command = agent_command(site, bench, task, step, agent)
    if command is None:
        return AgentEnding()
    ran = without_secrets(site.sandbox.run(command), agent)
    used = None if site.model is None else site.model.take_use()
    unstarted = ran.end.exit_code in CANT_START and missing_program(site, task, step, agent)
    return AgentEnding(ran, _agent_failure(ran, command.limits.timeout_sec), used, unstarted or None)


def missing_program(site: TrialSite, task: LoadedTask, step: TaskStep, agent: Agent) -> str | None:
    """The program that the agent's command begins with, if a fresh sandbox doesn't have it.

    A command can end as if it couldn't start. So its word isn't taken for it.
    """
    program = _first_program(agent.command or "")
    if program is None:
        return None
    env = {**task.config.environment.env, **agent.env}
    look = SandboxCommand(
        argv=("/bin/sh", "-c", 'case $0 in /*) [ -x "$0" ];; *) command -v "$0" >/dev/null;; esac', program),
        workdir="/",
        limits=CommandLimits(timeout_sec=LOOK_SEC),
        mounts=agent.mounts,
        env=sandbox_env(site, task.environment, env),
        user=step.agent.user,
        image=task.environment.image,
    )
    return program if site.sandbox.run(look).end.exit_code else None


def _first_program(command: str) -> str | None:
    """The first word of a command for the shell, if it's a program by name or by its whole path."""
    try:
        word = (shlex.split(command) or [""])[0]
    except ValueError:
        return None
    return word if re.fullmatch(r"[\w.+-]+|/[\w.+/-]+", word) else None


def without_secrets(ran: Ran, agent: Agent) -> Ran:
    """The run without private values in what the agent printed. What it writes to files is its own doing."""

    def hidden(output: bytes) -> bytes:
        for name, value in agent.private.items():
            if len(value) >= SHORTEST_SECRET:
                output = output.replace(value.encode(errors="surrogateescape"), f"[{name}]".encode())
        return output

    apart = tuple(replace(one, data=hidden(one.data)) for one in ran.apart)
    return replace(ran, output=hidden(ran.output), apart=apart)


def _agent_failure(ran: Ran, timeout_sec: float) -> Failure | None:
    if ran.end.timed_out:
        message = f"Agent execution timed out after {timeout_sec} seconds"
        return Failure("AgentTimeoutError", message, ran.finished_at)
    if ran.end.excess:
        return Failure(TOO_MUCH_DISK, f"The agent {ran.end.excess}", ran.finished_at)
    if ran.end.exit_code == 0:
        return None
    how = f"exit code {ran.end.exit_code}" if ran.end.exit_code is not None else f"signal {ran.end.signal}"
    return Failure("NonZeroAgentExitCodeError", f"The agent ended with {how}", ran.finished_at)


def _as_harbor_step(record: StepRecord) -> Step:
    result = record.verified.rewards if record.verified is not None else None
    return Step(
        verified=result is not None,
        rewards=result.rewards if result is not None else None,
        exception_type=record.failure.type if record.failure is not None else None,
    )


def _trial_rewards(task: LoadedTask, records: Sequence[StepRecord]) -> TrialRewards | None:
    """The rewards of the trial; None if the measurement broke, because earlier steps alone don't give them."""
    if records[-1].broken:
        return None
    if not task.multi_step:
        return records[0].verified.rewards if records[0].verified is not None else None
    return trial_rewards([_as_harbor_step(record) for record in records], task.strategy)


def _trial_failure(task: LoadedTask, records: Sequence[StepRecord]) -> Failure | None:
    """The exception of the whole trial. As in harbor, that of a step stays with the step, unless the measurement
    broke.
    """
    return records[-1].failure if not task.multi_step or records[-1].broken else None
