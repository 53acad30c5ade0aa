"""The sentence that says why a run came to what it did."""

import pytest

from assay.engine.explorer.why import listed, why
from assay.engine.explorer.worth import cheats_in
from assay.evidence.run import Run, State


def run(state: State, **fields: object) -> Run:
    return Run(job="j", name="n", task="t", state=state, **fields)  # type: ignore[arg-type] # Any fields.


CODING = {"kind": "coding"}


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (run(State.PASSED, score=1.0), "The reward of 1 reaches what a run passes with."),
        (
            run(State.PASSED, score=1.0, exception_type="AgentTimeoutError"),
            "The reward of 1 reaches what a run passes with, although the run ended with AgentTimeoutError.",
        ),
        (run(State.PARTIAL, score=0.5), "The reward of 0.5 is above 0 and below what a run passes with."),
        (
            run(State.FAILED, score=0.0),
            "The reward of 0: the verifier ran to its end, and what the agent did isn't what it wants.",
        ),
        (
            run(State.FAILED, checks="FAIL", reason="no_new_skips, assertions_not_weakened", **CODING),
            "no_new_skips and assertions_not_weakened failed.",
        ),
        (run(State.FAILED, judge="FAIL", reason="refused", **CODING), "The judge says FAIL: refused."),
        (run(State.PASSED, checks="PASS", **CODING), "Every required scorer that applies passed."),
        (run(State.PASSED, judge="PASS", **CODING), "The judge says PASS, and no scorer decides."),
        (run(State.FAILED, kind="task_run", score=0.0, reason="it is booked"), "“it is booked” failed."),
        (
            run(State.UNUSABLE, score=0.0, reason="harbor_reward_empty"),
            "The reward file has no bytes. The agent could have brought that about, so it counts as 0.",
        ),
        (
            run(State.UNUSABLE, score=0.0, reason="output_unparseable", cause="agent"),
            "The output is missing or can't be parsed. The agent brought that about, so it counts as 0.",
        ),
        (
            run(State.BROKEN, reason="harbor_verifier_timeout_error", cause="verifier"),
            "The verifier ran out of time. The verifier is to blame, so this says nothing about the agent.",
        ),
        (
            run(State.BROKEN, reason="scorer broke: tests, style", cause="machine", **CODING),
            "tests and style couldn't measure. The machine is to blame, so this says nothing about the agent.",
        ),
        (
            run(State.BROKEN, reason="a_new_code"),
            "a_new_code. The machine is to blame, so this says nothing about the agent.",
        ),
        (run(State.NOT_JUDGED, reason="no_judge"), "No scorer applies, and no judge has given a verdict."),
        (run(State.PENDING), "It has not begun, or waits for its grading."),
    ],
)
def test_why(one: Run, sentence: str) -> None:
    assert why(one) == sentence


def test_every_state_has_a_sentence() -> None:
    for state in State:
        assert why(run(state, score=0.0)).endswith(".")


def test_many_names_are_the_first_ones() -> None:
    assert listed(["a"]) == "a"
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"


def test_a_failing_test_is_no_cheat() -> None:
    assert cheats_in("tests, no_new_skips") == ["no_new_skips"]
    assert cheats_in("tests, allowed_paths") == []
