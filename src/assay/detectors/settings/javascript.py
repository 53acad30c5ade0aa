"""package.json and the configuration files of jest, vitest, mocha, karma, playwright and cypress."""

import json
import re
from collections.abc import Iterator

from assay.detectors.settings.checkers import weaker_scripts
from assay.detectors.settings.commands import command_changes, runs_tests
from assay.detectors.settings.compare import weaker
from assay.detectors.settings.runners import RUNNER, RUNNER_KEYS, of_document
from assay.detectors.settings.settings_text import json_object, table
from assay.detectors.settings.weakening import Weakening, weakening
from assay.evidence.workspace import ReadApart

_SECTIONS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap")
_TEST_SCRIPT = re.compile(r"(?:pre|post)?(?:test|tests|check|ci|verify|spec|coverage|unit|e2e)(?:[:\-_].*)?$")
_MAPPED = re.compile(r"[\"']([^\"'\n]{1,120})[\"']\s{0,4}:\s{0,4}\[?\s{0,4}[\"']([^\"'\n]{1,200})[\"']")
_RELATIVE = re.compile(r"\^?(?:\.{1,2}/|\.\*/|\(\.\*\)/|/)|.*\.(?:test|spec)\b")
_ASSET = re.compile(
    r"\b(?:css|scss|sass|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|eot|mp[34]|md|mdx|html|txt|json|graphql|wasm)\b"
)
_FRAMEWORKS = re.compile(
    r"(?:@?jest|@?vitest|mocha|chai|expect|ava|tap|jasmine|karma|sinon|@playwright/|cypress)(?:$|[/-])"
)


def package_json(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Scripts and the sections of test runners. Dependencies and all else are free."""
    old, new = json_object(before), json_object(after)
    text = after or ""
    yield from script_changes(_commands(old), _commands(new), text)
    yield from weaker_scripts(_commands(old), _commands(new), text)
    for section in _SECTIONS:
        was, now = of_document(old.get(section)), of_document(new.get(section))
        yield from weaker(RUNNER, was, now, text, had=section in old)
    had, has = (_MAPPED.findall(json.dumps(package.get("jest"))) for package in (old, new))
    yield from _mapped(had, has, text)
    for name in sorted(_local_frameworks(new) - _local_frameworks(old)):
        yield weakening("framework_replaced", text, f'"{name}"', None, name)


def _commands(package: dict[str, object]) -> dict[str, str]:
    return {name: str(command) for name, command in (table(package, "scripts") or {}).items()}


def code_config(path: str, before: str | None, after: str | None, apart: ReadApart) -> Iterator[Weakening]:
    """Configuration that is written as JavaScript or TypeScript: the keys that matter, wherever they stand.

    Raises ``UnreadableError`` where the parser gives up on it.
    """
    from assay.detectors.settings.code_keys import ConfigKeys, ConfigText, read_keys  # noqa: PLC0415 - rarely needed

    language = "typescript" if path.endswith("ts") else "javascript"
    old, new = (
        apart(read_keys, ConfigText(language, text.encode("utf-8", "replace").decode(), RUNNER_KEYS), ConfigKeys)
        for text in (before or "", after or "")
    )
    yield from weaker(RUNNER, old.values, new.values, after or "", had=before is not None)
    yield from _mapped(old.pairs, new.pairs, after or "")


def _mapped(before: list[tuple[str, str]], after: list[tuple[str, str]], text: str) -> Iterator[Weakening]:
    """Modules of the project, or its tests, that are given something else in their place.

    Names of packages, aliases of folders and files that are no code are what such tables are for.
    """
    for pair in after:
        key, value = pair[0].replace("\\", ""), pair[1]
        local = value.startswith((".", "/", "<rootDir>")) and "$1" not in value
        if pair not in before and local and _RELATIVE.match(key) and not _ASSET.search(key):
            yield weakening("module_replaced", text, pair[0], None, f'"{pair[0]}": "{value}"')


def _local_frameworks(package: dict[str, object]) -> set[str]:
    """Test frameworks that are taken from a folder or from under another name."""
    sections = ("dependencies", "devDependencies", "overrides", "resolutions", "optionalDependencies")
    listed = [package.get(section) for section in sections]
    versions = [entry for part in listed if isinstance(part, dict) for entry in part.items()]
    foreign = ("file:", "link:", "portal:", "patch:", "npm:", ".", "/")
    return {name for name, version in versions if _FRAMEWORKS.match(name) and str(version).startswith(foreign)}


def script_changes(before: dict[str, str], after: dict[str, str], text: str) -> Iterator[Weakening]:
    """Named commands that got weaker."""
    for name in sorted({*before, *after}):
        was, now = before.get(name, ""), after.get(name, "")
        is_test = _TEST_SCRIPT.match(name) is not None
        ran_tests = name == "test" and runs_tests(was)
        if was == now or not (ran_tests if not now else was or _matters_new(name, now, is_test)):
            continue
        for rule, part in command_changes(was, now, is_test=is_test):
            yield weakening(rule, text, f'"{name}"', was, now if rule == "test_command_emptied" else part)


def _matters_new(name: str, now: str, is_test: bool) -> bool:
    """Whether a new script is one that a run of the tests may call."""
    called = name in ("test", "pretest", "posttest") or runs_tests(now)
    return is_test and called and "no test specified" not in now
