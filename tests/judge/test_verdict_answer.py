"""What a model may answer about a run, and what becomes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.evidence.verdict import FactCheck, ParsedVerdict, Scores, Support, Unparseable
from assay.judge.verdict_answer import LONGEST, MOST_ROWS, SCHEMA, read_verdict
from tests.judge.cases import FAIL, PASS, said


def test_a_pass_and_a_fail() -> None:
    assert read_verdict(said()) == ParsedVerdict(
        True,
        Scores(5, 4, 3),
        None,
        "The diff fixes add and the test passes.",
        (FactCheck("all tests pass", "exit code 0", Support.SUPPORTED),),
    )
    failed = read_verdict(said(FAIL))
    assert isinstance(failed, ParsedVerdict)
    assert (failed.passed, failed.failure_mode, failed.inconsistent) == (False, "incomplete", ())


def test_reasoning_comes_first_in_the_schema_and_the_verdict_after_it() -> None:
    names = list(SCHEMA["properties"])
    assert names == SCHEMA["required"]
    assert names[0] == "reasoning"
    assert names.index("fact_check") < names.index("task_completion") < names.index("verdict")


@pytest.mark.parametrize(
    "written",
    [
        f"```json\n{said()}\n```",
        f"\n```\n{said()}\n```\n",
        f"<think>PASS or FAIL? {{}}</think>\n{said()}",
        json.dumps(PASS, indent=2),
    ],
)
def test_what_models_put_around_an_answer(written: str) -> None:
    assert isinstance(read_verdict(written), ParsedVerdict)


@pytest.mark.parametrize(
    ("answer", "odd"),
    [
        (said(task_completion=1), "PASS, with task_completion 1"),
        (said(instruction_adherence=2), "PASS, with instruction_adherence 2"),
        (said(failure_mode="incomplete"), "PASS, with a failure_mode"),
        (said(FAIL, task_completion=5), "FAIL, with task_completion 5 and instruction_adherence 4"),
    ],
)
def test_the_verdict_field_alone_decides_and_odd_scores_are_noted(answer: str, odd: str) -> None:
    found = read_verdict(answer)
    assert isinstance(found, ParsedVerdict)
    assert found.passed is (json.loads(answer)["verdict"] == "PASS")
    assert found.inconsistent == (odd,)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "not a JSON object"),
        ("PASS", "not a JSON object"),
        ("The agent did well. PASS.", "not a JSON object"),
        (f"Here you are: {said()}", "not a JSON object"),
        (said() + said(), "not a JSON object"),
        (said()[:-20], "not a JSON object"),
        (f"```json\n{said()}\n``` and more", "not a JSON object"),
        ("[]", "an object with only reasoning"),
        (said(more=1), "an object with only reasoning"),
        (json.dumps({name: value for name, value in PASS.items() if name != "efficiency"}), "object with only"),
        (said(verdict="pass"), "verdict must be PASS or FAIL"),
        (said(verdict=True), "verdict must be PASS or FAIL"),
        (said(verdict=["PASS"]), "verdict must be PASS or FAIL"),
        (said(task_completion=0), "task_completion must be a whole number from 1 to 5"),
        (said(task_completion=6), "task_completion must be a whole number from 1 to 5"),
        (said(efficiency=4.5), "efficiency must be a whole number from 1 to 5"),
        (said(efficiency="5"), "efficiency must be a whole number from 1 to 5"),
        (said(efficiency=True), "efficiency must be a whole number from 1 to 5"),
        (said(efficiency=None), "efficiency must be a whole number from 1 to 5"),
        (said(verdict="FAIL"), "failure_mode must be given where the verdict is FAIL"),
        (said(FAIL, failure_mode=" "), "failure_mode must be a text"),
        (said(FAIL, failure_mode="x" * 201), "failure_mode has more than 200 characters"),
        (said(FAIL, failure_mode=["x"]), "failure_mode must be a text"),
        (said(reasoning=""), "reasoning must be a text"),
        (said(reasoning=None), "reasoning must be a text"),
        (said(fact_check=None), "fact_check must be a list"),
        (said(fact_check=[{}]), "a row of fact_check must be an object with only"),
        (said(fact_check=PASS["fact_check"] * (MOST_ROWS + 1)), "at most 100 rows"),
        (said(fact_check=[{"claim": "c", "evidence": "e", "verdict": "maybe"}]), "supported, contradicted"),
        (said(fact_check=[{"claim": "", "evidence": "e", "verdict": "supported"}]), "claim must be a text"),
        (said()[:-1] + ', "verdict": "FAIL"}', "the same key twice"),
        (said(efficiency=float("nan")), "not a JSON object"),
        ("[" * 10_000, "not a JSON object"),
        (said() + " " * LONGEST, "more than 100000 characters"),
    ],
)
def test_an_answer_that_can_not_be_used(answer: str, why: str) -> None:
    found = read_verdict(answer)
    assert isinstance(found, Unparseable)
    assert found.why.startswith("the answer can't be used: ")
    assert why in found.why


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
objects = st.fixed_dictionaries({name: st.just(value) | anything for name, value in PASS.items()})


@given(st.text(st.characters()) | (objects | anything).map(json.dumps))
def test_no_answer_breaks_it_and_what_is_used_is_of_the_schema(answer: str) -> None:
    found = read_verdict(answer)
    if isinstance(found, ParsedVerdict):
        written = json.loads(answer)
        assert found.passed is (written["verdict"] == "PASS")
        assert list(Draft202012Validator(SCHEMA).iter_errors(written)) == []
        found.reasoning.encode()
