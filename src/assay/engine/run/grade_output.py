"""Grade an output by a task's verifier as if an agent had just left it: a trial whose agent does nothing."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.trial import Trial
from assay.engine.jobs.job_runs import JobQuestion, trial_facts
from assay.engine.jobs.trial_additions import History
from assay.engine.machine import TrialSite
from assay.engine.run.control import VerifierControl
from assay.engine.run.grading_record import Before, grading_of
from assay.engine.run.ports import Agent, Bench, Workshop
from assay.engine.run.run_trial import run_trial
from assay.engine.run.trial_record import StepRecord
from assay.engine.sandbox import Ran
from assay.engine.tasks.task import LoadedTask, TaskStep
from assay.evidence.run import Decision, decide

NOBODY = Agent("output")


@dataclass(frozen=True, slots=True)
class OutputBench:
    """A bench that is seeded with an output. ``restore`` puts it back; ``checksum`` is that of its files."""

    bench: Bench
    restore: Callable[[], None]
    checksum: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class GradedTrial:
    """The decision, and the grading with its provenance; None and ``message`` where there is nothing to record."""

    decision: Decision
    grading: Grading | None
    message: str | None


@dataclass(slots=True)
class _Recorder:
    """Keeps the grading, and no file."""

    site: TrialSite
    workshop: Workshop
    task: LoadedTask
    output: OutputBench
    gradings: list[Grading] = field(default_factory=list)
    workspace: str | None = None

    def agent_ended(self, step: TaskStep, ran: Ran | None) -> None:  # noqa: ARG002 - there was no agent
        self.workspace = self.output.checksum()

    def step_ended(self, step: TaskStep, record: StepRecord) -> None:
        if record.verified is not None:
            checksums = {"tests": self.workshop.tests_checksum(step), "workspace": self.workspace}
            self.gradings.append(
                grading_of(
                    record.verified,
                    task=self.task,
                    step=step,
                    site=self.site,
                    before=Before(),
                    checksums=checksums,
                )
            )


def grade_output(
    site: TrialSite,
    workshop: Workshop,
    control: VerifierControl,
    task: LoadedTask,
    output: OutputBench,
    question: JobQuestion,
) -> GradedTrial:
    """Verify an output by a task without steps."""
    recorder = _Recorder(site, workshop, task, output)
    bench = output.bench
    record = run_trial(
        *(site, bench, task, NOBODY, recorder),
        lambda step: control.verify(bench, task, step, output.restore),
    )
    rewards, failure = record.rewards, record.failure
    trial = Trial(
        name="",
        task=task.name,
        agent=NOBODY.name,
        rewards=None if rewards is None else rewards.rewards,
        verified=rewards is not None,
        exception_type=None if failure is None else failure.type,
        exception_message="" if failure is None else failure.message,
    )
    decision = decide(trial_facts(trial, History("", recorder.gradings, []), question))
    grading = recorder.gradings[0] if recorder.gradings else None
    return GradedTrial(decision, grading, None if failure is None else failure.message)
