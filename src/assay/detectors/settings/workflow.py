"""Workflows of a CI, in YAML: which commands run tests, and whether a failure counts."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.detectors.settings.checkers import checkers_in
from assay.detectors.settings.commands import HIDDEN, RUNNER, command_changes, runs_tests
from assay.detectors.settings.settings_text import load_yaml
from assay.detectors.settings.weakening import Weakening, weakening, weakenings

_COMMANDS = frozenset(
    {
        "run", "script", "commands", "command", "bash", "sh", "pwsh", "powershell", "inlineScript", "before_script",
        "cmd", "cmds", "entry",
    }
)  # fmt: skip
# Patterns that leave out all branches, or all changes of code.
_EVERYTHING = re.compile(
    r"\*+(?:/\*+)?|(?:\*\*/)?\*\.(?:py|[jt]sx?|go|rs|java|rb|cs)|(?:src|lib|tests?|spec|app|pkg)/\*\*(?:/\*)?"
)
_IGNORING = ("continue-on-error", "allow_failure", "continueOnError", "soft_fail", "ignore_error")
_MOST_NODES = 20_000


@dataclass
class Workflow:
    """One workflow file. ``ignored`` counts the test steps and jobs whose failure does not count, and
    ``unchecked`` the linters and type checkers.
    """

    commands: list[str] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    never: Counter[str] = field(default_factory=Counter)
    unchecked: Counter[str] = field(default_factory=Counter)
    triggers: frozenset[str] = frozenset()

    @property
    def runners(self) -> frozenset[str]:
        return frozenset(found[0].split()[0] for command in self.commands for found in RUNNER.finditer(command))


def read_workflow(text: str | None) -> Workflow | None:
    """A workflow; None where it can't be read."""
    if text is None:
        return Workflow()
    documents = load_yaml(text)
    if documents is None:
        return None
    found = Workflow()
    for document in documents:
        _walk(document, found)
        if isinstance(document, dict):
            found.triggers |= _triggers(document.get("on", document.get(True)))
            found.never.update(_hidden_jobs(document))
    return found


def compare(before: Workflow, after: Workflow, text: str, elsewhere: frozenset[str]) -> Iterator[Weakening]:
    """The weakenings. ``elsewhere`` has the runners of other changed workflows: a test may have moved."""
    if before.runners and not after.runners:
        if not elsewhere:
            yield weakening("test_command_emptied", text, "", sorted(before.runners), None)
        return
    changes = command_changes("\n".join(before.commands), "\n".join(after.commands), is_test=False)
    yield from weakenings((one for one in changes if before.runners or one[0] in HIDDEN), text)
    for key in after.ignored - before.ignored:
        yield weakening("failure_ignored", text, key, None, f"{key}: true")
    checkers = checkers_in("\n".join(before.commands))
    for key in after.unchecked - before.unchecked:
        if key.partition(": ")[2] in checkers:
            yield weakening("failure_ignored", text, key.partition(":")[0], None, key)
    for key in after.never - before.never:
        yield weakening("not_run", text, key.partition(":")[0], None, key)
    usual = {"push", "pull_request"}
    lost = before.triggers & usual and not after.triggers & {*usual, "merge_group", "schedule"}
    if lost or (usual <= before.triggers and (before.triggers - after.triggers) & usual and _ignores(text)):
        yield weakening("not_run", text, "on", sorted(before.triggers), sorted(after.triggers))


def _ignores(text: str) -> bool:
    """An event that is gone may have been left out on purpose; one that is there and counts for nothing is not."""
    return "branches-ignore" in text or "paths-ignore" in text


def together(workflows: Iterable[Workflow]) -> Workflow:
    """Several workflows as one."""
    found = Workflow()
    for one in workflows:
        found.commands += one.commands
        found.ignored += one.ignored
        found.never += one.never
        found.unchecked += one.unchecked
        found.triggers |= one.triggers
    return found


def _walk(document: object, found: Workflow) -> None:
    """Every mapping once, also where aliases would repeat it."""
    waiting: list[object] = [document]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_NODES:
        value = waiting.pop()
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        seen.add(id(value))
        waiting += value.values() if isinstance(value, dict) else value
        if isinstance(value, dict):
            _read_mapping(value, found)


def _read_mapping(mapping: dict[object, object], found: Workflow) -> None:
    own = [command for key, value in mapping.items() if key in _COMMANDS for command in _texts(value)]
    found.commands += own
    ignoring = [key for key in _IGNORING if _ignores_failure(mapping.get(key))]
    for checker in checkers_in("\n".join(own)) if ignoring else ():
        found.unchecked[f"{ignoring[0]}: {checker}"] += 1
    if not any(runs_tests(command) for command in own) and not _has_test_steps(mapping):
        return
    found.ignored.update(ignoring)
    if _goes_on(mapping, own):
        found.ignored["shell"] += 1
    if _never_by_rules(mapping):
        found.never["rules: never"] += 1
    for key in ("if", "when", "enabled", "condition", "only"):
        value = str(mapping.get(key, "")).strip().lower()
        if re.fullmatch(
            r"false|\$\{\{\s*false\s*\}\}|never|manual|\$\{\{\s*failure\(\)\s*&&\s*false\s*\}\}", value
        ):
            found.never[f"{key}: {value}"] += 1


def _ignores_failure(value: object) -> bool:
    """With codes for which a failure is none, it is one that is ignored as well."""
    return isinstance(value, dict | list) or str(value).lower() == "true"


def _goes_on(mapping: dict[object, object], commands: list[str]) -> bool:
    """Whether a step has a shell that does not stop, and its last command is none of the tests."""
    shell = re.fullmatch(r"(?:ba|z|da)?sh\s+\{0\}", str(mapping.get("shell", "")).strip())
    return shell is not None and any(not runs_tests(command.strip().split("\n")[-1]) for command in commands)


def _never_by_rules(mapping: dict[object, object]) -> bool:
    rules, stages = mapping.get("rules"), mapping.get("stages")
    never = (
        isinstance(rules, list)
        and bool(rules)
        and all(isinstance(rule, dict) and rule.get("when") in ("never", "manual") for rule in rules)
    )
    return never or stages == ["manual"]


def _hidden_jobs(document: dict[object, object]) -> Iterator[str]:
    """Jobs of GitLab's whose name keeps them from running, where nobody builds upon them."""
    jobs = {str(name): job for name, job in document.items() if isinstance(job, dict)}
    used = " ".join(str(job.get("extends", "")) for job in jobs.values())
    for name, job in jobs.items():
        if name.startswith(".") and name not in used and any(map(runs_tests, _texts(job.get("script")))):
            yield f"{name}: hidden"


def _has_test_steps(mapping: dict[object, object]) -> bool:
    """Whether a job has a step that runs tests."""
    steps = mapping.get("steps")
    for step in steps[:200] if isinstance(steps, list) else ():
        if isinstance(step, dict) and any(runs_tests(text) for key in _COMMANDS for text in _texts(step.get(key))):
            return True
    return False


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value[:20_000]]
    return [item for item in value[:500] if isinstance(item, str)] if isinstance(value, list) else []


def _triggers(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    if isinstance(value, dict):
        return frozenset(str(event) for event, filters in value.items() if not _leaves_all_out(filters))
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()


def _leaves_all_out(filters: object) -> bool:
    """Whether an event counts for no branch, or for no change of code."""
    ignored = (
        [filters.get(key) for key in ("branches-ignore", "paths-ignore")] if isinstance(filters, dict) else []
    )
    patterns = [str(one) for part in ignored for one in (part if isinstance(part, list) else [part or ""])]
    return any(_EVERYTHING.fullmatch(pattern) for pattern in patterns)
