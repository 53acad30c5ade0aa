"""The content of harbor's files of a job: config.json, lock.json, and the config.json of each trial."""

import posixpath
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from assay.dialects.harbor import wire
from assay.dialects.harbor.plan import Slot
from assay.dialects.harbor.trial import Trial, slot
from assay.engine.run.job_plan import Agent, JobSetting, Planned
from assay.engine.run.trial_record import TrialRecord
from assay.engine.run.trial_result import model_parts, usage_of


class JobFiles:
    """The files of one job, as values."""

    def __init__(self, setting: JobSetting, backend: str) -> None:
        self._setting = setting
        agent = setting.agent
        self._environment = wire.environment_config(backend.split(maxsplit=1)[0])
        self._agent = wire.agent_config(agent.name, agent.model, _kwargs(agent), agent.recorded_env)

    def job_config(self) -> dict[str, Any]:
        setting = self._setting
        return wire.job_config(
            name=setting.name,
            jobs_dir=setting.jobs_dir,
            attempts=setting.attempts,
            concurrent=setting.concurrent,
            max_retries=setting.max_retries,
            environment=self._environment,
            agent=self._agent,
            datasets=setting.datasets,
            tasks=[wire.task_reference(path, None) for path in setting.adhoc_tasks],
        )

    def job_lock(self, planned: Sequence[Planned], created_at: datetime) -> dict[str, Any]:
        setting = self._setting
        return wire.job_lock(
            created_at=created_at,
            invocation=setting.invocation,
            concurrent=setting.concurrent,
            max_retries=setting.max_retries,
            trials=[self._trial_lock(one) for one in planned],
        )

    def trial_config(self, planned: Planned, name: str, job_id: str) -> dict[str, Any]:
        return wire.trial_config(
            task=wire.task_reference(planned.task.path, planned.source),
            name=name,
            folder=self._setting.folder,
            agent=self._agent,
            environment=self._environment,
            job_id=job_id,
        )

    def slot(self, planned: Planned) -> Slot:
        agent = self._setting.agent
        return slot(planned.task.path, planned.task.name, agent.name, None, agent.model)

    def trial(self, planned: Planned, name: str, record: TrialRecord) -> Trial:
        """The trial as it would be read from its folder."""
        agent, rewards, failure = self._setting.agent, record.rewards, record.failure
        return Trial(
            name=name,
            task=planned.task.name,
            agent=agent.name,
            model=model_parts(agent.model)[1],
            dataset=planned.source or "adhoc",
            rewards=rewards.rewards if rewards is not None else None,
            verified=rewards is not None,
            exception_type=failure.type if failure is not None else None,
            exception_message=failure.message if failure is not None else "",
            started_at=wire.utc(record.started_at),
            usage=usage_of(record),
            slot=self.slot(planned),
        )

    def _trial_lock(self, planned: Planned) -> dict[str, Any]:
        return wire.trial_lock(
            task=posixpath.basename(planned.task.path.rstrip("/")),
            path=planned.task.path,
            digest=planned.task.harbor_checksums.package,
            source=planned.source,
            agent=self._agent,
            environment=self._environment,
        )


def _kwargs(agent: Agent) -> dict[str, Any]:
    """What the agent is called with, and the model that it was given."""
    model = {} if agent.model_grant is None else {"model_access": agent.model_grant.as_json()}
    return {} if agent.command is None else {"command": agent.command, **model}
