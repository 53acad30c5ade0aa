"""The judge's opinion on phrases that were not found. Whatever it is, the score is the one without it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import MeasurementError
from assay.dialects.criteria.models import Criterion, CriterionRun
from assay.engine.criteria.complete_run import check_of
from assay.engine.criteria.lint import lint
from assay.evidence.verdict import NO_JUDGE, Answer, Judge, NoOpinion, Opinion, Question
from tests.checks.criteria.fake_state import BEFORE, START, FakeState, call
from tests.completing import complete

CALL = FakeState(
    spoken=call(
        ("caller", "Is my visit booked?"),
        ("agent", "Yes, you are all set for Thursday."),
        ("agent", "Please bring your card."),
        ("caller", "Goodbye."),
    )
)
SAID = Opinion(True, 2, "you are all set", "m")
NOT_SAID = Opinion(False, None, "", "m")


class Fixed:
    """A judge that always thinks the same, or breaks, and remembers the questions."""

    def __init__(self, answer: Answer | Exception) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    def opinion(self, question: Question) -> Answer:
        self.asked.append(question)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def graded(judge: Judge | None, *assertions: dict[str, Any], state: FakeState = CALL) -> list[CriterionRun]:
    criteria = [
        Criterion(label=str(number), assertion={"assert": "voice-transcript", "paraphrase": True, **one})
        for number, one in enumerate(assertions)
    ]
    return complete(criteria, {}, state, judge).criterion_runs


def opinions(run: CriterionRun) -> list[dict[str, Any] | None]:
    return [row.get("paraphrase") for row in run.evidence["phraseResults"]]


@pytest.mark.parametrize(
    ("assertion", "answer", "details", "evidence"),
    [
        (
            {"contains": ["is booked"]},
            SAID,
            "0 of 1 phrase as expected in 4 turns; judge (not scored): 1 wanted phrase said in other words",
            {"said": True, "turn": 2, "quote": "you are all set", "model": "m"},
        ),
        (
            {"contains": ["is booked"]},
            NOT_SAID,
            "0 of 1 phrase as expected in 4 turns; judge (not scored): 1 wanted phrase not said",
            {"said": False, "turn": None, "quote": "", "model": "m"},
        ),
        (
            {"not_contains": ["is booked"]},
            SAID,
            "1 of 1 phrase as expected in 4 turns; judge (not scored): 1 forbidden phrase said in other words",
            {"said": True, "turn": 2, "quote": "you are all set", "model": "m"},
        ),
        (
            {"not_contains": ["is booked"]},
            NOT_SAID,
            "1 of 1 phrase as expected in 4 turns; judge (not scored): 1 forbidden phrase not said",
            {"said": False, "turn": None, "quote": "", "model": "m"},
        ),
        (
            {"contains": ["is booked"]},
            NoOpinion("it is down"),
            "0 of 1 phrase as expected in 4 turns; judge (not scored): 1 phrase without an opinion",
            {"said": None, "why": "it is down"},
        ),
    ],
)
def test_an_opinion_is_evidence_and_a_clause_of_the_details(
    assertion: dict[str, Any], answer: Answer, details: str, evidence: dict[str, Any]
) -> None:
    (run,) = graded(Fixed(answer), assertion)
    assert (run.details, opinions(run)) == (details, [evidence])


@pytest.mark.parametrize(
    "assertion",
    [
        {"contains": ["all set"]},
        {"not_contains": ["bring your card"]},
        {"contains": ["all set"], "paraphrase": False, "not_contains": ["cancelled"]},
        {"contains": ["is booked"], "speaker": "nurse"},
    ],
    ids=["found", "forbidden and found", "not asked for", "nothing to read"],
)
def test_the_judge_is_not_asked(assertion: dict[str, Any]) -> None:
    judge = Fixed(SAID)
    (run,) = graded(judge, assertion)
    assert (judge.asked, "judge" in run.details) == ([], False)
    assert opinions(run) == [None] * len(opinions(run))


@pytest.mark.parametrize(
    ("assertion", "phrases", "counted"),
    [
        ({"contains": ["is booked"]}, ("is booked",), [1, 2, 3, 4]),
        ({"contains": [["is booked", "is made"]], "speaker": "Agent"}, ("is booked", "is made"), [2, 3]),
        ({"contains": ["all set", "is booked"], "in_order": True}, ("is booked",), [2, 3, 4]),
        ({"not_contains": ["cancelled"], "turns": [2, 3]}, ("cancelled",), [2, 3]),
    ],
)
def test_all_turns_are_read_and_only_those_that_are_meant_count(
    assertion: dict[str, Any], phrases: tuple[str, ...], counted: list[int]
) -> None:
    judge = Fixed(NOT_SAID)
    graded(judge, assertion)
    (question,) = judge.asked
    assert question.phrases == phrases
    assert [turn.number for turn in question.counted] == counted
    assert [turn.number for turn in question.turns] == [1, 2, 3, 4]


def test_turns_from_before_the_run_are_not_read() -> None:
    old = call(("agent", "You are all set."), at=BEFORE)
    judge = Fixed(NOT_SAID)
    graded(judge, {"contains": ["is booked"], "since": "run_start"}, state=FakeState(spoken=[*old, *CALL.spoken]))
    assert all(turn.at >= START for turn in judge.asked[0].turns)


def test_the_same_question_is_asked_once_for_all_criteria() -> None:
    judge = Fixed(SAID)
    one = {"contains": ["is booked"]}
    runs = graded(judge, one, one, {"not_contains": ["is booked"]}, {**one, "speaker": "agent"})
    assert len(judge.asked) == 2
    assert [opinions(run)[0] for run in runs] == [opinions(runs[0])[0]] * 4


def test_a_judge_that_breaks_has_no_opinion() -> None:
    (run,) = graded(Fixed(RuntimeError("the patient is Rivera")), {"contains": ["is booked"]})
    assert opinions(run) == [{"said": None, "why": "the judge broke (RuntimeError)"}]


@pytest.mark.parametrize("judge", [None, Fixed(NoOpinion(NO_JUDGE))])
def test_no_judge(judge: Judge | None) -> None:
    (run,) = graded(judge, {"contains": ["is booked"]})
    assert opinions(run) == [{"said": None, "why": "no judge is configured"}]


def test_a_state_without_a_judge_beside_it() -> None:
    answer = check_of({"assert": "voice-transcript", "contains": ["x"], "paraphrase": True}, {}).run(CALL)
    assert "1 phrase without an opinion" in answer.summary


spoken_phrases = st.sampled_from(
    ["all set", "is booked", "bring your card", "goodbye", "not all set", "cancelled"]
)
phrases = st.lists(spoken_phrases | st.lists(spoken_phrases, min_size=1, max_size=2), min_size=1, max_size=3)
assertions = st.fixed_dictionaries(
    {"contains": phrases},
    optional={
        "not_contains": phrases,
        "speaker": st.sampled_from(["agent", "caller", "nurse"]),
        "turns": st.sampled_from([[1, 2], [3, 9]]),
        "in_order": st.booleans(),
        "fuzzy": st.just(0.8),
        "since": st.just("run_start"),
    },
)
answers: list[Callable[[], Answer | Exception]] = [
    lambda: SAID,
    lambda: NOT_SAID,
    lambda: NoOpinion("down"),
    lambda: MeasurementError("down"),
    lambda: ValueError("x"),
]


@given(st.lists(assertions, min_size=1, max_size=3), st.sampled_from(answers))
def test_no_opinion_changes_a_score(
    written: list[dict[str, Any]], answer: Callable[[], Answer | Exception]
) -> None:
    """Not the score, not whether it passed, and nothing else of the evidence."""
    plain = graded(None, *({**one, "paraphrase": False} for one in written))
    judged = graded(Fixed(answer()), *written)
    for without, with_judge in zip(plain, judged, strict=True):
        assert (with_judge.score, with_judge.passed) == (without.score, without.passed)
        assert with_judge.details.startswith(without.details)
        rows = [
            {k: v for k, v in row.items() if k != "paraphrase"} for row in with_judge.evidence["phraseResults"]
        ]
        assert rows == without.evidence["phraseResults"]


@pytest.mark.parametrize(
    ("more", "places"),
    [
        ({"assert": "voice-transcript", "contains": ["a"], "paraphrase": True}, []),
        ({"assert": "voice-transcript", "contains": ["a"], "paraphrase": "yes"}, ["assertion.paraphrase"]),
        ({"assert": "voice-transcript", "paraphrase": True}, ["assertion"]),
        ({"assert": "voice-transcript", "paraphrase": True, "not_contains": [[]]}, ["assertion"]),
        ({"assert": "x12-response", "envelope": True, "paraphrase": True}, ["assertion.paraphrase"]),
    ],
)
def test_what_lint_says(more: dict[str, Any], places: list[str]) -> None:
    found = lint({"criteria": [{"label": "a", "assertion": {**more, "since": "run_start"}}]}, {}, {})
    assert [(one.rule, one.place.removeprefix("criteria[0].")) for one in found] == [
        *([("phrases-alone", "assertion")] * ("contains" in more)),
        *(("unsupported", place) for place in places),
    ]
