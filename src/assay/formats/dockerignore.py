"""Find the paths that a .dockerignore excludes from the folder that COPY reads from."""

import posixpath
from collections.abc import Sequence

from assay.formats.globs import matches_glob

# The list of the Dockerfile takes precedence over that of the folder.
NAMES = ("Dockerfile.dockerignore", ".dockerignore")


def ignored_paths(text: str, paths: Sequence[str]) -> list[str]:
    """The paths that are excluded. A folder is not excluded as long as something in it is included."""
    patterns = _patterns(text)
    kept = {path for path in paths if not _ignored(path, patterns)}
    kept |= {parent for path in kept for parent in _with_parents(path)}
    return [path for path in paths if path not in kept]


def _patterns(text: str) -> list[tuple[str, bool]]:
    """Each pattern, and whether it includes paths again that an earlier pattern excluded."""
    lines = (line.strip() for line in text.splitlines())
    found = [(line.removeprefix("!").strip(), line.startswith("!")) for line in lines if line and line[0] != "#"]
    return [(posixpath.normpath(f"/{pattern}").strip("/"), back) for pattern, back in found]


def _ignored(path: str, patterns: list[tuple[str, bool]]) -> bool:
    """Whether a path is excluded. The last pattern that matches it, or a folder around it, decides."""
    around = _with_parents(path)
    matching = (back for pattern, back in reversed(patterns) if any(matches_glob(one, pattern) for one in around))
    return not next(matching, True)


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
