"""Cargo, Go, Maven, Gradle, .NET and Ruby: settings of a build that keep tests from running or from counting."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections import Counter
from collections.abc import Iterator

from assay.detectors.settings.commands import features
from assay.detectors.settings.members import test_targets
from assay.detectors.settings.settings_text import flat, read_xml, toml
from assay.detectors.settings.weakening import Weakening, fresh, line_of, shown, weakening, weakenings

_XML_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("not_run", re.compile(r"(?:skipTests|maven\.test\.skip|skipITs|skip|skipExec)=true$")),
    ("failure_ignored", re.compile(r"(?:testFailureIgnore|maven\.test\.failure\.ignore|ContinueOnError)=true$", re.IGNORECASE)),
    ("empty_run_passes", re.compile(r"(?:failIfNoTests|failIfNoSpecifiedTests|TreatNoTestsAsError)=false$", re.IGNORECASE)),
    ("tests_excluded", re.compile(r"(?:exclude|excludedGroups|excludes|excludesFile|TestCaseFilter|VSTestTestCaseFilter|groups|test|(?:surefire|failsafe)\.(?:exclude|include)s?(?:File)?)=.")),
    ("tests_excluded", re.compile(r"IsTestProject=false$|Compile@Remove=.*[Tt]est|(?:None|Content)@Remove=.*[Tt]est")),
    ("tests_excluded", re.compile(r"testExcludes?=.")),
    ("tests_not_collected", re.compile(r"testSourceDirectory=(?!.*test)|include=(?!(?:\*\*/)?(?:\*\w*|Test\*)(?:\.\w+)?$|.*\.xml$)")),
    ("not_run", re.compile(r"phase=none$|Target@Name=(?:VSTest|_VSTest\w*|Test)$")),
    ("retried", re.compile(r"rerunFailingTestsCount=[1-9]")),
    ("failure_ignored", re.compile(r"TestingPlatformCommandLineArguments=.*(?:ignore-exit-code|filter)")),
)  # fmt: skip
_ONLY_FOR_TESTS = re.compile(r"(?:exclude|excludes|excludesFile|include|groups|test|skip|phase)=")
_DOTNET_TESTS = re.compile(r"Include=\"(?:xunit|NUnit|MSTest|TUnit|Microsoft\.NET\.Test\.Sdk)", re.IGNORECASE)
_OF_DOTNET_TESTS = re.compile(r"Compile@Remove=(?!(?:obj|bin)\b)|EnableDefaultCompileItems=false$")
_GRADLE = (
    ("failure_ignored", re.compile(r"ignoreFailures\s{0,4}(?:=|\.set\()?\s{0,4}true")),
    ("tests_excluded", re.compile(r"excludeTestsMatching|includeTestsMatching|excludeTags|excludeCategories|\bexclude\w*\s{0,4}\(?\s{0,4}[\"'][^\"'\n]*(?:[Tt]est|\*\*/)[^\"'\n]*")),
    ("not_run", re.compile(r"(?:\b[tT]est\w*|withType[^\n]{0,40}Test[^\n]{0,40})(?:\.|\s{0,4}\{[^}]{0,400}?\b)enabled\s{0,4}=\s{0,4}false|onlyIf\s{0,4}\{\s{0,4}false|excludedTaskNames")),
    ("empty_run_passes", re.compile(r"failOn(?:NoDiscoveredTests|NoMatchingTests)\s{0,4}=\s{0,4}false")),
    ("not_run", re.compile(r"dependsOn\.(?:remove|removeAll|clear)\(|dependsOn\s{0,4}-=|setDependsOn\(\s{0,4}(?:\[\s{0,4}\]|emptyList\(\)|listOf\(\))")),
    ("tests_not_collected", re.compile(r"(?<![\w'\"])test\b[^\n]{0,60}\bsrcDirs?\b\s{0,4}(?:=|\()?\s{0,4}[\[(]?\s{0,4}(?:\]|[\"'](?![^\"'\n]*test)[^\"'\n]*[\"'])", re.IGNORECASE)),
)  # fmt: skip
# What says so inside of the block of the task that runs the tests; other tasks may well choose.
_GRADLE_TASK = re.compile(
    r"(?<![\w.'\"])(?:test|(?:project\.)?tasks\.(?:test|named(?:<Test>)?\(\s{0,4}[\"']test[\"'][^)\n]{0,40}\)|withType[(<]\s{0,4}Test\b[^{\n]{0,40}))\s{0,4}\{"
)
_IN_GRADLE_TASK = (
    ("not_run", re.compile(r"\benabled\s{0,4}=\s{0,4}false|\bactions\s{0,4}(?:=|\.clear)|setActions\(|\bonlyIf\s{0,4}\{\s{0,4}false")),
    ("tests_excluded", re.compile(r"\binclude(?:Tags|Categories|Engines)\b[^\n}]{0,200}|\binclude\b[^\n}]{0,200}")),
)  # fmt: skip
# Our parser knows no Groovy. A quote that nothing closes begins no text.
_COMMENT_OR_TEXT = re.compile(
    r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|(?P<text>\"(?:[^\"\\\n]|\\.){0,400}+\"|'(?:[^'\\\n]|\\.){0,400}+')"
)
_NOT_LINE_END = re.compile(r"[^\n]")
_BRACE = re.compile(r"[{}]")
_LONGEST_BLOCK = 20_000
# A test library that is replaced by a folder of the workspace.
GO_MOD = (
    ("framework_replaced", re.compile(r"(?:github\.com/(?:stretchr/testify|google/go-cmp|onsi/\w|golang/mock)|gotest\.tools)(?:(?!=>)\S){0,300}+[^\n]{0,40}=>\s{0,4}\.{0,2}/\S+")),
)  # fmt: skip
# Sessions that take a failure for a success.
NOX = (("failure_ignored", re.compile(r"success_codes\s*=\s*\[[^\]\n1-9]{0,80}[1-9][^\]\n]{0,80}\]")),)
JUNIT_PLATFORM = (("not_run", re.compile(r"(?m)^[^\S\n]*+[\w.]*dryRun\.enabled\s*+[=:]\s*+true\b")),)
_RAKE = (
    ("failure_ignored", re.compile(r"fail_on_error\s{0,4}=\s{0,4}false|rescue\s+SystemExit|\|\|\s{0,4}true")),
    ("not_run", re.compile(r"Task\[[^\]\n]{0,40}(?:test|spec)[^\]\n]{0,20}\]\.(?:clear\w*|reenable\b|actions\b)|task\s{0,4}\(?:?[\"']?(?:test|spec)[\"']?\)?\s{0,4}(?:\{|do\b)[^\n]{0,20}(?:puts|true|nil|\}|end)")),
    ("tests_excluded", re.compile(r"exclude_pattern|\.exclude\(")),
    ("tests_not_collected", re.compile(r"\.(?:pattern|test_files)\s{0,4}=\s{0,4}[^*\n]{1,200}$", re.MULTILINE)),
    ("narrowed", re.compile(r"(?:rspec_opts|options)\s{0,4}\+?=[^\n]{0,100}(?:--tag|--dry-run|--example|--name)")),
)  # fmt: skip

_CARGO_SWITCHES = re.compile(
    r"(?:lib|(?:bin|test)(?:\.[^\n]*)?)\.(?:test|harness|doctest)|example(?:\.[^\n]*)?\.test|package\.autotests|"
    r"profile\.(?:test|dev)\.(?:debug-assertions|overflow-checks)"
)


def cargo(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Targets whose tests no longer run or run without the harness, and checks that are off."""
    old, new = (flat(toml(text or "")) for text in (before, after))
    names = {str(target.get("name")) for target in test_targets(before or "")}
    for key in sorted(new):
        switched = new[key] == ["false"] != old.get(key) and _CARGO_SWITCHES.fullmatch(key)
        part, _, switch = key.rpartition(".")
        # A new test target may well have a harness of its own.
        if switched and not (part.startswith("test.") and part[5:] not in names and switch == "harness"):
            rule = "tests_not_collected" if switch == "harness" else "not_run"
            yield weakening(rule, after or "", f"{switch} = false", None, f"{key} = false")


def xml_build(before: str | None, after: str | None) -> Iterator[Weakening]:
    """pom.xml, project files of .NET and .runsettings."""
    old, new = _xml_settings(before or ""), _xml_settings(after or "")
    rules = _XML_RULES
    if _DOTNET_TESTS.search(before or ""):
        rules = (*rules, ("tests_not_collected", _OF_DOTNET_TESTS))
    if "packaging=pom" in new - old and before and (after or "").count("<module>") <= before.count("<module>"):
        yield weakening("not_run", after or "", "packaging", None, "packaging=pom")
    for setting in new - old:
        for rule, pattern in rules:
            if pattern.match(setting):
                value = setting.partition("=")[2]
                yield Weakening(
                    rule, line_of(after or "", value if len(value) > 5 else f">{value}<"), None, shown(setting)
                )
                break


def gradle(before: str | None, after: str | None) -> Iterator[Weakening]:
    yield from by_pattern(_GRADLE, before, after)
    yield from by_pattern(_IN_GRADLE_TASK, _of_test_task(before or ""), _of_test_task(after or ""))
    if "useJUnitPlatform" in (before or "") and "useJUnit()" in _without_comments(after or ""):
        yield weakening("tests_not_collected", after or "", "useJUnit()", "useJUnitPlatform", "useJUnit()")


def _of_test_task(text: str) -> str:
    """A build file in which only the blocks of the test task are left, on their lines."""
    code = _COMMENT_OR_TEXT.sub(lambda found: found[0] if found["text"] else _blank(found), text)
    bare = _COMMENT_OR_TEXT.sub(_blank, text)
    kept = [False] * len(text)
    for task in _GRADLE_TASK.finditer(code):
        depth, longest = 0, task.end() + _LONGEST_BLOCK
        end = longest if longest < len(text) else task.end()
        for brace in _BRACE.finditer(bare, task.end() - 1, longest):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                end = brace.start()
                break
        kept[task.end() : end] = [True] * (end - task.end())
    return "".join(sign if keep or sign == "\n" else " " for sign, keep in zip(code, kept, strict=True))


def _blank(found: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", found[0])


def rakefile(before: str | None, after: str | None) -> Iterator[Weakening]:
    yield from by_pattern(_RAKE, before, after)
    old, new = _default_tasks(before), _default_tasks(after)
    if old & {"test", "spec"} and new and not new & {"test", "spec", *(old - {"test", "spec"})}:
        yield weakening("not_run", after or "", "default", sorted(old), sorted(new))


def _default_tasks(text: str | None) -> set[str]:
    found = re.findall(r"(?m)^[^\S\n]*+task\s*+\(?:?default\s*+(?:=>|:)\s*([^\n]{1,200})", text or "")
    return {word for line in found for word in re.findall(r"\w+", line)}


def rspec(before: str | None, after: str | None) -> Iterator[Weakening]:
    """``.rspec``: options on lines of their own."""
    return weakenings(fresh(_rspec_features(before), _rspec_features(after)), after or "")


def _rspec_features(text: str | None) -> Iterator[tuple[str, str]]:
    options = f"rspec {' '.join((text or '').split())}"
    yield from features(options)
    for found in re.finditer(r"(?<!\S)(?:--pattern|-P|--default-path)[= ]\s{0,4}(\S+)", options):
        if not re.search(r"^[\"']?(?:spec/?|(?:\{?spec[^/]*/)?\*\*(?:\{[^}]*\})?/\*_spec\.rb)[\"']?$", found[1]):
            yield "tests_not_collected", found[0]


def by_pattern(
    rules: tuple[tuple[str, re.Pattern[str]], ...], before: str | None, after: str | None
) -> Iterator[Weakening]:
    """Everything outside of comments that one of some patterns matches, and that wasn't there."""
    old, new = _without_comments(before or ""), _without_comments(after or "")
    for rule, pattern in rules:
        known = Counter("".join(found[0].split()) for found in pattern.finditer(old))
        for found in pattern.finditer(new):
            squeezed = "".join(found[0].split())
            if known[squeezed]:
                known[squeezed] -= 1
            else:
                yield Weakening(rule, new.count("\n", 0, found.end()) + 1, None, shown(found[0]))


def _without_comments(text: str) -> str:
    return re.sub(r"(?m)^[ \t]*(?://|#|\*)[^\n]*", "", text)


def _xml_settings(text: str) -> Counter[str]:
    """``element=text`` and ``element@attribute=value``, without what a profile that is off by default has."""
    settings: list[str] = []
    profile: list[str] | None = None
    plugin, active = "", False
    for step in read_xml(text):
        starts = step.attributes is not None
        if starts and step.name == "plugin":
            plugin = ""
        elif starts and step.name == "profile":
            profile, active = [], False
        elif step.path[-2:] == ("plugin", "artifactId"):
            plugin = step.text
        active = active or (step.name == "activeByDefault" and step.text == "true")
        found = [f"{step.name}={step.text}"] if step.text else []
        found += [f"{step.name}@{key}={value}" for key, value in (step.attributes or {}).items()]
        tests = re.search(r"surefire|failsafe", plugin) is not None
        kept = [setting for setting in found if tests or not _ONLY_FOR_TESTS.match(setting)]
        (settings if profile is None else profile).extend(kept)
        if not starts and step.name == "profile" and profile is not None:
            settings += profile if active else []
            profile = None
    return Counter(settings)
