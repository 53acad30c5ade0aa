"""The folder of a finished coding run on disk: harbor's layout, written by harbor or by 'assay run'."""

import contextlib
import json
import os
import re
import tarfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from assay.adapters.jobs.agent_record import read_agent_record
from assay.adapters.jobs.run_scoring import (
    agent_folder,
    agent_records,
    archive_of_trial,
    read_scored,
    turns_of_trial,
)
from assay.adapters.machine.safe_read import read_below
from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import unpack_tree
from assay.adapters.tasks.seeded_names import is_seeded
from assay.adapters.tasks.seeded_task import load_seeded
from assay.core.errors import InputError
from assay.evidence.coding_run import AgentEnd, AgentRecord, ProcessEnd, RunStatus
from assay.evidence.files import Content

_LIMIT = 64 * 2**20
_CODE = re.compile(r"exit code (\d+)")
# Exceptions of a run that say that the agent never had its chance.
_FAILED = ("MeasurementError", "EnvironmentStartTimeoutError")


class KeptCodingWork:
    """A finished run. ``path`` is as the user wrote it."""

    def __init__(self, path: str) -> None:
        self.path = path.rstrip("/")

    def task_path(self) -> str:
        match self._json("config.json"):
            case {"task": {"path": str(task)}} if is_seeded(task):
                return task
            case {"task": {"path": str(task)}}:
                raise InputError(f"{task}, the task of {self.path}, isn't a seeded task; pass one with --task")
        raise InputError(f"{self.path}/config.json must name the task in task.path, but it doesn't")

    def status(self) -> RunStatus:
        kind = self._exception()[0]
        if kind == "CancelledError":
            return RunStatus.CANCELLED
        return RunStatus.FAILED if kind in _FAILED else RunStatus.COMPLETED

    def agent_records(self) -> list[AgentRecord]:
        before = read_scored(self.path)
        if before:
            return agent_records(self.path, before[-1])
        agent = self._json("result.json").get("agent_info")
        name = agent.get("name") if isinstance(agent, dict) else None
        return [
            read_agent_record(agent_folder(self.path, turn), self._end(), name if isinstance(name, str) else None)
            for turn in turns_of_trial(self.path)
        ]

    @contextlib.contextmanager
    def workspace(self, task: str) -> Iterator[str | None]:
        archive = archive_of_trial(self.path)
        if archive is None:
            yield None
            return
        with temporary_folder(0o700) as folder:
            try:
                unpack_tree(archive, folder)
            except (OSError, ValueError, EOFError, tarfile.TarError, zlib.error) as error:
                raise InputError(f"{archive} can't be unpacked: {error}") from error
            place = os.path.normpath(f"{folder}/{load_seeded(task).scenario.workdir}")
            inside = os.path.realpath(place) == place.replace(folder, os.path.realpath(folder), 1)
            yield place if inside and os.path.isdir(place) else None

    def _end(self) -> AgentEnd | None:
        """How the agent ended, as far as the result tells."""
        match self._json("result.json").get("agent_execution"):
            case {"started_at": str(start), "finished_at": str(finish)}:
                seconds = _seconds(start, finish)
            case _:
                return None
        kind, message = self._exception()
        if kind == "AgentTimeoutError":
            return AgentEnd(ProcessEnd(None, timed_out=True), seconds)
        if kind == "NonZeroAgentExitCodeError":
            code = _CODE.search(message)
            return AgentEnd(ProcessEnd(int(code[1]) if code else 1), seconds)
        return AgentEnd(ProcessEnd(0), seconds)

    def _exception(self) -> tuple[str | None, str]:
        match self._json("result.json").get("exception_info"):
            case {"exception_type": str(kind), "exception_message": str(message)}:
                return kind, message
        return None, ""

    def _json(self, name: str) -> dict[str, Any]:
        found = read_below(self.path, (name,), _LIMIT)
        try:
            value = json.loads(found.data) if isinstance(found, Content) else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise InputError(f"{self.path}/{name} must be a JSON object, but it can't be read as one")
        return value


def _seconds(start: str, finish: str) -> float:
    with contextlib.suppress(ValueError):
        begun, ended = (datetime.fromisoformat(text) for text in (start, finish))
        with contextlib.suppress(TypeError):
            return max((ended - begun).total_seconds(), 0.0)
    return 0.0
