"""The kinds of file systems that a folder and everything mounted below it are on."""

import os
import re

MOUNTS = "/proc/self/mounts"
_ESCAPED = re.compile(rb"\\([0-7]{3})")


def kinds_below(folder: str, mounts: str = MOUNTS) -> frozenset[str]:
    """Their kinds, as the kernel names them. Empty if the kernel doesn't say."""
    here = os.fsencode(os.path.realpath(folder))
    kinds: dict[bytes, str] = {}
    try:
        with open(mounts, "rb") as file:
            for line in file:
                _, place, kind, *_ = line.split(b" ")
                # A later mount at the same place covers the earlier one.
                kinds[_ESCAPED.sub(_unescaped, place)] = kind.decode()
    except (OSError, ValueError):
        return frozenset()
    above = max((place for place in kinds if _is_in(here, place)), key=len, default=None)
    below = [place for place in kinds if _is_in(place, here)]
    return frozenset(kinds[place] for place in ([above] if above is not None else []) + below)


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])
