"""Commands that run linters and type checkers: those whose failure no longer counts, and those that are gone."""

import re
from collections.abc import Iterator

from assay.detectors.settings.weakening import Weakening, weakening

CHECKER = re.compile(
    r"(?<![\w./])(?<!\w-)(?:ruff|flake8|pylint|mypy|pyright|basedpyright|pytype|eslint|oxlint|tsc|tslint|biome|staticcheck|"
    r"golangci-lint|go[ ]vet|cargo[ ](?:\+\S+[ ])?clippy|phpstan|psalm|phpcs|rubocop|srb[ ]tc|swiftlint|detekt|"
    r"ktlint|checkstyle\w*|spotbugs\w*|shellcheck|clang-tidy|pre-commit[ ]run|"
    r"(?:npm|yarn|pnpm|bun)(?:[ ]run)?[ ](?:lint|typecheck|type-check|check-types|check:types)[\w:-]*|"
    r"make[ ](?:lint|typecheck|types))(?![\w./-])"
)
_HIDDEN = re.compile(
    r"\|\|[ \t]{0,4}(?:true|:|exit[ \t]{1,4}0|echo\b|printf\b|/bin/true)|"
    r";[ \t]{0,4}(?:true|:|exit[ \t]{1,4}0)(?=[ \t\"']{0,4}$)|"
    r"--exit-zero|--issues-exit-code[= ]0|--no-error-on-unmatched-pattern|--fail-level[= ]F\b|--max-warnings[= ]-1"
)
_RECIPE = re.compile(r"^\t[@+]{0,2}-")


def runs_checker(command: str) -> bool:
    return CHECKER.search(command) is not None


def checkers_in(commands: str) -> frozenset[str]:
    """The names of the checkers that commands run."""
    return frozenset(CHECKER.findall(commands))


def hidden_checkers(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Lines in which a checker's failure is ignored now, of a checker that ran before."""
    if after is None or CHECKER.search(after) is None:
        return
    known = {"".join(line.split()) for line in (before or "").split("\n")}
    ran = checkers_in(before or "")
    for line in after.split("\n"):
        found = CHECKER.search(line[:4000])
        if found is None or "".join(line.split()) in known or line.lstrip().startswith("#"):
            continue
        hides = _HIDDEN.search(line[:4000]) or _RECIPE.match(line)
        if hides and found[0] in ran:
            yield weakening("failure_ignored", after, line, None, line.strip())


def weaker_scripts(before: dict[str, str], after: dict[str, str], text: str) -> Iterator[Weakening]:
    """Named commands that ran a checker and no longer do, or whose failure no longer counts."""
    for name, command in before.items():
        now = after.get(name)
        if now is None or now == command or not runs_checker(command):
            continue
        if not runs_checker(now) and not _hands_on(now):
            yield weakening("checker_not_run", text, f'"{name}"', command, now or "(nothing)")
        elif (hides := _HIDDEN.search(now)) and not _HIDDEN.search(command):
            yield weakening("failure_ignored", text, f'"{name}"', command, hides[0])


def _hands_on(command: str) -> bool:
    """Whether a command may run a checker by way of another tool."""
    return (
        re.search(r"\b(?:npm|yarn|pnpm|bun|npx|turbo|nx|lerna|make|just|task|wireit|pre-commit)\b", command)
        is not None
    )
