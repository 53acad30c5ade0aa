"""Compare agents on the tasks that they have in common: who is better, by how much, and how sure that is.

Each JOB is one side, or as many as it has agents. The difference is that of the later one to the earlier one, task
by task; tasks that only one of them has don't count. An unusable answer counts as 0, a broken measurement is left
out, and bounds say what they could have changed. Jobs whose tasks, verifiers, profiles or engines differ by their
hashes are refused.

With --fail-if-worse-than, the exit code is 1 if the data show that the second agent is worse by more than that, 0
if they show that it isn't, and 3 if they show neither.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from html import escape
from typing import Any, cast

from assay.adapters.machine.atomic_write import write_text
from assay.cli.options.common import Options, add_question, finite_number, number_from_0, option
from assay.cli.output.read_jobs import read_jobs
from assay.cli.output.table import clean, render_table, some_of, without_nan
from assay.core.errors import InputError
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.report.charts import comparison_svg
from assay.engine.report.compare import AgentSummary, ArmComparison, ArmPair, Gate, TaskDifference, compare, decide
from assay.engine.report.compare_arms import arms_of
from assay.engine.report.report_json import interval_json
from assay.evidence.run import State
from assay.formats.counting import counted
from assay.stats.interval import CantSay, Interval

EXIT_CODES = {"worse": 1, "not worse": 0, "undecided": 3}
SHOWN_TASKS = 10
# Rewards mostly lie between 0 and 1, so no larger difference is to be expected.
LARGEST_SHARE = 1
_GITHUB = {"worse": "error", "not worse": "notice", "undecided": "warning"}


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "jobs JOB…", "a job folder")
    add_question(parser, "compare", "print JSON", "the reward to compare")
    option(
        parser,
        "--threshold X",
        "compare successes: rewards of at least X (default: compare the rewards themselves)",
        finite_number,
    )
    option(parser, "--group KEY…", "compare only this group of the jobs; repeatable")
    option(parser, "--anyway", "compare jobs with different provenance, and mark what differs")
    option(
        parser,
        "--fail-if-worse-than X",
        "decide whether the second agent is worse than the first by more than X: exit code 1, 0, or 3",
        number_from_0,
    )
    option(parser, "--junit FILE", "write the decision as JUnit XML")
    option(parser, "--github", "print the decision as an annotation line of GitHub")
    option(parser, "--svg FILE", "draw the differences by task, or all agents if there are more than two")


def run(args: argparse.Namespace) -> int:
    if args.fail_if_worse_than is None and (args.junit or args.github):
        raise InputError("--junit and --github write a decision: pass --fail-if-worse-than, too")
    found, gate = compare_jobs(args)
    if args.svg:
        write_text(args.svg, comparison_svg(found))
    if gate is not None and args.junit:
        write_text(args.junit, as_junit(found.pairs[0], gate))
    if args.json:
        print(json.dumps(as_values(found, gate), indent=2, allow_nan=False))
    else:
        print(as_text(found, gate, markdown=args.markdown))
    if gate is not None and args.github:
        print(as_github(gate))
    return 0 if gate is None else EXIT_CODES[gate.decision]


def compare_jobs(args: Options) -> tuple[ArmComparison, Gate | None]:
    """Compare the agents of the jobs that the options name, and decide if they ask for a decision."""
    successes = args.threshold is not None
    question = JobQuestion(key=args.key, threshold=args.threshold if successes else 1.0, grading=args.grading)
    found = compare(arms_of(read_jobs(args.jobs), question, args.group, successes), anyway=args.anyway)
    return found, _gate(found, args.fail_if_worse_than)


def _gate(found: ArmComparison, margin: float | None) -> Gate | None:
    if margin is None:
        return None
    if len(found.agents) != 2:
        labels = ", ".join(agent.arm.label for agent in found.agents)
        raise InputError(f"--fail-if-worse-than needs exactly two agents, got {labels}; choose with --group")
    return decide(found.pairs[0], margin)


def as_values(found: ArmComparison, gate: Gate | None) -> dict[str, Any]:
    """Plain values with every agent, every pair and every task."""
    content: dict[str, Any] = {
        "agents": [_agent(agent) for agent in found.agents],
        "pairs": [_pair(pair) for pair in found.pairs],
        "left_out": list(found.left_out),
        "gate": None if gate is None else asdict(gate),
    }
    return cast("dict[str, Any]", without_nan(content))


def _agent(agent: AgentSummary) -> dict[str, Any]:
    arm = agent.arm
    return {
        "label": arm.label,
        "group": arm.group,
        "key": arm.key,
        "mean": agent.mean.value,
        "interval": interval_json(agent.mean.interval),
        "tasks": len(arm.tasks),
        "runs": arm.runs,
        "states": {state.value: count for state, count in arm.states.items()},
        "n": agent.mean.n,
        "ranks": list(agent.ranks),
        "per_trial": asdict(arm.costs),
    }


def _pair(pair: ArmPair) -> dict[str, Any]:
    test = pair.difference.test
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference.value,
        "interval": interval_json(pair.difference.interval),
        "standard_error": pair.difference.standard_error,
        "test": {
            "p": None if isinstance(test, CantSay) else test.p,
            "adjusted_p": pair.adjusted,
            "method": None if isinstance(test, CantSay) else test.method,
            "reason": test.reason if isinstance(test, CantSay) else None,
        },
        "better": pair.better,
        "smallest_difference_shown": pair.difference.smallest,
        "common_tasks": pair.difference.tasks,
        "only_first": pair.only_first,
        "only_second": pair.only_second,
        "open_runs": list(pair.open_runs),
        "bounds": None if pair.bounds is None else list(pair.bounds),
        "provenance": [asdict(one) for one in pair.mismatches],
        "tasks": [asdict(task) for task in pair.tasks],
    }


def as_text(found: ArmComparison, gate: Gate | None, *, markdown: bool) -> str:
    """The agents side by side, then each pair; the whole detail if there is only one."""
    return "\n".join(_lines(found, gate, markdown))


def _lines(found: ArmComparison, gate: Gate | None, markdown: bool) -> Iterator[str]:
    several = len(found.agents) > 2
    yield render_table(*_agents(found.agents, several), right=True, markdown=markdown) + "\n"
    if several:
        titles = ("pair", "difference", "95 %", "p", "p (Holm)", "tasks", "better")
        yield render_table(titles, map(_pair_row, found.pairs), right=True, markdown=markdown)
    else:
        [pair] = found.pairs
        table = render_table(("measure" if markdown else "", ""), _details(pair), markdown=markdown)
        yield table if markdown else table.partition("\n")[2]
        yield from _deciding(pair.tasks, pair, markdown)
    marks = dict.fromkeys(one.what for pair in found.pairs for one in pair.mismatches)
    for mark in (*found.left_out, *marks):
        yield f"\n{'> ' if markdown else ''}note: {clean(mark)}"
    if gate is not None:
        yield f"\n{clean(gate.sentence)}"


def _agents(agents: Sequence[AgentSummary], several: bool) -> tuple[Sequence[str], list[Sequence[str]]]:
    titles = ["agent", "mean", "95 %", "tasks", "runs", "scored", "broken", "cost", "tokens", "seconds"]
    rows = [_agent_row(agent) for agent in agents]
    if several:
        titles.insert(1, "rank")
        rows = [(row[0], _ranks(agent), *row[1:]) for row, agent in zip(rows, agents, strict=True)]
    return titles, rows


def _agent_row(agent: AgentSummary) -> Sequence[str]:
    arm, costs = agent.arm, agent.arm.costs
    return (
        arm.label,
        "-" if agent.mean.value is None else f"{agent.mean.value:.4f}",
        _ends(agent.mean.interval, signed=False),
        str(len(arm.tasks)),
        str(arm.runs),
        str(agent.mean.n),
        str(arm.states[State.BROKEN]),
        "-" if costs.cost_usd is None else f"${costs.cost_usd:.4f}",
        "-" if costs.tokens is None else f"{costs.tokens:.0f}",
        "-" if costs.seconds is None else f"{costs.seconds:.1f}",
    )


def _ranks(agent: AgentSummary) -> str:
    best, worst = agent.ranks
    return str(best) if best == worst else f"{best} to {worst}"


def _pair_row(pair: ArmPair) -> Sequence[str]:
    test = pair.difference.test
    return (
        f"{pair.second} against {pair.first}",
        _format_signed(pair.difference.value),
        _ends(pair.difference.interval),
        "-" if isinstance(test, CantSay) else _p(test.p),
        "-" if pair.adjusted is None else _p(pair.adjusted),
        str(pair.difference.tasks),
        pair.better or "not shown",
    )


def _details(pair: ArmPair) -> Iterator[tuple[str, str]]:
    yield "tasks", _tasks(pair)
    found = pair.difference
    if isinstance(found.interval, CantSay) or isinstance(found.test, CantSay):
        reason = found.interval.reason if isinstance(found.interval, CantSay) else "no test"
        yield "difference", f"{_format_signed(found.value)}, interval can't be said: {reason}"
        return
    yield "difference", f"{_format_signed(found.value)}, 95 % {_ends(found.interval)} ({found.interval.method})"
    yield "test", f"p = {_p(found.test.p)} ({found.test.method})"
    yield "verdict", _verdict(pair)
    if pair.bounds is not None:
        low, high = pair.bounds
        runs = f"{counted(sum(pair.open_runs), 'run')} without a usable answer"
        yield "bounds", f"{low:+.4f} to {high:+.4f}, whatever the {runs} would have got"


def _tasks(pair: ArmPair) -> str:
    only = [
        f"{len(tasks)} only in {label} ({some_of(tasks)})"
        for label, tasks in ((pair.first, pair.only_first), (pair.second, pair.only_second))
        if tasks
    ]
    return "; ".join([f"{pair.difference.tasks} compared", *only])


def _verdict(pair: ArmPair) -> str:
    if pair.better is not None:
        return f"{pair.better} is better"
    smallest = pair.difference.smallest
    if smallest is None:
        return "no difference shown"
    if smallest >= LARGEST_SHARE:
        return "no difference shown; data like these could hardly show any"
    return f"no difference shown; data like these would show one of {smallest:.4f} four times out of five"


def _deciding(tasks: Sequence[TaskDifference], pair: ArmPair, markdown: bool) -> Iterator[str]:
    """The tasks with the largest differences."""
    deciding = [task for task in tasks if task.difference]
    if not deciding:
        return
    rows = [
        (
            row.task,
            f"{row.first:.4f}",
            f"{row.second:.4f}",
            f"{row.difference:+.4f}",
            "+".join(map(str, row.attempts)),
        )
        for row in deciding[:SHOWN_TASKS]
    ]
    titles = ("tasks that decide it", pair.first, pair.second, "difference", "attempts")
    yield "\n" + render_table(titles, rows, right=True, markdown=markdown)
    if len(deciding) > SHOWN_TASKS:
        yield f"and {len(deciding) - SHOWN_TASKS} more with a difference; --json has all of them"


def _format_signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.4f}"


def _ends(found: Interval | CantSay, *, signed: bool = True) -> str:
    if isinstance(found, CantSay):
        return "can't be said"
    sign = "+" if signed else ""
    return f"{found.low:{sign}.4f} to {found.high:{sign}.4f}"


def _p(value: float) -> str:
    return "below 0.0001" if value < 0.0001 else f"{value:.4f}"


def as_junit(pair: ArmPair, gate: Gate) -> str:
    """One test case: it passes, fails, or is skipped while undecided."""
    name = _attribute(clean(f"{pair.second} isn't worse than {pair.first} by more than {gate.margin:g}"))
    message = _attribute(clean(gate.sentence))
    inner = {"worse": f"<failure message={message}/>", "undecided": f"<skipped message={message}/>"}
    counts = f'failures="{int(gate.decision == "worse")}" skipped="{int(gate.decision == "undecided")}"'
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuite name="assay compare" tests="1" errors="0" {counts}>',
        f'  <testcase classname="assay.compare" name={name}>{inner.get(gate.decision, "")}</testcase>',
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'


def as_github(gate: Gate) -> str:
    """A workflow command. Signs that would end it are escaped the way GitHub reads them."""
    message = clean(gate.sentence).replace("%", "%25")
    return f"::{_GITHUB[gate.decision]} title=assay compare::{message}"
