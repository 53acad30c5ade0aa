"""A trial's result.json: the record of a trial in harbor's format."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from assay.dialects.evaluation.ingest import DISAGREEMENT, INTERFERENCE, KILLED, STARTUP
from assay.dialects.evaluation.models import ErrorSource
from assay.dialects.harbor import wire
from assay.dialects.harbor.plan import Slot
from assay.dialects.harbor.trial import NO_USAGE, Trial, Usage, UsageSum, slot
from assay.engine.model_access import ModelUse
from assay.engine.run.ports import Agent, JobSetting, Planned
from assay.engine.run.trial_record import Failure, StepRecord, TrialRecord, Verified
from assay.engine.sandbox import Ran
from assay.formats.counting import counted


def trial_result(
    planned: Planned,
    name: str,
    folder: str,
    config: Mapping[str, Any],
    record: TrialRecord,
    trial_id: str,
    version: str | None = None,
) -> dict[str, Any]:
    """The content of result.json."""
    task = planned.task
    only = record.steps[0] if not task.multi_step else None
    return {
        "id": trial_id,
        "task_name": task.name,
        "trial_name": name,
        "trial_uri": f"file://{folder}",
        "task_id": {"path": task.path},
        "source": planned.source,
        "task_checksum": task.harbor_checksums.tree,
        "config": config,
        "agent_info": {
            "name": config["agent"]["name"],
            "version": version or "1.0.0",
            "model_info": _model_info(config["agent"]["model_name"]),
        },
        "agent_result": _agent_result(only) if only is not None else None,
        "verifier_result": None if record.rewards is None else wire.verifier_result(record.rewards.rewards),
        "exception_info": _exception(record.failure),
        "started_at": wire.utc(record.started_at),
        "finished_at": wire.utc(record.finished_at),
        "environment_setup": wire.timing(record.started_at, record.started_at),
        "agent_setup": wire.timing(record.started_at, record.started_at),
        "agent_execution": _timing(only.agent if only is not None else None),
        "verifier": _timing(only.verified.ran if only is not None and only.verified is not None else None),
        "step_results": None if only is not None else [_step_result(step) for step in record.steps],
    }


def log_lines(record: TrialRecord) -> Iterator[str]:
    """The lines of a trial's log."""
    for step in record.steps:
        name = "" if step.name is None else f"step {step.name}: "
        if step.agent is not None:
            yield f"{name}{_describe_end('agent', step.agent)}"
        if step.model is not None:
            yield f"{name}{_describe_use(step.model)}"
        if step.verified is not None:
            yield f"{name}{_describe_end('verifier', step.verified.ran)}"
            yield from (f"{name}{line}" for line in _control_lines(step.verified))
        if step.failure is not None:
            yield f"{name}{step.failure.type}: {step.failure.message}"


def usage_of(record: TrialRecord) -> Usage | None:
    """The usage of the whole trial, as it would be read from its folder."""
    used = UsageSum()
    for step in record.steps:
        if step.model is not None:
            used.add(step.model.usage)
    total = used.total()
    return None if total == NO_USAGE else total


def remark(record: TrialRecord) -> str | None:
    """Why the evaluation doesn't accept rewards that harbor accepts, the cause of a missing one, doubts about one,
    or which limit the agent met.
    """
    for step in record.steps:
        if step.model is not None and step.model.limit is not None:
            return f"a limit of the model was reached: {step.model.limit}"
        said = None if step.verified is None else _remark_on(step.verified)
        if said is not None:
            return said if step.name is None else f"step {step.name}: {said}"
    return None


def _remark_on(verified: Verified) -> str | None:
    validity, code = verified.ingested.result.validity, verified.ingested.reason_code
    if not validity.verifier_completed:
        worth = "0 in the evaluation" if verified.cause == "agent" else "no reward in the evaluation"
        parts = [] if verified.rewards is None else [f"{worth}: {code}"]
        parts += [] if verified.cause is None else [f"caused by the {verified.cause}"]
        return ", ".join(parts) or None
    if not validity.output_parseable:
        return "the output can't be used" if code is None else f"0 in the evaluation: {code}"
    if verified.flaky:
        return "flaky verifier: its first run gave no usable reward"
    tags = verified.ingested.result.error_taxonomy or ()
    doubts = [tag.description for tag in tags if tag.category in _DOUBTS and tag.source is ErrorSource.MECHANICAL]
    return doubts[0] if doubts else None


# What makes it doubtful that the verifier itself wrote the reward.
_DOUBTS = (KILLED, DISAGREEMENT, STARTUP, INTERFERENCE)


def _control_lines(verified: Verified) -> Iterator[str]:
    """The verifier runs beside the one that counts, and what they show."""
    control = verified.control
    if control is None:
        return
    yield f"the verifier was run first: {control.first}"
    if control.again is not None:
        yield f"the verifier was run again: {control.again}"
    if control.untouched is not None:
        yield f"the verifier was run on the untouched workspace: {control.untouched}"
    if verified.cause is not None:
        yield f"the cause is the {verified.cause}"


def _describe_end(who: str, ran: Ran) -> str:
    seconds = (ran.finished_at - ran.started_at).total_seconds()
    how = "timed out" if ran.end.timed_out else f"ended with exit code {ran.end.exit_code}"
    how = ran.end.excess or how
    disk = "" if ran.disk_mb is None else f", with {ran.disk_mb:.0f} MB on disk"
    return f"{wire.utc(ran.finished_at)} the {who} {how} after {seconds:.3f} s{disk}"


def _describe_use(use: ModelUse) -> str:
    """An agent's requests to its model, and the limit it met."""
    parts = [counted(use.requests, "request")]
    if use.refused:
        parts.append(f"{use.refused} refused")
    if use.failed:
        parts.append(f"{use.failed} failed")
    if use.uncounted:
        parts.append(f"{use.uncounted} without a count of tokens")
    limit = "" if use.limit is None else f"; a limit was reached: {use.limit}"
    return f"the agent's model got {', '.join(parts)}{limit}"


def _agent_result(step: StepRecord) -> dict[str, Any]:
    if step.model is None:
        return wire.agent_result()
    return wire.agent_result(step.model.usage, {"model_access": step.model.as_json()})


def _step_result(step: StepRecord) -> dict[str, Any]:
    verified = step.verified
    rewards = verified.rewards if verified is not None else None
    return {
        "step_name": step.name,
        "agent_result": _agent_result(step),
        "verifier_result": None if rewards is None else wire.verifier_result(rewards.rewards),
        "exception_info": _exception(step.failure),
        "agent_execution": _timing(step.agent),
        "verifier": _timing(verified.ran if verified is not None else None),
    }


def _exception(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    text = f"{failure.type}: {failure.message}\n"
    return wire.exception_info(failure.type, failure.message, text, failure.occurred_at)


def _timing(ran: Ran | None) -> dict[str, Any] | None:
    return None if ran is None else wire.timing(ran.started_at, ran.finished_at)


def model_parts(model: str | None) -> tuple[str | None, str | None]:
    """The provider and the name of a model: ``provider/name``, or just a name."""
    if model is None:
        return None, None
    provider, slash, name = model.partition("/")
    return (provider, name) if slash else (None, provider)


def _model_info(model: str | None) -> dict[str, Any] | None:
    provider, name = model_parts(model)
    return None if name is None else {"name": name, "provider": provider}


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
    """The agent's command, and the model that it was given."""
    model = {} if agent.model_grant is None else {"model_access": agent.model_grant.as_json()}
    return {} if agent.command is None else {"command": agent.command, **model}
