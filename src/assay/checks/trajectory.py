"""Fails if the agent didn't do what it must, did what it must not, or used more than it may.

It reads the agent's own record, its trajectory: ATIF, chat messages, sessions of Claude Code, Codex, OpenHands
and SWE-agent, inspect's logs and OpenTelemetry's spans. Every finding has the number of its step, which the page
of the run links to. The score is the share of the rules that hold.

A call is described by a table: ``tool`` is a glob of the tool's name, ``command`` a pattern that occurs in a shell
command, ``arguments`` a pattern that occurs in the call's arguments; those that are given must all hold. Patterns
are regular expressions. Files are globs; one that doesn't begin with ``/`` is found in any folder.

Ten examples. The tests were run, with pytest or by make:

    must_call: [{command: '\\b(pytest|make test)\\b'}]

Nothing was pushed, and no hook was left out:

    must_not_call: [{command: '^git push'}, {command: 'git commit .*--no-verify'}]

The web was neither searched nor browsed:

    must_not_call: [{tool: '*web_search*'}, {tool: 'browser_*'}]

The ticket was closed as solved, with its number:

    must_call: [{tool: close_ticket, arguments: '"id": 42\\b.*"solved"'}]

It looked before it changed anything, and tested afterwards:

    in_order: [{tool: Read}, {tool: Edit}, {command: pytest}]

Neither the solution, nor the expected answers, nor the grader were read:

    must_not_read: [/solution/*, tests/expected/*, grader.py]

The manual was read:

    must_read: [docs/manual.md]

The settings of the tests and of CI are as they were, all the time:

    must_not_write: [conftest.py, .github/*]

Nothing went to the network; loopback addresses may be asked:

    network: false

It was done within 40 steps, 200,000 tokens, a dollar and ten minutes:

    {max_steps: 40, max_tokens: 200000, max_cost_usd: 1, max_time_s: 600}

Not applicable without a trajectory, and if no rule is broken but one can't be decided: nobody stated the cost,
part of the record can't be read, or it is plain text without calls. An agent writes its record itself, so a
finding is evidence and a pass is only as good as the record. A path in a variable, or relative to a folder that
an earlier call entered, isn't understood, and what a program does that the agent wrote to a file isn't seen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import ClassVar

from assay.core.outcome import NotApplicable, Outcome, Scored, limits
from assay.evidence.coding_run import AgentRecord, Form, Trajectory
from assay.evidence.workspace import Workspace
from assay.formats.counting import counted
from assay.formats.field_rules.values import compile_pattern, search_each
from assay.formats.trajectories.actions import Action, actions_of

MOST_NAMED = 50
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A call: ``tool`` is a glob, ``command`` and ``arguments`` are patterns."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    tool: str | None = None
    command: str | None = None
    arguments: str | None = None

    def __post_init__(self) -> None:
        if (self.tool, self.command, self.arguments) == (None, None, None):
            raise ValueError("a call must be described by tool, command or arguments")
        for pattern in (self.command, self.arguments):
            compile_pattern(pattern or "", dot_is_all=True)

    def __str__(self) -> str:
        parts = (("tool", self.tool), ("command", self.command), ("arguments", self.arguments))
        return ", ".join(f"{name} {value}" for name, value in parts if value is not None)

    def matches(self, action: Action) -> bool:
        if self.tool is not None and not fnmatchcase(action.tool, self.tool):
            return False
        given = ((self.command, action.commands), (self.arguments, (action.arguments,)))
        return all(_occurs(pattern, texts) for pattern, texts in given if pattern is not None)


def _occurs(pattern: str, texts: Sequence[str]) -> bool:
    return any(search_each(compile_pattern(pattern, dot_is_all=True), texts))


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule's answer: what breaks it, or why that isn't known. Neither means that it holds."""

    findings: tuple[dict[str, object], ...] = ()
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class _Record:
    """The actions of a run, as far as they are known. ``gap`` says why calls may be missing; None if none are."""

    agent: AgentRecord
    trajectory: Trajectory
    actions: tuple[Action, ...]
    gap: str | None

    def absent(self, **finding: object) -> _Rule:
        """A rule that wants a call which isn't there."""
        return _Rule(unknown=self.gap) if self.gap else _Rule((finding,))

    def present(self, findings: Sequence[dict[str, object]]) -> _Rule:
        """A rule that wants none of the calls that were found."""
        return _Rule(tuple(findings[:MOST_NAMED])) if findings else _Rule(unknown=self.gap)


@dataclass(frozen=True, slots=True)
class TrajectoryRules:
    """At least one field must be given. ``network: false`` forbids the network."""

    kind: ClassVar[str] = "trajectory"
    advisory: ClassVar[bool] = True

    must_call: tuple[CallPattern, ...] = ()
    must_not_call: tuple[CallPattern, ...] = ()
    in_order: tuple[CallPattern, ...] = ()
    must_read: tuple[str, ...] = ()
    must_not_read: tuple[str, ...] = ()
    must_write: tuple[str, ...] = ()
    must_not_write: tuple[str, ...] = ()
    network: bool = True
    max_steps: int | None = field(default=None, metadata=limits(0))
    max_tokens: int | None = field(default=None, metadata=limits(0))
    max_cost_usd: float | None = field(default=None, metadata=limits(0))
    max_time_s: float | None = field(default=None, metadata=limits(0))

    def __post_init__(self) -> None:
        budgets = {name: getattr(self, name) for name in ("max_steps", "max_tokens", "max_cost_usd", "max_time_s")}
        for name, most in budgets.items():
            if most is not None and not 0 <= most < float("inf"):
                raise ValueError(f"{name} must be a number of at least 0, got {most}")
        globs = (*self.must_read, *self.must_not_read, *self.must_write, *self.must_not_write)
        if "" in globs:
            raise ValueError("a glob must have at least one character")
        calls = (*self.must_call, *self.must_not_call, *self.in_order)
        if not (calls or globs or not self.network or any(most is not None for most in budgets.values())):
            raise ValueError("max_steps must be given, or another rule such as must_not_read")

    def run(self, evidence: Workspace) -> Outcome:
        trajectory = evidence.agent.trajectory
        if trajectory is None:
            return NotApplicable("the agent left no trajectory")
        actions = tuple(actions_of(trajectory))
        record = _Record(evidence.agent, trajectory, actions, _gap(trajectory, actions))
        return _outcome([*self._calls(record), *self._files(record), *self._budgets(record)], record)

    def _calls(self, record: _Record) -> Iterator[_Rule]:
        for call in self.must_call:
            found = any(map(call.matches, record.actions))
            yield _Rule() if found else record.absent(rule="call is missing", detail=str(call))
        for call in self.must_not_call:
            yield record.present([_finding("forbidden call", one) for one in record.actions if call.matches(one)])
        if self.in_order:
            yield _in_order(self.in_order, record)
        if not self.network:
            out = [(one, one.goes_out) for one in record.actions if one.goes_out is not None]
            yield record.present([_finding("network", one, text) for one, text in out])

    def _files(self, record: _Record) -> Iterator[_Rule]:
        sides = (
            ("read", False, self.must_read, self.must_not_read),
            ("written", True, self.must_write, self.must_not_write),
        )
        for word, written, wanted, forbidden in sides:
            for glob in wanted:
                found = any(True for _ in _named(record, glob, written))
                yield _Rule() if found else record.absent(rule=f"file isn't {word}", path=glob)
            for glob in forbidden:
                yield record.present(
                    [_finding(f"file is {word}", one, path=path) for one, path in _named(record, glob, written)]
                )

    def _budgets(self, record: _Record) -> Iterator[_Rule]:
        usage = record.trajectory.usage
        steps = None if record.trajectory.form is Form.TEXT else record.trajectory.agent_steps()
        budgets: tuple[tuple[str, float | None, Callable[[], float | None]], ...] = (
            ("steps", self.max_steps, lambda: steps or None),
            ("tokens", self.max_tokens, lambda: usage.tokens),
            ("cost in USD", self.max_cost_usd, lambda: usage.cost_usd),
            ("time in seconds", self.max_time_s, lambda: _seconds(record)),
        )
        for name, most, measure in budgets:
            if most is None:
                continue
            value = measure()
            if value is None:
                yield _Rule(unknown=f"the record doesn't state its {name}")
            else:
                over = {"rule": f"too many {name}" if name in ("steps", "tokens") else f"too much {name}"}
                yield _Rule(() if value <= most else ({**over, "detail": f"{value:g}, the limit is {most:g}"},))


def _gap(trajectory: Trajectory, actions: Sequence[Action]) -> str | None:
    if trajectory.form is Form.TEXT:
        return "the trajectory is plain text, in which calls can't be told apart"
    if not trajectory.agent_steps():
        return "the trajectory has no step of the agent"
    if any(one.cut for one in actions):
        return "a call is too long to be read as a whole"
    return next(trajectory.all_remarks(), None)


def _in_order(calls: Sequence[CallPattern], record: _Record) -> _Rule:
    """Each call after the one before it; others may be between."""
    left = iter(record.actions)
    after: int | str | None = None
    for call in calls:
        found = next((one for one in left if call.matches(one)), None)
        if found is None:
            place = {} if after is None else {"step": after}
            return record.absent(
                rule="call is missing behind this step" if place else "call is missing", detail=str(call), **place
            )
        after = found.step
    return _Rule()


def _named(record: _Record, glob: str, written: bool) -> Iterator[tuple[Action, str]]:
    """The calls that read or write a file of a glob, with the first such file."""
    for one in record.actions:
        paths = (file.path for file in one.files if file.written is written and file.matches(glob))
        if (path := next(paths, None)) is not None:
            yield one, path


def _finding(rule: str, action: Action, text: str | None = None, path: str | None = None) -> dict[str, object]:
    told = (
        f"{action.tool}: {(action.commands[0] if action.commands else action.arguments) if text is None else text}"
    )
    return {"rule": rule, **({} if path is None else {"path": path}), "step": action.step, "detail": told[:_SHOWN]}


def _seconds(record: _Record) -> float | None:
    """How long the agent took, as it was measured; failing that, by the times of its first and last step."""
    if record.agent.end is not None:
        return record.agent.end.duration_sec
    try:
        times = [datetime.fromisoformat(step.time) for step in record.trajectory.steps if step.time is not None]
        return (max(times) - min(times)).total_seconds() if times else None
    except (TypeError, ValueError):
        return None


def _outcome(rules: Sequence[_Rule], record: _Record) -> Outcome:
    findings = [finding for rule in rules for finding in rule.findings]
    unknown = list(dict.fromkeys(rule.unknown for rule in rules if rule.unknown is not None))
    known = sum(rule.unknown is None for rule in rules)
    seen: dict[str, object] = {"rules": len(rules), "calls": len(record.actions)}
    if unknown:
        seen["notes"] = unknown
    if findings:
        broken = sum(bool(rule.findings) for rule in rules)
        said = f"{broken} of {counted(len(rules), 'rule')} broken, first: {_told(findings[0])}"
        return Scored(1 - broken / known, False, said, {**seen, "findings": findings[:MOST_NAMED]})
    if unknown:
        return NotApplicable(f"no rule is seen to be broken, but {unknown[0]}")
    return Scored(1.0, True, f"{counted(len(rules), 'rule')} held in {counted(len(record.actions), 'call')}", seen)


def _told(finding: dict[str, object]) -> str:
    step = f"step {finding['step']}: " if "step" in finding else ""
    return " ".join(str(finding[key]) for key in ("rule", "path", "detail") if key in finding).join((step, ""))
