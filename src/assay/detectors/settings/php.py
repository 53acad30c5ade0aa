"""PHPUnit and Pest: the scripts of composer.json, and phpunit.xml."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.detectors.settings.javascript import script_changes
from assay.detectors.settings.settings_text import json_object, read_xml, table
from assay.detectors.settings.weakening import Weakening, weakening

_STRICT = re.compile(r"(?:failOn|beStrictAbout)\w{1,60}")
_USUAL = ("Test.php", ".php", "")


def composer(before: str | None, after: str | None) -> Iterator[Weakening]:
    """The scripts of composer.json, each a command or a list of them. All else is free."""
    yield from script_changes(_scripts(before), _scripts(after), after or "")


def _scripts(text: str | None) -> dict[str, str]:
    scripts = table(json_object(text), "scripts") or {}
    return {name: _commands(value) for name, value in scripts.items()}


def _commands(value: object) -> str:
    lines = value if isinstance(value, list) else [value]
    return "\n".join(re.sub(r"^@(?:php[ ])?", "", str(line)) for line in lines)


@dataclass(slots=True)
class _Settings:
    """The phpunit.xml settings on which tests run, and what fails them."""

    excluded: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    endings: set[str] = field(default_factory=set)
    attributes: dict[str, str] = field(default_factory=dict)


def phpunit_xml(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Groups and files that are left out, folders that aren't looked into, and failures that no longer count."""
    old, new, text = _read(before or ""), _read(after or ""), after or ""
    for name in sorted(new.excluded - old.excluded):
        yield weakening("tests_excluded", text, name, None, name)
    if new.groups and (not old.groups or old.groups - new.groups):
        yield weakening("tests_excluded", text, min(new.groups), sorted(old.groups), sorted(new.groups))
    if before is None or after is None:
        return
    if _is_narrower(old.folders, new.folders):
        yield weakening("tests_not_collected", text, "<testsuite", sorted(old.folders), sorted(new.folders))
    for ending in sorted(new.endings - old.endings):
        yield weakening("tests_not_collected", text, ending, None, ending)
    suite = new.attributes.get("defaultTestSuite")
    if suite and suite != old.attributes.get("defaultTestSuite"):
        yield weakening("narrowed", text, "defaultTestSuite", old.attributes.get("defaultTestSuite"), suite)
    for name, value in sorted(old.attributes.items()):
        if _STRICT.fullmatch(name) and value == "true" and new.attributes.get(name) != "true":
            yield weakening("strictness_removed", text, name, f"{name}={value}", f"without {name}")


def _is_narrower(old: set[str], new: set[str]) -> bool:
    """Whether a folder is gone and nothing new is there but parts of it."""
    gone, fresh = old - new, new - old
    return bool(gone) and all(any(one.startswith(f"{path.rstrip('/')}/") for path in gone) for one in fresh)


def _read(text: str) -> _Settings:
    settings = _Settings()
    for step in read_xml(text):
        if step.attributes is not None:
            if step.name == "phpunit":
                settings.attributes |= step.attributes
            if step.path[-2:] == ("testsuite", "directory"):
                affixes = {step.attributes.get("suffix", ""), step.attributes.get("prefix", "")}
                settings.endings |= affixes.difference(_USUAL)
        elif not step.text:
            continue
        elif step.path[-3:] == ("groups", "exclude", "group") or step.path[-2:] == ("testsuite", "exclude"):
            settings.excluded.add(step.text)
        elif step.path[-3:] == ("groups", "include", "group"):
            settings.groups.add(step.text)
        elif step.path[-2:] in (("testsuite", "directory"), ("testsuite", "file")):
            settings.folders.add(step.text.removeprefix("./"))
    return settings
