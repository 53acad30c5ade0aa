"""Names of files below a prefix. Whoever wrote them may have meant harm."""

import errno
import os


def is_plain(path: str) -> bool:
    """Whether a path stays below its prefix, whoever reads it."""
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def plain_parts(path: str) -> list[str]:
    """The parts of a path. Raises ``FileNotFoundError`` for one that could lead elsewhere."""
    if not is_plain(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path.split("/")


def missing(path: str) -> FileNotFoundError:
    """What is raised for a file that is not there."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def below(prefix: str, key: str) -> str | None:
    """The path of an object relative to the prefix; None for anything that isn't a file below it."""
    if not key.startswith(prefix):
        return None
    path = key[len(prefix) :]
    return path if is_plain(path) else None
