"""The folders of the machine with its programs, which a sandbox shows read-only.

People keep all sorts of files in /opt and /usr/local. Of these, only the usual folders of programs and libraries
are shown, the programs on this process's path, and what the variable ASSAY_SHOW names, separated by colons.
"""

import functools
import os
from collections.abc import Iterator
from typing import Final

from assay.engine.sandbox import PATH

SHOW: Final = "ASSAY_SHOW"
SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
MIXED: Final = ("/opt", "/usr/local")
_USUAL: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "include")
_ON_THE_WAY: Final = ("opt/", "local/")


def is_shown(path: str) -> bool:
    """Whether a sandbox shows a path of the machine: all of it, or for the two mixed folders their programs."""
    parts = shown_of_mixed() if is_below(path, MIXED) else SYSTEM
    return path in MIXED or is_below(path, parts)


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a path is one of these folders, or in one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


@functools.cache
def shown_of_mixed() -> tuple[str, ...]:
    """The paths below the two mixed folders that are shown, and none below another."""
    asked = [os.path.abspath(one) for one in os.environ.get(SHOW, "").split(":") if one]
    usual = [f"{mixed}/{name}" for mixed in MIXED for name in _USUAL]
    wanted = {one for one in (*asked, *usual, *_programs()) if is_below(one, MIXED) and _has_something(one)}
    return tuple(sorted(one for one in wanted if not is_below(os.path.dirname(one), tuple(wanted))))


def _programs() -> Iterator[str]:
    """Where the programs on the path are installed, some of which are links to other places."""
    folders = dict.fromkeys((*os.environ.get("PATH", "").split(":"), *PATH.split(":")))
    for folder in (*folders, "/etc/alternatives"):
        yield from _installed_at(folder)
        yield from _installed_at(os.path.realpath(folder))
        for link in _links(folder):
            target = os.path.realpath(link)
            yield target if os.path.dirname(target) in MIXED else next(_installed_at(os.path.dirname(target)))


def _installed_at(folder: str) -> Iterator[str]:
    """A folder of programs, or the one around it where only that program's files are."""
    around = os.path.dirname(folder)
    is_own = os.path.basename(folder) in ("bin", "sbin") and around not in MIXED
    yield around if is_own else folder


def _links(folder: str) -> Iterator[str]:
    """The links in a folder that may lead to one of the mixed ones."""
    try:
        with os.scandir(folder) as entries:
            paths = [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return
    yield from (path for path in paths if any(part in os.readlink(path) for part in _ON_THE_WAY))


def _has_something(path: str) -> bool:
    return os.path.isfile(path) or (os.path.isdir(path) and bool(os.listdir(path)))
