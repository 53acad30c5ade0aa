"""The settings of linters and type checkers that matter, and the files they are in."""

import re
from dataclasses import dataclass

from assay.detectors.settings.flat_settings import (
    Read,
    of_code,
    of_golangci,
    of_ini,
    of_json,
    of_lines,
    of_toml,
    of_xml,
    of_yaml,
)

_ESLINT = ("off", "warn", "error")
_REPORT = ("none", "information", "warning", "error")


@dataclass(frozen=True, slots=True)
class Strictness:
    """One tool's settings that matter, as patterns of whole keys.

    ``strict`` is on when it is true, ``lax`` off. Of ``selects``, nothing may go; to ``excludes``, nothing that
    has code may come; to ``ignores``, nothing that is broad; to ``disables``, nothing. ``levels`` have their
    values from the weakest to the strongest; ``numbers`` may not fall, or with ``rises``, not rise.
    """

    strict: str = ""
    lax: str = ""
    selects: str = ""
    excludes: str = ""
    ignores: str = ""
    disables: str = ""
    levels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    numbers: str = ""
    rises: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's settings: the files that have them, how these are read, and below which key they are."""

    files: re.Pattern[str]
    read: Read
    demands: Strictness
    prefix: str = ""


def _files(*names: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(names)})$")


_PYPROJECT = _files(r"pyproject\.toml")
_MYPY = Strictness(
    strict=r"strict|disallow_\w+|check_untyped_defs|warn_\w+|no_implicit_\w+|strict_\w+|extra_checks",
    lax=r"ignore_errors|overrides\.[^\n]*\.ignore_errors|allow_untyped_\w+",
    excludes=r"exclude",
    selects=r"enable_error_code",
)
_PYRIGHT = Strictness(
    levels=((r"typeCheckingMode", ("off", "basic", "standard", "strict")), (r"report\w+", _REPORT)),
    selects="strict",
    excludes="exclude|ignore",
)
_RUFF = Strictness(
    selects=r"(?:lint\.)?(?:extend-)?select",
    excludes=r"(?:lint\.)?(?:extend-)?exclude",
    ignores=r"(?:lint\.)?(?:(?:extend-)?ignore|(?:extend-)?per-file-ignores\.[^\n]*)",
)
_FLAKE8 = Strictness(selects=r"(?:extend-)?select", excludes=r"(?:extend-)?exclude", ignores=r"(?:extend-)?ignore")
_PYLINT = Strictness(ignores=r"[^\n]*disable", numbers=r"[^\n]*fail-under")
_ESLINT_RULES = Strictness(
    levels=((r"(?:overrides\.[^\n]*\.)?rules\.[^\n]*", _ESLINT),),
    selects=r"extends",
    excludes=r"ignorePatterns|ignores",
)
_TYPESCRIPT = Strictness(
    strict=r"compilerOptions\.(?:strict\w*|noImplicit\w+|noUnchecked\w+|noUnused\w+|noFallthrough\w+|noEmitOnError|"
    r"exactOptionalPropertyTypes|checkJs|alwaysStrict|useUnknownInCatchVariables)",
    excludes=r"exclude",
)
_BIOME = Strictness(
    strict=r"linter\.enabled|linter\.rules\.recommended",
    levels=((r"linter\.rules\.[^\n]*", ("off", "info", "warn", "error")),),
    excludes=r"[^\n]*\.ignore",
)
_GOLANGCI = Strictness(
    strict=r"run\.tests",
    lax=r"linters\.disable-all",
    selects=r"linters\.enable",
    disables=r"linters\.disable",
    excludes=r"issues\.exclude-(?:dirs|files)|run\.skip-(?:dirs|files)|linters\.exclusions\.paths",
    levels=((r"linters\.default", ("none", "fast", "standard", "all")),),
    numbers=r"run\.issues-exit-code",
)
_CARGO = Strictness(
    levels=((r"(?:workspace\.)?lints\.(?:rust|clippy)\.[\w-]+(?:\.level)?", ("allow", "warn", "deny", "forbid")),)
)
_PHPSTAN = Strictness(
    numbers=r"parameters\.level",
    excludes=r"parameters\.excludePaths(?:\.\w+)?",
    ignores=r"parameters\.ignoreErrors",
)
_RUBOCOP = Strictness(lax=r"AllCops\.DisabledByDefault", excludes=r"AllCops\.Exclude", strict=r"[^\n]*\.Enabled")
_SWIFTLINT = Strictness(
    strict="strict", disables=r"disabled_rules", excludes="excluded", selects=r"only_rules|opt_in_rules"
)
_DETEKT = Strictness(strict=r"[^\n]*\.active", numbers=r"build\.maxIssues", rises=True)
_DOTNET = Strictness(
    strict=r"TreatWarningsAsErrors|Nullable|RunAnalyzers\w*|EnableNETAnalyzers|EnforceCodeStyleInBuild",
    levels=((r"AnalysisMode", ("none", "default", "minimum", "recommended", "all")),),
)
_MAVEN = Strictness(
    strict=r"failsOnError|failOnViolation|failOnError", lax=r"(?:checkstyle|pmd|cpd|spotbugs|detekt)\.skip"
)

TOOLS: tuple[Tool, ...] = (
    Tool(_files(r"[tj]sconfig[\w.-]*\.json"), of_json, _TYPESCRIPT),
    Tool(_files(r"\.?mypy\.ini", r"setup\.cfg", r"tox\.ini"), of_ini, _MYPY, "mypy"),
    Tool(_files(r"\.?mypy\.ini", r"setup\.cfg"), of_ini, Strictness(lax=r"mypy-[^\n]*\.ignore_errors")),
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
    Tool(_files(r"\.eslintignore"), of_lines, Strictness(excludes="lines")),
    Tool(_files(r"biome\.jsonc?"), of_json, _BIOME),
    Tool(_files(r"\.golangci\.ya?ml"), of_golangci, _GOLANGCI),
    Tool(_files(r"Cargo\.toml"), of_toml, _CARGO),
    Tool(_files(r"phpstan(?:\.dist)?\.neon(?:\.dist)?"), of_yaml, _PHPSTAN),
    Tool(_files(r"psalm\.xml(?:\.dist)?"), of_xml, Strictness(numbers="errorLevel", rises=True)),
    Tool(_files(r"\.rubocop\.ya?ml"), of_yaml, _RUBOCOP),
    Tool(_files(r"\.swiftlint\.ya?ml"), of_yaml, _SWIFTLINT),
    Tool(_files(r"detekt[\w.-]*\.ya?ml"), of_yaml, _DETEKT),
    Tool(_files(r"[\w.-]+\.(?:csproj|fsproj|vbproj|props|targets)"), of_xml, _DOTNET),
    Tool(_files(r"pom\.xml"), of_xml, _MAVEN),
)
