"""Find out why a verifier gave no usable reward: run it once more, and once without the agent's work.

Only what an agent can't bring about leaves an evaluation. A verifier that fails in the same way on the task's
untouched workspace fails because of itself or of the machine; otherwise the agent's files or code made it fail.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError, MeasurementError, check_stopped
from assay.dialects.evaluation.bounded_values import bounded
from assay.dialects.evaluation.ingest import Ingested
from assay.dialects.evaluation.models import Cause, Control, EvaluationResult, ValidityCheck
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Bench, Workshop
from assay.engine.run.run_verifier import FailedDownloadError, UnusableSchemaError, run_verifier
from assay.engine.run.trial_record import BROKEN, Failure, Verified
from assay.engine.sandbox import Ran
from assay.engine.tasks.task import LoadedTask, TaskStep
from assay.evidence.coding_run import ProcessEnd

DOWNLOAD_FAILED = "download_failed"
SANDBOX_FAILED = "sandbox_failed"
LONGEST_LINE = 300
LOOK_SEC = 0.1


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of one verifier run. ``way`` is how it failed; None if it gave a usable reward.

    ``error`` is the error of the sandbox, or of a download that seems to have failed.
    """

    way: str | None
    message: str
    verified: Verified
    error: MeasurementError | None = None

    def __str__(self) -> str:
        return bounded(self.message if self.way is None else f"{self.way}: {self.message}", LONGEST_LINE)


@dataclass(slots=True)
class _Untouched:
    """The verifier's run on an untouched workspace, once it was done. None if there can't be such a workspace."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    done: bool = False
    outcome: _Outcome | None = None


class VerifierControl:
    """Runs verifiers. Remembers what came of untouched workspaces for as long as it lives.

    Without ``control``, a verifier is run once and has no cause.
    """

    def __init__(self, site: TrialSite, workshop: Workshop, *, control: bool = True) -> None:
        self._site = site
        self._workshop = workshop
        self._control = control
        self._lock = threading.Lock()
        self._known: dict[object, _Untouched] = {}

    def verify(self, bench: Bench, task: LoadedTask, step: TaskStep, restore: Callable[[], None]) -> Verified:
        """Run the verifier on the bench, and again if it gave no usable reward. The newest run counts.

        ``restore`` puts the bench back to how the agent left it, or raises ``InputError``. Raises
        ``MeasurementError`` if the measurement broke and nothing says why.
        """
        if not self._control:
            return run_verifier(self._site, bench, task, step)
        first = self._run(bench, task, step)
        if first.way is None:
            return first.verified
        again = self._again(bench, task, step, restore)
        control = Control(first=str(first), again=None if again is None else str(again))
        if again is not None and again.way is None:
            return replace(again.verified, control=control, flaky=True)
        return self._decide_cause(again or first, control, task, step)

    def _decide_cause(self, last: _Outcome, control: Control, task: LoadedTask, step: TaskStep) -> Verified:
        """The last run on the agent's output, with its cause."""
        untouched = self._outcome_untouched(task, step)
        if untouched is None:
            if last.error is not None:
                raise last.error
            return replace(last.verified, control=control)
        control = control.model_copy(update={"untouched": str(untouched)})
        cause: Cause = "agent"
        # The untouched workspace has no output either: an agent that leaves none brings about the same.
        told_apart = last.error is not None or last.verified.ingested.result.validity.output_parseable
        if untouched.way == last.way and told_apart:
            cause = "verifier" if last.error is None else "machine"
        verified = last.verified
        if cause == "machine":
            broken = self._unmeasured_result(BROKEN, last.message, last.way)
            verified = replace(broken, ran=verified.ran, hashes=verified.hashes)
        return replace(verified, cause=cause, control=control)

    def _run(self, bench: Bench, task: LoadedTask, step: TaskStep) -> _Outcome:
        try:
            verified = run_verifier(self._site, bench, task, step)
        except UnusableSchemaError:
            raise
        except FailedDownloadError as error:
            return _Outcome(DOWNLOAD_FAILED, str(error), error.verified, error)
        except MeasurementError as error:
            return self._failed_outcome(error)
        return _Outcome(_way_of(verified), _message(verified), verified)

    def _failed_outcome(self, error: MeasurementError) -> _Outcome:
        """A sandbox that failed. Harbor would find that the verifier left nothing."""
        message = str(error)
        verified = self._unmeasured_result("RewardFileNotFoundError", message, SANDBOX_FAILED)
        return _Outcome(SANDBOX_FAILED, message, verified, error)

    def _again(
        self, bench: Bench, task: LoadedTask, step: TaskStep, restore: Callable[[], None]
    ) -> _Outcome | None:
        try:
            restore()
        except InputError:
            return None
        except MeasurementError as error:
            return self._failed_outcome(error)
        return self._run(bench, task, step)

    def _outcome_untouched(self, task: LoadedTask, step: TaskStep) -> _Outcome | None:
        """The outcome without an agent. Whoever needs it first brings it about for all."""
        place = (task.environment.image, task.environment.kept, step.verifier_phase.network)
        with self._lock:
            known = self._known.setdefault((task.checksum, step.name, task.rules, place), _Untouched())
        while not known.lock.acquire(timeout=LOOK_SEC):
            check_stopped()
        try:
            if not known.done:
                known.outcome = self._run_untouched(task, step)
                known.done = True
        finally:
            known.lock.release()
        return known.outcome

    def _run_untouched(self, task: LoadedTask, step: TaskStep) -> _Outcome | None:
        bench = self._workshop.bench(task.environment)
        try:
            try:
                bench.seed()
                bench.write_instruction(step.instruction)
                for one in task.steps[: task.steps.index(step) + 1]:
                    if one.workdir_files is not None:
                        bench.add_to_workdir(one.workdir_files)
            except MeasurementError:
                return None
            return self._run(bench, task, step)
        finally:
            bench.close()

    def _unmeasured_result(self, exception: str, message: str, reason_code: str | None) -> Verified:
        """A verification without a result."""
        now = self._site.host.now()
        validity = ValidityCheck(
            output_parseable=True, schema_valid=True, verifier_completed=False, errors=[bounded(message)]
        )
        return Verified(
            ran=Ran(ProcessEnd(exit_code=None), b"", False, now, now),
            rewards=None,
            failure=Failure(exception, message, now),
            ingested=Ingested(EvaluationResult(reward=0.0, validity=validity), reason_code),
            hashes=dict.fromkeys(("output", "reward", "details")),
        )


def _way_of(verified: Verified) -> str | None:
    """How a verifier failed, in a word that another run can be compared by; None if it gave a usable reward."""
    if verified.ingested.result.validity.verifier_completed:
        return None
    end = verified.ran.end
    if end.timed_out:
        return "time_out"
    if end.excess:
        return "disk_limit"
    if end.out_of_memory:
        return "out_of_memory"
    return f"{verified.ingested.reason_code}{'' if end.signal is None else '_killed'}"


def _message(verified: Verified) -> str:
    """A run's result, in one line."""
    result = verified.ingested.result
    if result.validity.verifier_completed:
        return f"reward {result.reward:g}"
    message = result.validity.errors[-1] if verified.failure is None else verified.failure.message
    return " ".join(message.split())
