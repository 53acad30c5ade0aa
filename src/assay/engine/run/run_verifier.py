"""Run a task's verifier on the files that an agent left, and read its reward and details."""

import hashlib
import posixpath
import sys
from collections.abc import Mapping

from assay.core.errors import MeasurementError
from assay.dialects.evaluation.ingest import FORFEITS, STRICTLY_UNUSABLE, Ingested, ingest
from assay.dialects.harbor.errors import RewardError
from assay.dialects.harbor.rewards import Profile, Rewards, TrialRewards, parse_reward_files
from assay.dialects.harbor.task_config import EnvironmentConfig, resolve_env
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Agent, Bench
from assay.engine.run.trial_record import TOO_MUCH_DISK, Failure, Verified
from assay.engine.sandbox import BASE_ENV, CommandLimits, Ran, SandboxCommand
from assay.engine.tasks.task import LoadedTask, TaskEnvironment, TaskStep, verified_in
from assay.evidence.coding_run import VerifierEvidence
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.formats.network_failures import network_failure
from assay.formats.shell import command_lines

INSTRUCTION_FILE = "/logs/agent/instruction.md"
INSTRUCTION_ENV_LIMIT = 64 * 1024
DEFAULT_AGENT_TIMEOUT_SEC = 3600.0
DEFAULT_VERIFIER_TIMEOUT_SEC = 600.0
_SHARED_HOME = "/root"
# An image may have its tests without the permission to run them; harbor gives it.
_START_BUNDLED = 'chmod +x /tests/*.sh 2>/dev/null; exec "$0" "$@"'
DEFAULT_FILE_MB, DEFAULT_DISK_MB = 4096, 10240
# A job repeats the name of each run for each of its keys.
MOST_KEYS = 10_000


def agent_command(
    site: TrialSite, bench: Bench, task: LoadedTask, step: TaskStep, agent: Agent
) -> SandboxCommand | None:
    """The command of the agent; None for an agent that does nothing."""
    if agent.oracle:
        argv = step.solve
    elif agent.command is not None:
        argv = ("/bin/sh", "-c", agent.command)
    else:
        return None
    solution_env = task.config.solution.env if agent.oracle else {}
    command = SandboxCommand(
        argv=argv,
        workdir=task.environment.workdir,
        limits=_limits(task.config.environment, step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC),
        mounts=(*bench.agent_mounts(step.solution if agent.oracle else None), *agent.mounts),
        env={
            **sandbox_env(site, task.environment, {**task.config.environment.env, **solution_env, **agent.env}),
            **agent.private,
            **_instruction_env(step),
        },
        network=step.agent.network,
        stdin=step.instruction.encode(),
        user=step.agent.user,
        image=task.environment.image,
        apart=True,
    )
    return command if site.model is None else site.model.through(command)


def verifier_command(site: TrialSite, bench: Bench, task: LoadedTask, step: TaskStep) -> SandboxCommand:
    """The command of the verifier."""
    place = verified_in(task, step)
    config = task.config.environment if step.own is None else step.own.config
    bundled = step.own is not None and step.own.environment is not None and place.image is not None
    return SandboxCommand(
        argv=("/bin/sh", "-c", _START_BUNDLED, *step.verify) if bundled else step.verify,
        workdir=place.workdir,
        limits=_limits(config, step.verifier_phase.timeout_sec or DEFAULT_VERIFIER_TIMEOUT_SEC),
        mounts=tuple(bench.verifier_mounts(step)),
        env=sandbox_env(site, place, {**config.env, **step.verifier_phase.env, **_no_user_packages(place)}),
        network=step.verifier_phase.network,
        user=step.verifier_phase.user,
        image=place.image,
    )


def _no_user_packages(place: TaskEnvironment) -> dict[str, str]:
    """Keeps Python from starting with the packages that an agent left in its home folder."""
    return {"PYTHONNOUSERSITE": "1"} if place.shared else {}


def _limits(environment: EnvironmentConfig, timeout_sec: float) -> CommandLimits:
    return CommandLimits(
        timeout_sec=timeout_sec,
        memory_mb=environment.memory_mb,
        cpus=environment.cpus,
        file_mb=environment.storage_mb or DEFAULT_FILE_MB,
        disk_mb=environment.storage_mb or DEFAULT_DISK_MB,
    )


def sandbox_env(site: TrialSite, place: TaskEnvironment, asked: Mapping[str, str]) -> dict[str, str]:
    """The environment variables. An image has its own basic ones; otherwise they are Assay's, never the host's."""
    base = {**BASE_ENV, "HOME": _home(place)} if place.image is None else {}
    return {**base, **place.env, **resolve_env(asked, site.host.env)}


def _home(place: TaskEnvironment) -> str:
    """A home folder that is empty at every start. Programs read settings there, so an agent could plant code.

    In a shared environment, the verifier is meant to find what the agent left there.
    """
    if place.kept:
        return _SHARED_HOME
    return BASE_ENV["HOME"] if BASE_ENV["HOME"] not in place.places else "/var/tmp"  # noqa: S108


def _instruction_env(step: TaskStep) -> dict[str, str]:
    size = len(step.instruction.encode(errors="surrogateescape"))
    fits = size <= INSTRUCTION_ENV_LIMIT and "\0" not in step.instruction
    text = {"ASSAY_INSTRUCTION": step.instruction} if fits else {}
    return {"ASSAY_INSTRUCTION_FILE": INSTRUCTION_FILE, **text}


def run_verifier(site: TrialSite, bench: Bench, task: LoadedTask, step: TaskStep) -> Verified:
    """Run the verifier on the bench, once.

    Raises ``FailedDownloadError``, ``UnusableSchemaError``, or another ``MeasurementError`` if the sandbox failed.
    """
    # Read before the verifier runs, because it may change the output.
    output = None if step.declared is None else bench.output(step.verifier.expected_output_path)
    strays = bench.remove_strays()
    startup = tuple(bench.startup_files())
    command, script = verifier_command(site, bench, task, step), step.verifier.script
    with bench.watch_rewards() as strange:
        ran = site.sandbox.run(command)
    files = bench.rewards()
    reward = files.text if isinstance(files.json, Absent) else files.json
    details = bench.details()
    rewards, failure = _harbor_rewards(files, ran, command.limits.timeout_sec, task.rules.profile)
    changed = tuple(bench.changed_tests())
    seen = (*strange(), *([f"{script} changed while it ran"] if posixpath.basename(script) in changed else []))
    evidence = VerifierEvidence(files, details, output, ran.end, tuple(strays), startup, seen)
    ingested = _ingest_evidence(evidence, task, step)
    if ingested.reason_code in STRICTLY_UNUSABLE:
        failure = Failure("VerifierOutputParseError", ingested.result.validity.errors[-1], ran.finished_at)
        rewards = None
    verified = Verified(
        ran=ran,
        rewards=rewards,
        failure=failure,
        ingested=ingested,
        cause="agent" if ingested.reason_code in FORFEITS else None,
        changed_tests=changed,
        hashes={"output": _hash(output), "reward": _hash(reward), "details": _hash(details)},
    )
    _check_downloads(bench, verified, network=command.network)
    return verified


class FailedDownloadError(MeasurementError):
    """The verifier seems not to have got what it needs. Then its answer says nothing about the agent.

    A program of the agent may print the same line, so only a control can tell.
    """

    def __init__(self, line: str, verified: Verified, *, network: bool) -> None:
        why = "" if network else ", because it has no network; pass --verifier-network to grant it"
        super().__init__(f"the verifier could not download what it needs{why}: {line}")
        self.verified = verified


class UnusableSchemaError(MeasurementError):
    """The task's schema can't be applied, whatever the agent wrote. No control is needed to see that."""


def _ingest_evidence(evidence: VerifierEvidence, task: LoadedTask, step: TaskStep) -> Ingested:
    try:
        return ingest(
            evidence,
            step.declared,
            schema_forbids_reward=task.rules.schema_forbids_reward,
            strict=task.rules.profile is Profile.STRICT,
        )
    except MeasurementError as error:
        raise UnusableSchemaError(str(error)) from error


def _check_downloads(bench: Bench, verified: Verified, *, network: bool) -> None:
    """Raise ``FailedDownloadError`` if tests that download seem to have failed to, and the answer is nothing or
    zero.
    """
    rewards = verified.rewards
    if rewards is not None and any(value > 0 for value in (rewards.rewards or {}).values()):
        return
    line = network_failure(verified.ran.output)
    if line is not None and any(_downloads(text) for text in bench.test_texts()):
        raise FailedDownloadError(line, verified, network=network)


def _downloads(text: str) -> bool:
    """Whether a script of the tests downloads something."""
    from assay.formats.downloads import downloads  # noqa: PLC0415 - few verifiers have failed at that

    return any(downloads(line.text) for line in command_lines(text))


def _harbor_rewards(
    files: RewardFiles, ran: Ran, timeout_sec: float, profile: Profile
) -> tuple[TrialRewards | None, Failure | None]:
    """Harbor's rewards. Files don't count if the verifier timed out, because it wasn't done."""
    if ran.end.timed_out:
        message = f"Verifier execution timed out after {timeout_sec} seconds"
        return None, Failure("VerifierTimeoutError", message, ran.finished_at)
    if ran.end.excess:
        message = f"The verifier {ran.end.excess}"
        return None, Failure(TOO_MUCH_DISK, message, ran.finished_at)
    try:
        rewards = parse_reward_files(files, profile).rewards
    except RewardError as error:
        return None, Failure(error.exception_type, str(error), ran.finished_at)
    problem = _not_recordable(rewards or {})
    if problem is not None:
        message = f"the rewards of VerifierResult can't be recorded: {problem}"
        return None, Failure("ValidationError", message, ran.finished_at)
    return TrialRewards(rewards), None


def _not_recordable(rewards: Rewards) -> str | None:
    """Why rewards that harbor accepts can't be recorded. It would fail on some later, and lose the whole job."""
    if len(rewards) > MOST_KEYS:
        return f"there are {len(rewards):,} of them, and at most {MOST_KEYS:,} are kept"
    for key, value in rewards.items():
        if any("\ud800" <= character <= "\udfff" for character in key):
            return "a key holds half a character"
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            return "a number is beyond every float"
    return None


def _hash(file: File | None) -> str | None:
    return hashlib.sha256(file.data).hexdigest() if isinstance(file, Content) else None
