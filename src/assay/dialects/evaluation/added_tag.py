"""A tag that was added to a run after its grading, with who added it and when. The grading never changes."""

from pydantic import Field

from assay.dialects.evaluation.models import ErrorTag, StrictModel, Timestamp


class AddedTag(StrictModel):
    """A classified failure, found by a reviewer, a judge or a program that looked at finished runs."""

    tag: ErrorTag
    added_by: str = Field(min_length=1)
    timestamp: Timestamp
