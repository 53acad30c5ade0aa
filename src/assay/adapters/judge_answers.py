"""Answers of models in a file: a cache, a recording, or what a recording is played back from.

The file answers.jsonl has one line for each answer, which begins with the hash of everything that went in: the
model, the prompt with its data, and how it was asked. Nothing of the prompt is in it. Lines are only ever added,
so that several processes may write at the same time.
"""

import contextlib
import fcntl
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Final

from assay.core.errors import MeasurementError
from assay.judge.model import ModelClient, Reply, Request, Usage, request_key

NAME: Final = "answers.jsonl"
FORMAT: Final = 1
_KEY_AT: Final = len('{"key": "')
_KEY_END: Final = _KEY_AT + 64


class AnswerFolder:
    """Answers by the hash of their question. Only where each one is stays in memory."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/{NAME}"
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, int]] = {}
        self._seen = 0
        self._fd: int | None = None

    def read(self, key: str) -> Reply | None:
        """The answer to a question, if there is one. Raises ``MeasurementError`` for a file that can't be used."""
        try:
            with self._lock:
                place = self._places.get(key.encode()) or self._look(key.encode())
                data = None if place is None or self._fd is None else os.pread(self._fd, place[1], place[0])
        except OSError as error:
            raise MeasurementError(f"{self._path} can't be read: {error.strerror}") from error
        return None if data is None else self._reply(data)

    def write(self, key: str, reply: Reply) -> None:
        """Keep an answer. Raises ``MeasurementError`` if it can't be written."""
        told = asdict(replace(reply, recorded=False))
        del told["recorded"]
        line = json.dumps({"key": key, "format": FORMAT, **told}).encode() + b"\n"
        try:
            with self._lock, self._alone() as fd:
                # A process that was killed may have left half a line.
                end = os.fstat(fd).st_size
                whole = end == 0 or os.pread(fd, 1, end - 1) == b"\n"
                os.write(fd, line if whole else b"\n" + line)
        except OSError as error:
            raise MeasurementError(f"the answer can't be written to {self._path}: {error.strerror}") from error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[int]:
        fd = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield fd
        finally:
            os.close(fd)

    def _look(self, key: bytes) -> tuple[int, int] | None:
        """Where an answer is, after reading on from where this stopped: others may have added some."""
        if self._fd is None:
            try:
                self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
        size = os.fstat(self._fd).st_size
        if size > self._seen:
            with open(self._path, "rb") as file:
                file.seek(self._seen)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[line[_KEY_AT:_KEY_END]] = (self._seen, len(line))
                    self._seen += len(line)
        return self._places.get(key)

    def _reply(self, data: bytes) -> Reply:
        try:
            written = json.loads(data)
            del written["key"]
            if written.pop("format") != FORMAT:
                raise ValueError(f"format must be {FORMAT}")
            return Reply(**{**written, "usage": Usage(**written["usage"]), "recorded": True})
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise MeasurementError(f"{self._path} has a line that isn't an answer that was recorded") from error


class Remembering:
    """Fulfils ``ModelClient``. A question that was asked before is not asked again."""

    def __init__(self, client: ModelClient, answers: AnswerFolder) -> None:
        self.model = client.model
        self._client = client
        self._answers = answers

    def ask(self, request: Request) -> Reply:
        key = request_key(request, self.model)
        known = self._answers.read(key)
        if known is not None:
            return known
        reply = self._client.ask(request)
        self._answers.write(key, reply)
        return reply


class Replaying:
    """Fulfils ``ModelClient`` with answers that were recorded, and asks nobody."""

    def __init__(self, model: str, answers: AnswerFolder) -> None:
        self.model = model
        self._answers = answers

    def ask(self, request: Request) -> Reply:
        known = self._answers.read(request_key(request, self.model))
        if known is None:
            raise MeasurementError(f"the judge {self.model}: no answer to this question was recorded")
        return known
