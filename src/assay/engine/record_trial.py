"""Record a trial while it runs: the files of each step as soon as it ends, and its grading."""

import contextlib

from assay.core.errors import MeasurementError
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.grading_record import grading_of, grading_of_trial
from assay.engine.job_plan import Agent
from assay.engine.job_ports import Bench, TrialFolder, Workshop
from assay.engine.log_names import AGENT_LOG, ORACLE_LOG
from assay.engine.sandbox import Ran
from assay.engine.site import Site
from assay.engine.task import Step, Task
from assay.engine.trial_record import StepRecord, TrialRecord


class TrialRecorder:
    """Records the steps of one trial in its folder."""

    def __init__(
        self, site: Site, workshop: Workshop, folder: TrialFolder, bench: Bench, task: Task, agent: Agent
    ) -> None:
        self._site = site
        self._workshop = workshop
        self._folder = folder
        self._bench = bench
        self._task = task
        self._agent = agent
        self._log = ORACLE_LOG if agent.oracle else AGENT_LOG
        self._access = agent.access()
        self._workspace: str | None = None

    def agent_ended(self, step: Step, ran: Ran | None) -> None:
        """Keep the workspace now, because the verifier may change it.

        An agent may leave one that can't be kept. If it can't be verified either, that decides about the trial.
        """
        artifacts = self._artifacts(step)
        self._workspace = None
        with contextlib.suppress(MeasurementError):
            self._workspace = self._folder.keep_agent(step.name, self._bench, artifacts, ran, self._log)
        self._folder.tell_trajectory(step.name, self._agent)

    def step_ended(self, step: Step, record: StepRecord) -> None:
        """Keep the verifier's files and the grading."""
        verified = record.verified
        self._folder.keep_verifier(step.name, self._bench, record.verifier)
        if step is not self._task.steps[-1]:
            self._bench.clear_agent()
        if verified is None:
            return
        grading = grading_of(
            verified,
            task=self._task,
            step=step,
            site=self._site,
            before=self._folder.gradings(),
            checksums={"tests": self._workshop.tests_checksum(step), "workspace": self._workspace},
            agent_access=self._access,
        )
        self._folder.add_grading(grading)

    def trial_ended(self, record: TrialRecord) -> None:
        """Keep the grading of a whole trial with steps. There is none if the measurement broke on the way."""
        if self._task.multi_step and not record.steps[-1].broken:
            self._folder.add_grading(grading_of_trial(self._folder.gradings(), self._task.strategy))

    def _artifacts(self, step: Step) -> list[ArtifactConfig]:
        """The task's artifacts, and the step's own."""
        config = self._task.config
        own = next((one.artifacts for one in config.steps or () if one.name == step.name), [])
        return [ArtifactConfig(source=one) if isinstance(one, str) else one for one in (*config.artifacts, *own)]
