"""From a verifier run to the record of a grading, with its provenance."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from assay.dialects.evaluation.models import (
    Cause,
    ConfidenceInterval,
    ConfidenceMetadata,
    EvaluationResult,
    Grading,
    Hashes,
    Provenance,
    Usage,
)
from assay.dialects.evaluation.steps import StepResult, result_of_steps
from assay.dialects.harbor.rewards import Strategy
from assay.engine.jobs.trial_additions import rewards_of_steps
from assay.engine.machine import TrialSite
from assay.engine.run.trial_record import Verified
from assay.engine.tasks.task import SEPARATE, LoadedTask, TaskStep, mode_of, verified_in
from assay.version import ENGINE, VERSION


@dataclass(frozen=True, slots=True)
class Before:
    """The gradings before a new one, the oldest first, and the hash of the last."""

    gradings: tuple[Grading, ...] = ()
    sha256: str | None = None

    @property
    def number(self) -> int:
        return self.gradings[-1].number if self.gradings else 0

    def latest_of_steps(self) -> list[Grading]:
        """The newest grading of each step, in the order of the steps."""
        return list({one.step: one for one in self.gradings if one.steps is None}.values())


def grading_of(
    verified: Verified,
    *,
    task: LoadedTask,
    step: TaskStep,
    site: TrialSite,
    before: Before,
    checksums: Mapping[str, str | None],
    agent_access: Mapping[str, Any] | None = None,
) -> Grading:
    """The record. ``checksums`` has the hash of the tests, and of the workspace if it was kept.

    Without ``agent_access``, what the first grading of the run says about it still holds.
    """
    ran, isolation = verified.ran, site.sandbox.isolation
    hashes = Hashes(
        task=task.checksum,
        tests=checksums["tests"] or "",
        output=verified.hashes["output"],
        reward=verified.hashes["reward"],
        details=verified.hashes["details"],
        workspace=checksums.get("workspace"),
    )
    result = verified.ingested.result
    setting = Setting(
        step.name,
        isolation.backend,
        verified_in(task, step).image,
        step.verifier_phase.network,
        task.rules.schema_forbids_reward,
        mode_of(task.environment),
    )
    agreement = _agreement(result, hashes, setting, before)
    return Grading(
        number=before.number + 1,
        step=step.name,
        result=result.model_copy(update={"confidence": _joint(result.confidence, agreement.confidence)}),
        reason_code=verified.ingested.reason_code,
        rewards=_rewards(verified),
        exception_type=verified.failure.type if verified.failure is not None else None,
        verifier_exit_code=ran.end.exit_code,
        flaky=agreement.flaky or verified.flaky,
        cause=verified.cause,
        control=verified.control,
        provenance=Provenance(
            assay=VERSION,
            engine=ENGINE,
            python=site.host.python,
            platform=site.host.platform,
            profile=task.rules.profile.value,
            schema_forbids_reward=task.rules.schema_forbids_reward,
            isolation={one.name: getattr(isolation, one.name) for one in fields(isolation)},
            network=setting.network,
            image=setting.image,
            agent_access=_access(agent_access, before),
            verifier_environment=setting.environment,
            hashes=hashes,
            changed_tests=list(verified.changed_tests),
            started_at=ran.started_at,
            finished_at=ran.finished_at,
            usage=Usage(
                wall_sec=(ran.finished_at - ran.started_at).total_seconds(),
                cpu_sec=ran.cpu_sec,
                peak_memory_mb=ran.peak_memory_mb,
                disk_mb=ran.disk_mb,
            ),
            previous=before.sha256,
        ),
    )


def grading_of_trial(before: Before, strategy: Strategy | None) -> Grading:
    """The record of a whole trial with steps, which sums up the newest gradings of its steps."""
    graded = before.latest_of_steps()
    last = graded[-1]
    final = strategy is Strategy.FINAL
    summed = result_of_steps(
        [StepResult(one.step or "", one.result, one.reason_code) for one in graded], final=final
    )
    hashes = Hashes(
        task=last.provenance.hashes.task,
        tests=_join_hashes([one.provenance.hashes.tests for one in graded]) or "",
        output=None,
        reward=None,
        details=None,
        workspace=_join_hashes([one.provenance.hashes.workspace for one in graded]),
    )
    agreement = _agreement(summed.result, hashes, replace(setting_of(last), step=None), before)
    return last.model_copy(
        update={
            "number": before.number + 1,
            "step": None,
            "steps": [one.number for one in graded],
            "result": summed.result.model_copy(update={"confidence": agreement.confidence}),
            "reason_code": summed.reason_code,
            "rewards": rewards_of_steps(graded, strategy),
            "exception_type": None,
            "flaky": agreement.flaky or any(one.flaky for one in graded),
            "cause": _cause_of_steps(graded[-1:] if final else graded),
            "control": None,
            "provenance": last.provenance.model_copy(
                update={
                    "hashes": hashes,
                    "changed_tests": [name for one in graded for name in one.provenance.changed_tests],
                    "started_at": min(one.provenance.started_at for one in graded),
                    "finished_at": max(one.provenance.finished_at for one in graded),
                    "usage": _usage_of_steps([one.provenance.usage for one in graded]),
                    "previous": before.sha256,
                }
            ),
        }
    )


def _cause_of_steps(counted: Sequence[Grading]) -> Cause | None:
    """The cause of the first step whose verifier didn't complete; None if all did."""
    return next((one.cause for one in counted if not one.result.validity.verifier_completed), None)


def _join_hashes(hashes: Sequence[str | None]) -> str | None:
    """One hash for those of all steps; None if one of them is missing."""
    known = [one for one in hashes if one is not None]
    return hashlib.sha256("\n".join(known).encode()).hexdigest() if len(known) == len(hashes) else None


def _usage_of_steps(used: Sequence[Usage]) -> Usage:
    cpu = [one.cpu_sec for one in used if one.cpu_sec is not None]
    memory = [one.peak_memory_mb for one in used if one.peak_memory_mb is not None]
    disk = [one.disk_mb for one in used if one.disk_mb is not None]
    return Usage(
        disk_mb=max(disk, default=None),
        wall_sec=sum(one.wall_sec for one in used),
        cpu_sec=sum(cpu) if cpu else None,
        peak_memory_mb=max(memory, default=None),
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """The verified step, and where and how strictly. Other settings may give other answers: that isn't flaky."""

    step: str | None
    backend: str
    image: str | None
    network: bool | None
    schema_forbids_reward: bool = False
    environment: str = SEPARATE


def setting_of(grading: Grading) -> Setting:
    """The setting of a recorded grading."""
    made = grading.provenance
    backend = made.isolation.get("backend", "")
    rules, environment = made.schema_forbids_reward, made.verifier_environment
    return Setting(grading.step, backend, made.image, made.network, rules, environment)


def same_question(one: Grading, hashes: Hashes, setting: Setting) -> bool:
    """Whether a grading verified the same workspace with the same task and tests in the same place."""
    before, known = one.provenance.hashes, setting_of(one)
    if known.network is None:  # A record that doesn't say yet.
        known = replace(known, network=setting.network, image=setting.image)
    return (
        known == setting
        and hashes.workspace is not None
        and (before.task, before.tests, before.workspace) == (hashes.task, hashes.tests, hashes.workspace)
    )


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Whether gradings of the same output agree. A sound verifier always gives the same answer."""

    confidence: ConfidenceMetadata | None = None
    flaky: bool = False


def _agreement(result: EvaluationResult, hashes: Hashes, setting: Setting, before: Before) -> _Agreement:
    """The range of the rewards, and whether the verifier contradicted itself.

    A verifier run without a usable reward doesn't count as 0. If other runs have a reward, the verifier is flaky,
    unless the machine was to blame.
    """
    asked = [one for one in before.gradings if one.cause != "machine" and same_question(one, hashes, setting)]
    answers = [*(one.result for one in asked), result]
    rewards = [answer.reward for answer in answers if answer.validity.verifier_completed]
    if len(answers) < 2 or not rewards:
        return _Agreement()
    confidence = ConfidenceMetadata(
        confidence_interval=ConfidenceInterval(low=min(rewards), high=max(rewards)),
        confidence_method=f"range of {len(answers)} verifications of the same output",
    )
    return _Agreement(confidence, flaky=min(rewards) < max(rewards) or len(rewards) < len(answers))


def _access(given: Mapping[str, Any] | None, before: Before) -> dict[str, Any] | None:
    if given is None:
        return before.gradings[0].provenance.agent_access if before.gradings else None
    return dict(given)


def _joint(said: ConfidenceMetadata | None, seen: ConfidenceMetadata | None) -> ConfidenceMetadata | None:
    """The verifier's own confidence, completed by what its answers show where it says nothing."""
    if said is None or seen is None or said.confidence_interval or said.confidence_method:
        return said or seen
    return said.model_copy(
        update={
            "confidence_interval": seen.confidence_interval,
            "confidence_method": seen.confidence_method,
        }
    )


def _rewards(verified: Verified) -> dict[str, Any] | None:
    """Harbor's rewards. NaN and infinity, which JSON can't hold, become null as in harbor's own files."""
    if verified.rewards is None or verified.rewards.rewards is None:
        return None
    return {key: value if abs(value) < float("inf") else None for key, value in verified.rewards.rewards.items()}
