"""Where trials run: a sandbox, and the machine around it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.engine.model_access import ModelDoor
from assay.engine.sandbox import Sandbox


class Host(Protocol):
    """The machine that Assay itself runs on. It tells use cases the time, new ids and the like."""

    @property
    def env(self) -> Mapping[str, str]:
        """The environment variables, from which tasks may take values by name."""

    @property
    def python(self) -> str:
        """The version of Python, for provenance."""

    @property
    def platform(self) -> str:
        """The operating system, for provenance."""

    def now(self) -> datetime:
        """The time in UTC."""

    def monotonic(self) -> float:
        """Seconds on a clock that only goes forward."""

    def new_id(self) -> str:
        """A unique id."""

    def random_letters(self, count: int) -> str:
        """Letters and digits for a name. Not for secrets."""


@dataclass(frozen=True, slots=True)
class TrialSite:
    """Where trials run. ``model`` is the way of one trial's agent to its model, if it has one."""

    sandbox: Sandbox
    host: Host
    model: ModelDoor | None = None
