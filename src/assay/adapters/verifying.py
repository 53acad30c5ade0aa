"""Hold the criteria of a file against the playground of another file."""

from assay.adapters.criteria_file import load_criteria
from assay.adapters.playground_file import load_playground_file
from assay.adapters.playground_sources import opened
from assay.adapters.playground_waits import Say, Waits, watching
from assay.dialects.criteria.models import Completion
from assay.engine.criteria import complete


def verify(criteria: str, playground: str, say: Say = lambda _: None) -> Completion:
    """Ask the sources and score. What the playground file gives as data wins over the criteria file's own.

    ``say`` is told which sources are waited for, once each.
    Raises ``InputError`` for a file that can't be used, and ``MeasurementError`` where a source can't be reached.
    """
    file = load_criteria(criteria)
    with watching(Waits(say)) as waits, opened(load_playground_file(playground), waits) as sources:
        data = {**sources.stored, **file.data, **sources.given}
        return complete(file.criteria, data, sources.state, sources.judge)
