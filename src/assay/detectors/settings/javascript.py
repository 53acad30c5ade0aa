"""package.json and the configuration files of jest, vitest, mocha, karma, playwright and cypress."""

import json
import re
from collections.abc import Iterator, Mapping

from assay.detectors.settings.checkers import weaker_scripts
from assay.detectors.settings.commands import command_changes, runs_tests
from assay.detectors.settings.patterns import excluded, is_specific, not_included
from assay.detectors.settings.settings_text import json_object, load_yaml, plain_text, table
from assay.detectors.settings.weakening import Weakening, weakening
from assay.detectors.test_code.word_sets import word_set
from assay.evidence.workspace import ReadApart

Values = Mapping[str, list[str]]

_EXCLUDES = word_set(
    "testPathIgnorePatterns modulePathIgnorePatterns exclude ignore testIgnore excludeSpecPattern"
)
_INCLUDES = word_set("testMatch testRegex include spec specPattern testDir roots files projects")
_SELECTS = word_set("grep fgrep grepInvert invert testNamePattern onlyFailures dryRun dry-run")
_IGNORE_FAILURES = word_set(
    "testFailureExitCode dangerouslyIgnoreUnhandledErrors passOnFailingTestSuite pass-on-failing-test-suite"
)
_USUAL_ROOT = re.compile(r"src|test|spec|lib|app|packages|<rootDir>/?$|^\./?$")
_PASSES = word_set(
    "passWithNoTests dangerouslyIgnoreUnhandledErrors allowOnly testFailureExitCode updateSnapshot "
    "pass-with-no-tests passOnFailingTestSuite pass-on-failing-test-suite"
)
_STRICT = word_set(
    "forbidOnly forbid-only forbidPending forbid-pending failOnEmptyTestSuite failOnFailingTestSuite "
    "errorOnDeprecated"
)
_RETRIES = frozenset({"retries", "retry", "retryTimes"})
_THRESHOLDS = frozenset({"branches", "functions", "lines", "statements", "check-coverage"})
_SECTIONS = ("jest", "vitest", "mocha", "ava", "nyc", "c8", "tap")
# Programs of the workspace that take the place of a part of the runner itself.
_RUNS = frozenset({"testRunner", "runner", "automock"})
_KEYS = _RUNS | _EXCLUDES | _INCLUDES | _SELECTS | _PASSES | _STRICT | _RETRIES | _THRESHOLDS
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
        yield from compare(_of_json(old.get(section)), _of_json(new.get(section)), text, had=section in old)
    had, has = (_MAPPED.findall(json.dumps(package.get("jest"))) for package in (old, new))
    yield from _mapped(had, has, text)
    for name in sorted(_local_frameworks(new) - _local_frameworks(old)):
        yield weakening("framework_replaced", text, f'"{name}"', None, name)


def _commands(package: dict[str, object]) -> dict[str, str]:
    return {name: str(command) for name, command in (table(package, "scripts") or {}).items()}


def json_config(before: str | None, after: str | None) -> Iterator[Weakening]:
    """``jest.config.json``, ``.mocharc.json`` and their kin."""
    old, new = _of_json(json_object(before)), _of_json(json_object(after))
    yield from compare(old, new, after or "", had=before is not None)


def yaml_config(before: str | None, after: str | None) -> Iterator[Weakening]:
    """``.mocharc.yml`` and ``.nycrc.yml``."""
    old, new = (_of_json((load_yaml(text or "") or [None])[0]) for text in (before, after))
    yield from compare(old, new, after or "", had=before is not None)


def code_config(path: str, before: str | None, after: str | None, apart: ReadApart) -> Iterator[Weakening]:
    """Configuration that is written as JavaScript or TypeScript: the keys that matter, wherever they stand.

    Raises ``UnreadableError`` where the parser gives up on it.
    """
    from assay.detectors.settings.code_keys import ConfigKeys, ConfigText, read_keys  # noqa: PLC0415 - rarely needed

    language = "typescript" if path.endswith("ts") else "javascript"
    old, new = (
        apart(read_keys, ConfigText(language, text.encode("utf-8", "replace").decode(), _KEYS), ConfigKeys)
        for text in (before or "", after or "")
    )
    yield from compare(old.values, new.values, after or "", had=before is not None)
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


def compare(before: Values, after: Values, text: str, *, had: bool) -> Iterator[Weakening]:
    """Weaker settings among two sets. ``had`` says whether there were any before."""
    for key in sorted({*before, *after}):
        old, new = before.get(key, []), after.get(key, [])
        if old == new:
            continue
        rule, shown = _weaker(key, old, new, had)
        if rule:
            yield weakening(rule, text, key, old, [f"{key}:", *shown])


def _switched_on(key: str, value: str) -> bool:
    """For an exit code, 0 is the value that makes a failure pass."""
    return value == "0" if key == "testFailureExitCode" else value in ("true", "0", '"all"')


def _weaker(key: str, old: list[str], new: list[str], had: bool) -> tuple[str, list[str]]:
    """The rule that the new values of a key break, and the values that do; "" where they are as strict."""
    if key in _EXCLUDES:
        fresh = excluded(old, new)
        return ("tests_excluded", fresh) if fresh else ("", [])
    if key in _THRESHOLDS and old and _number(new) < _number(old):
        return "threshold_lowered", new
    if key in _RETRIES and had and _number(new) > _number(old):
        return "retried", new
    if key in _STRICT and _is_switched_off(old, new):
        return "strictness_removed", new
    return (_rule_of_new(key, old, new), new) if new else ("", [])


def _is_switched_off(old: list[str], new: list[str]) -> bool:
    return old[:1] != ["false"] and (new[:1] == ["false"] or (bool(old) and not new))


def _rule_of_new(key: str, old: list[str], new: list[str]) -> str:
    """The rule that values break which a key has now, whatever it had."""
    if key in _INCLUDES and _collects_less(key, old, new):
        return "tests_not_collected"
    if key in _RUNS and (new[0] == "true" or new[0].startswith((".", "/", "<rootDir>"))):
        return "module_replaced"
    if key in _SELECTS and new != ["false"]:
        return "narrowed"
    if key in _PASSES and _switched_on(key, new[0]):
        return "failure_ignored" if key in _IGNORE_FAILURES else "empty_run_passes"
    return ""


def _collects_less(key: str, old: list[str], new: list[str]) -> bool:
    if key == "roots" and not any(map(_USUAL_ROOT.search, new)):
        return True
    return bool(not_included(old, new)) if old else all(map(is_specific, new))


def script_changes(before: dict[str, str], after: dict[str, str], text: str) -> Iterator[Weakening]:
    """Named commands that got weaker."""
    for name in sorted({*before, *after}):
        was, now = before.get(name, ""), after.get(name, "")
        is_test = _TEST_SCRIPT.match(name) is not None
        if was == now or not (_ran_tests(name, was) if not now else was or _matters_new(name, now, is_test)):
            continue
        for rule, part in command_changes(was, now, is_test=is_test):
            yield weakening(rule, text, f'"{name}"', was, now if rule == "test_command_emptied" else part)


def _ran_tests(name: str, was: str) -> bool:
    """Whether a script that was removed ran the tests."""
    return name == "test" and runs_tests(was)


def _matters_new(name: str, now: str, is_test: bool) -> bool:
    """Whether a new script is one that a run of the tests may call."""
    called = name in ("test", "pretest", "posttest") or runs_tests(now)
    return is_test and called and not _is_placeholder(now)


def _is_placeholder(command: str) -> bool:
    return "no test specified" in command


def _of_json(section: object) -> Values:
    """The keys that matter at any depth, with their values as lists."""
    found: dict[str, list[str]] = {}
    waiting = [section]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += [item for item in value if isinstance(item, dict)]
        for key, inner in value.items() if isinstance(value, dict) else ():
            if key in _KEYS:
                found.setdefault(key, []).extend(_listed(inner))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found


def _listed(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [plain_text(item) for item in items if not isinstance(item, dict | list)]


def _number(values: list[str]) -> float:
    found = re.findall(r"\d+(?:\.\d+)?", " ".join(values))
    return max(map(float, found), default=0.0)
