"""Paths that stand in front of a test framework, of an interpreter's own files or of a tool."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from assay.detectors.test_code.word_sets import word_set

_PYTHON_FRAMEWORKS = word_set(
    "pytest _pytest unittest doctest nose nose2 pluggy iniconfig hypothesis xdist coverage py mock tox testtools "
    "conftest_plugin"
)
# What pytest and unittest import when they start: an honest module of such a name in the top folder would break
# them. Names that a project may well have for itself, such as calendar or token, are left out.
_PYTHON_LIBRARY = word_set(
    "abc argparse ast asyncio atexit base64 bdb binascii bisect builtins bz2 codecs collections contextlib "
    "contextvars copy copyreg dataclasses datetime decimal difflib dis encodings enum fcntl faulthandler fnmatch "
    "functools genericpath glob hashlib heapq importlib inspect io json linecache logging lzma opcode operator os "
    "pathlib pdb posixpath pprint pyexpat re reprlib runpy selectors shlex shutil site stat struct subprocess sys "
    "sysconfig tempfile textwrap threading tokenize traceback types typing unicodedata urllib warnings weakref xml "
    "zipfile zipimport zlib"
)
# What pytest brings along.
_PYTEST_NEEDS = frozenset(
    {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup", "tomli"}
)
_STARTED = frozenset({"sitecustomize", "usercustomize"})
_ENDINGS = (".py", ".pyc", ".so", ".pyd")
_NODE_FRAMEWORKS = re.compile(
    r"(?:^|/)node_modules/(?:\.bin/|jest|@jest/|vitest|@vitest/|mocha|chai|ava|tap|expect|jasmine|@playwright/|cypress|karma)"
)
_JAVA_FRAMEWORKS = re.compile(r"(?:^|/)(?:java|kotlin)/(?:org/(?:junit|hamcrest|assertj|testng|mockito)|junit)/")
_RUBY_FRAMEWORKS = re.compile(
    r"(?:^|/)(?:lib|spec|test)/(?:rspec|minitest|test-unit|test/unit)(?:/autorun|/core|/expectations)?\.rb$"
)
_GO_FRAMEWORKS = re.compile(
    r"(?:^|/)vendor/(?:github\.com/stretchr/testify|gotest\.tools|github\.com/onsi/|testing/)"
)
_JAVA_SERVICES = re.compile(r"META-INF/services/org\.junit\.")
_TOOLS = word_set(
    "python python2 python3 pytest py.test pip pip3 tox nox npm npx node yarn pnpm bun deno jest vitest mocha tsc "
    "go gofmt cargo rustc rustup git sh bash dash zsh env make cmake java javac mvn gradle ruby rspec rake bundle "
    "dotnet perl php phpunit composer timeout true false test cat grep diff sed awk ls rm cp mv sudo docker ssh "
    "curl"
)
_TOOL_ENDINGS = (".exe", ".cmd", ".bat", ".ps1")


_ENVIRONMENTS = frozenset({"node_modules", "site-packages", ".venv", "venv", ".tox", ".nox"})


def shadowed(path: str) -> str | None:
    """The rule that a new file breaks by where it stands, unless it is part of a package."""
    pure = PurePosixPath(path)
    stem = _module(pure)
    if stem in _STARTED:
        return "startup_file"
    if stem in _PYTHON_FRAMEWORKS or (stem in _PYTEST_NEEDS and is_top_level(path)):
        return "framework_shadowed"
    if stem in _PYTHON_LIBRARY and is_top_level(path):
        return "library_shadowed"
    if _JAVA_FRAMEWORKS.search(path) or _RUBY_FRAMEWORKS.search(path):
        return "framework_shadowed"
    return "framework_extended" if _JAVA_SERVICES.search(path) else None


def is_of_framework(path: str, paths: Iterable[str]) -> bool:
    """Whether some of these paths are sources of the framework that a path would shadow: this is its own project."""
    found = _JAVA_FRAMEWORKS.search(path)
    if found is None:
        return False
    package = found[0].lstrip("/").partition("/")[2]
    return any(f"main/java/{package}" in one or f"main/kotlin/{package}" in one for one in paths)


def stands_in_front(path: str) -> bool:
    """True if it is found in the place of a module that a runner imports: a part of one in the top folder, or a
    link to a folder.
    """
    first = PurePosixPath(path).parts[0]
    name = first.partition(".")[0]
    is_module = path.endswith(_ENDINGS) or path == name
    return is_module and name in _PYTHON_LIBRARY | _PYTEST_NEEDS


def is_top_level(path: str) -> bool:
    """Whether a module is imported by one name from the folder in which the tests are started."""
    return len(PurePosixPath(path).parts) <= (2 if is_package_start(path) else 1)


def is_package_start(path: str) -> bool:
    return PurePosixPath(path).name.startswith("__init__.")


def tool_of(path: str) -> str | None:
    """The tool that a file is named like."""
    name = PurePosixPath(path).name
    for ending in _TOOL_ENDINGS:
        name = name.removesuffix(ending)
    return name if name in _TOOLS or re.fullmatch(r"python3?\.\d+", name) else None


def is_framework_of_environment(path: str) -> bool:
    """Whether a path is part of an installed or vendored test framework, or a command of one."""
    return bool(_NODE_FRAMEWORKS.search(path) or _GO_FRAMEWORKS.search(path) or _site_framework(path))


def environment_of(path: str) -> str | None:
    """The folder of installed packages that a path is in, the innermost one."""
    parts = PurePosixPath(path).parts
    ends = [at + 1 for at, part in enumerate(parts[:-1]) if part in _ENVIRONMENTS]
    return "/".join(parts[: ends[-1]]) if ends else None


def runs_code(pth: str) -> bool:
    """Whether a ``.pth`` file has a line that the interpreter executes. Weights of a network end in .pth too."""
    return any(re.match(r"import[ \t]", line) for line in pth.split("\n"))


def _module(pure: PurePosixPath) -> str:
    """The module that a file is: ``a/pytest.py`` and ``a/pytest/__init__.py`` are ``pytest``."""
    if not pure.name.endswith(_ENDINGS):
        return ""
    stem = pure.name.partition(".")[0]
    return pure.parts[-2] if stem == "__init__" and len(pure.parts) > 1 else stem


def _site_framework(path: str) -> bool:
    parts = PurePosixPath(path).parts
    if "site-packages" not in parts[:-1]:
        return False
    package = parts[parts.index("site-packages") + 1].partition(".")[0]
    return package in _PYTHON_FRAMEWORKS or package in _STARTED
