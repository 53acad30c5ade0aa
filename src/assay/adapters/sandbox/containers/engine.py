"""Call a container engine, Docker or podman, through its command-line client."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import MeasurementError

ANSWER_SEC = 120
_LOGGED = re.compile(r"^time=\S+ level=\w+ msg=")
REMOVE = ("rm", "--force", "--volumes")


@dataclass(frozen=True, slots=True)
class ContainerState:
    """The state of a container according to its engine. Nothing that runs in it can change that."""

    started_at: str
    running: bool
    exit_code: int
    error: str = ""
    out_of_memory: bool = False

    @property
    def started(self) -> bool:
        """Whether its first process ran. Until then, a container has the time zero."""
        return not self.started_at.startswith("0001-")


class Engine:
    """A container engine, by the path of its client."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path)

    def greet(self) -> None:
        """Raise ``MeasurementError`` if there is no engine behind the client."""
        try:
            asked = self._ask(("info",), timeout_sec=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise MeasurementError(f"{self.name} doesn't answer ({type(error).__name__})") from error
        if asked.returncode != 0:
            raise MeasurementError(f"{self.name} has no engine running ({_reason(asked)})")

    def call(
        self,
        *arguments: str,
        timeout_sec: float = ANSWER_SEC,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> str:
        """The client's output. Raises ``MeasurementError`` if it fails or takes too long."""
        try:
            done = self._ask(arguments, timeout_sec, env, stdin)
        except subprocess.TimeoutExpired as error:
            raise MeasurementError(f"{self.path} {arguments[0]} took longer than {timeout_sec:g} s") from error
        except OSError as error:
            raise MeasurementError(f"can't start {self.path}: {error.strerror}") from error
        if done.returncode != 0:
            raise MeasurementError(f"{self.path} {arguments[0]} failed: {_text(done.stderr)[-500:]}")
        return _text(done.stdout)

    def does(self, *arguments: str) -> bool:
        """Whether the client succeeded."""
        try:
            self.call(*arguments, timeout_sec=60)
        except MeasurementError:
            return False
        return True

    def state(self, container: str) -> ContainerState:
        """The state of a container. Raises ``MeasurementError`` if there is no such container."""
        said = self.call("inspect", "--type", "container", "--format", "{{json .State}}", container)
        try:
            return _state(json.loads(said))
        except (ValueError, KeyError, TypeError) as error:
            raise MeasurementError(f"{self.path} inspect gave an unexpected answer: {said[:200]}") from error

    def first_process(self, container: str) -> int | None:
        """The first process of a running container, if it is on this machine and in sight."""
        try:
            said = self.call("inspect", "--type", "container", "--format", "{{.State.Pid}} {{.Id}}", container)
            pid, name = said.split()
            here = name in Path(f"/proc/{int(pid)}/cgroup").read_text()
        except (MeasurementError, OSError, ValueError):
            return None
        return int(pid) if here else None

    def _ask(
        self,
        arguments: tuple[str, ...],
        timeout_sec: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [self.path, *arguments], capture_output=True, check=False, timeout=timeout_sec, env=env, input=stdin
        )


def _reason(asked: "subprocess.CompletedProcess[bytes]") -> str:
    """Why a client failed: its last line, without the time and level that podman puts before what it logs."""
    said = (_text(asked.stderr).splitlines() or [""])[-1]
    return _LOGGED.sub("", said)[:200] or f"no answer, exit status {asked.returncode}"


def _state(said: dict[str, object]) -> ContainerState:
    started, running, code = said["StartedAt"], said["Running"], said["ExitCode"]
    if not isinstance(started, str) or not isinstance(running, bool) or not isinstance(code, int):
        raise TypeError("the state has fields of unexpected types")
    return ContainerState(started, running, code, str(said.get("Error") or ""), said.get("OOMKilled") is True)


def _text(said: bytes) -> str:
    return said.decode(errors="replace").strip()
