"""Run a task's verifier on the files that an agent left, and read its reward and details."""

import hashlib
import sys

from assay.core.errors import MeasurementError
from assay.dialects.evaluation.ingest import FORFEITS, STRICTLY_UNUSABLE, Ingested, ingest
from assay.dialects.harbor.errors import RewardError
from assay.dialects.harbor.rewards import Profile, Rewards, TrialRewards, parse_reward_files
from assay.engine.machine import Site
from assay.engine.run.ports import Bench
from assay.engine.run.trial_commands import verifier_command
from assay.engine.run.trial_record import TOO_MUCH_DISK, Failure, Verified
from assay.engine.sandbox import Ran
from assay.engine.tasks.task import Task, TaskStep
from assay.engine.tasks.unpinned_downloads import downloads
from assay.evidence.coding_run import VerifierEvidence
from assay.evidence.files import Absent, Content, File, RewardFiles
from assay.formats.network_failures import network_failure
from assay.formats.shell import command_lines


def run_verifier(site: Site, bench: Bench, task: Task, step: TaskStep) -> Verified:
    """Run the verifier on the bench, once.

    Raises ``FailedDownloadError``, ``UnusableSchemaError``, or another ``MeasurementError`` if the sandbox failed.
    """
    # Read before the verifier runs, because it may change the output.
    output = None if step.declared is None else bench.output(step.verifier.expected_output_path)
    strays = bench.remove_strays()
    command = verifier_command(site, bench, task, step)
    ran = site.sandbox.run(command)
    files = bench.rewards()
    reward = files.text if isinstance(files.json, Absent) else files.json
    details = bench.details()
    rewards, failure = _harbor_rewards(files, ran, command.limits.timeout_sec, task.rules.profile)
    evidence = VerifierEvidence(rewards=files, details=details, output=output, end=ran.end, strays=tuple(strays))
    ingested = _ingested(evidence, task, step)
    if ingested.reason_code in STRICTLY_UNUSABLE:
        failure = Failure("VerifierOutputParseError", ingested.result.validity.errors[-1], ran.finished_at)
        rewards = None
    verified = Verified(
        ran=ran,
        rewards=rewards,
        failure=failure,
        ingested=ingested,
        cause="agent" if ingested.reason_code in FORFEITS else None,
        changed_tests=tuple(bench.changed_tests()),
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


def _ingested(evidence: VerifierEvidence, task: Task, step: TaskStep) -> Ingested:
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
    """Why harbor couldn't record rewards that it accepts. It would fail on them later, and lose the whole job."""
    for key, value in rewards.items():
        if any("\ud800" <= character <= "\udfff" for character in key):
            return "a key holds half a character"
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            return "a number is beyond every float"
    return None


def _hash(file: File | None) -> str | None:
    return hashlib.sha256(file.data).hexdigest() if isinstance(file, Content) else None
