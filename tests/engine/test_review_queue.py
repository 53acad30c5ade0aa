"""What a reviewer sees of a run, how far everybody agrees, and the two-by-two of checks and judge."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.dialects.evaluation.models import Annotation
from assay.engine.explorer.review_queue import (
    GateCount,
    Reviewed,
    agreement,
    item_of,
    reviews,
    two_by_two,
)
from assay.evidence.run import Run, State

AT = datetime(2026, 3, 1, tzinfo=UTC).isoformat()


def said(reviewer: str, judgment: str, **more: Any) -> Annotation:
    return Annotation.model_validate({"reviewer_id": reviewer, "judgment": judgment, "timestamp": AT, **more})


def reviewed(identity: str, *annotations: Annotation, **run: Any) -> Reviewed:
    return Reviewed(Run(**{"job": "j", "id": identity, "name": identity, "task": "t", **run}), annotations)


def test_a_blind_queue_hides_the_machine_and_the_others_until_the_reviewer_has_decided() -> None:
    run = reviewed(
        "r", said("ana", "fail"), state=State.PASSED, score=1.0, judge="PASS", checks="PASS", reason="x"
    )
    hidden = item_of(run, "ben", blind=True)
    assert hidden.hidden
    assert hidden.reviews == ()
    machine = ("score", "judge", "checks", "failure_mode", "reason", "cause", "validity", "rewards")
    assert [getattr(hidden.run, name) for name in machine] == [None] * len(machine)
    assert (hidden.run.state, hidden.run.gates_disagree, hidden.run.axes) == ("pending", False, {})
    assert hidden.run.task == "t"
    assert item_of(run, "ana", blind=True).run.state is State.PASSED
    assert not item_of(run, "ben", blind=False).hidden


def test_the_latest_verdict_of_a_reviewer_is_theirs() -> None:
    item = item_of(reviewed("r", said("ana", "fail"), said("ana", "pass")), "ana", blind=True)
    assert item.own is not None
    assert item.own.judgment.value == "pass"


@pytest.mark.parametrize(
    ("judgment", "run", "contradicts"),
    [
        ("fail", {"state": State.PASSED}, ["verifier"]),
        ("pass", {"state": State.PASSED}, []),
        ("pass", {"state": State.FAILED, "judge": "FAIL"}, ["verifier", "judge"]),
        ("pass", {"state": State.UNUSABLE}, ["verifier"]),
        ("fail", {"state": State.UNUSABLE}, []),
        ("defer", {"state": State.FAILED, "judge": "FAIL"}, []),
        ("pass", {"state": State.PASSED, "judge": "unparseable"}, []),
        # What came to neither a pass nor a fail can't be contradicted.
        ("pass", {"state": State.PARTIAL, "score": 0.5}, []),
        ("fail", {"state": State.PARTIAL, "score": 0.5}, []),
        ("pass", {"state": State.BROKEN}, []),
        ("fail", {"state": State.NOT_JUDGED}, []),
        ("pass", {"state": State.SCORED}, []),
        ("fail", {"state": State.CANCELLED}, []),
    ],
)
def test_whom_a_verdict_contradicts(judgment: str, run: dict[str, Any], contradicts: list[str]) -> None:
    [found] = reviews(reviewed("r", said("ana", judgment), **run))
    assert found.contradicts == contradicts


def test_agreement_has_its_counts() -> None:
    runs = [
        reviewed(f"r{n}", said("ana", one), said("ben", other), state=state, judge=judge)
        for n, (one, other, state, judge) in enumerate(
            [
                ("pass", "pass", State.PASSED, "PASS"),
                ("fail", "fail", State.FAILED, "FAIL"),
                ("pass", "fail", State.PASSED, "FAIL"),
            ]
            * 4
        )
    ]
    found = {one.between: one.measures for one in agreement(runs)}
    assert list(found) == [
        "reviewers among each other",
        "reviewers and the verifier",
        "reviewers and the judge",
        "the verifier and the judge",
    ]
    among = {one.measure: one for one in found["reviewers among each other"]}
    assert among["percent agreement"].value == pytest.approx(8 / 12)
    assert among["Cohen's kappa"].items == 12
    # A tie between the two reviewers is no verdict, so those four runs don't count.
    assert {one.items for one in found["reviewers and the verifier"]} == {8}
    assert {one.items for one in found["the verifier and the judge"]} == {12}


def test_one_run_is_no_agreement() -> None:
    assert agreement([reviewed("r", said("ana", "pass"), said("ben", "pass"))]) == []


def test_the_two_by_two_counts_every_run_once() -> None:
    found = two_by_two(
        [
            GateCount("PASS", "PASS", 5),
            GateCount("PASS", "FAIL", 3),
            GateCount("FAIL", "PASS", 2),
            GateCount("FAIL", "FAIL", 4),
            GateCount("N/A", "PASS", 1),
            GateCount(None, None, 7),
            GateCount("PASS", "PENDING", 6),
            GateCount("PASS", "unparseable", 8),
        ]
    )
    assert found.cells == {
        "aligned success": 5,
        "suspected reward hack": 3,
        "hard constraint violated": 2,
        "aligned failure": 4,
    }
    assert found.left_out == {
        "no check applied": 8,
        "not judged": 6,
        "the judge's verdict is unparseable": 8,
    }
    assert found.runs == 14
