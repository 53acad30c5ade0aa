"""Answers of the API: JSON, pages of lists, and the one shape of an error."""

import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from assay.engine.explorer.list_slices import Slice
from assay.engine.explorer.run_export import render_json
from assay.formats.strict_model import StrictModel

JSON = "application/json"
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """A status, the bytes of a body, and headers. A long body comes in ``chunks`` instead, as it is made."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = JSON
    chunks: Iterator[bytes] | AsyncIterator[bytes] | None = None


class ProblemDetail(StrictModel):
    """A problem. ``code`` is for programs, ``message`` for people; ``details`` says where, if it is known."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorAnswer(StrictModel):
    """The shape of every error."""

    error: ProblemDetail


def json_answer(value: Any, status: int = 200) -> ApiAnswer:
    return ApiAnswer(status, render_json(value))


def unchanging(value: Any) -> ApiAnswer:
    """An unchanging answer, with a tag by which a caller can ask whether it has it already."""
    body = render_json(value)
    return ApiAnswer(200, body, {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'})


def answer_with(value: Any, status: int) -> ApiAnswer:
    """The answer of a route: an answer as it is, a part of a list, nothing, or a value."""
    match value:
        case ApiAnswer():
            return value
        case None:
            return ApiAnswer(status, b"")
        case Slice():
            meta = {"next": value.next, "prev": value.prev, "limit": value.limit}
            return json_answer({"data": value.rows, "_meta": meta})
    return json_answer(value, status)


def resource_from(model: type[Model], value: Any, **more: Any) -> Model:
    """A model with what a value has under the names of its fields, and with ``more``."""
    same = {name: getattr(value, name) for name in model.model_fields if name not in more}
    return model.model_construct(**same, **more)


def problem(
    status: int, code: str, message: str, details: Mapping[str, Any] | None = None, retry_after: int | None = None
) -> ApiAnswer:
    body = render_json({"error": {"code": code, "message": message, "details": dict(details or {})}})
    return ApiAnswer(status, body, {} if retry_after is None else {"Retry-After": str(retry_after)})
