"""Try a task out: let the solution, an idle agent and wrong answers attempt it, and look at the rewards."""

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.core.errors import MeasurementError
from assay.engine.machine import TrialSite
from assay.engine.run.ports import Agent, Bench, Workshop
from assay.engine.run.run_trial import run_trial
from assay.engine.run.run_verifier import DEFAULT_AGENT_TIMEOUT_SEC, DEFAULT_VERIFIER_TIMEOUT_SEC
from assay.engine.run.trial_record import BROKEN, StepRecord
from assay.engine.sandbox import Ran
from assay.engine.tasks.rules.facts import is_file
from assay.engine.tasks.rules.names import asked_for
from assay.engine.tasks.task import LoadedTask, Origin, TaskStep
from assay.engine.tasks.task_reading import LintFinding

# A task whose solution or verifier takes more of its limit than this fails on a slower machine.
MOST_OF_A_LIMIT = 0.8
ORACLE = Agent("oracle", oracle=True)
IDLE = Agent("nop")


@dataclass(frozen=True, slots=True)
class Tryout:
    """The reward of one attempt, and the part of its time limit that agent and verifier took at most."""

    reward: float | None
    agent_share: float = 0.0
    verifier_share: float = 0.0


def attempt_findings(site: TrialSite, workshop: Workshop, task: LoadedTask, times: int) -> list[LintFinding]:
    """Faults of a task, shown by attempts at it. Raises ``MeasurementError``."""
    findings: list[LintFinding] = []
    wanted = [(IDLE, 0.0)]
    if any(step.solution is not None for step in task.steps):
        wanted.insert(0, (ORACLE, 1.0))
    for agent, reward in wanted:
        attempts = [try_task(site, workshop, task, agent) for _ in range(times)]
        findings += _about_rewards(agent, reward, attempts)
        findings += _about_room(agent, attempts)
    if not findings:
        findings += _about_wrong_answers(site, workshop, task)
    return findings


def _about_rewards(agent: Agent, wanted: float, attempts: Sequence[Tryout]) -> Iterator[LintFinding]:
    rewards = [attempt.reward for attempt in attempts]
    got = ", ".join(dict.fromkeys("no reward" if reward is None else f"{reward:g}" for reward in rewards))
    who = f"the {agent.name} agent"
    if any(reward != wanted for reward in rewards):
        yield LintFinding(agent.name, "verifier", f"{who} must get {wanted:g}, got {got}")
    if len(set(rewards)) > 1:
        yield LintFinding("flaky", "verifier", f"{who} got different rewards in {len(attempts)} attempts")


def _about_room(agent: Agent, attempts: Sequence[Tryout]) -> Iterator[LintFinding]:
    for table, share in (
        ("agent", max(attempt.agent_share for attempt in attempts)),
        ("verifier", max(attempt.verifier_share for attempt in attempts)),
    ):
        if share > MOST_OF_A_LIMIT:
            what = "the solution" if table == "agent" else f"the verifier after the {agent.name} agent"
            why = f"{what} took {share:.0%} of {table}.timeout_sec; a slower machine won't make it"
            yield LintFinding("no-room", "task.toml", why)


def _about_wrong_answers(site: TrialSite, workshop: Workshop, task: LoadedTask) -> Iterator[LintFinding]:
    paths = output_files(task)
    for what, content in (("an empty file", ""), ("a wrong answer", "wrong answer\n")):
        if not paths:
            return
        reward = try_task(site, workshop, task, Agent("wrong", command=_writing(paths, content))).reward
        if reward is not None and reward >= 1.0:
            yield LintFinding(
                "wrong-answer", "verifier", f"{what} at {', '.join(paths)} gets {reward:g}, as the solution"
            )
            return


def output_files(task: LoadedTask) -> list[str]:
    """The files that a task asks for, as far as its instruction or task.toml tells."""
    found: dict[str, None] = {}
    for step in task.steps:
        chosen = [step.output.path] if step.output.origin is not Origin.WORKDIR else []
        found |= dict.fromkeys(path for path in (*chosen, *asked_for(step.instruction)) if is_file(path))
    return list(found)


def _writing(paths: Sequence[str], content: str) -> str:
    """A command that writes the content to each path where there is nothing yet."""
    lines = []
    for path in paths:
        text = "{}\n" if content and path.endswith(".json") else content
        target, folder = shlex.quote(path), shlex.quote(posixpath.dirname(path))
        lines.append(f"[ -e {target} ] || {{ mkdir -p {folder}; printf %s {shlex.quote(text)} > {target}; }}")
    return "\n".join((*lines, "true"))


def try_task(site: TrialSite, workshop: Workshop, task: LoadedTask, agent: Agent) -> Tryout:
    """One attempt: the value of "reward", or the lowest reward if there is no such key; None without rewards.

    Raises ``MeasurementError``.
    """
    bench = workshop.bench(task.environment)
    try:
        record = run_trial(site, bench, task, agent, _Forgetful(bench))
    finally:
        bench.close()
    if record.failure is not None and record.failure.type == BROKEN:
        raise MeasurementError(f"{task.path}: {record.failure.message}")
    rewards = record.rewards.rewards if record.rewards is not None else None
    steps = list(zip(task.steps, record.steps, strict=False))
    return Tryout(
        rewards.get("reward", min(rewards.values())) if rewards else None,
        max(_share(one.agent, step.agent.timeout_sec or DEFAULT_AGENT_TIMEOUT_SEC) for step, one in steps),
        max(
            _share(one.verifier, step.verifier_phase.timeout_sec or DEFAULT_VERIFIER_TIMEOUT_SEC)
            for step, one in steps
        ),
    )


def _share(ran: Ran | None, limit: float) -> float:
    return 0.0 if ran is None else (ran.finished_at - ran.started_at).total_seconds() / limit


class _Forgetful:
    """Keeps nothing. The next step starts with empty logs, as in a run."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def agent_ended(self, step: TaskStep, ran: Ran | None) -> None: ...

    def step_ended(self, step: TaskStep, record: StepRecord) -> None:  # noqa: ARG002 - nothing of it is kept
        self._bench.clear_agent()
