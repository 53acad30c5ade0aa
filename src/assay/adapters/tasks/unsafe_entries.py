"""Remove from a workspace what would lead a verifier astray: links to what isn't the agent's, pipes and devices.

A link to the expected answer would pass for the answer; a pipe would hold the verifier up until its time is over.
And find files that programs read when they start, in the folders that an agent shares with its verifier.
"""

import os
import posixpath
import re
import stat
from collections.abc import Iterator, Mapping, Sequence

from assay.adapters.machine.tree_walk import WalkReach, walk
from assay.adapters.machine.trees import remove_tree

# What a verifier sees besides the workspace and the system.
_NOT_THE_AGENTS = ("/tests", "/solution", "/logs", "/proc", "/sys", "/dev")
_MOST_LINKS = 40
_LONGEST = 120
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def remove_strays(root: str, places: Sequence[str]) -> list[str]:
    """Remove them below the places of a tree, and say what each was. ``places`` are paths as seen from inside."""
    return [said for place in places for said in _remove_below(root, place)]


def _remove_below(root: str, place: str) -> Iterator[str]:
    reach = WalkReach()
    for below, found in walk(f"{root}{place}", reach):
        path = f"{place}/{below}"
        what = _stray(root, path, found)
        if what is not None:
            os.unlink(f"{root}{path}")
            yield f"{path} was {what}"
    # Nobody looked there, so that anything could be in it.
    for folder, why in reach.left:
        remove_tree(f"{root}{place}/{folder}")
        path = f"{place}/{folder}"
        yield f"{path if len(path) <= _LONGEST else f'{path[:_LONGEST]}…'} was {why}"


def _stray(root: str, path: str, found: os.stat_result) -> str | None:
    if stat.S_ISLNK(found.st_mode):
        goal = leads_to(root, path)
        astray = goal == "/" or any(goal == one or goal.startswith(f"{one}/") for one in _NOT_THE_AGENTS)
        return f"a link to {goal}" if astray and goal != "/dev/null" else None
    return next((kind for is_kind, kind in _KINDS if is_kind(found.st_mode)), None)


def leads_to(root: str, link: str) -> str:
    """Where a link leads, as seen from inside. Only links in the tree are followed."""
    here, followed = "", 0
    parts = link.split("/")[::-1]
    while parts:
        part = parts.pop()
        if part == "..":
            here = posixpath.dirname(here).rstrip("/")
        elif part not in ("", "."):
            here = f"{here}/{part}"
            try:
                goal = os.readlink(f"{root}{here}")
            except OSError:
                continue
            followed += 1
            if followed > _MOST_LINKS:
                break
            parts += goal.split("/")[::-1]
            here = "" if goal.startswith("/") else posixpath.dirname(here).rstrip("/")
    return here or "/"


MOST = 100_000
# What Python, shells and common tools read when they start, and programs that shells find before the system's.
_STARTUP = re.compile(
    r"/(?:[^/]+\.pth|(?:site|user)customize\.py|\.(?:bash|zsh|ksh)(?:rc|env|_profile|_login|_aliases)|\.profile"
    r"|\.zprofile|\.config/fish/.+\.fish|\.npmrc|\.gitconfig|\.curlrc|\.wgetrc|pip\.conf|(?:\.local/)?bin/[^/]+)$"
)
_IN_IMAGES = re.compile(r"/\.(?:profile|bash\w+)$|^/opt/")


def startup_files(root: str, folders: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Each with its size, and when it last changed, which nobody but the system can set."""
    return {
        f"{folder}/{path}": (found.st_size, found.st_ctime_ns)
        for folder in folders
        for path, found in walk(f"{root}{folder}", WalkReach(entries=MOST))
        if not stat.S_ISDIR(found.st_mode) and _STARTUP.search(f"{folder}/{path}")
    }


def without_those_of_images(paths: Mapping[str, object]) -> list[str]:
    """Those that no image brings along, for when nobody knows what was there before the agent."""
    return sorted(path for path in paths if not _IN_IMAGES.search(path))
