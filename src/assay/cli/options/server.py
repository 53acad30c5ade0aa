"""The option of commands that can ask a service instead of looking at this machine.

A key is never an argument: others on the machine can read those.
"""

import argparse
import os
from typing import TYPE_CHECKING, Final

from assay.cli.options.common import option
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.client import Client

KEY: Final = "ASSAY_KEY"
KEY_FILE: Final = "ASSAY_KEY_FILE"
PREFIX: Final = "ask_"
LONGEST_KEY: Final = 1000
# Who waits at a terminal for a wrong address wants to know soon.
PATIENCE_SEC: Final = 10.0


def add_server(parser: argparse.ArgumentParser, what: str) -> None:
    """``what`` says what changes with the option."""
    option(parser, "--server URL", f"{what}; its key is in {KEY}, or in the file that {KEY_FILE} names")


def client_of(url: str) -> "Client":
    """A client of the service, with the key from the environment. Raises ``InputError`` if there is none."""
    from assay.client import Client  # noqa: PLC0415 - only who asks a service needs it

    return Client(url, _key(), PATIENCE_SEC)


def _key() -> str:
    key, path = os.environ.get(KEY, "").strip(), os.environ.get(KEY_FILE, "")
    if not key and not path:
        raise InputError(
            f"--server needs a key: put it into {KEY}, or into a file and the file's name into {KEY_FILE}"
        )
    where = KEY if key else path
    key = key or _read(path)
    if not key.startswith(PREFIX) or not key.isascii() or not key.isprintable() or " " in key:
        raise InputError(f"the key in {where} must be one line that begins with {PREFIX}")
    return key


def _read(path: str) -> str:
    """The key in a file of the user, which may be a link, as mounted secrets are."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(LONGEST_KEY).strip()
    except OSError as error:
        raise InputError(f"the file that {KEY_FILE} names can't be read: {path} ({error.strerror})") from error
