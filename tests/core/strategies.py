"""Outcomes and placements as hypothesis draws them."""

from hypothesis import strategies as st

from assay.core.grading import Placed, Placement
from assay.core.outcome import Errored, NotApplicable, Outcome, Scored

scores = st.floats(0, 1)
scored = st.builds(Scored, scores, st.booleans())
not_applicable = st.just(NotApplicable("does not arise"))
errored = st.just(Errored("broke", "RuntimeError"))
outcomes: st.SearchStrategy[Outcome] = scored | not_applicable | errored


def placements(
    *, required: st.SearchStrategy[bool] | None = None, weight: st.SearchStrategy[float] | None = None
) -> st.SearchStrategy[Placement]:
    return st.builds(
        Placement,
        name=st.just("a check"),
        weight=st.just(1) | st.floats(0, 1e6) if weight is None else weight,
        axis=st.none() | st.sampled_from(["safety", "style"]),
        required=st.booleans() if required is None else required,
    )


def placed(
    outcome: st.SearchStrategy[Outcome] = outcomes, *, required: st.SearchStrategy[bool] | None = None
) -> st.SearchStrategy[Placed]:
    return st.builds(Placed, placements(required=required), outcome)
