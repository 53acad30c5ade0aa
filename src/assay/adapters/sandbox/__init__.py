"""Sandboxes: bubblewrap, containers, and plain processes for a machine with neither.

No sandbox shows what this process has in use: tasks, jobs, stores, keys. Whoever opens one hides it here first.
"""

import functools
import os

# The backends; the best comes first.
NAMES = ("bubblewrap", "namespaces", "container", "process")
AUTO = "auto"
CHOICES = (AUTO, *NAMES)
# The entry point by which others bring theirs.
PLUGGED = "assay.backends"

_hidden: dict[str, str] = {}


def hide(*paths: str) -> None:
    """Have no sandbox of this process show these paths from now on, should they be among the system's."""
    for path in paths:
        if path not in _hidden:
            _hidden[path] = os.path.realpath(path)


def hidden_below(folders: tuple[str, ...]) -> tuple[str, ...]:
    """The hidden paths below some folders, without links, and none below another."""
    return _below(folders, len(_hidden))


@functools.lru_cache(maxsize=1)
def _below(folders: tuple[str, ...], _number: int) -> tuple[str, ...]:
    """The answer for so many hidden paths: none is ever taken away."""
    found: list[str] = []
    for path in sorted(set(_hidden.values())):
        shown = any(path.startswith(f"{folder}/") for folder in folders)
        if shown and not (found and path.startswith(f"{found[-1]}/")):
            found.append(path)
    return tuple(found)
