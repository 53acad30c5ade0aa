"""The backends that a sandbox can have, which of them work on this machine, and which one to use."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.adapters.sandbox import bubblewrap, container, process
from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import Sandbox

PROBES: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": bubblewrap.probe,
    "container": container.probe,
    "process": process.probe,
}
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
