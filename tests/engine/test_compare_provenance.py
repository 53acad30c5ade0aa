"""Whether two agents were measured with the same thing."""

import pytest

from assay.core.errors import InputError
from assay.engine.report.compare import compare
from assay.engine.report.compare_arms import Arm, ArmProvenance, Arms, Costs, Mismatch, mismatches
from assay.engine.report.intervals import TaskRewards
from assay.evidence.run import State


def arm(label: str, *, key: str = "reward", **known: object) -> Arm:
    tasks = {"x": TaskRewards([1.0]), "y": TaskRewards([0.0])}
    defaults: dict[str, object] = {
        "datasets": frozenset({"ds"}),
        "versions": {"x": frozenset({"v1"}), "y": frozenset({"v1"})},
        "verifiers": {},
        "engines": frozenset(),
        "profiles": frozenset({"harbor-0.13.1"}),
    }
    provenance = ArmProvenance(**(defaults | known))  # type: ignore[arg-type]
    states = {State.PASSED: 1, State.FAILED: 1}
    return Arm(label, "j", "g", key, tasks, states, Costs(None, None, None), provenance)


def found(first: Arm, second: Arm) -> list[Mismatch]:
    return mismatches(first, second, ["x", "y"])


def test_the_same_is_the_same() -> None:
    assert found(arm("a"), arm("b")) == []


@pytest.mark.parametrize(
    ("known", "what"),
    [
        ({"versions": {"x": frozenset({"v2"})}}, "the version differs for 1 task such as x"),
        ({"versions": {"y": frozenset({"v1", "v2"})}}, "the version differs for 1 task such as y"),
        (
            {"profiles": frozenset({"strict"})},
            "they were graded under different profiles: harbor-0.13.1 and strict",
        ),
        ({"key": "speed"}, "their rewards are reward and speed"),
    ],
)
def test_a_difference_refuses(known: dict[str, object], what: str) -> None:
    other = arm("b", **known)  # type: ignore[arg-type]
    assert Mismatch(what, refuses=True) in found(arm("a"), other)
    with pytest.raises(InputError, match="a and b can't be compared"):
        compare(Arms([arm("a"), other]), anyway=False)
    assert Mismatch(what, refuses=True) in compare(Arms([arm("a"), other]), anyway=True).pairs[0].mismatches


@pytest.mark.parametrize(
    ("name", "one", "other", "what"),
    [
        (
            "verifiers",
            {"x": frozenset({"h1"})},
            {"x": frozenset({"h2"})},
            "the verifier differs for 1 task such as x",
        ),
        (
            "engines",
            frozenset({"3 (harbor-0.13.1)"}),
            frozenset({"4 (harbor-0.13.1)"}),
            "they were graded under different engines: 3 (harbor-0.13.1) and 4 (harbor-0.13.1)",
        ),
    ],
)
def test_gradings_with_something_else_refuse(name: str, one: object, other: object, what: str) -> None:
    assert found(arm("a", **{name: one}), arm("b", **{name: other})) == [Mismatch(what, refuses=True)]  # type: ignore[arg-type]


def test_what_only_one_side_recorded_is_no_difference() -> None:
    assert found(arm("a", engines=frozenset({"4"}), verifiers={"x": frozenset({"h"})}), arm("b")) == []


def test_what_nobody_recorded_is_marked() -> None:
    [one] = found(arm("a", versions={}), arm("b"))
    assert one == Mismatch("it isn't recorded whether the version of any task is the same", refuses=False)
    [partly] = found(arm("a", versions={"x": frozenset({"v1"})}), arm("b"))
    assert partly.what == "it isn't recorded whether the version of 1 task is the same"


def test_other_datasets_are_marked() -> None:
    [one] = found(arm("a"), arm("b", datasets=frozenset({"other"})))
    assert one == Mismatch("tasks are paired by name, but their datasets are ds and other", refuses=False)
