"""Lists of patterns: what is excluded additionally, and what is no longer included."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

_NO_TESTS = re.compile(
    r"node_modules|(?<![\w])(?:dist|build|coverage|out|lib|\.next|\.nuxt|vendor|fixtures?|__fixtures__|e2e|cypress|playwright|docs?|examples?|venv|env|"
    r"\.stryker-tmp|\.git|\.hg|\.svn|tmp|temp|\.cache|storybook-static|__pycache__|\.\*|\*\.egg\S*|\*\.d\.ts|CVS|_darcs|\{arch\}|target|migrations|benchmarks?|"
    r"configDefaults\S*|static|assets|public|data|node-gyp|templates?|scripts?|tools?)(?![\w])"
)


def excluded(before: Iterable[str], after: Iterable[str], tests: Iterable[str] = ()) -> list[str]:
    """The patterns that newly exclude something that may be a test.

    ``tests`` are paths of tests at the baseline: where they are known, only what hits one of them counts.
    """
    known = set(before)
    fresh = [pattern for pattern in after if pattern not in known]
    paths = tuple(tests)
    if paths:
        return [pattern for pattern in fresh if _hits(pattern, paths)]
    return [pattern for pattern in fresh if not _NO_TESTS.search(pattern)]


def not_included(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The patterns of ``before`` that nothing in ``after`` covers any more."""
    now = [form for pattern in after for form in _expanded(pattern)]
    return [pattern for pattern in before if not all(_covered(_sample(form), now) for form in _expanded(pattern))]


def is_specific(pattern: str) -> bool:
    """Whether a pattern names one file."""
    plain = pattern.replace("\\", "").rstrip("$")
    return "*" not in plain and re.search(r"\.\w{1,5}$|::", plain) is not None


def _covered(sample: str, patterns: list[str]) -> bool:
    return any(
        fnmatchcase(sample, pattern) or sample == pattern or sample.startswith(pattern.rstrip("/") + "/")
        for pattern in patterns
    )


def _expanded(pattern: str) -> list[str]:
    """A pattern with its first braces written out, and without what only says "any folder"."""
    plain = re.sub(r"^(?:<rootDir>|\.)?/", "", pattern.replace("?(c|m)", "").replace("?([cm])", ""))
    found = re.search(r"\{([^{}]{1,100})\}|[@?]\(([^()]{1,100})\)", plain)
    if found is None:
        return [plain.replace("**/", "*")]
    choices = re.split(r"[,|]", found[1] or found[2])[:12]
    return [
        form for choice in choices for form in _expanded(plain[: found.start()] + choice + plain[found.end() :])
    ][:60]


def _sample(pattern: str) -> str:
    return pattern.replace("**", "a").replace("*", "a").replace("?", "a")


def _hits(pattern: str, tests: tuple[str, ...]) -> bool:
    plain = pattern.removeprefix("<rootDir>").strip("/").removeprefix("./")
    return bool(plain) and any(
        fnmatchcase(path, plain)
        or path.startswith(plain.rstrip("*/") + "/")
        or fnmatchcase(path.rpartition("/")[2], plain)
        or any(fnmatchcase(part, plain) for part in path.split("/")[:-1])
        for path in tests
    )
