"""Files that programs read when they start, in the folders that an agent shares with its verifier."""

import re
import stat
from collections.abc import Mapping, Sequence

from assay.adapters.machine.tree_walk import WalkReach, walk

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
