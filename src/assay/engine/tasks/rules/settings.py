"""Mistakes in what a task says about itself: its instruction, its limits, its estimates, its solution."""

import itertools
import posixpath
import re
from collections.abc import Iterator

from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.tasks.reward_lint import reward_script, writes_reward
from assay.engine.tasks.rules.facts import TaskFacts
from assay.engine.tasks.task_reading import LintFinding
from assay.formats.python_paths import parse_python
from assay.formats.python_tests import (
    asserted_dates,
    measured_times,
    non_numeric_rewards,
    random_verdicts,
    swallowed_assertions,
    test_demands,
)
from assay.formats.shell import CommandLine, command_lines
from assay.formats.shell_paths import missed_paths

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


_ONE = re.compile(
    r"""\b(?:echo|printf)\s+(?:-[ne]+\s+)?(?:["']%s\\n["']\s+)?["']?(?:1(?:\.0+)?|\{\s*\\?["']?reward\\?["']?\s*:\s*1(?:\.0+)?\s*\})"""
    r"""(?:\\n)?["']?\s*(?:>|\|\s*tee)\s*["']?\S*reward\.(?:txt|json)"""
)
_REWARD_FILE = re.compile(r"reward\.(?:txt|json)")
_TESTS = re.compile(
    r"\b(?:pytest|py\.test|unittest|go test|cargo test|npm (?:run )?test|jest|mocha|ctest|bats|tox)\b"
    r"|/tests/[\w./-]+"
)
_FORGIVEN = re.compile(r"\|\|\s*(?:true|:|echo\b[^>]{0,200})\s{0,9}$")
_STATUS = re.compile(r"\$\?|\$\{\?\}")
_PIPED = re.compile(r"(?<!\|)\|(?!\|)\s*(?:tee|cat|tail|head|sed|awk|ts|less)\b[^|;&]*$")
_SURE = re.compile(r"^(?:echo|printf|mkdir|true|:|date|set)\b[^|;&]*$")
_MOST_SOURCE = 500_000
_PIPE_KEPT = re.compile(r"\bset[ \t][^\n#]{0,200}pipefail|PIPESTATUS")
_INVERTED = re.compile(r"\$\?\"?\s+(?:-ne|!=|-gt)\s+\"?0\"?\s*\]")
_RUNNER = re.compile(r"\bpytest\b|\bunittest\b|\bnose2?\b")
_JSON_FILE = re.compile(r"(?<![\w-])[\w-]++\.json\b")
_QUOTED_VALUE = re.compile(r"""\\?"\w+\\?"\s*:\s*(?:\\?"|\[|\{|null\b)""")
_ABOUT_DATES = re.compile(
    r"\b(?:today|now|current|dates?|days?|time|clock|timestamps?|hours?|year)\b", re.IGNORECASE
)
_ABOUT_TIME = re.compile(
    r"\b(?:seconds?|secs?|minutes?|ms|milliseconds?|time-?outs?|fast(?:er)?|latency|performan\w+)"
    r"|\b(?:speed\w*|slow\w*|efficien\w+|runtime|throughput|duration|benchmark\w*|within \d)",
    re.IGNORECASE,
)


def verdict_findings(facts: TaskFacts) -> Iterator[LintFinding]:
    """All findings on the way from the tests to the reward."""
    script = facts.files.script
    if script:
        # A step before the last often only gives the agent something to remember.
        yield from _always_passes(script) if facts.files.is_last else ()
        yield from _lost_status(script)
        yield from _missing_tests(facts)
    yield from _tests_not_run(facts)
    yield from _python(facts)
    yield from _shell(facts)


def _always_passes(script: str) -> Iterator[LintFinding]:
    """A script that writes a reward of 1 on every path, and nothing else on any."""
    named = reward_script(script)
    writing = [line for line in command_lines(named) if writes_reward(line.text) or writes_reward(line.code)]
    if not writing or not all(_writes_one(line) for line in writing):
        return
    without = missed_paths(named, writes_reward)
    if not without.at_end and not without.at_failure:
        why = "it writes a reward of 1 whatever the tests find"
        yield LintFinding("always-passes", f"tests/test.sh:{writing[0].number}", why)


def _writes_one(line: CommandLine) -> bool:
    """Whether a line writes a reward of 1 and no other one."""
    return not line.code and 0 < len(_ONE.findall(line.text)) == len(_REWARD_FILE.findall(line.text))


def _lost_status(script: str) -> Iterator[LintFinding]:
    """Exit statuses of tests that can't be those of a failure."""
    lines = command_lines(script)
    for before, line in itertools.pairwise(lines):
        if not _STATUS.search(line.text.partition(";")[0]):
            continue
        why = _why_lost(before, script)
        if why is not None:
            yield LintFinding("failure-swallowed", f"tests/test.sh:{before.number}", why)
    for line, after in itertools.pairwise(lines):
        text = line.text if "then" in line.text and ">" in line.text else f"{line.text} {after.text}"
        if _INVERTED.search(line.text) and line.text.startswith("if") and _ONE.search(text.partition("else")[0]):
            yield LintFinding("always-passes", f"tests/test.sh:{line.number}", "it rewards a failure with 1")


def _why_lost(before: CommandLine, script: str) -> str | None:
    if _TESTS.search(before.text):
        if _FORGIVEN.search(before.text):
            return "with '|| true', the status that is looked at afterwards is always 0"
        if _PIPED.search(before.text) and not _PIPE_KEPT.search(script):
            return "the status that is looked at afterwards is that of the last command of the pipe"
    elif _SURE.match(before.text) and _TESTS.search(script):
        return f"the status that is looked at afterwards is that of {before.text.split()[0]}, not of the tests"
    return None


def _missing_tests(facts: TaskFacts) -> Iterator[LintFinding]:
    """Tests that are run at a path where nothing puts them."""
    own = {posixpath.basename(name) for name in facts.files.tests}
    script = facts.files.script
    for line in command_lines(script):
        for path in re.findall(r"(?<![\w./$}-])(/[\w.+@-]+(?:/[\w.+@-]+)*\.(?:py|sh|js|ts))(?![\w/])", line.text):
            name = posixpath.basename(path)
            if (
                name not in own
                or path.startswith(("/tests/", "/logs/"))
                or re.search(r"\b(?:cp|mv|ln|install|rsync)\b", line.text)
            ):
                continue
            copied = re.search(
                rf"\b(?:cp|mv|ln|install|rsync)\b[^\n]{{0,200}}?(?:{re.escape(name)}|/tests\b)", script
            )
            if not copied and facts.image.makes(path) is None and not facts.image.mentions(name):
                why = f"it runs {path}, but nothing puts the tests there; they are in /tests"
                yield LintFinding("tests-not-found", f"tests/test.sh:{line.number}", why)


def _tests_not_run(facts: TaskFacts) -> Iterator[LintFinding]:
    """Files of tests that no script names, and no test runner finds."""
    scripts = "\n".join(
        text for name, text in facts.files.tests.items() if not posixpath.basename(name).startswith("test_")
    )
    if not facts.files.script or re.search(
        r"\b(?:pytest|unittest)\b(?![^\n]{0,200}\.py)|/tests/?(?:\s|$|[*\"'])|\bTEST_DIR\b|\bcd\b", scripts
    ):
        return
    tests = [name for name in facts.files.tests if re.fullmatch(r"(?:.*/)?test_\w+\.py", name)]
    if not any(posixpath.basename(name).removesuffix(".py") in scripts for name in tests):
        for name in tests:
            yield LintFinding("tests-not-run", f"tests/{name}", "no script of the tests runs it")


def _not_numeric(place: str) -> LintFinding:
    why = "a value of reward.json isn't a number; harbor refuses the whole file from 0.23 on"
    return LintFinding("reward-values", place, why)


def _shell(facts: TaskFacts) -> Iterator[LintFinding]:
    for line in command_lines(reward_script(facts.files.script)):
        if re.search(r"\b(?:echo|printf)\b.{0,400}\breward\.json", line.text) and _QUOTED_VALUE.search(line.text):
            yield _not_numeric(f"tests/test.sh:{line.number}")
        if re.search(r"(?:\[|\(\().{0,200}\bRANDOM\b", line.text):
            why = "it depends on a random number, not on the output"
            yield LintFinding("random-verdict", f"tests/test.sh:{line.number}", why)


def _without_demands(facts: TaskFacts) -> Iterator[LintFinding]:
    found = facts.trees.items() if _RUNNER.search("\n".join(facts.files.tests.values())) else ()
    demands = [(name, one) for name, tree in found for one in test_demands(tree)]
    if all(one.nothing is not None for _, one in demands):
        for name, one in demands:
            yield LintFinding("tests-nothing", f"tests/{name}:{one.line}", f"{one.name} can't fail: {one.nothing}")


def _unparsed(facts: TaskFacts) -> Iterator[LintFinding]:
    for name, text in facts.files.tests.items():
        run = posixpath.basename(name) in facts.files.script
        if name.endswith(".py") and run and parse_python(text) is None and len(text) < _MOST_SOURCE:
            yield LintFinding("syntax", f"tests/{name}", "it can't be parsed as Python")


def _python(facts: TaskFacts) -> Iterator[LintFinding]:
    yield from _without_demands(facts)
    dated = _ABOUT_DATES.search(facts.files.instruction) is None
    timed = _ABOUT_TIME.search(facts.files.instruction) is None
    for name, tree in facts.trees.items():
        for line in swallowed_assertions(tree):
            why = "the assertion's failure is caught and forgotten"
            yield LintFinding("failure-swallowed", f"tests/{name}:{line}", why)
        for line in random_verdicts(tree):
            yield LintFinding(
                "random-verdict", f"tests/{name}:{line}", "it depends on a random number, not on the output"
            )
        for line in asserted_dates(tree) if dated else ():
            why = "it depends on the day or the hour, and the instruction says nothing about them"
            yield LintFinding("by-date", f"tests/{name}:{line}", why)
        if set(_JSON_FILE.findall(facts.files.tests[name])) == {"reward.json"}:
            yield from (_not_numeric(f"tests/{name}:{line}") for line in non_numeric_rewards(tree)[:1])
        for line in measured_times(tree) if timed else ():
            why = "it depends on how fast this machine is, and the instruction says nothing about time"
            yield LintFinding("wall-clock", f"tests/{name}:{line}", why)
    yield from _unparsed(facts)
