"""Command lines that run tests: what in them lets less run or hides a failure."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterator
from typing import Final

RUNNER = re.compile(
    r"(?:(?<![\w./-])|(?<=vendor/bin/)|(?<=node_modules/\.bin/)|(?<=\bbin/))(?:py\.?test|nosetests|tox|nox|jest|vitest|mocha|ava|karma|cypress(?![ ]+(?:install|cache|verify))|playwright(?![ ]+(?:install|uninstall))|jasmine|rspec|phpunit|paratest|pest|(?:php[ ])?artisan[ ]test|composer[ ](?:run(?:-script)?[ ])?(?:test|phpunit|pest)[\w:-]*|xcodebuild[ ][^|;&\n]{0,200}?\btest|ctest|bats|behave|trial|"
    r"gotestsum|ginkgo|(?:npm|yarn|pnpm|bun)(?:[ ]run)?[ ](?:-\S+[ ])*(?:test|t\b|tst)[\w:-]*|go[ ]test|cargo[ ](?:\+\S+[ ])?(?:test|nextest)|mvnw?|gradlew?|"
    r"rake[ ](?:test|spec)|rails[ ]test|dotnet[ ]test|dotnet[ ]vstest|make[ ](?:-\S+[ ])*(?:test|check)\w*|node[ ][^|;&\n]{0,60}--test|deno[ ]test|unittest|coverage[ ]run|"
    r"hatch[ ](?:run[ ])?test\w*|mix[ ]test|swift[ ]test|react-scripts[ ]test|ng[ ]test|bundle[ ]exec[ ](?:rspec|rake)|\./(?:mvnw|gradlew))(?![\w-])"
)
# Hides a failure wherever it stands behind a test command.
_HIDES = (
    ("failure_ignored", re.compile(r"\|\|[ \t]{0,4}(?:true|:|exit[ \t]{1,4}0|echo\b|printf\b|/bin/true|\(exit[ ]0\)|\{[ ]{0,2}(?:true|:|echo)|cd[ ]\.|ver\b|set[ ]\w+=)")),
    ("failure_ignored", re.compile(r"(?:;|&)[ \t]{0,4}(?:true|:|exit[ \t]{1,4}(?:/b[ ])?0)[ \t]{0,4}(?:$|[;\"'})])")),
    ("failure_ignored", re.compile(r"(?<!\|)\|[ \t]{0,4}(?:true|:|cat|head|tail)\b")),
    ("failure_ignored", re.compile(r"[^&\s>][ \t]{1,4}&[ \t]{0,4}$")),
    ("assertions_off", re.compile(r"\bpython[\d.]{0,5}[ ](?:-\w+[ ]){0,4}-(?>\w*?O)\w*+[ ]|\bPYTHONOPTIMIZE=[1-9]\w*")),
    ("failure_ignored", re.compile(r"(?:^|[;&][ \t]{0,4})![ \t]{1,4}\w")),
    ("empty_run_passes", re.compile(r"--pass-?[wW]ith-?[nN]o-?[tT]ests(?!=false)|--allow-empty|--suppress-no-test-exit-code|-DfailIfNoTests=false|--no-tests[= ]pass")),
    ("failure_ignored", re.compile(r"--suppress-tests-failed-exit-code|--exit-zero|-Dmaven\.test\.failure\.ignore(?!=false)|--fail-never|(?<!\S)-fn(?!\S)|--ignore-exit-code|--testFailureExitCode[= ]0|--failure-exit-code[= ]0|--dangerouslyIgnoreUnhandledErrors")),
    ("failure_ignored", re.compile(r"(?<!\S)make[ ](?:-\w+[ ]){0,3}(?:-(?>\w*?i)\w*+|--ignore-errors)(?!\S)")),
    ("failure_ignored", re.compile(r"^trap[ \t][^\n]{0,120}\bexit[ \t]{1,4}0\b[^\n]{0,20}\b(?:EXIT|ERR|0)$")),
    ("not_run", re.compile(r"(?<!\S)make[ ](?:-\w+[ ]){0,3}(?:-(?>\w*?n)\w*+|--just-print|--question)(?!\S)")),
    ("not_run", re.compile(r"--collect-only|(?<!\S)--co(?!\S)|--listTests|--list-tests|--no-run(?!\S)|--dry-run|-DskipTests(?!=false)|-Dmaven\.test\.skip(?!=false)|-DskipITs(?!=false)|(?<!\S)-x[ ]+:?\w*[tT]est\w*(?!\S)|--exclude-task|--notest|-count[= ]0(?!\S)|(?<!\S)-list[= ]")),
    ("expectations_rewritten", re.compile(r"--updateSnapshot|--snapshot-update|--inline-snapshot=fix|(?:jest|vitest)\b[^|;&\n]{0,80}[ ](?:-u|--update)(?!\S)|--force-regen|UPDATE_(?:SNAPSHOTS?|GOLDEN|EXPECT)=1|INSTA_UPDATE=always")),
    ("tests_excluded", re.compile(r"\brm[ \t]{1,4}(?:-\w+[ \t]{1,4}){0,3}[^\s;|&]{0,200}(?:test|spec)[\w./*-]{0,80}\.[jt]sx?\b|\brm[ \t]{1,4}(?:-\w+[ \t]{1,4}){0,3}\S{0,80}test_\w+\.py")),
    ("retried", re.compile(r"--reruns[= ]?\d*|--retries[= ]\d+|--retry[= ]\d+|-Dsurefire\.rerunFailingTestsCount|--flaky-\S+|--force-flaky")),
)  # fmt: skip
# Lets fewer tests run.
_NARROWS = re.compile(
    r"(?<!\S)(?:(?:-k|-m(?![= ]{1,2}(?:py\.?test|unittest|tox|nox|coverage|nose|pip|build|trial|behave|mypy)\b)|--deselect|--exclude-group|--exclude-testsuite|--ignore|--ignore-glob|--exclude|--exclude-pattern|--tag|--example|--filter|--grep|--fgrep|-g|--invert|--skip|-skip|"
    r"--testNamePattern|--testPathIgnorePatterns|--testPathPattern|--modulePathIgnorePatterns|--maxfail|--rootdir|--confcutdir|--override-ini|"
    r"--config-file|--findRelatedTests|--changedSince|--changed|--test-name-pattern|--test-skip-pattern|--test-only|-run|--run|--test|--tests|-t|--specs?|--last-failed-no-failures)"
    r"(?:[= ][ ]{0,2}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s;|&]{1,200}))|"
    r"-k[^\s-][^\s;|&]{0,80}|--lf(?!\S)|--last-failed(?!\S)|--sw(?!\S)|--stepwise(?!\S)|-x(?!\S)|--exitfirst|--onlyFailures|--only-failures|--onlyChanged|--noconftest|-short(?!\S)|--lib(?!\S)|"
    r"--bins(?!\S)|--no-cov(?!\S)|--continue-on-collection-errors|--bail=0|-p[ ]{0,2}no:(?!cacheprovider|randomly|sugar|xdist|faulthandler|launch\w*|anyio)[\w.]+|"
    r"-D(?:test|surefire\.excludes|excludedGroups|it\.test)=\S{1,120}|-vet=off)"
)
# Python's own option for a module to run, which is no choice of tests.
_MODULE = re.compile(
    r"\b(python[\d.]{0,5}[ ]{1,4}(?:-[A-Za-ln-z]\w{0,20}[ ]{1,4}){0,6})-m[ ]{1,4}(?=[\w.]+(?!\S))"
)
_LOADS = re.compile(r"(?<!\S)-p[ ]{0,2}(?!no:|pytest_?\w*(?!\S)|xdist(?!\S)|\d)[A-Za-z_][\w.]*(?!\S)")
_STRICT = re.compile(
    r"(?<!\S)(?:-W[ ]{0,2}error\S{0,60}|--cov-fail-under[= ]\d+|--runxfail|--doctest-modules|--forbid-only|--forbid-pending|-race|--failIfNoTests)(?!\S)"
)
_UNDER = re.compile(r"--cov-fail-under[= ](\d+(?:\.\d+)?)")
_TRIVIAL = re.compile(
    r"^\s*+(?:@?-?(?:echo|printf|true|:|exit\s+0|sleep|date|ls|cat|node\s+-e|node\s+-p|python3?\s+-c|ruby\s+-e|rem)\b.*|:|)\s*+$",
    re.DOTALL,
)
# The status of a pipe is that of its last command unless the shell is told otherwise.
_PIPED = re.compile(r"(?<!\|)\|[ \t]{0,4}(?:tee|grep|sed|awk|sort|less|more|ts|column|jq)\b")
_INSTEAD = re.compile(r"\|\|[ \t]{0,4}(.{1,1000})$")
_ASKS = re.compile(r"^(?:which|command[ ]-v|type|test|\[+|hash)[ ]")
REDEFINED = re.compile(
    r"^(?:function[ ]+)?(?:python[\d.]*|pytest|tox|npm|npx|yarn|pnpm|node|go|cargo|mvn|gradle|rspec|rake|bundle|dotnet|make|jest|exit)[ ]?"
    r"\(\)[ ]?\{.{0,200}|^alias[ ](?:python[\d.]*|pytest|npm|node|go|cargo|mvn|gradle|rspec|rake|dotnet|make|jest)=.{0,200}"
)
_NO_TESTS = re.compile(
    r"(?:go[ ](?:vet|build|fmt)|cargo[ ](?:build|check|clippy|fmt)|ruff|flake8|black|mypy|pyright|eslint|prettier|tsc|dotnet[ ]build|"
    r"(?:npm|yarn|pnpm)[ ](?:run[ ])?(?:build|lint)|python3?[ ]-m[ ](?:compileall|py_compile|build))\b"
)
_TRAPPED = re.compile(r"trap\s.*\bexit\s+0\b")
_FAILS = re.compile(r"exit\s+(?:[1-9]|\$)|\bfalse\b|return\s+[1-9]")
_WORD_SPLIT = re.compile(r"\s+")


HIDDEN = frozenset({"failure_ignored", "empty_run_passes", "not_run"})
"""What is wrong with a command even where it is new: there is nothing that it could be narrower than."""


def runs_tests(command: str) -> bool:
    return RUNNER.search(command) is not None


def command_changes(before: str, after: str, *, is_test: bool) -> Iterator[tuple[str, str]]:
    """Rule and part of the later command for everything that it hides or leaves out and the earlier one did not.

    ``is_test`` is true where the command's name says that it runs tests; else only its parts with a runner count.
    """
    old, new = _test_parts(before, is_test), _test_parts(after, is_test)
    if not new:
        if old and (_TRIVIAL.match(after) or is_test):
            yield ("test_command_emptied", after.strip() or "(nothing)")
        return
    if is_test and any(map(runs_tests, old)) and all(map(_is_no_test, new)):
        yield "test_command_emptied", " ".join(new)
    known = {_squeezed(part) for _, part in features("\n".join(old))}
    for rule, part in features("\n".join(new)):
        if _squeezed(part) not in known:
            yield rule, part
    yield from _lost(old, new)
    yield from _narrower_paths(old, new)


_EXPRESSION = re.compile(r"\$\{\{[^{}\n]{0,400}\}\}")
_QUOTED = re.compile(r"'([^'\n]{0,400})'")


def _is_no_test(line: str) -> bool:
    """Whether a command is known to run no tests. One that is followed by another may."""
    return _NO_TESTS.match(line) is not None and not runs_tests(line) and not re.search(r"&&|;|\|", line)


def features(command: str) -> Iterator[tuple[str, str]]:
    """Everything in a command that hides failures or narrows the tests, with its rule."""
    piped = "pipefail" not in command
    for line in command.split("\n"):
        # Signs in an expression of a workflow are not the shell's; its texts are.
        part = _EXPRESSION.sub(lambda found: " ".join(_QUOTED.findall(found[0])), line[:4000])
        for rule, pattern in _HIDES:
            yield from ((rule, found[0]) for found in pattern.finditer(part))
        if piped:
            yield from (("failure_ignored", found[0]) for found in _PIPED.finditer(part))
        instead = _INSTEAD.search(part)
        if instead and runs_tests(part[: instead.start()]) and _is_harmless(part, instead[1]):
            yield "failure_ignored", instead[0]
        # A branch that ends well either way.
        if re.match(r"if\s(?>.*?;\s*then\b).*\bfi\b", part) and runs_tests(part) and not _FAILS.search(part):
            yield "failure_ignored", part
        yield from (("narrowed", found) for found in _narrowing(_MODULE.sub(r"\1", part)))
        yield from (("plugin_loaded", found[0]) for found in _LOADS.finditer(part))


def _narrowing(line: str) -> Iterator[str]:
    known = [found[0] for found in _NARROWS.finditer(line)]
    yield from known
    yield from (part for part in narrowing_options(line) if part not in known)


def _is_harmless(line: str, instead: str) -> bool:
    """Whether what is done where a command fails neither fails itself nor runs tests in another way."""
    first = re.split(r"[;&|]", line)[0].strip()
    return not (
        _ASKS.match(first) or _FAILS.search(instead) or runs_tests(instead) or "run" in instead.split()[:2]
    )


def option_changes(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The same for options without a command, as ``addopts`` has them."""
    known = {_squeezed(part) for _, part in features(f"x {before}")}
    yield from ((rule, part) for rule, part in features(f"x {after}") if _squeezed(part) not in known)
    yield from _lost([f"x {before}"], [f"x {after}"])


def _test_parts(command: str, is_test: bool) -> list[str]:
    """The lines of a command that run tests, with what the shell around them makes of their failures."""
    joined = re.sub(r"\\\r?\n[ \t]*", " ", command)
    stripped = (line.strip() for line in joined.split("\n"))
    lines = [line for line in stripped if line and not line.startswith("#")]
    chosen = [line for line in lines if runs_tests(line) or (is_test and not _TRIVIAL.match(line))]
    return _as_the_shell_runs_them(chosen, lines) if chosen else []


def _as_the_shell_runs_them(chosen: list[str], lines: list[str]) -> list[str]:
    """A shell that goes on after failures concerns all lines. A trap decides how a script ends, wherever it is."""
    if any(re.match(r"set \+e\b|set \+o errexit", line) for line in lines):
        chosen = [f"{line} || true" for line in chosen]
    if len(lines) > 1 and re.fullmatch(r"exit 0|true|:", lines[-1]):
        chosen = [*chosen[:-1], f"{chosen[-1]}; exit 0"]
    taken = set(chosen)
    traps = [line for line in lines if line not in taken and (_TRAPPED.match(line) or "pipefail" in line)]
    return [*chosen, *traps]


def _lost(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Options that made a run stricter and are gone."""
    kept = {_squeezed(found[0].partition("=")[0]) for line in new for found in _STRICT.finditer(line)}
    for line in old:
        for found in _STRICT.finditer(line):
            if _squeezed(found[0].partition("=")[0]) not in kept:
                yield "strictness_removed", f"without {found[0]}"
    demanded = [float(found) for line in old for found in _UNDER.findall(line)]
    still = [float(found) for line in new for found in _UNDER.findall(line)]
    if demanded and still and min(still) < min(demanded):
        yield "threshold_lowered", f"--cov-fail-under={min(still):g}"


def _narrower_paths(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """``go test ./...`` that became ``go test ./a``; ``pytest`` that became ``pytest tests/test_a.py``."""
    before, after = _paths(old), _paths(new)
    if not after or len(old) != len(new):
        return
    if before:
        covered = all(any(_covers(other, path) for other in after) for path in before)
        narrower = not covered and not any(path in ("./...", ".") for path in after)
    else:
        narrower = all(map(_is_specific, after))
    if narrower:
        yield "narrowed", " ".join(after)


def _is_specific(path: str) -> bool:
    return "/" in path or re.search(r"\.\w{1,4}(?:::|$)|::", path) is not None


def _covers(path: str, other: str) -> bool:
    """Whether a path has another one in it. Patterns below the same folder may differ in their endings."""
    if "*" in path and "*" in other:
        return path.partition("*")[0] == other.partition("*")[0]
    return path == other or other.startswith(path.rstrip("/.") + "/")


def _paths(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        runner = re.search(r"(?:py\.?test|jest|vitest|mocha|rspec|go test)\b(.*)", line)
        words = _WORD_SPLIT.split(re.split(r"[|;&>]", runner[1])[0]) if runner else []
        found += [
            word.strip("\"'")
            for word in words
            if re.fullmatch(r"[\"']?(?:\./|tests?\b|spec\b|src/|pkg/|[\w-]+/)[\w./*{},:\[\]-]*[\"']?", word)
            and "=" not in word
        ]
    return found


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("=", "").replace('"', "").replace("'", "")


_VALUE: Final = r"(?:[= ][ ]{0,2}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s;|&]{1,200}))"
_OF_RUNNER: Final = (
    (re.compile(r"\bphpunit\b|\bpest\b|\bartisan[ ]test\b|\bparatest\b|\bcomposer\b"), re.compile(rf"(?<!\S)--(?:(?:exclude-)?(?:group|testsuite|filter)|covers|uses|exclude){_VALUE}")),
    (re.compile(r"\brspec\b"), re.compile(rf"(?<!\S)(?:-[eEt]|--example-matches|--exclude-pattern){_VALUE}")),
    (re.compile(r"\b(?:rails|rake)[ ]test\b"), re.compile(rf"(?<!\S)(?:-[nei]|--name|--exclude|--include){_VALUE}")),
    (re.compile(r"\bmocha\b"), re.compile(rf"(?<!\S)(?:-[fg]{_VALUE}|(?:-i|--invert)(?!\S))")),
    (re.compile(r"\bgo[ ]test\b"), re.compile(rf"(?<!\S)(?:--?test\.(?:skip|run)|--run){_VALUE}")),
    (re.compile(r"\bginkgo\b"), re.compile(rf"(?<!\S)--?(?:label-filter|focus|focus-file|skip-file|skip-package){_VALUE}")),
    (re.compile(r"\bcargo[ ](?:\+\S{1,40}[ ])?test\b"), re.compile(r"(?<!\S)(?:--exact(?!\S)|test[ ]{1,4}[a-z_][\w:]{0,200}(?!\S))")),
    (re.compile(r"\bnextest\b"), re.compile(rf"(?<!\S)(?:-E|--filterset|--filter-expr|--partition){_VALUE}")),
    (re.compile(r"\bdotnet\b|\bvstest\b"), re.compile(rf"(?<!\S)(?:--(?:treenode-filter|filter-(?:not-)?(?:class|method|trait|namespace)){_VALUE}|(?:--filter:|(?:/|--?)TestCaseFilter[:= ])[^\s;|&]{{1,200}})")),
    (re.compile(r"\bmvnw?\b"), re.compile(r"(?<!\S)-D(?:(?:surefire|failsafe)\.(?:exclude|include)s?(?:File)?|groups)=[^\s;|&]{1,120}")),
    (re.compile(r"\bctest\b"), re.compile(rf"(?<!\S)(?:-[ERLI]|-LE|--(?:exclude-regex|tests-regex|label-regex|label-exclude|exclude-from-file|tests-from-file)){_VALUE}")),
    (re.compile(r"\bbats\b"), re.compile(rf"(?<!\S)(?:-f|--filter-tags|--filter-status|--negative-filter){_VALUE}")),
    (re.compile(r"\bbehave\b|\bcucumber\b|\bbehat\b"), re.compile(rf"(?<!\S)(?:-[nie]|--tags|--name|--include){_VALUE}")),
    (re.compile(r"\bplaywright\b"), re.compile(rf"(?<!\S)(?:--grep-invert|-gv){_VALUE}")),
    (re.compile(r"\bxcodebuild\b"), re.compile(r"(?<!\S)-(?:skip|only)-test(?:ing|-configuration)[: ][ ]{0,2}[^\s;|&]{1,200}")),
)  # fmt: skip


def narrowing_options(line: str) -> Iterator[str]:
    """The options in a line that choose tests, as the runner in it means them."""
    for runner, options in _OF_RUNNER:
        if runner.search(line):
            yield from (found[0] for found in options.finditer(line))
