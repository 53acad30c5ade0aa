"""Mistakes in what a task says about itself: its instruction, its limits, its estimates, its solution."""

import re
from collections.abc import Iterator

from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.tasks.rules.facts import TaskFacts
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.shell import command_lines

_SLEEP = re.compile(r"^sleep\s+(\d+(?:\.\d+)?)([smh]?)\b")
_YOU_HAVE = re.compile(
    r"\byou have (\d[\d,]*(?:\.\d+)?) (seconds|minutes|hours) to (?:complete|solve|finish|do) (?:this|the) task\b",
    re.IGNORECASE,
)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def setting_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """All findings on a task's settings."""
    yield from _instruction(facts)
    yield from _estimates(facts)
    yield from _solution(facts)
    yield from _time_limits(facts)
    yield from _told_limit(facts)


def _instruction(facts: TaskFacts) -> Iterator[LintFinding]:
    text = facts.files.instruction
    if not text.strip():
        yield LintFinding("instruction", "instruction.md", "it is empty")
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"^\s*(?:TODO|FIXME|TBD)\b", line) or re.search(r"\bLorem ipsum\b", line):
            yield LintFinding("instruction", f"instruction.md:{number}", "a part of it isn't written yet")


def _estimates(facts: TaskFacts) -> Iterator[LintFinding]:
    metadata = facts.settings.get("metadata", {})
    expert, junior = (metadata.get(f"{who}_time_estimate_min") for who in ("expert", "junior"))
    if isinstance(expert, int | float) and isinstance(junior, int | float) and expert > junior > 0:
        why = f"an expert is expected to take {expert:g} minutes, longer than a junior with {junior:g}"
        yield LintFinding("estimates", f"{FILE_NAME}:{_line_of(facts, 'expert_time_estimate_min')}", why)
    if "agent" in facts.settings or facts.settings.get("steps"):
        return
    if (
        "verifier" in facts.settings
        and isinstance(facts.settings["verifier"], dict)
        and "timeout_sec" in facts.settings["verifier"]
    ):
        why = "the verifier has a time limit and the agent has none; set agent.timeout_sec"
        yield LintFinding("no-time-limit", FILE_NAME, why)


def _solution(facts: TaskFacts) -> Iterator[LintFinding]:
    if not facts.files.solution and not facts.files.solutions_withheld:
        why = "it has no solution, so nothing shows that the task can be solved and that its verifier says so"
        yield LintFinding("no-solution", "solution", why)
    elif facts.files.solution and not any(name.startswith("solve.") for name in facts.files.solution):
        yield LintFinding("no-solution", "solution", "the folder has no solve.sh, which the oracle runs")


def _time_limits(facts: TaskFacts) -> Iterator[LintFinding]:
    """Scripts that sleep for longer than they may take."""
    scripts = [("tests/test.sh", facts.files.script, facts.files.verifier_limit)]
    scripts += [
        (f"solution/{name}", text, facts.files.agent_limit)
        for name, text in facts.files.solution.items()
        if name == "solve.sh"
    ]
    for place, script, limit in scripts:
        slept = 0.0
        for line in command_lines(script) if limit is not None else ():
            found = _SLEEP.match(line.text)
            slept += float(found[1]) * _UNITS[found[2]] if found else 0.0
            if found and limit is not None and slept >= limit:
                why = f"it sleeps for {slept:g} s, but its limit is {limit:g} s"
                yield LintFinding("time-limit", f"{place}:{line.number}", why)
                break


def _told_limit(facts: TaskFacts) -> Iterator[LintFinding]:
    """An instruction that promises another time than the agent gets."""
    found = _YOU_HAVE.search(facts.files.instruction)
    limit = facts.files.agent_limit
    if found is None or limit is None:
        return
    told = float(found[1].replace(",", "")) * _UNITS[found[2][0].lower()]
    if told != limit:
        line = facts.files.instruction.count("\n", 0, found.start()) + 1
        why = f"it tells the agent that it has {told:g} s, but agent.timeout_sec is {limit:g}"
        yield LintFinding("time-limit", f"instruction.md:{line}", why)


def _line_of(facts: TaskFacts, field: str) -> int:
    lines = facts.files.settings.splitlines()
    return next((number for number, line in enumerate(lines, start=1) if line.strip().startswith(field)), 1)
