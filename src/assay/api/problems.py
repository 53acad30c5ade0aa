"""Errors that are known, as answers."""

import logging
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.adapters.store.errors import StoreError
from assay.api.answers import ApiAnswer, problem
from assay.core.errors import InputError, MeasurementError
from assay.engine.schema_errors import about, first, sentence
from assay.engine.service.errors import BusyError, ConflictError, NotFoundError, OutdatedError
from assay.engine.service.keys import Key, Scope

log = logging.getLogger("assay.api")

_ADAPTERS: dict[int, TypeAdapter[Any]] = {}
STORE_RETRY_SEC: Final = 2
SOURCE_RETRY_SEC: Final = 5
BUSY_RETRY_SEC: Final = 1


class InvalidBodyError(InputError):
    """A body that isn't what the route takes. ``details`` says where."""

    def __init__(self, message: str, details: dict[str, object]) -> None:
        super().__init__(message)
        self.details = details


class RefusedError(Exception):
    """A request that ends before it is looked at."""

    def __init__(self, answer: ApiAnswer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def invalid_body(error: ValidationError, model: type[BaseModel]) -> InvalidBodyError:
    """The first mistake in a body, in a sentence."""
    told = first(error.errors(include_url=False, include_context=True))
    place = ".".join(map(str, told["loc"]))
    return InvalidBodyError(about(place, sentence(told, model)), {"field": place})


def parse_body(model: Any, content: bytes) -> Any:
    """The body as a model. Raises ``InvalidBodyError``."""
    adapter = _ADAPTERS.setdefault(id(model), TypeAdapter(model))
    try:
        return adapter.validate_json(content)
    except ValidationError as error:
        raise invalid_body(error, model) from error


def answer_of(error: Exception, key: Key | None) -> ApiAnswer:
    """The answer for an error that is known. The values of a playground are in none of these texts."""
    match error:
        case RefusedError():
            return error.answer
        case NotFoundError():
            return problem(404, "not_found", str(error))
        case BusyError():
            return problem(409, "busy", str(error), retry_after=BUSY_RETRY_SEC)
        case OutdatedError():
            return problem(412, "precondition_failed", str(error))
        case ConflictError():
            return problem(409, "conflict", str(error))
        case InvalidBodyError():
            return problem(422, "invalid_request", str(error), error.details)
        case InputError():
            return problem(422, "invalid_request", str(error))
        case StoreError():
            log.warning("the store can't be used: %s", error)
            text = "the store can't be reached; try again in a moment"
            return problem(503, "store_unavailable", text, retry_after=STORE_RETRY_SEC)
        case MeasurementError():
            return problem(503, "source_unavailable", _measurement_text(error, key), retry_after=SOURCE_RETRY_SEC)
    raise error


def _measurement_text(error: MeasurementError, key: Key | None) -> str:
    """An agent must not learn from an error which sources and criteria it is graded by."""
    if key is None or key.scope is Scope.RUN:
        return "the run can't be graded at the moment; nothing is scored, and it can be completed again"
    return f"{error}; nothing is scored, and the run can be completed again"
