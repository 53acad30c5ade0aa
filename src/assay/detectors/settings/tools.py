"""The settings of runners and checkers that matter, and the files they are in: one table for all tools."""

import re
from dataclasses import dataclass

from assay.detectors.settings.demands import (
    SettingDemand,
    adds_nothing,
    demand,
    does_not_fall,
    does_not_rise,
    excludes_no_code,
    ignores_nothing_broad,
    keeps_all,
    ranks,
    stays_off,
    stays_on,
)
from assay.detectors.settings.flat_settings import (
    Read,
    of_code,
    of_golangci,
    of_ini,
    of_json,
    of_lines,
    of_nested_xml,
    of_toml,
    of_xml,
    of_yaml,
)
from assay.detectors.settings.runners import NEXTEST, PHPUNIT, RUNNER, of_runner, of_runner_yaml
from assay.detectors.settings.settings_text import Flat

_ESLINT = ranks("off", "warn", "error")

Demands = tuple[SettingDemand, ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's settings: the files that have them, how these are read, and below which key they are."""

    files: re.Pattern[str]
    read: Read
    demands: Demands
    prefix: str = ""
    counts_when_new: bool = False

    def settings(self, text: str) -> Flat:
        """The tool's own settings in a text."""
        found, prefix = self.read(text), f"{self.prefix}." if self.prefix else ""
        return {key.removeprefix(prefix): values for key, values in found.items() if key.startswith(prefix)}


def _files(*names: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(names)})$")


_PYPROJECT = _files(r"pyproject\.toml")
_MYPY = (
    demand(
        r"strict|disallow_\w+|check_untyped_defs|warn_\w+|no_implicit_\w+|strict_\w+|extra_checks",
        stays_on,
    ),
    demand(r"ignore_errors|overrides\.[^\n]*\.ignore_errors|allow_untyped_\w+", stays_off),
    demand(r"exclude", excludes_no_code),
    demand(r"enable_error_code", keeps_all),
)
_PYRIGHT = (
    demand(r"exclude|ignore", excludes_no_code),
    demand(r"strict", keeps_all),
    demand(r"typeCheckingMode", ranks("off", "basic", "standard", "strict")),
    demand(r"report\w+", ranks("none", "information", "warning", "error")),
)
_RUFF = (
    demand(r"(?:lint\.)?(?:extend-)?exclude", excludes_no_code),
    demand(r"(?:lint\.)?(?:(?:extend-)?ignore|(?:extend-)?per-file-ignores\.[^\n]*)", ignores_nothing_broad),
    demand(r"(?:lint\.)?(?:extend-)?select", keeps_all),
)
_FLAKE8 = (
    demand(r"(?:extend-)?exclude", excludes_no_code),
    demand(r"(?:extend-)?ignore", ignores_nothing_broad),
    demand(r"(?:extend-)?select", keeps_all),
)
_PYLINT = (demand(r"[^\n]*disable", ignores_nothing_broad), demand(r"[^\n]*fail-under", does_not_fall))
_ESLINT_RULES = (
    demand(r"ignorePatterns|ignores", excludes_no_code),
    demand(r"extends", keeps_all),
    demand(r"(?:overrides\.[^\n]*\.)?rules\.[^\n]*", _ESLINT),
)
_TYPESCRIPT = (
    demand(
        r"compilerOptions\.(?:strict\w*|noImplicit\w+|noUnchecked\w+|noUnused\w+|noFallthrough\w+|noEmitOnError|"
        r"exactOptionalPropertyTypes|checkJs|alwaysStrict|useUnknownInCatchVariables)",
        stays_on,
    ),
    demand(r"exclude", excludes_no_code),
)
_BIOME = (
    demand(r"linter\.enabled|linter\.rules\.recommended", stays_on),
    demand(r"[^\n]*\.ignore", excludes_no_code),
    demand(r"linter\.rules\.[^\n]*", ranks("off", "info", "warn", "error")),
)
_GOLANGCI = (
    demand(r"run\.tests", stays_on),
    demand(r"linters\.disable-all", stays_off),
    demand(
        r"issues\.exclude-(?:dirs|files)|run\.skip-(?:dirs|files)|linters\.exclusions\.paths",
        excludes_no_code,
    ),
    demand(r"linters\.disable", adds_nothing),
    demand(r"linters\.enable", keeps_all),
    demand(r"linters\.default", ranks("none", "fast", "standard", "all")),
    demand(r"run\.issues-exit-code", does_not_fall),
)
_CARGO = (
    demand(
        r"(?:workspace\.)?lints\.(?:rust|clippy)\.[\w-]+(?:\.level)?", ranks("allow", "warn", "deny", "forbid")
    ),
)
_PHPSTAN = (
    demand(r"parameters\.excludePaths(?:\.\w+)?", excludes_no_code),
    demand(r"parameters\.ignoreErrors", ignores_nothing_broad),
    demand(r"parameters\.level", does_not_fall),
)
_RUBOCOP = (
    demand(r"[^\n]*\.Enabled", stays_on),
    demand(r"AllCops\.DisabledByDefault", stays_off),
    demand(r"AllCops\.Exclude", excludes_no_code),
)
_SWIFTLINT = (
    demand(r"strict", stays_on),
    demand(r"excluded", excludes_no_code),
    demand(r"disabled_rules", adds_nothing),
    demand(r"only_rules|opt_in_rules", keeps_all),
)
_DETEKT = (demand(r"[^\n]*\.active", stays_on), demand(r"build\.maxIssues", does_not_rise))
_DOTNET = (
    demand(
        r"TreatWarningsAsErrors|Nullable|RunAnalyzers\w*|EnableNETAnalyzers|EnforceCodeStyleInBuild",
        stays_on,
    ),
    demand(r"AnalysisMode", ranks("none", "default", "minimum", "recommended", "all")),
)
_MAVEN = (
    demand(r"failsOnError|failOnViolation|failOnError", stays_on),
    demand(r"(?:checkstyle|pmd|cpd|spotbugs|detekt)\.skip", stays_off),
)

TOOLS: tuple[Tool, ...] = (
    Tool(
        _files(
            r"jest\.config(?:\.\w+)?\.json", r"\.mocharc(?:\.jsonc?)?", r"\.nycrc(?:\.json)?", r"cypress\.json",
            r"\.c8rc\.json", r"\.jestrc(?:\.json)?",
        ),
        of_runner, RUNNER, counts_when_new=True,
    ),
    Tool(_files(r"\.(?:mocharc|nycrc)\.ya?ml"), of_runner_yaml, RUNNER, counts_when_new=True),
    Tool(_files(r"\.config/nextest\.toml"), of_toml, NEXTEST, counts_when_new=True),
    Tool(
        _files(r"phpunit[\w-]{0,60}(?:\.dist\.xml|\.xml(?:\.dist)?)"), of_nested_xml, PHPUNIT, counts_when_new=True
    ),
    Tool(_files(r"[tj]sconfig[\w.-]*\.json"), of_json, _TYPESCRIPT),
    Tool(_files(r"\.?mypy\.ini", r"setup\.cfg", r"tox\.ini"), of_ini, _MYPY, "mypy"),
    Tool(_files(r"\.?mypy\.ini", r"setup\.cfg"), of_ini, (demand(r"mypy-[^\n]*\.ignore_errors", stays_off),)),
    Tool(_PYPROJECT, of_toml, _MYPY, "tool.mypy"),
    Tool(_files(r"pyrightconfig\.json"), of_json, _PYRIGHT),
    Tool(_PYPROJECT, of_toml, _PYRIGHT, "tool.pyright"),
    Tool(_PYPROJECT, of_toml, _RUFF, "tool.ruff"),
    Tool(_files(r"\.?ruff\.toml"), of_toml, _RUFF),
    Tool(_files(r"\.flake8", r"setup\.cfg", r"tox\.ini"), of_ini, _FLAKE8, "flake8"),
    Tool(_files(r"\.?pylintrc"), of_ini, _PYLINT),
    Tool(_PYPROJECT, of_toml, _PYLINT, "tool.pylint"),
    Tool(_files(r"\.eslintrc(?:\.json)?"), of_json, _ESLINT_RULES),
    Tool(_files(r"\.eslintrc\.ya?ml"), of_yaml, _ESLINT_RULES),
    Tool(_files(r"eslint\.config\.[cm]?[jt]s", r"\.eslintrc\.c?js"), of_code, _ESLINT_RULES),
    Tool(_files(r"package\.json"), of_json, _ESLINT_RULES, "eslintConfig"),
    Tool(_files(r"\.eslintignore"), of_lines, (demand(r"lines", excludes_no_code),)),
    Tool(_files(r"biome\.jsonc?"), of_json, _BIOME),
    Tool(_files(r"\.golangci\.ya?ml"), of_golangci, _GOLANGCI),
    Tool(_files(r"Cargo\.toml"), of_toml, _CARGO),
    Tool(_files(r"phpstan(?:\.dist)?\.neon(?:\.dist)?"), of_yaml, _PHPSTAN),
    Tool(_files(r"psalm\.xml(?:\.dist)?"), of_xml, (demand(r"errorLevel", does_not_rise),)),
    Tool(_files(r"\.rubocop\.ya?ml"), of_yaml, _RUBOCOP),
    Tool(_files(r"\.swiftlint\.ya?ml"), of_yaml, _SWIFTLINT),
    Tool(_files(r"detekt[\w.-]*\.ya?ml"), of_yaml, _DETEKT),
    Tool(_files(r"[\w.-]+\.(?:csproj|fsproj|vbproj|props|targets)"), of_xml, _DOTNET),
    Tool(_files(r"pom\.xml"), of_xml, _MAVEN),
)  # fmt: skip
