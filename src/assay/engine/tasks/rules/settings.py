"""Mistakes in what a task says about itself: its instruction, its limits, its estimates, its solution."""

import itertools
import posixpath
import re
from collections.abc import Iterator

from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.tasks.reward_lint import reward_script, writes_reward
from assay.engine.tasks.rules.facts import TaskFacts, named_otherwise
from assay.engine.tasks.task_reading import LintFinding, is_shell
from assay.formats.python_paths import parse_python
from assay.formats.python_tests import (
    asserted_dates,
    idle_statements,
    measured_times,
    non_numeric_rewards,
    random_verdicts,
    swallowed_assertions,
    test_demands,
)
from assay.formats.shell import CommandLine, command_lines
from assay.formats.shell_paths import missed_paths
from assay.formats.sleeps import python_sleeps, shell_sleeps

_YOU_HAVE = re.compile(
    r"(?:\byou have|\btime limit(?: is| of|:)?|\bfinish within) (\d[\d,]*(?:\.\d+)?) (seconds|minutes|hours)\b"
    r"(?:(?=[.;,\n]|$)| (?:to|for) (?:(?:complete|solve|finish|do) )?(?:this|the) task\b)",
    re.IGNORECASE,
)
_UNITS = {"s": 1, "m": 60, "h": 3600}


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
    yield from _idle_solution(facts)


def _idle_solution(facts: TaskFacts) -> Iterator[LintFinding]:
    """A solution that does nothing, or runs files that aren't there."""
    script = facts.files.solution.get("solve.sh")
    if script is None or not is_shell(script):
        return
    lines, place = command_lines(script), "solution/solve.sh"
    for path in {one.path for one in facts.outputs() if one.path in facts.files.instruction}:
        if named_otherwise(path, script, or_ending=False) and f"{posixpath.dirname(path)}/" not in script:
            yield LintFinding(
                "no-solution", place, f"it writes {posixpath.basename(path)} elsewhere than at {path}"
            )
    if all(_DOES_NOTHING.match(_QUOTED.sub("", line.text)) for line in lines):
        yield LintFinding("no-solution", place, "it does nothing, so nothing shows that the task can be solved")
    there = {posixpath.basename(name) for name in (*facts.files.solution, *_WRITTEN.findall(script))}
    for line in lines:
        for name in _SOLUTION_FILE.findall(line.text):
            if posixpath.basename(name) not in there:
                yield LintFinding("no-solution", f"{place}:{line.number}", f"it uses {name}, which isn't there")


def _time_limits(facts: TaskFacts) -> Iterator[LintFinding]:
    """Scripts and tests that sleep for longer than they may take."""
    files, limit = facts.files, facts.files.verifier_limit
    solution = reward_script(files.solution.get("solve.sh", ""))
    found = [("tests/test.sh", line, limit) for line in shell_sleeps(reward_script(files.script))]
    found += [("solution/solve.sh", line, files.agent_limit) for line in shell_sleeps(solution)]
    found += [(f"tests/{name}", line, limit) for name in facts.trees for line in python_sleeps(files.tests[name])]
    late = {place: (line, total, most) for place, (line, total), most in reversed(found) if most and total >= most}
    for place, (line, total, most) in late.items():
        why = f"it sleeps for {total:g} s, but its limit is {most:g} s"
        yield LintFinding("time-limit", f"{place}:{line}", why)


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
_FORGIVEN = re.compile(
    r"(?:\|\||;)\s*(?:true|:|echo\b[^>]{0,200})\s{0,9}$|(?<![&>])&$|\s--(?:collect-only|co|help|version)\b"
)
_STATUS = re.compile(r"\$\?|\$\{\?\}")
_PIPED = re.compile(r"(?<!\|)\|(?!\|)\s*(?:tee|cat|tail|head|sed|awk|ts|less)\b[^|;&]*$")
_SURE = re.compile(r"^(?:(?:echo|printf|mkdir|true|:|date|set)\b|\w+=[^$`(]*$)[^|;&]*$")
_MOST_SOURCE = 500_000
_PIPE_KEPT = re.compile(r"\bset[ \t][^\n#]{0,200}pipefail|PIPESTATUS")
_INVERTED = re.compile(r"\$\?\"?\s+(?:-ne|!=|-gt)\s+\"?0\"?\s*\]")
_RUNNER = re.compile(r"\bpytest\b|\bunittest\b|\bnose2?\b")
_JSON_FILE = re.compile(r"(?<![\w-])[\w-]++\.json\b")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\s[12]?>\s*(?:&[12]|/dev/null)")
_DOES_NOTHING = re.compile(
    r"(?:echo|printf|true|:|exit|set|mkdir|cd|date|sleep|pwd|ls|return|export)\b[^>|&;`$]*$"
)
_SOLUTION_FILE = re.compile(
    r"(?:/solution/|\$\{?(?:SCRIPT_DIR|DIR|HERE)\}?/|\$\(dirname [^)]{0,80}\)\"?/)([\w./-]{1,99}\.\w{1,9})"
)
_WRITTEN = re.compile(r">\s{0,9}['\"]?([^\s'\";|&]{1,200})")
SEEDED = re.compile(r"\bseed\b(?!\(\)|\(time)|(?:Random|default_rng|RandomState)\([^)\s]")
_IS_REWARD = re.compile(r"""[{,]\s*\\?["']?\w*reward\\?["']?\s*:""")
_QUOTED_VALUE = re.compile(r"""\w\\?["']?\s*:\s*(?:\\?"(?!\s*\$)|\[|\{|null\b)""")
_HERE_DOCUMENT = re.compile(
    r"""reward\.json['"]?\s*<<-?\s*['"]?(?P<end>\w+)['"]?\n(?P<text>[^`]{1,2000}?)\n[^\S\n]{0,9}(?P=end)\b"""
)
_BY_DATE = "it depends on the day or the hour, and the instruction says nothing about them"
_BY_SPEED = "it depends on how fast this machine is, and the instruction says nothing about time"
_ABOUT_DATES = re.compile(
    r"\b(?:today|now|current|dates?|days?|time|clock|timestamps?|hours?|year|expir\w+|recent\w*)\b", re.IGNORECASE
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
    if not writing or not _writes_one(writing[-1]):
        return
    if all(map(_writes_one, writing)):
        without = missed_paths(named, writes_reward)
    else:  # The last of all, if it stands for itself, is reached whatever was written before.
        lines = named.split("\n")
        if lines[writing[-1].number - 1].strip() != writing[-1].text or not writing[-1].text.startswith(
            ("echo ", "printf ")
        ):
            return
        lines[writing[-1].number - 1] = "last-write"
        without = missed_paths("\n".join(lines), lambda text: text == "last-write")
    if not without.at_end and not without.at_failure:
        why = "it writes a reward of 1 whatever the tests find"
        yield LintFinding("always-passes", f"tests/test.sh:{writing[-1].number}", why)


def _writes_one(line: CommandLine) -> bool:
    """Whether a line writes a reward of 1 and no other one."""
    return not line.code and 0 < len(_ONE.findall(line.text)) == len(_REWARD_FILE.findall(line.text))


def _lost_status(script: str) -> Iterator[LintFinding]:
    """Exit statuses of tests that can't be those of a failure."""
    lines = command_lines(script)
    for before, line in itertools.pairwise(lines):
        # The status behind && or || is that of the command before it in the same line.
        if not _STATUS.search(re.split(r";|&&|\|\|", line.text)[0]):
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
            return "the status that is looked at afterwards is 0, whatever the tests find"
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
        for path in re.findall(r"(?<![\w./$})-])(/[\w.+@-]+(?:/[\w.+@-]+)*\.(?:py|sh|js|ts))(?![\w/])", line.text):
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
    dated, timed = (about.search(facts.files.instruction) is None for about in (_ABOUT_DATES, _ABOUT_TIME))
    script = reward_script(facts.files.script)
    for found in _HERE_DOCUMENT.finditer(script):
        if _QUOTED_VALUE.search(found["text"]):
            yield _not_numeric(f"tests/test.sh:{script.count(chr(10), 0, found.start()) + 1}")
    for line in command_lines(script):
        place, others = f"tests/test.sh:{line.number}", set(_JSON_FILE.findall(line.text)) - {"reward.json"}
        tree = parse_python(line.code) if "reward.json" in line.code else None
        in_words = not others and _IS_REWARD.search(line.text) and _QUOTED_VALUE.search(line.text)
        if "reward.json" in script and (in_words or (tree is not None and non_numeric_rewards(tree))):
            yield _not_numeric(place)
        if re.search(r"(?:\[|\(\().{0,200}\bRANDOM\b|\b(?:grep|cmp|diff|\[)\s.{0,200}\bshuf\b", line.text):
            why = "it depends on a random number, not on the output"
            yield LintFinding("random-verdict", place, why)
        if dated and re.search(r"(?:\[|\b(?:grep|diff|cmp)\b).{0,200}\$\(date\b", line.text):
            yield LintFinding("by-date", place, _BY_DATE)
        if timed and re.search(r"(?:\[|\(\().{0,200}\$?\bSECONDS\b.{0,9}(?:-l[te]|<)", line.text):
            yield LintFinding("wall-clock", place, _BY_SPEED)


def _without_demands(facts: TaskFacts) -> Iterator[LintFinding]:
    scripts = "\n".join(text for name, text in facts.files.tests.items() if name.endswith(".sh"))
    named = {name for name in facts.trees if posixpath.basename(name) in scripts} or set(facts.trees)
    run = bool(_RUNNER.search("\n".join(facts.files.tests.values())))
    trees = [(name, facts.trees[name]) for name in sorted(named) if run]
    demands = [(name, one) for name, tree in trees for one in test_demands(tree)]
    idle = [(name, line, why) for name, tree in trees for line, why in idle_statements(tree)]
    if all(one.nothing is not None for _, one in demands):
        idle = [(name, one.line, f"{one.name} can't fail: {one.nothing}") for name, one in demands]
    for name, line, why in idle:
        yield LintFinding("tests-nothing", f"tests/{name}:{line}", why)


def _python(facts: TaskFacts) -> Iterator[LintFinding]:
    yield from _without_demands(facts)
    dated = _ABOUT_DATES.search(facts.files.instruction) is None
    timed = _ABOUT_TIME.search(facts.files.instruction) is None
    for name, tree in facts.trees.items():
        for line in swallowed_assertions(tree):
            why = "the assertion's failure is caught and forgotten"
            yield LintFinding("failure-swallowed", f"tests/{name}:{line}", why)
        for line in () if SEEDED.search(facts.files.tests[name]) else random_verdicts(tree):
            yield LintFinding(
                "random-verdict", f"tests/{name}:{line}", "it depends on a random number, not on the output"
            )
        for line in asserted_dates(tree) if dated else ():
            yield LintFinding("by-date", f"tests/{name}:{line}", _BY_DATE)
        if set(_JSON_FILE.findall(facts.files.tests[name])) == {"reward.json"}:
            yield from (_not_numeric(f"tests/{name}:{line}") for line in non_numeric_rewards(tree)[:1])
        for line in measured_times(tree) if timed else ():
            yield LintFinding("wall-clock", f"tests/{name}:{line}", _BY_SPEED)
    for name, text in facts.files.tests.items():
        run = posixpath.basename(name) in facts.files.script
        if name.endswith(".py") and run and parse_python(text) is None and len(text) < _MOST_SOURCE:
            yield LintFinding("syntax", f"tests/{name}", "it can't be parsed as Python")
