"""The files that are test code, and their language, by the naming conventions of their runners.

Told by the path alone. Rust keeps tests beside the code they test, so every Rust file may hold some.
"""

import functools
import re

_LANGUAGES = {
    "py": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "tsx": "typescript", "mts": "typescript", "cts": "typescript", "go": "go", "java": "java",
    "rs": "rust", "rb": "ruby", "cs": "csharp", "kt": "kotlin", "kts": "kotlin", "php": "php", "swift": "swift",
}  # fmt: skip
# Languages that are compared by lines. Data beside the tests is not test code.
_OTHER_CODE = frozenset({
    "scala", "groovy", "ex", "exs", "erl", "clj", "cljs", "cljc", "hs", "ml", "mli",
    "lua", "pl", "pm", "t", "r", "jl", "dart", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "sh", "bash",
    "zsh", "bats", "ps1", "fs", "fsx", "vb", "zig", "nim", "cr", "d", "f90", "vue", "svelte", "robot", "feature",
    "elm", "coffee", "tcl", "rkt", "scm",
})  # fmt: skip
_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e", "cypress", "testing", "unittests"})
_NOT_OURS = frozenset({"node_modules", "site-packages", ".git", ".venv", "venv", "__pycache__"})
_NAMED = re.compile(
    r"""^(?:
        test[_\-.].+ | .+[_\-.](?:test|tests|spec|specs|cy|e2e) | tests? | conftest
      | .*(?:Test|Tests|TestCase|Spec|Specs|ITCase) | (?:.*[a-z0-9]|[A-Z])IT | Test[A-Z0-9].*
      | (?:spec|test)_helper
    )$""",
    re.VERBOSE,
)
_COLLECTED = {
    "python": re.compile(r"^(?:test.*|.*_tests?|conftest)\.py$"),
    "javascript": re.compile(r"(?:^|[._\-])(?:test|tests|spec|specs|cy|e2e)\.[cm]?[jt]sx?$|^test[._\-]"),
    # A file that is named after another system is not compiled on this one.
    "go": re.compile(
        r"(?<!_windows)(?<!_darwin)(?<!_plan9)(?<!_solaris)(?<!_illumos)(?<!_freebsd)(?<!_openbsd)(?<!_netbsd)"
        r"(?<!_dragonfly)(?<!_aix)(?<!_android)(?<!_ios)(?<!_js)(?<!_wasip1)_test\.go$"
    ),
    "java": re.compile(r"^Test.*\.java$|(?:Test|Tests|TestCase|IT|Spec)\.java$"),
    "kotlin": re.compile(r"^Test.*\.kts?$|(?:Test|Tests|TestCase|IT|Spec)\.kts?$"),
    "php": re.compile(r"(?:Test|Tests|TestCase|Spec)\.php$"),
    "ruby": re.compile(r"(?:_spec|_test)\.rb$|^test_.*\.rb$"),
}


def language_of(path: str) -> str | None:
    """The language of a file by its ending; None where no reader knows it."""
    return _LANGUAGES.get(_ending(path))


def is_code(path: str) -> bool:
    """Whether a file is code by its ending, in a language that is read or compared by lines."""
    return _ending(path) in _LANGUAGES or _ending(path) in _OTHER_CODE


def in_test_folder(path: str) -> bool:
    """Whether a folder on the way to a file has a name that folders of tests have."""
    return any(_is_test_folder(folder) for folder in path.split("/")[:-1])


@functools.lru_cache(maxsize=4096)
def is_test_file(path: str) -> bool:
    """Whether a file is test code: by its name, by a folder it lies in, or because its language mixes both."""
    *folders, name = path.split("/")
    if _NOT_OURS.intersection(folders) or path.endswith(".d.ts"):
        return False
    ending = _ending(path)
    if ending in ("rs", "bats"):
        return True
    if not is_code(path):
        return False
    return _NAMED.match(name.rpartition(".")[0]) is not None or in_test_folder(path)


def may_hold_source(path: str) -> bool:
    """Whether a file may be code and tests at once: one of Rust that lies in no folder of tests."""
    return path.endswith(".rs") and not is_test_file(f"{path[:-2]}go")


@functools.lru_cache(maxsize=4096)
def is_collected_path(path: str) -> bool:
    """Whether a runner with its defaults would look into the file at all."""
    language = language_of(path)
    if language == "typescript":
        language = "javascript"
    *folders, name = path.split("/")
    if language == "javascript" and "__tests__" in folders:
        return True
    pattern = _COLLECTED.get(language or "")
    if pattern is None:
        return True
    hidden = language in ("go", "python") and name.startswith(("_", "."))
    return pattern.search(name) is not None and not hidden


def _ending(path: str) -> str:
    return path.rsplit("/", 1)[-1].rpartition(".")[2].lower() if "." in path.rsplit("/", 1)[-1] else ""


def _is_test_folder(name: str) -> bool:
    """``tests``, and .NET's ``Shop.Tests``."""
    return name.lower() in _FOLDERS or re.search(r"(?:^|[._-])(?:Unit|Integration)?Tests?$", name) is not None
