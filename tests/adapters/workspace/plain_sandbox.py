"""A sandbox that is none: it runs a command in the folder that would be mounted, and tells what it was asked."""

import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime

from assay.core.errors import MeasurementError
from assay.engine.sandbox import Images, Isolation, Ran, SandboxCommand
from assay.evidence.coding_run import ProcessEnd


@dataclass
class PlainSandbox:
    """``broken`` makes it one that can't start; ``apart`` one that claims to keep commands apart."""

    broken: str | None = None
    apart: bool = False
    asked: list[SandboxCommand] = field(default_factory=list)
    owner: tuple[int, int] | None = None
    images: Images | None = None

    @property
    def isolation(self) -> Isolation:
        return Isolation("plain", self.apart, False, False, "none", "none", "none", "none")

    def run(self, command: SandboxCommand) -> Ran:
        if self.broken is not None:
            raise MeasurementError(self.broken)
        self.asked.append(command)
        start = datetime.now(UTC)
        folder, limit = command.mounts[0].source, command.limits.timeout_sec
        try:
            ran = subprocess.run(
                command.argv,
                cwd=folder,
                env=dict(command.env),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(ProcessEnd(None, timed_out=True, signal=9), b"", False, start, datetime.now(UTC))
        return Ran(ProcessEnd(ran.returncode), ran.stdout, False, start, datetime.now(UTC))
