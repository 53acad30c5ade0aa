"""Answers of the API: JSON, pages of lists, and the one shape of an error."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from assay.adapters.store.service.paging import Rows
from assay.dialects.criteria.models import StrictModel

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, the bytes of a body, and headers. A long body comes in ``chunks`` instead, as it is made."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = JSON
    chunks: Iterator[bytes] | None = None


class ProblemDetail(StrictModel):
    """What is wrong. ``code`` is for programs, ``message`` for people; ``details`` says where, if it is known."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorAnswer(StrictModel):
    """The shape of every error."""

    error: ProblemDetail


def rendered(value: Any) -> bytes:
    """A value as JSON. NaN and infinity, which JSON can't hold, are null."""
    try:
        return to_json(value, by_alias=True, inf_nan_mode="null")
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        # A text with half of a character can be written only as an escape.
        return json.dumps(_plain(value), allow_nan=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(by_alias=True))
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str) else json.loads(to_json(value, inf_nan_mode="null"))


def shown(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status, rendered(value), {name.replace("_", "-"): one for name, one in headers.items()})


def unchanging(value: Any) -> Answer:
    """What can't change any more, with a tag by which a caller can ask whether it has it already."""
    body = rendered(value)
    return Answer(200, body, {"ETag": f'"{hashlib.sha256(body).hexdigest()[:32]}"'})


def shown_page(data: Sequence[Any], rows: Rows, limit: int) -> Answer:
    return shown({"data": data, "_meta": {"next": rows.next, "prev": rows.prev, "limit": limit}})


def problem(
    status: int, code: str, message: str, details: Mapping[str, Any] | None = None, retry_after: int | None = None
) -> Answer:
    body = rendered({"error": {"code": code, "message": message, "details": dict(details or {})}})
    return Answer(status, body, {} if retry_after is None else {"Retry-After": str(retry_after)})
