"""Cargo, Go, Maven, Gradle, .NET and Ruby: settings of a build that keep tests from running or from counting."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.detectors.runner_config.code_text import CodeText
from assay.detectors.runner_config.commands import features
from assay.detectors.runner_config.pytest_settings import table, toml
from assay.detectors.runner_config.weakening import Weakening, line_of, shown, weakening
from assay.detectors.runner_config.xml_text import read_xml

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
_RAKE = (
    ("failure_ignored", re.compile(r"fail_on_error\s{0,4}=\s{0,4}false|rescue\s+SystemExit|\|\|\s{0,4}true")),
    ("not_run", re.compile(r"Task\[[^\]\n]{0,40}(?:test|spec)[^\]\n]{0,20}\]\.(?:clear\w*|reenable\b|actions\b)|task\s{0,4}\(?:?[\"']?(?:test|spec)[\"']?\)?\s{0,4}(?:\{|do\b)[^\n]{0,20}(?:puts|true|nil|\}|end)")),
    ("tests_excluded", re.compile(r"exclude_pattern|\.exclude\(")),
    ("tests_not_collected", re.compile(r"\.(?:pattern|test_files)\s{0,4}=\s{0,4}[^*\n]{1,200}$", re.MULTILINE)),
    ("narrowed", re.compile(r"(?:rspec_opts|options)\s{0,4}\+?=[^\n]{0,100}(?:--tag|--dry-run|--example|--name)")),
)  # fmt: skip

_CARGO_TARGETS = {
    "lib": ("test", "harness", "doctest"),
    "bin": ("test", "harness", "doctest"),
    "test": ("test", "harness", "doctest"),
    "example": ("test",),
}


def cargo(before: str | None, after: str | None) -> Iterator[Weakening]:
    """Targets whose tests no longer run or run without the harness, and checks that are off."""
    old, new = _cargo_switches(before or ""), _cargo_switches(after or "")
    names = _names(before or "")
    for key in sorted(new - old):
        # A new test target may well have a harness of its own.
        if not (key.startswith("test.") and key.split(".")[1] not in names and key.endswith("harness = false")):
            rule = "tests_not_collected" if "harness" in key else "not_run"
            yield weakening(rule, after or "", key.rpartition(".")[2], None, key)


def nextest(before: str | None, after: str | None) -> Iterator[Weakening]:
    old, new = toml(before or "") or {}, toml(after or "") or {}
    for profile, settings in (table(new, "profile") or {}).items():
        value = settings.get("default-filter") if isinstance(settings, dict) else None
        if value and value != (table(old, "profile", profile) or {}).get("default-filter"):
            yield weakening("tests_excluded", after or "", "default-filter", None, value)


def go_mod(before: str | None, after: str | None) -> Iterator[Weakening]:
    """A test library that is replaced by a folder of the workspace."""
    pattern = re.compile(
        r"(?:github\.com/(?:stretchr/testify|google/go-cmp|onsi/\w|golang/mock)|gotest\.tools)(?:(?!=>)\S){0,300}+[^\n]{0,40}=>\s{0,4}\.{0,2}/\S+"
    )
    known = {found[0] for found in pattern.finditer(before or "")}
    for found in pattern.finditer(after or ""):
        if found[0] not in known:
            yield weakening("framework_replaced", after or "", found[0], None, found[0])


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
    yield from _by_pattern(_GRADLE, before, after)
    yield from _by_pattern(_IN_GRADLE_TASK, _of_test_task(before or ""), _of_test_task(after or ""))
    if "useJUnitPlatform" in (before or "") and "useJUnit()" in _without_comments(after or ""):
        yield weakening("tests_not_collected", after or "", "useJUnit()", "useJUnitPlatform", "useJUnit()")


def _of_test_task(text: str) -> str:
    """A build file in which only the blocks of the test task are left, on their lines."""
    code = CodeText(text)
    blocks = [code.body(found.end() - 1) for found in _GRADLE_TASK.finditer(code.code)]
    kept = [False] * len(text)
    for start, end in filter(None, blocks):
        kept[start:end] = [True] * (end - start)
    return "".join(sign if keep or sign == "\n" else " " for sign, keep in zip(code.code, kept, strict=True))


def rakefile(before: str | None, after: str | None) -> Iterator[Weakening]:
    yield from _by_pattern(_RAKE, before, after)
    old, new = _default_tasks(before), _default_tasks(after)
    if old & {"test", "spec"} and new and not new & {"test", "spec", *(old - {"test", "spec"})}:
        yield weakening("not_run", after or "", "default", sorted(old), sorted(new))


def _default_tasks(text: str | None) -> set[str]:
    found = re.findall(r"(?m)^[^\S\n]*+task\s*+\(?:?default\s*+(?:=>|:)\s*([^\n]{1,200})", text or "")
    return {word for line in found for word in re.findall(r"\w+", line)}


def rspec(before: str | None, after: str | None) -> Iterator[Weakening]:
    """``.rspec``: options on lines of their own."""
    known = set(_rspec_features(before))
    for rule, part in _rspec_features(after):
        if (rule, part) not in known:
            yield weakening(rule, after or "", part, None, part)


def _rspec_features(text: str | None) -> Iterator[tuple[str, str]]:
    options = f"rspec {' '.join((text or '').split())}"
    yield from features(options)
    for found in re.finditer(r"(?<!\S)(?:--pattern|-P|--default-path)[= ]\s{0,4}(\S+)", options):
        if not re.search(r"^[\"']?(?:spec/?|(?:\{?spec[^/]*/)?\*\*(?:\{[^}]*\})?/\*_spec\.rb)[\"']?$", found[1]):
            yield "tests_not_collected", found[0]


def junit_platform(before: str | None, after: str | None) -> Iterator[Weakening]:
    """``junit-platform.properties``: a run that runs nothing, and conditions that are switched off."""
    rules = (("not_run", re.compile(r"(?m)^[^\S\n]*+[\w.]*dryRun\.enabled\s*+[=:]\s*+true\b")),)
    yield from _by_pattern(rules, before, after)


def _by_pattern(
    rules: tuple[tuple[str, re.Pattern[str]], ...], before: str | None, after: str | None
) -> Iterator[Weakening]:
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


def _cargo_switches(text: str) -> frozenset[str]:
    """What is switched off in a manifest, as ``test.name.harness = false``."""
    manifest = toml(text) or {}
    switches = {switch for part in _CARGO_TARGETS for switch in _target_switches(manifest, part)}
    switches |= _switched_off("package", table(manifest, "package"), ("autotests",))
    for profile in ("test", "dev"):
        settings = table(manifest, "profile", profile)
        switches |= _switched_off(f"profile.{profile}", settings, ("debug-assertions", "overflow-checks"))
    return frozenset(switches)


def _target_switches(manifest: dict[str, object], part: str) -> Iterator[str]:
    targets = manifest.get(part)
    for target in targets if isinstance(targets, list) else [targets]:
        if isinstance(target, dict):
            yield from _switched_off(f"{part}.{target.get('name', '')}", target, _CARGO_TARGETS[part])


def _switched_off(name: str, settings: Mapping[str, object] | None, keys: tuple[str, ...]) -> set[str]:
    return {f"{name}.{key} = false" for key in keys if settings is not None and settings.get(key) is False}


def _names(text: str) -> frozenset[str]:
    tests = (toml(text) or {}).get("test")
    return (
        frozenset(str(target.get("name")) for target in tests if isinstance(target, dict))
        if isinstance(tests, list)
        else frozenset()
    )


def _xml_settings(text: str) -> Counter[str]:
    """``element=text`` and ``element@attribute=value``, without what a profile that is off by default has."""
    reader = _XmlReader()
    read_xml(text, reader)
    return Counter(reader.settings)


class _XmlReader:
    def __init__(self) -> None:
        self.settings: list[str] = []
        self._stack: list[str] = []
        self._words: list[str] = []
        self._plugin = ""
        self._profile: list[str] | None = None
        self._active = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._stack.append(name)
        self._words = []
        if name == "plugin":
            self._plugin = ""
        if name == "profile":
            self._profile, self._active = [], False
        self._add([f"{name}@{key}={value}" for key, value in attributes.items()])

    def text(self, data: str) -> None:
        if len(self._words) < 50:
            self._words.append(data[:400])

    def end(self, name: str) -> None:
        value = "".join(self._words).strip()
        self._words = []
        if self._stack:
            self._stack.pop()
        if name == "artifactId" and self._stack[-1:] == ["plugin"]:
            self._plugin = value
        if name == "activeByDefault" and value == "true":
            self._active = True
        if value:
            self._add([f"{name}={value}"])
        if name == "profile" and self._profile is not None:
            kept, self._profile = (self._profile if self._active else []), None
            self.settings += kept

    def _add(self, settings: list[str]) -> None:
        tests = re.search(r"surefire|failsafe", self._plugin) is not None
        kept = [setting for setting in settings if tests or not _ONLY_FOR_TESTS.match(setting)]
        (self.settings if self._profile is None else self._profile).extend(kept)
