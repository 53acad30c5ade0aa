"""What a run comes to: one decision, the first line that applies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.run import COUNTED, MEANINGS, Cause, Decision, Facts, Gates, State, decide

TABLE = [
    # Somebody ended it, or it has not ended: no number, whatever else is there.
    (Facts(ended=State.CANCELLED, reward=1.0), Decision(State.CANCELLED)),
    (Facts(ended=State.PENDING), Decision(State.PENDING)),
    (Facts(ended=State.RUNNING, gates=Gates("PASS")), Decision(State.RUNNING)),
    # No usable answer: only what an agent can't bring about has no number.
    (Facts(unusable=True, reason="x", cause=Cause.MACHINE), Decision(State.BROKEN, None, "x", Cause.MACHINE)),
    (Facts(unusable=True, reason="x", cause=Cause.VERIFIER), Decision(State.BROKEN, None, "x", Cause.VERIFIER)),
    (Facts(unusable=True, reason="x", cause=Cause.AGENT), Decision(State.UNUSABLE, 0.0, "x", Cause.AGENT)),
    (Facts(unusable=True, reason="x"), Decision(State.UNUSABLE, 0.0, "x")),
    (Facts(unusable=True, reward=1.0), Decision(State.UNUSABLE, 0.0)),
    # The checks decide, and the judge where none applies.
    (Facts(gates=Gates("PASS", "FAIL")), Decision(State.PASSED, 1.0)),
    (Facts(gates=Gates("FAIL", "PASS", failed=("a", "b"))), Decision(State.FAILED, 0.0, "a, b")),
    (Facts(gates=Gates("N/A", "PASS")), Decision(State.PASSED, 1.0)),
    (Facts(gates=Gates(None, "FAIL", failure_mode="gave_up")), Decision(State.FAILED, 0.0, "gave_up")),
    (Facts(gates=Gates("N/A", "unparseable")), Decision(State.NOT_JUDGED, None, "no_judge")),
    (Facts(gates=Gates(None, "PENDING")), Decision(State.NOT_JUDGED, None, "no_judge")),
    # The verdict of criteria has its own thresholds.
    (Facts(verdict="pass", reward=0.9), Decision(State.PASSED, 0.9)),
    (Facts(verdict="partial", reward=0.5), Decision(State.PARTIAL, 0.5)),
    (Facts(verdict="fail", reward=0.0, reason="timed_out"), Decision(State.FAILED, 0.0, "timed_out")),
    # A reward.
    (Facts(reward=1.0), Decision(State.PASSED, 1.0)),
    (Facts(reward=0.999), Decision(State.PARTIAL, 0.999)),
    (Facts(reward=0.0), Decision(State.FAILED, 0.0)),
    (Facts(several=True, reason="no_deciding_key"), Decision(State.SCORED, None, "no_deciding_key")),
    (Facts(reason="verification_disabled"), Decision(State.NOT_JUDGED, None, "verification_disabled")),
]


@pytest.mark.parametrize(("facts", "decision"), TABLE)
def test_the_first_line_that_applies_decides(facts: Facts, decision: Decision) -> None:
    assert decide(facts) == decision


def test_the_threshold_moves_what_passes_and_not_the_score() -> None:
    assert decide(Facts(reward=0.5), 0.5) == Decision(State.PASSED, 0.5)
    assert decide(Facts(reward=0.4), 0.5) == Decision(State.PARTIAL, 0.4)


def test_every_state_is_explained() -> None:
    assert list(MEANINGS) == list(State)


WORDS = st.sampled_from([None, "PASS", "FAIL", "N/A", "PENDING", "unparseable", "NOT APPLICABLE"])
FACTS = st.builds(
    Facts,
    ended=st.sampled_from([None, None, State.CANCELLED, State.PENDING, State.RUNNING]),
    unusable=st.booleans(),
    reason=st.none() | st.just("x"),
    cause=st.none() | st.sampled_from(Cause),
    gates=st.none() | st.builds(Gates, WORDS, WORDS),
    verdict=st.sampled_from([None, "pass", "partial", "fail"]),
    reward=st.none() | st.floats(0, 1),
    several=st.booleans(),
)


@given(FACTS, st.floats(0.01, 1))
def test_a_score_and_a_counted_state_go_together(facts: Facts, threshold: float) -> None:
    decision = decide(facts, threshold)
    missing = facts.verdict is not None and facts.reward is None
    assert (decision.score is not None) == (decision.state in COUNTED) or missing
    assert decision.state is not State.UNUSABLE or decision.score == 0
    assert not facts.unusable or decision.state is not State.PASSED


@given(FACTS, st.none() | st.just(Cause.AGENT))
def test_breaking_a_measurement_never_scores_more_than_being_wrong(facts: Facts, cause: Cause | None) -> None:
    """An answer that the agent could have spoilt counts as 0: it leaves no denominator."""
    spoilt = decide(
        Facts(unusable=True, cause=cause, gates=facts.gates, reward=facts.reward, verdict=facts.verdict)
    )
    assert (spoilt.state, spoilt.score) == (State.UNUSABLE, 0.0)
