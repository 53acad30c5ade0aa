"""The turns of a run: what the user asked in each, and what the agent answered."""

from assay.engine.coding.coding_record import session, turns_of
from assay.evidence.coding_run import (
    AgentEnd,
    AgentRecord,
    Form,
    ProcessEnd,
    SessionTurn,
    Speaker,
    StatedUsage,
    Tail,
    Trajectory,
    TrajectoryStep,
)


def said(*steps: tuple[Speaker, str], tokens: int | None = None) -> Trajectory:
    numbered = (TrajectoryStep(number, speaker, text) for number, (speaker, text) in enumerate(steps, start=1))
    return Trajectory(Form.MESSAGES, tuple(numbered), usage=StatedUsage(tokens))


USER, AGENT = Speaker.USER, Speaker.AGENT


def test_a_turn_for_each_request() -> None:
    records = [AgentRecord(final_response="one"), AgentRecord()]
    assert turns_of(["a", "b", "c"], records) == (
        SessionTurn(1, "a", "one"),
        SessionTurn(2, "b", None),
        SessionTurn(3, "c", None),
    )


def test_a_single_request_may_have_turns_in_its_trajectory() -> None:
    told = said((USER, "Fix it."), (AGENT, "Which one?"), (USER, "The first."), (AGENT, "Done."))
    assert turns_of(["Fix it."], [AgentRecord(told, "Done.")]) == (
        SessionTurn(1, "Fix it.", "Which one?"),
        SessionTurn(2, "The first.", "Done."),
    )


def test_a_session_is_all_of_its_turns() -> None:
    first = AgentRecord(said((AGENT, "a"), tokens=1), "a", (), AgentEnd(ProcessEnd(3), 1, 10), ("x",))
    last = AgentRecord(
        said((AGENT, "b"), tokens=2), "b", (Tail("output.txt", "b"),), AgentEnd(ProcessEnd(0), 2, 10)
    )
    whole = session([first, last])
    assert whole.trajectory is not None
    assert [(step.number, step.text) for step in whole.trajectory.steps] == [(1, "a"), (2, "b")]
    assert (whole.trajectory.usage.input_tokens, whole.final_response, whole.remarks) == (3, "b", ("x",))
    assert whole.end == AgentEnd(ProcessEnd(3), 3, 20)
    assert whole.outputs == (Tail("output.txt", "b"),)


def test_a_trajectory_that_holds_the_turn_before_is_the_whole() -> None:
    first = said((AGENT, "a"), tokens=1)
    whole = said((AGENT, "a"), (AGENT, "b"), tokens=3)
    assert session([AgentRecord(first), AgentRecord(whole)]).trajectory == whole


def test_no_record_is_an_empty_session() -> None:
    assert session([]) == AgentRecord()
