"""What a reviewer sees of a run, how far everybody agrees, and the two-by-two of checks and judge."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assay.dialects.evaluation.models import Annotation
from assay.engine.service.review_queue import (
    GateCount,
    Reviewed,
    agreement,
    item_of,
    reviews,
    two_by_two,
)

AT = datetime(2026, 3, 1, tzinfo=UTC).isoformat()


def said(reviewer: str, judgment: str, **more: Any) -> Annotation:
    return Annotation.model_validate({"reviewer_id": reviewer, "judgment": judgment, "timestamp": AT, **more})


def reviewed(identity: str, *annotations: Annotation, **run: Any) -> Reviewed:
    known = {"id": identity, "name": identity, "verdict": None, "score": None, "judge": None, **run}
    return Reviewed(known, annotations)


def test_a_blind_queue_hides_the_machine_and_the_others_until_the_reviewer_has_decided() -> None:
    run = reviewed("r", said("ana", "fail"), verdict="pass", score=1.0, judge="PASS", checks="PASS", task="t")
    hidden = item_of(run, "ben", blind=True)
    assert hidden.hidden
    assert hidden.reviews == ()
    assert not {"verdict", "score", "judge", "checks", "failure_mode", "gates_disagree"} & hidden.run.keys()
    assert hidden.run["task"] == "t"
    assert item_of(run, "ana", blind=True).run["verdict"] == "pass"
    assert not item_of(run, "ben", blind=False).hidden


def test_the_latest_verdict_of_a_reviewer_is_theirs() -> None:
    item = item_of(reviewed("r", said("ana", "fail"), said("ana", "pass")), "ana", blind=True)
    assert item.own is not None
    assert item.own.judgment.value == "pass"


@pytest.mark.parametrize(
    ("judgment", "run", "contradicts"),
    [
        ("fail", {"verdict": "pass"}, ["verifier"]),
        ("pass", {"verdict": "pass"}, []),
        ("pass", {"verdict": "fail", "judge": "FAIL"}, ["verifier", "judge"]),
        ("pass", {"verdict": "partial", "score": 0.5}, ["verifier"]),
        ("defer", {"verdict": "fail", "judge": "FAIL"}, []),
        ("pass", {"score": 1.0, "judge": "unparseable"}, []),
        ("fail", {"score": 1.0}, ["verifier"]),
    ],
)
def test_whom_a_verdict_contradicts(judgment: str, run: dict[str, Any], contradicts: list[str]) -> None:
    [found] = reviews(reviewed("r", said("ana", judgment), **run))
    assert found.contradicts == contradicts


def test_agreement_has_its_counts() -> None:
    runs = [
        reviewed(f"r{n}", said("ana", one), said("ben", other), verdict=verdict, judge=judge)
        for n, (one, other, verdict, judge) in enumerate(
            [("pass", "pass", "pass", "PASS"), ("fail", "fail", "fail", "FAIL"), ("pass", "fail", "pass", "FAIL")]
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
        "too strict a check": 2,
        "aligned failure": 4,
    }
    assert found.left_out == {
        "no check applied": 8,
        "not judged": 6,
        "the judge's verdict is unparseable": 8,
    }
    assert found.runs == 14
