"""The role of a file, by its path: a test, a build, a script, or source that others import."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from assay.detectors.test_code.paths import is_collected_path, is_test_file, language_of
from assay.detectors.test_code.word_sets import word_set

_BUILD = re.compile(
    r"(?:^|/)(?:setup|noxfile|tasks|fabfile|conf|hatch_build|build|wscript|SConstruct|gulpfile|Gruntfile|rollup|knexfile|"
    r"(?:babel|webpack|vite|vitest|jest|next|nuxt|rollup|karma|metro|tailwind|postcss|eslint|playwright|cypress|svelte|"
    r"astro|tsup|esbuild|prettier|commitlint|craco|vue|wdio|nyc|ava)[.-]?config|\.(?:eslint|babel|prettier|mocha)rc)(?:\.\w+)*$"
)
_BUILD_FOLDERS = word_set(
    "scripts script tools tool ci .ci .github build hack dev docs doc benchmarks benchmark examples example "
    ".circleci config"
)
_SCRIPT_FOLDERS = word_set("scripts script bin tools tool cli cmd hack examples example")
_SCRIPTS = re.compile(
    r"(?:^|/)(?:__main__|setup|manage|noxfile|tasks|fabfile|cli|main|index\.cli|run|wsgi|asgi)\.\w+$"
)
_SETUP = re.compile(
    r"(?:jest|vitest|mocha|test|tests|spec)[._-]?(?:setup|helpers?|init|env|environment|global)\w*|setup[._-]?(?:tests?|jest|vitest|files?)\w*|setupTests",
    re.IGNORECASE,
)
_PROGRAM_FOLDERS = word_set("servers server fixtures fixture bin scripts programs apps testdata data")
_VENDORED = word_set("node_modules site-packages vendor third_party .venv venv .git dist .tox .nox")


_MORE = {"kt": "kotlin", "kts": "kotlin", "php": "php", "swift": "swift"}


def code_language(path: str) -> str | None:
    """The language that a parser reads a file as; None where none does."""
    if path.lower().endswith(".tsx"):
        return "tsx"
    return language_of(path) or _MORE.get(path.rpartition(".")[2].lower())


def is_test_code(path: str) -> bool:
    """Test code and what is loaded with it. Rust's files count by their folder, since every one of them may hold
    tests.
    """
    name = PurePosixPath(path).name
    if language_of(path) == "rust":
        return "tests" in PurePosixPath(path).parts[:-1] or name in ("tests.rs", "test.rs")
    return (
        is_test_file(path)
        or _SETUP.fullmatch(name.split(".")[0] if name.count(".") < 2 else name.rpartition(".")[0]) is not None
    )


def serves_build(path: str) -> bool:
    """Configuration, documentation and helpers of a build: these may ask for a CI."""
    return _BUILD.search(path) is not None or bool(_BUILD_FOLDERS.intersection(PurePosixPath(path).parts[:-1]))


def is_script(path: str, text: str) -> bool:
    """A program that is started, not imported, so it may end itself."""
    folders = PurePosixPath(path).parts[:-1]
    return (
        text.startswith("#!") or _SCRIPTS.search(path) is not None or bool(_SCRIPT_FOLDERS.intersection(folders))
    )


def is_program_of_tests(path: str) -> bool:
    """A program that tests start, so it ends by itself without ending them."""
    return bool(_PROGRAM_FOLDERS.intersection(PurePosixPath(path).parts[:-1])) and not is_collected_path(path)


def is_vendored(path: str) -> bool:
    """Code that a package manager put there."""
    return bool(_VENDORED.intersection(PurePosixPath(path).parts[:-1])) or path.endswith((".min.js", ".d.ts"))


def project_packages(paths: Iterable[str]) -> frozenset[str]:
    """The names under which Python imports the project's own code."""
    found = (path.removeprefix("src/").split("/")[0].removesuffix(".py") for path in paths if path.endswith(".py"))
    return frozenset(found) - {"tests", "test", "conftest", "setup"}


def is_source(path: str) -> bool:
    """Code of the project itself, in a language that is read, and no test."""
    return code_language(path) is not None and not is_test_code(path) and not is_vendored(path)
