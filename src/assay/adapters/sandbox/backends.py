"""The backends that a sandbox can have, which of them work on this machine, and which one to use.

What the sandboxes of this machine were measured to hold. That takes seconds, so the answer is kept for a day.

It is kept in a file of this user's in memory, or in the folder for temporary files, for this boot of the machine
only. `assay doctor` measures again.
"""

import contextlib
import functools
import importlib
import json
import os
import stat
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import cast

from assay.adapters.machine.safe_read import read_file
from assay.adapters.machine.scratch import MEMORY
from assay.adapters.sandbox import AUTO, CHOICES, NAMES, PLUGGED
from assay.adapters.sandbox.cgroups import place
from assay.adapters.sandbox.holds import HELD, HOLDS, NOT_HELD, measure
from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import Isolation, Sandbox
from assay.evidence.files import Content
from assay.version import ENGINE, VERSION

DAY_SEC = 24 * 3600
KEPT_IN = MEMORY
_LARGEST = 2**20
_NOTHING = "none, as measured"


# The module that has a backend, and its function that tries it out.
BACKENDS = {
    "bubblewrap": ("view_sandbox", "probe_bubblewrap"),
    "namespaces": ("view_sandbox", "probe_namespaces"),
    "container": ("containers.container", "probe"),
    "process": ("process", "probe"),
}


def _probe(name: str) -> Sandbox:
    """Try one backend out. Its module is imported only now: most commands need one backend, or none."""
    module, function = BACKENDS.get(name, ("plugged", "load_plugged"))
    probe = getattr(importlib.import_module(f"assay.adapters.sandbox.{module}"), function)
    sandbox = probe() if name in BACKENDS else probe(name)
    if not getattr(sandbox, "untried", ""):
        sandbox.isolation = measure_isolation(sandbox, getattr(sandbox, "trial_image", None))
    return cast("Sandbox", sandbox)


def plugged_names() -> list[str]:
    """The backends of others that are installed."""
    return sorted({one.name for one in entry_points(group=PLUGGED)} - set(CHOICES))


PROBES: dict[str, Callable[[], Sandbox]] = {name: functools.partial(_probe, name) for name in NAMES}
WEAKEST = "process"
MOMENT_SEC = 60


@dataclass(frozen=True, slots=True)
class Offer:
    """One backend on this machine: its sandbox, or why it has none."""

    name: str
    sandbox: Sandbox | None
    why_not: str = ""


def offers() -> list[Offer]:
    """Probe every backend, and measure what it holds if that wasn't done a moment ago."""
    forget_old(MOMENT_SEC)
    return [_offer(name) for name in (*PROBES, *plugged_names())]


def choose(isolation: str, warn: Callable[[str], None] = lambda _: None) -> Sandbox:
    """The sandbox with this backend, or the best one that works for ``auto``. Raises ``InputError``.

    ``warn`` is told what the sandbox doesn't hold, if nobody asked for this one by name.
    """
    if isolation not in CHOICES and isolation not in plugged_names():
        raise InputError(f"isolation must be one of {', '.join((*CHOICES, *plugged_names()))}, got {isolation!r}")
    if isolation != AUTO:
        found = _offer(isolation)
        if found.sandbox is None:
            raise InputError(f"isolation {isolation} isn't available: {found.why_not}")
        return found.sandbox
    for name in PROBES:
        found = _offer(name)
        if found.sandbox is not None:
            if name == WEAKEST:
                warn(_warning(found.sandbox))
            return found.sandbox
    raise InputError("no isolation works on this machine; 'assay doctor' shows why")


def _warning(sandbox: Sandbox) -> str:
    open_to = [HOLDS[name] for name, what in sandbox.isolation.measured.items() if what != HELD and name in HOLDS]
    return (
        "no sandbox with namespaces works here ('assay doctor' shows why), so commands run as plain processes. "
        f"An agent can {'; '.join(open_to)}. Run only agents that you trust."
    )


def _offer(name: str) -> Offer:
    try:
        return Offer(name, PROBES[name]() if name in PROBES else _probe(name))
    except MeasurementError as error:
        return Offer(name, None, str(error))


def measure_isolation(sandbox: Sandbox, image: str | None = None) -> Isolation:
    """How well the sandbox isolates. A limit that was measured not to hold isn't claimed."""
    claimed = sandbox.isolation
    kept = _read_kept()
    key = f"{VERSION} {ENGINE} {claimed.backend} {_cgroup()} {image}"
    found = kept.get(key)
    if found is None:
        found = measure(sandbox, image)
        _keep({**kept, key: found})
    return _correct_claims(replace(claimed, measured=found))


def forget_old(older_than_sec: float) -> None:
    """Have everything measured again that was measured longer ago."""
    with contextlib.suppress(OSError):
        if time.time() - os.lstat(_path()).st_mtime > older_than_sec:
            os.unlink(_path())


def _correct_claims(isolation: Isolation) -> Isolation:
    found = dict(isolation.measured)
    if "CPU" in found and isolation.cpu_limit == "none":
        # On a busy machine, a command may seem to be held back that isn't.
        found["CPU"] = NOT_HELD
    missing = {name for name, what in found.items() if what == NOT_HELD}
    return replace(
        isolation,
        measured=found,
        pid_namespace=isolation.pid_namespace and "processes" not in missing,
        no_network=isolation.no_network and "network" not in missing,
        memory_limit=_NOTHING if "memory" in missing else isolation.memory_limit,
        process_limit=_NOTHING if "process count" in missing else isolation.process_limit,
        cpu_limit=_NOTHING if "CPU" in missing and isolation.cpu_limit != "none" else isolation.cpu_limit,
    )


def _path() -> str:
    folder = KEPT_IN if os.access(KEPT_IN, os.W_OK) else tempfile.gettempdir()
    return os.path.join(folder, f"assay-holds-{os.geteuid()}-{place()}.json")


def _read_kept() -> dict[str, dict[str, str]]:
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
