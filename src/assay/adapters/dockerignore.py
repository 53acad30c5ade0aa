"""What a .dockerignore keeps out of the folder that COPY reads from."""

import os
import posixpath

from assay.adapters.declared_output import read_task_text
from assay.adapters.trees import walk
from assay.formats.globs import matches_glob

# The name of the Dockerfile's own list goes before the folder's.
NAMES = ("Dockerfile.dockerignore", ".dockerignore")


def ignored_paths(context: str) -> frozenset[str]:
    """The paths below a folder that are kept out. A folder is not, as long as something in it stays."""
    name = next((name for name in NAMES if os.path.isfile(f"{context}/{name}")), None)
    if name is None:
        return frozenset()
    patterns = _patterns(read_task_text(f"{context}/{name}"))
    paths = [path for path, _ in walk(context)]
    kept = {path for path in paths if not _ignored(path, patterns)}
    kept |= {parent for path in kept for parent in _with_parents(path)}
    return frozenset(os.path.join(context, path) for path in paths if path not in kept)


def _patterns(text: str) -> list[tuple[str, bool]]:
    """Each pattern, and whether it brings back what one above it kept out."""
    lines = (line.strip() for line in text.splitlines())
    found = [(line.removeprefix("!").strip(), line.startswith("!")) for line in lines if line and line[0] != "#"]
    return [(posixpath.normpath(f"/{pattern}").strip("/"), back) for pattern, back in found]


def _ignored(path: str, patterns: list[tuple[str, bool]]) -> bool:
    """The last pattern that fits a path, or a folder around it, decides."""
    around = _with_parents(path)
    fitting = (back for pattern, back in reversed(patterns) if any(matches_glob(one, pattern) for one in around))
    return not next(fitting, True)


def _with_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]
