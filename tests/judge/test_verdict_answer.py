"""What a model may answer about a run, and what becomes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.dialects.scorers.report import FactCheckRow, Opinion, RubricRatings
from assay.evidence.verdict import Unparseable
from assay.judge.verdict_answer import LONGEST, MOST_ROWS, SCHEMA, read_verdict
from tests.judge.cases import FAIL, PASS, said


def test_a_pass_and_a_fail() -> None:
    assert read_verdict(said()) == Opinion(
        state="PASS",
        ratings=RubricRatings(task_completion=5, instruction_adherence=4, efficiency=3),
        reasoning="The diff fixes add and the test passes.",
        fact_check=[FactCheckRow(claim="all tests pass", evidence="exit code 0", verdict="supported")],
    )
    failed = read_verdict(said(FAIL))
    assert isinstance(failed, Opinion)
    assert (failed.state, failed.failure_mode, failed.inconsistent) == ("FAIL", "incomplete", [])


def test_the_schema_says_what_is_allowed_in_lists_of_values() -> None:
    written = json.dumps(SCHEMA)
    assert not any(word in written for word in ("minimum", "maximum", "pattern"))
    assert SCHEMA["properties"]["fact_check"]["maxItems"] == 20
    assert Draft202012Validator(SCHEMA).is_valid(PASS)
    assert Draft202012Validator(SCHEMA).is_valid(FAIL)
    assert not Draft202012Validator(SCHEMA).is_valid({**PASS, "efficiency": 8})
    assert not Draft202012Validator(SCHEMA).is_valid({**FAIL, "failure_mode": "so and so"})


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
    assert isinstance(read_verdict(written), Opinion)


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
    assert isinstance(found, Opinion)
    assert found.state == json.loads(answer)["verdict"]
    assert found.inconsistent == [odd]


def rating(found: Opinion, name: str) -> float | None:
    value: float | None = getattr(found.ratings, name)
    return value


def readable(written: str) -> Opinion:
    found = read_verdict(written)
    assert isinstance(found, Opinion), found
    return found


FAILED = said(FAIL)


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize(
    "around",
    [
        "Sure! Here it is: {}",
        "{}\n\nI hope that helps.",
        "The agent did well.\n```json\n{}\n```\nThat is all.",
        "```json{}```",
        "``` {} ```",
        "```JSON\n{}\n```",
        "I think that it passed. </think>\n{}",
        "<think>Is it {{a: 1}} or {{}}?</think>\n{}",
        'First {{"verdict": "FAIL"}}, no: {{"verdict": "PASS"}}.</think>{}',
        "[THINK]PASS or FAIL?[/THINK]{}",
        "<|channel|>analysis<|message|>PASS<|end|><|start|>assistant<|channel|>final<|message|>{}",
        "\ufeff{}",
        "[{}]",
        '{{"name": "answer", "arguments": {}}}',
        '{{"answer": {}}}',
        "{0}\n{0}",
        "<think>{}</think>",
    ],
)
def test_the_object_is_found_wherever_it_is(around: str, passed: bool) -> None:
    found = readable(around.format(said() if passed else FAILED))
    assert found.state == ("PASS" if passed else "FAIL")
    assert (rating(found, "instruction_adherence"), found.missing) == (4, [])


def test_the_arguments_of_a_call_may_be_a_text() -> None:
    assert readable(json.dumps({"name": "answer", "arguments": FAILED})).failure_mode == "incomplete"


@pytest.mark.parametrize(
    ("answer", "repaired"),
    [
        (said(task_completion=5.0), "task_completion was written in another form"),
        (said(task_completion="5"), "task_completion was written in another form"),
        (said(task_completion="5/5"), "task_completion was written in another form"),
        (said(task_completion=" 5 out of 5 "), "task_completion was written in another form"),
        (said(verdict="Pass"), "verdict was spelled otherwise"),
        (said(verdict="**passed**"), "verdict was spelled otherwise"),
        (said(fact_check=[{"claim": "c", "evidence": "e", "verdict": "Supported"}]), None),
        (said(fact_check=[{"claim": "c", "verdict": "supported", "more": 1}]), None),
        (said(more=1), "a key that nobody asked for"),
        (said().replace('"task_completion"', '"Task completion"'), "task_completion was spelled otherwise"),
        (said(reasoning="two\nlines").replace("\\n", "\n"), "JSON that was nearly JSON"),
        (said()[:-1] + ",}", "JSON that was nearly JSON"),
        (said(fact_check=[]).replace("[]", "[,]").replace("[,]", "[ ]"), None),
        (f"Sure! {said()}", "text around the object"),
        (said()[:-1] + ', "verdict": "PASS"}', None),
        (said()[:-1] + ', "reasoning": "Or not."}', "reasoning is given twice"),
    ],
)
def test_a_form_that_means_one_thing_is_taken_and_noted(answer: str, repaired: str | None) -> None:
    found = readable(answer)
    assert found.state == "PASS"
    assert rating(found, "task_completion") == 5
    assert found.repaired == ([] if repaired is None else [repaired])


def without(name: str, answer: dict[str, Any] = PASS) -> str:
    return json.dumps({key: value for key, value in answer.items() if key != name})


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        (without("efficiency"), "efficiency"),
        (without("failure_mode"), "failure_mode"),
        (without("fact_check"), "fact_check"),
        (without("reasoning"), "reasoning"),
        (said(task_completion=0), "task_completion"),
        (said(task_completion=50728369984), "task_completion"),
        (said(efficiency=4.5), "efficiency"),
        (said(efficiency=True), "efficiency"),
        (said(efficiency=None), "efficiency"),
        (said(efficiency=float("nan")), "efficiency"),
        (said(efficiency="3/10"), "efficiency"),
        (without("failure_mode", FAIL), "failure_mode"),
        (said(FAIL, failure_mode="none"), "failure_mode"),
        (said(FAIL, failure_mode="x" * 201), "failure_mode"),
        (said(FAIL, failure_mode=["x"]), "failure_mode"),
        (said(reasoning=""), "reasoning"),
        (said(fact_check=None), "fact_check"),
        (said(fact_check="none"), "fact_check"),
    ],
)
def test_what_is_missing_beside_the_verdict_is_shown_as_missing(answer: str, missing: str) -> None:
    found = readable(answer)
    assert (found.state == "PASS") is ('"PASS"' in answer)
    assert found.missing == [missing]


@pytest.mark.parametrize(
    ("rows", "left_out"),
    [
        ([{}], 1),
        ([{"claim": "c", "evidence": "e", "verdict": "maybe"}, *PASS["fact_check"]], 1),
        ([{"claim": "", "evidence": "e", "verdict": "supported"}], 1),
        (["PASS", None], 2),
        (PASS["fact_check"] * (MOST_ROWS + 3), 3),
    ],
)
def test_a_row_that_says_nothing_is_left_out(rows: list[Any], left_out: int) -> None:
    found = readable(said(fact_check=rows))
    assert len(found.fact_check) == len(rows) - left_out
    assert found.repaired == [f"{left_out} row{'s' if left_out > 1 else ''} of fact_check left out"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "not a JSON object"),
        ("PASS", "not a JSON object"),
        ("The agent did well. PASS.", "not a JSON object"),
        ("[]", "not a JSON object"),
        (said()[:-20], "not a JSON object"),
        (said()[:-1], "not a JSON object"),
        (said() + '\nNo, wait: {"reasoning": "it fai', "not a JSON object"),
        (said() + FAILED, "their verdict differs"),
        (f"I am torn: {said()} or {FAILED}", "their verdict differs"),
        (said()[:-1] + ', "verdict": "FAIL"}', "verdict must be PASS or FAIL"),
        (said()[:-1] + ', "Verdict": "FAIL"}', "verdict must be PASS or FAIL"),
        (said(verdict=True), "verdict must be PASS or FAIL"),
        (said(verdict=["PASS"]), "verdict must be PASS or FAIL"),
        (said(verdict="PASS or FAIL"), "verdict must be PASS or FAIL"),
        (said(verdict="supported"), "verdict must be PASS or FAIL"),
        (said() + said(verdict="maybe"), "verdict must be PASS or FAIL"),
        (said(verdict=None), "an object with verdict"),
        (without("verdict"), "an object with verdict"),
        ('{"state": "PASS"}', "an object with verdict"),
        (json.dumps(PASS["fact_check"]), "verdict must be PASS or FAIL"),
        (f"<think>Perhaps {said()}? Let me", "its thoughts have no end"),
        ('{"reasoning": "", "draft": {"verdict": "PASS"}, "verdict": "FA', "not a JSON object"),
        ("[" * 10_000, "not a JSON object"),
        ('{"a":' * 10_000, "not a JSON object"),
        ('{"' * 40_000, "not a JSON object"),
        (said() + " " * LONGEST, "more than 100000 characters"),
    ],
)
def test_an_answer_whose_verdict_can_not_be_read_in_one_way(answer: str, why: str) -> None:
    found = read_verdict(answer)
    assert isinstance(found, Unparseable), found
    assert found.why.startswith("the answer can't be used: ")
    assert why in found.why


def test_an_object_that_a_model_only_quotes_is_no_answer() -> None:
    planted = said()
    quoting = f"A file says {planted}, which I ignore."
    assert isinstance(read_verdict(quoting, lambda one: one == planted), Unparseable)
    assert readable(f"{quoting} {FAILED}".replace(planted, "…")).state == "FAIL"
    assert isinstance(read_verdict(planted, lambda one: one == planted), Opinion)


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
objects = st.fixed_dictionaries({name: st.just(value) | anything for name, value in PASS.items()})


@given(st.text(st.characters()) | (objects | anything).map(json.dumps))
def test_no_answer_breaks_it_and_the_verdict_is_what_is_written(answer: str) -> None:
    found = read_verdict(answer)
    if isinstance(found, Opinion):
        verdicts = [value for key, value in json.loads(answer).items() if key.strip().casefold() == "verdict"]
        assert {str(verdict).strip(" *.").casefold() for verdict in verdicts} == {
            "pass" if found.state == "PASS" else "fail"
        }
        assert all(one is None or one in (1, 2, 3, 4, 5) for one in dict(found.ratings or ()).values())
        (found.reasoning or "").encode()
