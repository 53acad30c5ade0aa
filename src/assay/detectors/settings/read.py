"""The reader that compares each file."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath

from assay.detectors.settings import builds, javascript, makefile, php, python_tools
from assay.detectors.settings.weakening import Weakening

Compare = Callable[[str | None, str | None], Iterator[Weakening]]

_CODE_CONFIG = re.compile(
    r"(?:^|/)(?:jest|vitest|vite|karma|playwright|cypress|wdio|ava|mocha|nyc|protractor|web-test-runner)(?:\.[\w-]+)*?\.(?:config|conf|workspace)\.(?:[cm]?[jt]s)$|"
    r"(?:^|/)\.mocharc\.[cm]?js$|(?:^|/)vitest\.workspace\.[cm]?[jt]s$"
)
_WORKFLOW = re.compile(
    r"(?:^|/)\.(?:github|gitea|forgejo)/(?:workflows|actions)/.*\.ya?ml$|(?:^|/)\.gitlab-ci(?:\.[\w-]+)?\.ya?ml$|(?:^|/)\.gitlab/.*\.ya?ml$|(?:^|/)\.circleci/.*\.ya?ml$|"
    r"(?:^|/)(?:azure-pipelines|bitbucket-pipelines|\.travis|\.drone|\.cirrus|appveyor|\.appveyor|\.woodpecker)(?:[\w.-]*)?\.ya?ml$|(?:^|/)\.buildkite/.*\.ya?ml$|"
    r"(?:^|/)Taskfile(?:\.dist)?\.ya?ml$|(?:^|/)\.pre-commit-config\.ya?ml$",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"(?:^|/)(?:run[-_]?)?(?:tests?|ci|check|verify|unit[-_]?tests?|run_all|coverage|build)[\w-]*\.(?:sh|bash|ps1|bat|cmd)$|(?:^|/)(?:Jenkinsfile|justfile|Justfile|Taskfile\.ya?ml|Procfile)$|"
    r"(?:^|/)(?:scripts?|bin|ci)/(?:tests?|cibuild|ci|check)$|(?:^|/)(?:run[-_]?)?(?:unit[-_]?)?tests?(?:[-_]all)?$"
)
_ENVIRONMENT = re.compile(
    r"(?:^|/)(?:\.env[\w.-]*|\.envrc|[\w.-]*\.env|tox\.ini|\.?pytest\.ini|go\.env|Dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml)$|\.ya?ml$|\.sh$"
)
_MAKE = re.compile(r"(?:^|/)(?:GNU)?[Mm]akefile(?:\.\w+)?$|\.mk$")
_XML = re.compile(r"(?:^|/)pom\.xml$|\.(?:csproj|vbproj|fsproj|runsettings|props|targets)$")


def is_workflow(path: str) -> bool:
    return _WORKFLOW.search(path) is not None


def is_code_config(path: str) -> bool:
    """Whether a runner's settings are written as code, which is parsed apart."""
    return _CODE_CONFIG.search(path) is not None


def readers(path: str) -> list[Compare]:
    """The comparisons that a file of settings goes through by itself. pytest's and workflows are compared
    together.
    """
    name = PurePosixPath(path).name
    found: list[Compare] = list(_BY_NAME.get(name, ()))
    found += [compare for pattern, compare in _BY_PATTERN if pattern.search(path)]
    if name in _WITH_TOX:
        found.append(lambda before, after: python_tools.tox(name, before, after))
    return found


_WITH_TOX = frozenset({"tox.ini", "setup.cfg", "pyproject.toml", "tox.toml"})
_BY_NAME: dict[str, tuple[Compare, ...]] = {
    "package.json": (javascript.package_json,),
    "composer.json": (php.composer,),
    "pyproject.toml": (python_tools.tasks,),
    "Cargo.toml": (builds.cargo,),
    "go.mod": (partial(builds.by_pattern, builds.GO_MOD),),
    "go.work": (partial(builds.by_pattern, builds.GO_MOD),),
    "build.gradle": (builds.gradle,),
    "build.gradle.kts": (builds.gradle,),
    "settings.gradle": (builds.gradle,),
    "settings.gradle.kts": (builds.gradle,),
    "maven.config": (makefile.options,),
    "jvm.config": (makefile.options,),
    "junit-platform.properties": (partial(builds.by_pattern, builds.JUNIT_PLATFORM),),
    ".rspec": (builds.rspec,),
    ".rspec-local": (builds.rspec,),
    "Rakefile": (builds.rakefile,),
    "rakefile": (builds.rakefile,),
    "noxfile.py": (partial(builds.by_pattern, builds.NOX),),
}
_BY_PATTERN: tuple[tuple[re.Pattern[str], Compare], ...] = (
    (_MAKE, makefile.makefile),
    (_SCRIPT, makefile.script),
    (_XML, builds.xml_build),
    (_ENVIRONMENT, makefile.environment),
)
