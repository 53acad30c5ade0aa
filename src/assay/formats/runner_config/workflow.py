"""Workflows of a CI, in YAML: which commands run tests, and whether a failure counts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay.formats.runner_config.commands import HIDDEN, RUNNER, command_changes, runs_tests
from assay.formats.runner_config.weakening import Weakening, weakening
from assay.formats.runner_config.yaml_text import load_yaml

_COMMANDS = frozenset(
    {"run", "script", "commands", "command", "bash", "sh", "pwsh", "powershell", "inlineScript", "before_script"}
)
_MOST_NODES = 20_000


@dataclass
class Workflow:
    """What matters of one file. ``ignored`` counts the test steps and jobs whose failure does not count."""

    commands: list[str] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    never: Counter[str] = field(default_factory=Counter)
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
    return found


def compare(before: Workflow, after: Workflow, text: str, elsewhere: frozenset[str]) -> Iterator[Weakening]:
    """What got weaker. ``elsewhere`` has the runners of other changed workflows: a test may have moved."""
    if before.runners and not after.runners:
        if not elsewhere:
            yield weakening("test_command_emptied", text, "", sorted(before.runners), None)
        return
    for rule, part in command_changes("\n".join(before.commands), "\n".join(after.commands), is_test=False):
        if before.runners or rule in HIDDEN:
            yield weakening(rule, text, part, None, part)
    for key in after.ignored - before.ignored:
        yield weakening("failure_ignored", text, key, None, f"{key}: true")
    for key in after.never - before.never:
        yield weakening("not_run", text, key.partition(":")[0], None, key)
    if before.triggers & {"push", "pull_request"} and not after.triggers & {
        "push",
        "pull_request",
        "merge_group",
        "schedule",
    }:
        yield weakening("not_run", text, "on", sorted(before.triggers), sorted(after.triggers))


def together(workflows: Iterable[Workflow]) -> Workflow:
    """Several workflows as one."""
    found = Workflow()
    for one in workflows:
        found.commands += one.commands
        found.ignored += one.ignored
        found.never += one.never
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
    if not any(runs_tests(command) for command in own) and not _has_test_steps(mapping):
        return
    for key in ("continue-on-error", "allow_failure", "continueOnError", "soft_fail"):
        if mapping.get(key) is True or str(mapping.get(key)).lower() == "true":
            found.ignored[key] += 1
    for key in ("if", "when", "enabled", "condition", "only"):
        value = str(mapping.get(key, "")).strip().lower()
        if re.fullmatch(
            r"false|\$\{\{\s*false\s*\}\}|never|manual|\$\{\{\s*failure\(\)\s*&&\s*false\s*\}\}", value
        ):
            found.never[f"{key}: {value}"] += 1


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
    return frozenset(map(str, value)) if isinstance(value, list | dict) else frozenset()
