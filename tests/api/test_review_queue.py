"""The review queue on both databases: its order, who is left out of it, and what the rows say about agreement."""

from typing import Any

import pytest
from sqlalchemy import event

from assay.engine.explorer.review_queue import GateCount, Waiting, two_by_two
from assay.engine.explorer.run_query import RunQuery, parse_run_query
from assay.evidence.run import Run, State
from tests.api.clinic import Clinic
from tests.api.kept_runs import changed, kept

pytestmark = pytest.mark.both_databases

RUN = kept(
    Run(
        job="nightly",
        name="",
        task="cart",
        agent="ana",
        model="big-1",
        dataset="d",
        state=State.PASSED,
        rewards={"reward": 1.0},
        score=1.0,
        checks="PASS",
        judge="PASS",
    )
)


def added(clinic: Clinic, **runs: dict[str, Any]) -> dict[str, str]:
    """Runs by their names, in this order, and their ids."""
    new = [changed(RUN, name=name, **fields) for name, fields in runs.items()]
    clinic.service.imports.add_runs(clinic.organisation, new)
    found = clinic.service.imports.slice(clinic.organisation, RunQuery())
    return {row.name: row.id for row in found.rows}


def judged(clinic: Clinic, run: str, reviewer: str, judgment: str) -> None:
    clinic.post(f"/v1/runs/{run}/annotations", {"reviewer_id": reviewer, "judgment": judgment})


def queue(clinic: Clinic, reviewer: str = "ben", asked: RunQuery | None = None, limit: int = 10) -> list[str]:
    found = clinic.service.reviews.queue(clinic.organisation, asked or RunQuery(), reviewer, limit)
    return [run.name for run in found]


def test_the_fewest_annotations_come_first_and_disagreements_first_among_as_many(clinic: Clinic) -> None:
    runs = added(clinic, plain={}, odd={"judge": "FAIL", "gates_disagree": True}, once={}, wrong={}, twice={})
    judged(clinic, runs["once"], "ana", "pass")
    judged(clinic, runs["wrong"], "ana", "fail")
    judged(clinic, runs["twice"], "ana", "pass")
    judged(clinic, runs["twice"], "cy", "pass")
    assert queue(clinic) == ["odd", "plain", "wrong", "once", "twice"]
    assert queue(clinic, limit=2) == ["odd", "plain"]


def test_runs_that_have_not_ended_wait(clinic: Clinic) -> None:
    added(clinic, one={}, works={"state": State.RUNNING}, waits={"state": State.PENDING})
    assert queue(clinic) == ["one"]
    assert clinic.service.reviews.waiting(clinic.organisation, RunQuery()) == Waiting(1, 1)


def test_what_a_reviewer_has_judged_is_not_in_their_queue(clinic: Clinic) -> None:
    runs = added(clinic, one={}, two={})
    judged(clinic, runs["one"], "ben", "defer")
    assert queue(clinic, "ben") == ["two"]
    assert queue(clinic, "ana") == ["two", "one"]


def test_a_queue_may_be_about_some_runs_only(clinic: Clinic) -> None:
    added(clinic, one={"job": "a"}, two={"job": "b"})
    assert queue(clinic, asked=parse_run_query([("job", "b")])) == ["two"]
    assert clinic.service.reviews.waiting(clinic.organisation, parse_run_query([("job", "a")])) == Waiting(1, 1)


def test_how_many_wait_and_what_was_said(clinic: Clinic) -> None:
    runs = added(clinic, one={}, two={}, three={})
    judged(clinic, runs["two"], "ana", "fail")
    judged(clinic, runs["two"], "ben", "pass")
    assert clinic.service.reviews.waiting(clinic.organisation, RunQuery()) == Waiting(3, 2)
    [found] = clinic.service.reviews.reviewed(clinic.organisation, RunQuery(), 10)
    assert found.run.name == "two"
    assert [one.reviewer_id for one in found.annotations] == ["ana", "ben"]


def test_the_gates_are_counted_by_the_database(clinic: Clinic) -> None:
    added(
        clinic,
        a={},
        b={"judge": "FAIL"},
        c={"checks": "FAIL"},
        d={"checks": "FAIL"},
        e={"checks": None, "judge": None},
    )
    counts = clinic.service.reviews.gates(clinic.organisation, RunQuery())
    assert GateCount("FAIL", "PASS", 2) in counts
    found = two_by_two(counts)
    assert found.cells["hard constraint violated"] == 2
    assert found.left_out == {"no check applied": 1}


def test_organisations_do_not_see_each_others_runs(clinic: Clinic) -> None:
    added(clinic, one={})
    assert clinic.service.reviews.queue("somebody-else", RunQuery(), "ben", 10) == []


@pytest.mark.parametrize("reviewer", ["", "o'brien", "x" * 200, "\N{SNOWMAN}"])
def test_any_name_of_a_reviewer(clinic: Clinic, reviewer: str) -> None:
    added(clinic, one={})
    assert queue(clinic, reviewer) == ["one"]


@pytest.mark.both_databases(False)
def test_no_question_walks_all_runs_or_sorts_them(clinic: Clinic) -> None:
    added(clinic, one={}, two={})
    reviews, plans = clinic.service.reviews, dict[str, str]()

    def explain(connection: Any, _cursor: Any, statement: str, parameters: Any, *_rest: Any) -> None:
        if statement.startswith("SELECT"):
            driver = connection.connection.driver_connection
            rows = driver.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans[statement] = "; ".join(row[-1] for row in rows)

    engine = clinic.service.store._engine
    event.listen(engine, "before_cursor_execute", explain)
    try:
        reviews.queue(clinic.organisation, RunQuery(), "ana", 25)
        reviews.gates(clinic.organisation, RunQuery())
        reviews.reviewed(clinic.organisation, RunQuery(), 100)
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    [grouped] = [plan for asked, plan in plans.items() if "GROUP BY" in asked]
    assert grouped == "SEARCH runs USING COVERING INDEX ix_runs_gates (organisation=?)"
    [few] = [plan for asked, plan in plans.items() if "runs.reviewers = ?" in asked]
    assert "(organisation=? AND reviewers=?)" in few
    assert "TEMP B-TREE" not in few
    [known] = [
        plan for asked, plan in plans.items() if "runs.reviewers > ? ORDER" in asked and "IN (SELECT" in asked
    ]
    assert "COVERING INDEX ix_runs_organisation_reviewers_id (organisation=? AND reviewers>?)" in known
