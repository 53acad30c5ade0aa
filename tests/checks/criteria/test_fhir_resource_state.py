"""The state of FHIR resources, on a server in memory. Against a real one: test_fhir_server.py."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from assay.core.errors import MeasurementError
from assay.core.outcome import Scored
from assay.dialects.criteria.models import Criterion
from assay.engine.criteria.complete_run import check_of
from assay.engine.criteria.shared_state import SharedState
from tests.checks.criteria.fake_state import AFTER, BEFORE, START, FakeState
from tests.completing import complete
from tests.fake_time import FakeTime

Resource = dict[str, Any]


@dataclass
class Server:
    """Resources, all of which every search finds; ``later`` are there from the second question on."""

    resources: list[Resource] = field(default_factory=list)
    later: list[Resource] = field(default_factory=list)
    asked: list[tuple[str, object]] = field(default_factory=list)
    given_out: int = 0

    def search(self, resource_type: str, parameters: Mapping[str, object]) -> Iterator[Resource]:
        self.asked.append((resource_type, dict(parameters)))
        for resource in self.resources + (self.later if len(self.asked) > 1 else []):
            self.given_out += 1
            yield resource

    def read(self, resource_type: str, identity: str) -> Resource | None:
        self.asked.append((resource_type, identity))
        return next((one for one in self.resources if one["id"] == identity), None)


def appointment(identity: str = "a1", status: str = "booked", at: Any = AFTER, **more: Any) -> Resource:
    changed = {"meta": {"lastUpdated": at.isoformat()}} if at is not None else {}
    actors = [{"actor": {"reference": "Patient/1", "display": "Ann Smith"}, "status": "accepted"}]
    return {
        "resourceType": "Appointment",
        "id": identity,
        "status": status,
        "participant": actors,
        **changed,
        **more,
    }


def assertion(**more: Any) -> dict[str, Any]:
    whole = {
        "assert": "fhir-resource-state",
        "resource_type": "Appointment",
        "search": {"patient": "Patient/1"},
        "fields": [{"path": "status", "expected": "booked"}],
        **more,
    }
    return {key: value for key, value in whole.items() if value is not None}


def ask(*resources: Resource, data: dict[str, Any] | None = None, **more: Any) -> Scored:
    state = FakeState(fhir_source=Server(list(resources)))
    answer = check_of(assertion(**more), data or {}).run(state)
    assert isinstance(answer, Scored)
    return answer


def test_the_shape_that_existing_users_write() -> None:
    fields = [{"path": "participant.0.actor.display", "expected": "Ann Smith"}]
    answer = ask(appointment(), appointment("a2", "cancelled"), fields=fields)
    assert (answer.score, answer.passed) == (1.0, True)
    assert answer.evidence == {
        "fieldResults": [
            {
                "path": "participant.0.actor.display",
                "expected": "Ann Smith",
                "actual": "Ann Smith",
                "passed": True,
            }
        ],
        "resource": "Appointment/a1",
        "matched": ["Appointment/a1"],
        "count": 1,
    }
    assert answer.summary == "Appointment/a1: 1 of 1 fields as expected"


def test_the_first_match_is_all_that_is_asked_for() -> None:
    server = Server([appointment("a1"), appointment("a2")])
    check_of(assertion(), {}).run(FakeState(fhir_source=server))
    assert server.asked == [("Appointment", {"patient": "Patient/1"})]
    assert server.given_out == 1


def test_half_right_is_half_a_score() -> None:
    fields = [{"path": "status", "expected": "booked"}, {"fhirpath": "participant.status", "expected": "declined"}]
    answer = ask(appointment(), fields=fields)
    assert (answer.score, answer.passed) == (0.5, False)
    assert answer.summary == "Appointment/a1: 1 of 2 fields as expected, first participant.status"


def test_nothing_found_fails_every_field_whatever_it_asks_for() -> None:
    fields = [{"path": "status", "expected": "x"}, {"path": "cancelationReason", "operator": "notExists"}]
    answer = ask(fields=fields)
    assert (answer.score, answer.passed, answer.summary) == (0.0, False, "there is no Appointment by patient")
    assert [row["passed"] for row in answer.evidence["fieldResults"]] == [False, False]  # type: ignore[attr-defined]


A, B = appointment("a", "cancelled", BEFORE), appointment("b", "booked", AFTER)
C = appointment("c", "pending", AFTER + timedelta(minutes=1))

SELECTED = [
    ("first", [B, A], True, "Appointment/b"),
    ("first", [A, B], False, "Appointment/a"),
    ("latest", [B, A], True, "Appointment/b"),
    ("latest", [A, B, C], False, "Appointment/c"),
    ("latest", [appointment("n", at=None), A], False, "Appointment/a"),
    ("any", [A, B, C], True, "Appointment/b"),
    ("any", [A, C], False, "Appointment/a"),
    ("all", [B, B], True, None),
    ("all", [B, C], False, None),
    ("only", [B], True, "Appointment/b"),
    ("only", [A], False, "Appointment/a"),
    ("only", [B, A], False, None),
]


@pytest.mark.parametrize(("select", "resources", "passed", "chosen"), SELECTED)
def test_which_of_several_is_looked_at(
    select: str, resources: list[Resource], passed: bool, chosen: str | None
) -> None:
    answer = ask(*resources, select=select)
    assert (answer.passed, answer.evidence.get("resource")) == (passed, chosen)


@pytest.mark.parametrize("select", ["first", "latest", "any", "all", "only"])
def test_none_of_several_is_a_fail(select: str) -> None:
    assert ask(select=select).score == 0.0


def test_all_shows_which_one_is_not_as_it_should_be() -> None:
    rows = ask(B, C, select="all").evidence["fieldResults"]
    assert rows == [
        {"path": "status", "expected": "booked", "actual": "pending", "passed": False, "resource": "Appointment/c"}
    ]


COUNTED = [
    ({"min": 1}, 0, False),
    ({"min": 1}, 3, True),
    ({"min": 2, "max": 2}, 2, True),
    ({"min": 2, "max": 2}, 3, False),
    ({"max": 1}, 2, False),
    ({"max": 1}, 0, False),
    ({"min": 0, "max": 1}, 0, True),
]


@pytest.mark.parametrize(("bounds", "count", "passed"), COUNTED)
def test_how_many_there_are(bounds: dict[str, int], count: int, passed: bool) -> None:
    answer = ask(*(appointment(str(n)) for n in range(count)), cardinality=bounds, fields=None)
    assert (answer.passed, answer.evidence["count"]) == (passed, count)


def test_too_many_fail_all_fields() -> None:
    answer = ask(A, B, cardinality={"max": 1})
    assert (answer.score, answer.summary) == (0.0, "2 of Appointment by patient, expected 1")
    assert answer.evidence["matched"] == ["Appointment/a", "Appointment/b"]


def test_fields_need_a_resource_even_if_none_is_allowed() -> None:
    assert not ask(cardinality={"min": 0}).passed


WHERE = [
    ("status = 'booked'", True),
    ("status = 'x'", False),
    ("participant.actor.exists(display = '{{name}}')", True),
    ("participant.actor.exists(display = '{{injected}}')", False),
    ("participant.count() = {{count}}", True),
]


@pytest.mark.parametrize(("where", "passed"), WHERE)
def test_a_condition_on_matches(where: str, passed: bool) -> None:
    data = {"name": "Ann Smith", "injected": "x' or true or 'x", "count": 1}
    assert ask(appointment(), where=where, data=data).passed is passed


def test_a_condition_that_can_not_be_judged_never_helps() -> None:
    two = appointment("t", participant=[{"status": "accepted"}, {"status": "declined"}])
    where = "participant.single().status = 'accepted'"
    assert ask(two, appointment("b"), where=where).evidence["resource"] == "Appointment/b"
    assert not ask(two, where=where).passed
    assert not ask(two, where=where, fields=None, exists=False).passed
    assert not ask(two, where=where, fields=None, cardinality={"min": 0}).passed
    assert not ask(two, appointment("b"), where=where, select="all").passed
    assert not ask(two, appointment("b"), where=where, select="only").passed
    doubts = ask(two, where=where).evidence["doubts"]
    assert "single() was called on 2 values" in doubts["Appointment/t"]  # type: ignore[index]


def test_what_should_not_be_there() -> None:
    assert ask(fields=None, exists=False).passed
    answer = ask(appointment(), fields=None, exists=False)
    assert (answer.score, answer.summary) == (0.0, "Appointment/a1 exists, and must not")
    assert answer.evidence["matched"] == ["Appointment/a1"]


def test_a_flood_of_what_should_not_be_there_is_not_read_to_its_end() -> None:
    server = Server([appointment(str(number)) for number in range(1000)])
    answer = check_of(assertion(fields=None, exists=False), {}).run(FakeState(fhir_source=server))
    assert isinstance(answer, Scored)
    assert (answer.passed, server.given_out) == (False, 50)


def test_what_should_be_there() -> None:
    assert ask(appointment(), fields=None, exists=True).passed
    assert not ask(fields=None, exists=True).passed


SINCE = [(BEFORE, False), (START, True), (AFTER, True), (None, False), (START - timedelta(milliseconds=1), False)]


@pytest.mark.parametrize(("at", "passed"), SINCE)
def test_only_what_changed_in_this_run(at: Any, passed: bool) -> None:
    assert ask(appointment(at=at), since="run_start").passed is passed
    assert ask(appointment(at=at)).passed


@pytest.mark.parametrize(("at", "passed"), [(BEFORE, True), (AFTER, False), (None, False)])
def test_nothing_new_should_be_there(at: Any, passed: bool) -> None:
    assert ask(appointment(at=at), fields=None, exists=False, since="run_start").passed is passed


def test_a_read_by_id() -> None:
    assert ask(appointment(), search=None, id="a1").passed
    answer = ask(appointment(), search=None, id="{{id}}", data={"id": "nope"})
    assert (answer.passed, answer.summary) == (False, "there is no Appointment/nope")


def test_it_is_asked_again_until_it_holds() -> None:
    time = FakeTime()
    late = SharedState(FakeState(fhir_source=Server([], later=[appointment()])), time=time)
    answer = check_of(assertion(wait_s=30), {}).run(late)
    assert isinstance(answer, Scored)
    assert answer.passed
    assert time.slept == [0.25]
    never = SharedState(FakeState(fhir_source=Server()), time=time)
    answer = check_of(assertion(wait_s=3), {}).run(never)
    assert isinstance(answer, Scored)
    assert not answer.passed
    assert sum(time.slept) == pytest.approx(3.25)


def test_without_a_clock_it_is_asked_once() -> None:
    late = Server([], later=[appointment()])
    answer = check_of(assertion(wait_s=30), {}).run(FakeState(fhir_source=late))
    assert isinstance(answer, Scored)
    assert not answer.passed
    assert len(late.asked) == 1


def test_values_in_a_search_are_escaped() -> None:
    server = Server()
    search = {"identifier": "urn:mrn|{{mrn}}", "name": ["{{name}}"], "_count": 3}
    check_of(assertion(search=search), {"mrn": "1,2|3", "name": "$x"}).run(FakeState(fhir_source=server))
    assert server.asked == [("Appointment", {"identifier": "urn:mrn|1\\,2\\|3", "name": ["\\$x"], "_count": 3})]


REFUSED = [
    ({"fields": [{"path": "participnt.0.actor", "expected": 1}]}, "did you mean participant?"),
    ({"fields": [{"fhirpath": "participant.actr", "expected": 1}]}, "did you mean actor?"),
    ({"fields": [{"path": "status", "expectd": 1}]}, "fields[0].expectd must be one of the fields path, "),
    ({"fields": [{"path": "status", "expected": 1, "operator": "like"}]}, "got 'like'"),
    ({"fields": [{"path": "participant.{{dots}}.status", "expected": 1}]}, "not a single step of a dotted path"),
    ({"fields": [{"fhirpath": "participant[{{code}}]", "expected": 1}]}, "is not FHIRPath"),
    ({"fields": None}, "needs fields, a profile, a cardinality or exists"),
    ({"where": "statuss = 'x'"}, "did you mean status?"),
    ({"where": "status ="}, "is not FHIRPath"),
    ({"resource_type": "Apointment"}, "did you mean Appointment?"),
    ({"id": "a1"}, "give either id or search"),
    ({"search": None}, "give either id or search"),
    ({"search": None, "id": "../Patient/1"}, "id must be the id of a resource"),
    ({"exists": False}, "can't be combined with fields"),
    (
        {"exists": False, "fields": None, "cardinality": {"min": 1}},
        "can't be combined with fields, profile, cardinality or select",
    ),
    ({"select": "last"}, "'first', 'latest', 'any', 'all' or 'only'"),
    ({"since": "yesterday"}, "run_start"),
    ({"wait_s": -1}, "from 0 to 600"),
    ({"wait_s": 1e9}, "from 0 to 600"),
    ({"cardinality": {"min": 2, "max": 1}}, "a max of at least min"),
    ({"cardinality": {"minimum": 2}}, "cardinality.minimum"),
    ({"serach": {}}, "serach must be one of the fields resource_type, "),
]


@pytest.mark.parametrize(("more", "said"), REFUSED)
def test_an_assertion_that_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is looked at below
        check_of(assertion(**more), {"dots": "0.actor", "code": "0] | participant[1"})
    assert said in str(caught.value)


def test_a_mistyped_element_is_a_failed_criterion_that_says_so() -> None:
    wrong = assertion(fields=[{"path": "statuss", "operator": "notExists"}])
    done = complete([Criterion(label="c", assertion=wrong)], {}, FakeState(fhir_source=Server([appointment()])))
    assert done.score == 0.0
    assert done.criterion_runs[0].details == (
        "unsupported assertion: Appointment has no element 'statuss'; did you mean status?"
    )


def test_a_server_that_is_down_is_no_score() -> None:
    with pytest.raises(MeasurementError):
        complete([Criterion(label="c", assertion=assertion())], {}, FakeState())


@dataclass
class Validator(Server):
    """A server that finds something wrong with the resources of these ids."""

    wrong: dict[str, list[str]] = field(default_factory=dict)

    def problems(self, resource: Mapping[str, object], profile: str) -> list[str]:
        self.asked.append((profile, resource["id"]))
        return self.wrong.get(str(resource["id"]), [])


PROFILE = "http://hl7.example/StructureDefinition/visit"


def test_a_profile_counts_like_a_field() -> None:
    server = Validator([appointment("a1"), appointment("a2")], wrong={"a1": ["Appointment.slot: minimum is 1"]})
    answer = check_of(assertion(profile=PROFILE), {}).run(FakeState(fhir_source=server))
    assert isinstance(answer, Scored)
    assert (answer.score, answer.summary) == (0.5, "Appointment/a1: 1 of 2 fields as expected, first profile")
    assert answer.evidence["fieldResults"][1] == {  # type: ignore[index]
        "path": "profile",
        "expected": PROFILE,
        "actual": ["Appointment.slot: minimum is 1"],
        "passed": False,
        "resource": "Appointment/a1",
    }
    for select, passed in (("any", True), ("all", False)):
        given = assertion(profile=PROFILE, select=select)
        done = complete([Criterion(label="c", assertion=given)], {}, FakeState(fhir_source=server))
        assert done.criterion_runs[0].passed is passed


def test_a_profile_alone_is_enough() -> None:
    alone = {"assert": "fhir-resource-state", "resource_type": "Appointment", "id": "a1", "profile": PROFILE}
    assert check_of(alone, {}).run(FakeState(fhir_source=Validator([appointment()]))).passed  # type: ignore[union-attr]


def test_a_source_that_can_not_check_profiles_scores_nothing() -> None:
    with pytest.raises(MeasurementError, match="can't check profiles"):
        check_of(assertion(profile=PROFILE), {}).run(FakeState(fhir_source=Server([appointment()])))


@pytest.mark.parametrize(
    ("version", "resource_type", "path", "says"),
    [
        ("R5", "Appointment", "class.0.text", None),
        ("5.0.0", "Appointment", "class.0.text", None),
        ("R4", "Appointment", "class.0.text", "Appointment has no element 'class'"),
        ("4.0.1", "Transport", "status", "FHIR R4 has no resource 'Transport'"),
        ("R5", "Transport", "status", None),
        ("R4B", "Transport", "status", "FHIR R4B has no resource 'Transport'"),
        ("4.3.0", "SubscriptionTopic", "status", None),
        ("r4b", "Appointment", "serviceType.0.text", None),
        ("R5", "Appointment", "serviceType.0.concept.text", None),
        ("R3", "Appointment", "status", "fhirVersion must be one of R4, 4.0, 4.0.1, R4B, 4.3"),
    ],
)
def test_elements_of_each_version(version: str, resource_type: str, path: str, says: str | None) -> None:
    given = assertion(fhirVersion=version, resource_type=resource_type, fields=[{"path": path, "expected": "x"}])
    given["fields"].append({"fhirpath": path.replace(".0.", "."), "expected": "x"})
    if says is None:
        check_of(given, {})
        return
    with pytest.raises(ValueError, match=says):
        check_of(given, {})


def test_types_that_only_a_later_version_has_are_found() -> None:
    changed = {"meta": {"lastUpdated": AFTER.isoformat()}}
    resource = {"resourceType": "Transport", "id": "t", "status": "completed", **changed}
    fields = [{"fhirpath": "status", "expected": "completed"}]
    given = assertion(
        resource_type="Transport", search={}, fhirVersion="R5", where="status is code", fields=fields
    )
    assert check_of(given, {}).run(FakeState(fhir_source=Server([resource]))).passed  # type: ignore[union-attr]


def test_a_resource_that_is_too_large_or_too_deep_is_in_doubt() -> None:
    deep: Any = "x"
    for _ in range(95):
        deep = [deep]
    for more, why in (
        ({"comment": ["x"] * 200_001}, "it has more than 200000 values"),
        ({"comment": deep}, "it is nested more than 90 deep"),
    ):
        given = assertion(select="only")
        answer = check_of(given, {}).run(FakeState(fhir_source=Server([appointment(**more)])))
        assert isinstance(answer, Scored)
        assert (answer.score, answer.summary) == (0, f"Appointment/a1 can't be judged: {why}")
    long = appointment(comment="x" * 2_000_000)
    assert check_of(assertion(), {}).run(FakeState(fhir_source=Server([long]))).passed  # type: ignore[union-attr]
