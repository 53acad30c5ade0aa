"""The settings that matter of JavaScript's test runners, wherever they are in a document, nextest's, PHPUnit's."""

from assay.detectors.settings.demands import (
    adds_no_ending,
    adds_nothing,
    chooses_no_fewer,
    collects_as_much,
    demand,
    excludes_no_tests,
    has_none_of,
    is_above,
    is_not_above,
    is_not_disabled,
    keeps_folders,
    keeps_roots,
    of_a_file,
    selects_nothing,
    stays_on,
    takes_nothing_local,
)
from assay.detectors.settings.settings_text import Flat, json_object, load_yaml, plain_text

_LAX = has_none_of("true", "0", '"all"')
_TABLE = (
    (excludes_no_tests, "tests_excluded", "testPathIgnorePatterns modulePathIgnorePatterns exclude ignore"),
    (excludes_no_tests, "tests_excluded", "testIgnore excludeSpecPattern"),
    (is_above, "threshold_lowered", "branches functions lines statements check-coverage"),
    (is_not_above, "retried", "retries retry retryTimes"),
    (
        is_not_disabled,
        "strictness_removed",
        "forbidOnly forbid-only forbidPending forbid-pending errorOnDeprecated",
    ),
    (is_not_disabled, "strictness_removed", "failOnEmptyTestSuite failOnFailingTestSuite"),
    (keeps_roots, "tests_not_collected", "roots"),
    (
        collects_as_much,
        "tests_not_collected",
        "testMatch testRegex include spec specPattern testDir files projects",
    ),
    (takes_nothing_local, "module_replaced", "testRunner runner automock"),
    (selects_nothing, "narrowed", "grep fgrep grepInvert invert testNamePattern onlyFailures dryRun dry-run"),
    (has_none_of("0"), "failure_ignored", "testFailureExitCode"),
    (
        _LAX,
        "failure_ignored",
        "dangerouslyIgnoreUnhandledErrors passOnFailingTestSuite pass-on-failing-test-suite",
    ),
    (_LAX, "empty_run_passes", "passWithNoTests allowOnly updateSnapshot pass-with-no-tests"),
)
RUNNER = tuple(demand(names.split(), weaker, rule) for weaker, rule, names in _TABLE)
RUNNER_KEYS = frozenset(name for *_, names in _TABLE for name in names.split())
PHPUNIT = (
    demand(r"groups\.exclude\.group|[^\n]*testsuite\.exclude", adds_nothing, "tests_excluded"),
    demand(r"groups\.include\.group", chooses_no_fewer, "tests_excluded"),
    demand(r"[^\n]*testsuite\.(?:directory|file)", of_a_file(keeps_folders), "tests_not_collected"),
    demand(r"[^\n]*testsuite\.directory\.(?:suffix|prefix)", of_a_file(adds_no_ending), "tests_not_collected"),
    demand(r"phpunit\.defaultTestSuite", of_a_file(selects_nothing), "narrowed"),
    demand(r"phpunit\.(?:failOn|beStrictAbout)\w{1,60}", of_a_file(stays_on), "strictness_removed"),
)
NEXTEST = (demand(r"profile\.[^\n]*\.default-filter", selects_nothing, "tests_excluded"),)


def of_runner(text: str) -> Flat:
    """A configuration in JSON."""
    return of_document(json_object(text))


def of_runner_yaml(text: str) -> Flat:
    return of_document((load_yaml(text) or [None])[0])


def of_document(document: object) -> Flat:
    """The keys that matter at any depth, with their values as lists."""
    found: dict[str, list[str]] = {}
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += [item for item in value if isinstance(item, dict)]
        for key, inner in value.items() if isinstance(value, dict) else ():
            if key in RUNNER_KEYS:
                items = inner if isinstance(inner, list) else [inner]
                found.setdefault(key, []).extend(
                    plain_text(one) for one in items if not isinstance(one, dict | list)
                )
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found
