"""The sandbox in which a service runs tenants' commands, and the message if there is none."""

import threading
from typing import Final

from assay.adapters.sandbox import AUTO
from assay.adapters.sandbox.backends import PROBES
from assay.core.errors import InputError, MeasurementError
from assay.engine.sandbox import Sandbox

OFF: Final = "off"
# A process of the host isolates nobody from anybody, so it is used only if the operator says so.
ISOLATING: Final = tuple(name for name in PROBES if name != "process")
SWITCHED_OFF: Final = "they are switched off"
CHOICES: Final = (AUTO, *PROBES, OFF)


class CodingSandbox:
    """The sandbox by its name, looked for when it is needed, and once."""

    def __init__(self, wanted: str = AUTO) -> None:
        if wanted not in CHOICES:
            raise InputError(f"coding must be one of {', '.join(CHOICES)}, got {wanted!r}")
        self._wanted = wanted
        self._lock = threading.Lock()
        self._found: Sandbox | str | None = None
        self.refused: str | None = SWITCHED_OFF if wanted == OFF else None
        """Why coding runs are not taken at all; None if they are."""

    def must_work_here(self) -> None:
        """Take no coding runs if no sandbox works here, because nobody else would grade them."""
        self.refused = self.why_not()

    def __call__(self) -> Sandbox:
        """Raises ``MeasurementError`` if there is none: that says nothing about any agent."""
        found = self._look_once()
        if isinstance(found, str):
            raise MeasurementError(found)
        return found

    def why_not(self) -> str | None:
        """Why no coding runs can be graded here; None if they can."""
        found = self._look_once()
        return found if isinstance(found, str) else None

    def _look_once(self) -> Sandbox | str:
        with self._lock:
            if self._found is None:
                self._found = self._look()
            return self._found

    def _look(self) -> Sandbox | str:
        if self._wanted == OFF:
            return SWITCHED_OFF
        names = ISOLATING if self._wanted == AUTO else (self._wanted,)
        reasons = []
        for name in names:
            try:
                return PROBES[name]()
            except MeasurementError as error:
                reasons.append(f"{name}: {error}")
        return f"no sandbox for coding runs works on this machine ({'; '.join(reasons)})"
