"""Makefiles and shell scripts: targets and lines that run tests."""

import re
from collections.abc import Iterator

from assay.formats.runner_config.commands import HIDDEN, command_changes, option_changes, runs_tests
from assay.formats.runner_config.weakening import Weakening, weakening

_TARGET = re.compile(r"^([A-Za-z0-9_.%/$(){} -]+?)\s*::?(?![=:])\s*(.*)$")
_VARIABLE = re.compile(r"^(?:export\s+|override\s+)*([A-Za-z_][\w.]*)\s*(?:[:?+!]|::)?=\s*(.*)$")
_TEST_TARGET = re.compile(
    r"(?:.*[-_/.])?(?:tests?|check|ci|verify|spec|unit|integration|coverage|cover)(?:[-_/.].*)?$"
)
_TEST_VARIABLE = re.compile(
    r".*(?:TEST|PYTEST|JEST|RSPEC|MOCHA|VITEST|ADDOPTS|GOFLAGS|SPEC_OPTS|CARGO_ARGS|MAVEN|MVN|GRADLE).*",
    re.IGNORECASE,
)
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
        elif now != recipe:
            yield from _recipe(recipe, now, is_test, text)
    for target in sorted(new.recipes.keys() - old.recipes.keys()):
        yield from _recipe("", new.recipes[target], False, text)
    yield from _variables(old.variables, new.variables, text)
    if ".IGNORE" in new.recipes and ".IGNORE" not in old.recipes:
        yield weakening("failure_ignored", text, ".IGNORE", None, ".IGNORE:")


def script(before: str | None, after: str | None) -> Iterator[Weakening]:
    """A shell script that runs tests."""
    if before is None or after is None:
        return
    for rule, part in command_changes(before, after, is_test=False):
        yield weakening(rule, after, part, None, part)


def options(before: str | None, after: str | None) -> Iterator[Weakening]:
    """A file that is nothing but the options of a command."""
    for rule, part in option_changes(_one_line(before), _one_line(after)):
        yield weakening(rule, after or "", part, None, part)


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
        for rule, part in option_changes(old.get(found[1], "").strip().strip("\"'"), value):
            yield weakening(rule, after or "", found[0][:40], old.get(found[1]), part)


class _Make:
    def __init__(self) -> None:
        self.recipes: dict[str, str] = {}
        self.variables: dict[str, str] = {}


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
            targets = target_line[1].split()[:50]
            for target in targets:
                found.recipes.setdefault(target, "")
    return found


def _recipe(before: str, after: str, is_test: bool, text: str) -> Iterator[Weakening]:
    old, new = _without_signs(before), _without_signs(after)
    for rule, part in command_changes(old, new, is_test=is_test):
        if before or rule in HIDDEN:
            yield weakening(rule, text, part, before, part)
    known = {_plain(line) for line in before.split("\n") if line.lstrip("@+").startswith("-")}
    for line in after.split("\n"):
        if line.lstrip("@+").startswith("-") and runs_tests(_plain(line)) and _plain(line) not in known:
            yield weakening("failure_ignored", text, line, None, line)


def _without_signs(recipe: str) -> str:
    return "\n".join(line.lstrip("@-+ ") for line in recipe.split("\n"))


def _plain(line: str) -> str:
    return line.lstrip("@-+ ")


def _variables(before: dict[str, str], after: dict[str, str], text: str) -> Iterator[Weakening]:
    for name, value in after.items():
        was = before.get(name, "")
        if value == was:
            continue
        if name == "SHELL" and _SHELL.match(value):
            yield weakening("failure_ignored", text, "SHELL", was, f"SHELL = {value}")
        elif name in ("MAKEFLAGS", "GNUMAKEFLAGS") and re.search(
            r"(?<!\S)-?\w*[in]\w*(?!\S)|--ignore-errors|--dry-run", value
        ):
            yield weakening("failure_ignored", text, name, was, f"{name} = {value}")
        elif _TEST_VARIABLE.match(name):
            for rule, part in option_changes(was, value):
                yield weakening(rule, text, name, was, part)
