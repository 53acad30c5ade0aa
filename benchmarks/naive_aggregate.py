"""The baseline of aggregation: the obvious program over pydantic models, written as harbor's is.

It keeps whole results, groups them by ``setdefault``, goes over them once for the statistics, once for the mean
and once for pass@k, and lets pydantic write the text.
"""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel, Field

from assay.dialects.harbor.trial import Trial


class ModelInfo(BaseModel):
    name: str
    provider: str | None = None


class AgentInfo(BaseModel):
    name: str
    version: str
    model_info: ModelInfo | None = None


class AgentResult(BaseModel):
    n_input_tokens: int | None = None
    n_cache_tokens: int | None = None
    n_output_tokens: int | None = None
    cost_usd: float | None = None
    metadata: dict[str, Any] | None = None


class VerifierResult(BaseModel):
    rewards: dict[str, float | int] | None = None


class ExceptionInfo(BaseModel):
    exception_type: str
    exception_message: str
    exception_traceback: str
    occurred_at: datetime


class Timing(BaseModel):
    started_at: datetime | None = None
    finished_at: datetime | None = None


class TaskConfig(BaseModel):
    path: str
    source: str | None = None


class AgentConfig(BaseModel):
    name: str
    model_name: str | None = None
    kwargs: dict[str, Any] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    skills: list[str] = Field(default_factory=list)


class EnvironmentConfig(BaseModel):
    type: str = "docker"
    kwargs: dict[str, Any] = Field(default_factory=dict)
    env: dict[str, str] = Field(default_factory=dict)
    mounts: list[str] = Field(default_factory=list)


class TrialConfig(BaseModel):
    task: TaskConfig
    trial_name: str
    agent: AgentConfig
    environment: EnvironmentConfig = Field(default_factory=EnvironmentConfig)
    artifacts: list[str] = Field(default_factory=list)


class TrialResult(BaseModel):
    id: UUID = Field(default_factory=uuid4)
    task_name: str
    trial_name: str
    source: str | None = None
    config: TrialConfig
    agent_info: AgentInfo
    agent_result: AgentResult | None = None
    verifier_result: VerifierResult | None = None
    exception_info: ExceptionInfo | None = None
    environment_setup: Timing = Field(default_factory=Timing)
    agent_execution: Timing = Field(default_factory=Timing)
    verifier: Timing = Field(default_factory=Timing)


class GroupStats(BaseModel):
    n_trials: int = 0
    n_errors: int = 0
    metrics: list[dict[str, Any]] = Field(default_factory=list)
    pass_at_k: dict[int, float] = Field(default_factory=dict)
    reward_stats: dict[str, dict[float | int, list[str]]] = Field(default_factory=dict)
    exception_stats: dict[str, list[str]] = Field(default_factory=dict)


class Stats(BaseModel):
    n_completed_trials: int = 0
    n_errored_trials: int = 0
    evals: dict[str, GroupStats] = Field(default_factory=dict)
    n_input_tokens: int = 0
    n_cache_tokens: int = 0
    n_output_tokens: int = 0
    cost_usd: float = 0.0


def naive_result(trial: Trial) -> TrialResult:
    """The same trial as harbor keeps it, from plain values as they are in a file."""
    agent = {"name": trial.agent, "version": "1.0.0", "model_info": {"name": trial.model, "provider": "example"}}
    raised = None
    if trial.exception_type is not None:
        raised = {
            "exception_type": trial.exception_type,
            "exception_message": trial.exception_message,
            "exception_traceback": 10 * f"a frame of {trial.name}\n",
            "occurred_at": "2026-11-15T18:18:36.324601",
        }
    usage = trial.usage
    return TrialResult.model_validate(
        {
            "task_name": trial.task,
            "trial_name": trial.name,
            "source": trial.dataset,
            "config": {
                "task": {"path": f"ds/{trial.task}", "source": trial.dataset},
                "trial_name": trial.name,
                "agent": {"name": trial.agent, "model_name": trial.model},
            },
            "agent_info": agent,
            "agent_result": usage and {name: getattr(usage, name) for name in usage.__struct_fields__},
            "verifier_result": {"rewards": dict(trial.rewards)} if trial.rewards is not None else None,
            "exception_info": raised,
        }
    )


def naive_text(results: list[TrialResult]) -> str:
    """The statistics, the mean and pass@k of all groups, as the text of a result.json."""
    stats = Stats()
    for result in results:
        _increment(stats, result)
    for key, group in _by_group(results).items():
        rewards = [result.verifier_result.rewards if result.verifier_result else None for result in group]
        stats.evals[key].metrics.append({"mean": sum(sum(r.values()) if r else 0 for r in rewards) / len(rewards)})
        stats.evals[key].pass_at_k = _pass_at_k(group)
    return stats.model_dump_json(indent=4)


def _increment(stats: Stats, result: TrialResult) -> None:
    stats.n_completed_trials += 1
    group = stats.evals.setdefault(_key(result), GroupStats())
    if result.verifier_result is not None and result.verifier_result.rewards is not None:
        group.n_trials += 1
        for name, value in result.verifier_result.rewards.items():
            group.reward_stats.setdefault(name, {}).setdefault(value, []).append(result.trial_name)
    if result.exception_info is not None:
        group.exception_stats.setdefault(result.exception_info.exception_type, []).append(result.trial_name)
        group.n_errors += 1
        stats.n_errored_trials += 1
    if result.agent_result is not None:
        stats.n_input_tokens += result.agent_result.n_input_tokens or 0
        stats.n_cache_tokens += result.agent_result.n_cache_tokens or 0
        stats.n_output_tokens += result.agent_result.n_output_tokens or 0
        stats.cost_usd += result.agent_result.cost_usd or 0.0


def _key(result: TrialResult) -> str:
    model = result.agent_info.model_info.name if result.agent_info.model_info else None
    return f"{result.agent_info.name}__{model}__{result.source or 'adhoc'}"


def _by_group(results: list[TrialResult]) -> dict[str, list[TrialResult]]:
    groups: dict[str, list[TrialResult]] = {}
    for result in results:
        groups.setdefault(_key(result), []).append(result)
    return groups


def _pass_at_k(results: list[TrialResult]) -> dict[int, float]:
    tasks: dict[str, list[int]] = {}
    for result in results:
        rewards = result.verifier_result.rewards if result.verifier_result is not None else None
        tasks.setdefault(result.task_name, []).append(int(next(iter(rewards.values()))) if rewards else 0)
    return {k: sum(_chance(len(s), sum(s), k) for s in tasks.values()) / len(tasks) for k in (2, 4)}


def _chance(n: int, c: int, k: int) -> float:
    if n - c < k:
        return 1.0
    product = 1.0
    for i in range(k):
        product *= (n - c - i) / (n - i)
    return 1.0 - product
