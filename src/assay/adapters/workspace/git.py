"""Run git without anybody's configuration and without the programs that it might start by itself."""

import os
import subprocess
from collections.abc import Mapping

from assay.core.errors import MeasurementError

# Objects are taken as they are: none is replaced, and a missing one is not fetched, since fetching
# starts programs that a repository's own configuration names.
GIT_ENV = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}
# For a clone of an address that the user names.
FETCHING = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}


def git(arguments: list[str], stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """The output of git. Raises ``MeasurementError`` if git fails."""
    try:
        ran = subprocess.run(
            ["git", *arguments],  # noqa: S607 - looked for on a PATH of our own
            input=stdin,
            env={**GIT_ENV, **(env or {})},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise MeasurementError(f"git can't be started: {error.strerror}") from error
    if ran.returncode:
        lines = ran.stderr.decode(errors="replace").strip().splitlines()
        raise MeasurementError(f"git failed: {lines[-1] if lines else ran.returncode}")
    return ran.stdout
