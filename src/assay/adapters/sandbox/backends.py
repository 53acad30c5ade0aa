"""The backends that a sandbox can have, which of them work on this machine, and which one to use."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import Sandbox


def _probe(module: str) -> Sandbox:
    """Try one backend out. Its module is imported only now: most commands need one backend, or none."""
    return cast("Sandbox", importlib.import_module(f"assay.adapters.sandbox.{module}").probe())


# Each is a module of this package. The best comes first.
NAMES = ("bubblewrap", "namespaces", "container", "process")
PROBES: dict[str, Callable[[], Sandbox]] = {name: functools.partial(_probe, name) for name in NAMES}
AUTO = "auto"
CHOICES = (AUTO, *PROBES)


@dataclass(frozen=True, slots=True)
class Offer:
    """One backend on this machine: its sandbox, or why it has none."""

    name: str
    sandbox: Sandbox | None
    why_not: str = ""


def offers() -> list[Offer]:
    """Probe every backend."""
    return [_offer(name) for name in PROBES]


def choose(isolation: str) -> Sandbox:
    """The sandbox with this backend, or the best one that works for ``auto``. Raises ``InputError``."""
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
            return found.sandbox
    raise InputError("no isolation works on this machine; 'assay doctor' shows why")


def _offer(name: str) -> Offer:
    try:
        return Offer(name, PROBES[name]())
    except MeasurementError as error:
        return Offer(name, None, str(error))
