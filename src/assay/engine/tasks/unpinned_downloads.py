"""Find commands that download something without a pinned version."""

import re
import shlex
from collections.abc import Iterator

from assay.formats.dockerfile import parse_dockerfile
from assay.formats.downloads import FETCH

_INSTALLS = tuple(
    (re.compile(rf"\b(?:{command})\b(?P<rest>[^|;&]*)"), what)
    for command, what in (
        (
            r"(?:pip3?|uv pip|pipx|uv tool|conda|mamba)\s+(?:-\S+\s+){0,9}install|uv\s+add",
            "packages without versions",
        ),
        (r"apt(?:-get)?\s+(?:-\S+\s+){0,20}install", "Debian packages without versions"),
        (r"(?:apk\s+(?:-\S+\s+){0,9}add|(?:dnf|yum|brew)\s+(?:-\S+\s+){0,9}install)", "packages without versions"),
        (r"npm\s+(?:install|i|add)|(?:yarn|pnpm|bun)\s+(?:global\s+)?add", "npm packages without versions"),
        (r"(?:go|gem|cargo)\s+install", "packages without versions"),
    )
)
_A_VERSION = re.compile(r"\s(?:--version|-v|--locked|--rev|--tag)[ =]")
_TAKE_A_VALUE = {
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-t",
    "--target",
    "-p",
    "--python",
}


def unpinned_download(command: str) -> str | None:
    """A command's download without a pinned version; None if it downloads nothing or pins it."""
    if "sha256" in command:
        return None
    for pattern, what in _INSTALLS:
        for found in pattern.finditer(command):
            if _A_VERSION.search(found["rest"]):
                continue
            if any(not _is_pinned(package) for package in _packages(found["rest"])):
                return what
    if re.search(r"\buvx\s|\buv run\s.{0,300}--with\b", command) and "==" not in command:
        return "packages without versions"
    if FETCH.search(command):
        return "a file without a checksum"
    return "a repository without a commit" if re.search(r"\bgit clone\b", command) else None


def unpinned_images(dockerfile: str) -> Iterator[int]:
    """The lines on which a Dockerfile uses an image without a version."""
    stages: set[str] = {"scratch"}
    for instruction in parse_dockerfile(dockerfile):
        words = instruction.words
        if instruction.keyword != "FROM" or not words:
            continue
        name = words[0].rpartition("/")[2]
        if words[0] not in stages and (name.endswith(":latest") or not re.search(r"[:@]", name)):
            yield instruction.line
        if len(words) == 3 and words[1].lower() == "as":
            stages.add(words[2])


def _packages(rest: str) -> Iterator[str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        words = rest.split()
    skip = False
    for word in words:
        if skip or word.startswith(("-", ">", "2>")):
            skip = word in _TAKE_A_VALUE
        else:
            yield word


def _is_pinned(package: str) -> bool:
    """Whether a word has a version, or isn't the name of a package: a path, an archive, a variable."""
    path = package.startswith((".", "/", "$")) or package.endswith((".whl", ".tar.gz", ".deb"))
    return path or "==" in package or bool(re.search(r"[^=<>~!]=[^=]|.@v?\d|@[0-9a-f]{7,}$", package))
