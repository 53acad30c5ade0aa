"""Makefiles and shell scripts: targets and lines that run tests."""

import re
from collections.abc import Iterator

from assay.detectors.settings.commands import HIDDEN, REDEFINED, command_changes, option_changes, runs_tests
from assay.detectors.settings.weakening import Weakening, fresh, weakening, weakenings

_TARGET = re.compile(r"^( *+[A-Za-z0-9_.%/$(){}-]++(?: ++[A-Za-z0-9_.%/$(){}-]++)*+| )\s*+::?(?![=:])\s*+(.*)$")
_VARIABLE = re.compile(r"^(?:export\s+|override\s+)*([A-Za-z_][\w.]*)\s*(?:[:?+!]|::)?=\s*(.*)$")
_TEST_TARGET = re.compile(
    r"(?:.*[-_/.])?(?:tests?|check|ci|verify|spec|unit|integration|coverage|cover)(?:[-_/.].*)?$"
)
_TEST_VARIABLE = re.compile(
    r".*(?:TEST|PYTEST|JEST|RSPEC|MOCHA|VITEST|ADDOPTS|GOFLAGS|SPEC_OPTS|CARGO_ARGS|MAVEN|MVN|GRADLE).*",
    re.IGNORECASE,
)
_STOPS = re.compile(r"(?m)^[ \t]*set[ ]+-\w*e|^[ \t]*set[ ]+-o[ ]+errexit|\A#!.*[ ]-\w*e")
_LEAVES = re.compile(r"(?!trap\b)\S.*\bexit[ ]+0\b|exit[ ]+0\b")
_IGNORING_FLAGS = re.compile(r"(?<!\S)-?(?>\w*?[in])\w*+(?!\S)|--ignore-errors|--dry-run")
_SHELL = re.compile(r"(?:\S*/)?(?:true|echo|:)\b")


def makefile(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Recipes of test targets, options in variables, and switches that make ignore errors."""
    old, new, text = _parsed(before or ""), _parsed(after or ""), after or ""
    for target, recipe in old.recipes.items():
        is_test = _TEST_TARGET.match(target) is not None
        now = new.recipes.get(target)
        if now is None:
            if is_test and runs_tests(recipe) and not any(runs_tests(other) for other in new.recipes.values()):
                yield weakening("test_command_emptied", text, target, recipe, None)
        elif now != recipe and not _hands_on(target, old, new):
            yield from _recipe(recipe, now, is_test, text)
    for target in sorted(new.recipes.keys() - old.recipes.keys()):
        yield from _recipe("", new.recipes[target], False, text)
    yield from _variables(old.variables, new, text)
    yield from _needs(old, new, text)
    if ".IGNORE" in new.recipes and ".IGNORE" not in old.recipes:
        yield weakening("failure_ignored", text, ".IGNORE", None, ".IGNORE:")


def script(before: str | None, after: str | None) -> Iterator[Weakening]:
    """A shell script that runs tests."""
    if before is None or after is None:
        return
    yield from weakenings(command_changes(before, after, is_test=False), after)
    yield from weakenings(fresh(_ways_out(before), _ways_out(after)), after)
    if _STOPS.search(before) and not _STOPS.search(after) and runs_tests(after):
        yield weakening("failure_ignored", after, "", "set -e", None)


def _ways_out(text: str) -> Iterator[tuple[str, str]]:
    """Ways for a script with tests to end well whatever they say, or before they are run."""
    raw = [line.rstrip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    lines = [line.strip() for line in raw]
    last = max((at for at, line in enumerate(lines) if runs_tests(line)), default=0)
    for line in raw[:last]:
        if REDEFINED.match(line.strip()):
            yield "command_replaced", line.strip()
        # What is indented hangs on something, and what asks for arguments has a reason.
        if _LEAVES.match(line) and not re.search(r"\$[1-9@#*]|help", line):
            yield "not_run", line
    for line in lines if any(runs_tests(line.lstrip("-")) for line in lines) else ():
        if re.search(r"\b(?:catchError|warnError)\s*\(|\breturnStatus\s*:\s*true", line):
            yield "failure_ignored", line
        if line.startswith("-") and runs_tests(line.lstrip("-")):
            yield "failure_ignored", line


def options(before: str | None, after: str | None) -> Iterator[Weakening]:
    """A file that is nothing but the options of a command."""
    return weakenings(option_changes(_one_line(before), _one_line(after)), after or "")


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def environment(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Variables that runners take options from, in a file of settings of any kind."""
    pattern = re.compile(
        r"\b(PYTEST_ADDOPTS|GOFLAGS|MAVEN_ARGS|MAVEN_OPTS|SPEC_OPTS|RSPEC_OPTS|TESTOPTS|JEST_ARGS|GRADLE_OPTS)[\"']?\s{0,4}[:=]\s{0,4}([^\n]{1,400})"
    )
    old = {found[1]: found[2] for found in pattern.finditer(before or "")}
    for found in pattern.finditer(after or ""):
        value = found[2].strip().strip("\"'")
        changes = option_changes(old.get(found[1], "").strip().strip("\"'"), value)
        yield from weakenings(changes, after or "", old.get(found[1]), found[0][:40])
    off = re.compile(r"\bPYTHONOPTIMIZE[\"']?\s{0,4}[:=]\s{0,4}[\"']?[1-9]\w*")
    if off.search(before or "") is None and (switched := off.search(after or "")):
        yield weakening("assertions_off", after or "", switched[0], None, switched[0])


class _Make:
    def __init__(self) -> None:
        self.recipes: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.needs: dict[str, set[str]] = {}


def _parsed(text: str) -> _Make:
    found = _Make()
    targets: list[str] = []
    for line in re.sub(r"\\\r?\n[ \t]*", " ", text).split("\n"):
        if line.startswith("\t"):
            for target in targets:
                found.recipes[target] = found.recipes[target] + line.strip() + "\n"
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if variable := _VARIABLE.match(line[:4000]):
            found.variables[variable[1]] = variable[2]
        elif target_line := _TARGET.match(line[:4000]):
            # A variable may be given to one target alone.
            if variable := _VARIABLE.match(target_line[2]):
                found.variables[variable[1]] = variable[2]
                continue
            targets = target_line[1].split()[:50]
            needs, _, at_once = target_line[2].partition(";")
            for target in targets:
                found.recipes[target] = found.recipes.get(target, "") + (f"{at_once.strip()}\n" if at_once else "")
                found.needs.setdefault(target, set()).update(needs.split()[:200])
    return found


def _recipe(before: str, after: str, is_test: bool, text: str) -> Iterator[Weakening]:
    # How a shell is started may stand in a variable.
    shell = "\n: pipefail" if "pipefail" in text else ""
    old, new = _without_signs(before), _without_signs(after) + shell
    changes = command_changes(old, new, is_test=is_test)
    yield from weakenings((one for one in changes if before or one[0] in HIDDEN), text, before)
    known = {_plain(line) for line in before.split("\n") if line.lstrip("@+").startswith("-")}
    for line in after.split("\n"):
        if line.lstrip("@+").startswith("-") and runs_tests(_plain(line)) and _plain(line) not in known:
            yield weakening("failure_ignored", text, line, None, line)


def _without_signs(recipe: str) -> str:
    return "\n".join(line.lstrip("@-+ ") for line in recipe.split("\n"))


def _plain(line: str) -> str:
    return line.lstrip("@-+ ")


def _hands_on(target: str, old: _Make, new: _Make) -> bool:
    """Whether a target now asks for others that run tests, in the place of its own commands."""
    fresh = new.needs.get(target, set()) - old.needs.get(target, set())
    return not new.recipes[target] and any(runs_tests(new.recipes.get(one, "")) for one in fresh)


def _needs(old: _Make, new: _Make, text: str) -> Iterator[Weakening]:
    """Targets of tests that another one no longer asks for, or that are files now, which may be up to date."""
    for target, needed in old.needs.items():
        lost = {one for one in needed - new.needs.get(target, set()) if _TEST_TARGET.match(one)}
        if target == ".PHONY" and (named := sorted(lost & new.recipes.keys())):
            yield weakening("not_run", text, f"{named[0]}:", f".PHONY: {named[0]}", None)
        elif (
            _TEST_TARGET.match(target)
            and lost & new.recipes.keys()
            and not runs_tests(new.recipes.get(target, ""))
        ):
            yield weakening("test_command_emptied", text, f"{target}:", sorted(lost), None)


def _variables(before: dict[str, str], make: _Make, text: str) -> Iterator[Weakening]:
    tests = "\n".join(recipe for target, recipe in make.recipes.items() if _TEST_TARGET.match(target))
    for name, value in make.variables.items():
        was = before.get(name, "")
        if value == was:
            continue
        ignores = _IGNORING_FLAGS.search(value) if name in ("MAKEFLAGS", "GNUMAKEFLAGS") else None
        used = name == "SHELL" or re.search(rf"\$[({{]{re.escape(name)}[)}}]", tests)
        if ignores or (used and _SHELL.match(value)):
            yield weakening("failure_ignored", text, name, was, f"{name} = {value}")
        elif _TEST_VARIABLE.match(name):
            yield from weakenings(option_changes(was, value), text, was, name)
