"""Verify: hold criteria against a playground."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from assay.dialects.criteria.models import Completion
from assay.engine.criteria.complete_run import Stamp, complete
from assay.engine.criteria.criterion_entries import LoadedCriteria
from assay.evidence.playground import Clock, PlaygroundState
from assay.evidence.verdict import Judge


@dataclass(frozen=True, slots=True)
class OpenPlayground:
    """A playground whose sources can be asked. ``stored`` and ``given`` are values that criteria can refer to."""

    state: PlaygroundState
    stored: Mapping[str, Any]
    given: Mapping[str, Any]
    judge: Judge | None = None


def verify_criteria(
    file: LoadedCriteria, playground: AbstractContextManager[OpenPlayground], time: Clock, stamp: Stamp
) -> Completion:
    """Open the playground, ask its sources and score.

    Values in ``given`` take precedence over those in the criteria file, which take precedence over ``stored``.
    Raises ``MeasurementError`` if a source can't be reached.
    """
    with playground as sources:
        data = {**sources.stored, **file.data, **sources.given}
        return complete(file.criteria, data, sources.state, stamp, sources.judge, time)
