"""Which sandbox to use, and what this machine offers."""

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
    """One backend on this machine: the sandbox, or why there is none."""

    name: str
    sandbox: Sandbox | None
    why_not: str = ""


def offers() -> list[Offer]:
    """Every backend, probed."""
    return [_offer(name) for name in PROBES]


def choose(isolation: str) -> Sandbox:
    """The backend asked for, or the best one that works. Raises ``InputError``."""
    if isolation not in CHOICES:
        raise InputError(f"there is no isolation {isolation!r}; there are {', '.join(CHOICES)}")
    if isolation != AUTO:
        found = _offer(isolation)
        if found.sandbox is None:
            raise InputError(f"isolation {isolation} is not available: {found.why_not}")
        return found.sandbox
    for name in PROBES:
        found = _offer(name)
        if found.sandbox is not None:
            return found.sandbox
    raise InputError("no isolation is available on this machine; 'assay doctor' says why")


def _offer(name: str) -> Offer:
    try:
        return Offer(name, PROBES[name]())
    except MeasurementError as error:
        return Offer(name, None, str(error))
