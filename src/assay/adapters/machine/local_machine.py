"""The machine that Assay runs on, for the use cases: time, ids, environment variables."""

import os
import platform
import random
import string
import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

_LETTERS = string.ascii_letters + string.digits


class ThisHost:
    """This machine. ``env`` is what tasks may see of its environment variables: all of them by default."""

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self.env: Mapping[str, str] = os.environ if env is None else env
        self.python = platform.python_version()
        self.platform = platform.platform(terse=True)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def new_id(self) -> str:
        return str(uuid.uuid4())

    def random_letters(self, count: int) -> str:
        return "".join(random.choices(_LETTERS, k=count))  # noqa: S311 - a name, not a secret
