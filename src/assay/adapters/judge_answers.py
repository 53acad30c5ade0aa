"""Answers of models in a folder: a cache, a recording, or what a recording is played back from.

Each answer is a file, named by the hash of everything that went in: the model, the prompt with its data, and how
it was asked. Nothing of the prompt is in it.
"""

import contextlib
import json
import os
from dataclasses import asdict, replace
from typing import Final

from assay.adapters.atomic_write import write_text
from assay.core.errors import MeasurementError
from assay.judge.model import ModelClient, Reply, Request, Usage, request_key

FORMAT: Final = 1
LONGEST: Final = 4 * 1024 * 1024


class AnswerFolder:
    """Answers by the hash of their question. May be used from several threads and processes."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def read(self, key: str) -> Reply | None:
        """The answer to a question, if there is one. Raises ``MeasurementError`` for a file that isn't one."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                data = file.read(LONGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MeasurementError(f"{path} can't be read: {error.strerror}") from error
        try:
            written = json.loads(data)
            if written.pop("format") != FORMAT:
                raise ValueError(f"format must be {FORMAT}")
            return Reply(**{**written, "usage": Usage(**written["usage"]), "recorded": True})
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            raise MeasurementError(f"{path} isn't an answer that was recorded") from error

    def write(self, key: str, reply: Reply) -> None:
        """Keep an answer. Raises ``MeasurementError`` if it can't be written."""
        path = self._path(key)
        written = {"format": FORMAT, **asdict(replace(reply, recorded=False))}
        del written["recorded"]
        try:
            with contextlib.suppress(FileExistsError):
                os.makedirs(os.path.dirname(path))
            write_text(path, json.dumps(written, indent=1) + "\n")
        except OSError as error:
            raise MeasurementError(f"the answer can't be written to {path}: {error.strerror}") from error

    def _path(self, key: str) -> str:
        return f"{self._folder}/{key[:2]}/{key}.json"


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
