"""What the sandboxes of this machine were measured to hold. That takes seconds, so the answer is kept for a day.

It is kept in a file of this user's in memory, or in the folder for temporary files, for this boot of the machine
only. `assay doctor` measures again.
"""

import contextlib
import json
import os
import stat
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from assay.adapters.safe_read import read_file
from assay.adapters.sandbox.holds import NOT_HELD, measure
from assay.adapters.sandbox.makers import place
from assay.adapters.scratch import MEMORY
from assay.engine.sandbox import Isolation, Sandbox
from assay.evidence.files import Content
from assay.version import ENGINE, VERSION

DAY_SEC = 24 * 3600
KEPT_IN = MEMORY
_LARGEST = 2**20
_NOTHING = "none, as measured"


def measured(sandbox: Sandbox, image: str | None = None) -> Isolation:
    """How well the sandbox isolates. A limit that was measured not to hold isn't claimed."""
    claimed = sandbox.isolation
    kept = _kept()
    key = f"{VERSION} {ENGINE} {claimed.backend} {_cgroup()} {image}"
    found = kept.get(key)
    if found is None:
        found = measure(sandbox, image)
        _keep({**kept, key: found})
    return _corrected(replace(claimed, measured=found))


def forget_old(older_than_sec: float) -> None:
    """Have everything measured again that was measured longer ago."""
    with contextlib.suppress(OSError):
        if time.time() - os.lstat(_path()).st_mtime > older_than_sec:
            os.unlink(_path())


def _corrected(isolation: Isolation) -> Isolation:
    found = isolation.measured
    missing = {name for name, what in found.items() if what == NOT_HELD}
    return replace(
        isolation,
        pid_namespace=isolation.pid_namespace and "processes" not in missing,
        no_network=isolation.no_network and "network" not in missing,
        memory_limit=_NOTHING if "memory" in missing else isolation.memory_limit,
        process_limit=_NOTHING if "process count" in missing else isolation.process_limit,
        cpu_limit=_NOTHING if "CPU" in missing and isolation.cpu_limit != "none" else isolation.cpu_limit,
    )


def _path() -> str:
    folder = KEPT_IN if os.access(KEPT_IN, os.W_OK) else tempfile.gettempdir()
    return os.path.join(folder, f"assay-holds-{os.geteuid()}-{place()}.json")


def _kept() -> dict[str, dict[str, str]]:
    """The answers so far. A file that somebody else could have written doesn't count."""
    path = _path()
    try:
        found = os.lstat(path)
    except OSError:
        return {}
    ours = found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & 0o022 == 0
    file = read_file(path, _LARGEST)
    if not ours or time.time() - found.st_mtime > DAY_SEC or not isinstance(file, Content):
        return {}
    try:
        answers = json.loads(file.data)
    except ValueError:
        return {}
    return answers if isinstance(answers, dict) else {}


def _keep(answers: dict[str, dict[str, str]]) -> None:
    """Somebody may have taken the name; then everything is measured again the next time."""
    path = _path()
    with contextlib.suppress(OSError):
        fd, part = tempfile.mkstemp(prefix="assay-holds-", dir=os.path.dirname(path))
        with open(fd, "w") as file:
            json.dump(answers, file)
        try:
            os.replace(part, path)
        except OSError:
            os.unlink(part)


def _cgroup() -> str:
    """Where this process is among the control groups, which decides what limits it can set."""
    with contextlib.suppress(OSError):
        return Path("/proc/self/cgroup").read_text().replace("\n", " ")
    return ""
