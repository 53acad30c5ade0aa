"""The backends that a sandbox can have, which of them work on this machine, and which one to use."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from assay.adapters.sandbox.holds import HELD, HOLDS
from assay.adapters.sandbox.measured import forget_old, measured
from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import Sandbox


def _probe(module: str) -> Sandbox:
    """Try one backend out. Its module is imported only now: most commands need one backend, or none."""
    sandbox = importlib.import_module(f"assay.adapters.sandbox.{module}").probe()
    if not getattr(sandbox, "untried", ""):
        sandbox.isolation = measured(sandbox, getattr(sandbox, "trial_image", None))
    return cast("Sandbox", sandbox)


# Each is a module of this package. The best comes first.
NAMES = ("bubblewrap", "namespaces", "container", "process")
PROBES: dict[str, Callable[[], Sandbox]] = {name: functools.partial(_probe, name) for name in NAMES}
AUTO = "auto"
WEAKEST = "process"
MOMENT_SEC = 60
CHOICES = (AUTO, *PROBES)


@dataclass(frozen=True, slots=True)
class Offer:
    """One backend on this machine: its sandbox, or why it has none."""

    name: str
    sandbox: Sandbox | None
    why_not: str = ""


def offers() -> list[Offer]:
    """Probe every backend, and measure what it holds if that wasn't done a moment ago."""
    forget_old(MOMENT_SEC)
    return [_offer(name) for name in PROBES]


def choose(isolation: str, warn: Callable[[str], None] = lambda _: None) -> Sandbox:
    """The sandbox with this backend, or the best one that works for ``auto``. Raises ``InputError``.

    ``warn`` is told what the sandbox doesn't hold, if nobody asked for this one by name.
    """
    if isolation not in CHOICES:
        raise InputError(f"isolation must be one of {', '.join(CHOICES)}, got {isolation!r}")
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
        return Offer(name, PROBES[name]())
    except MeasurementError as error:
        return Offer(name, None, str(error))
