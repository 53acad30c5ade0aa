"""A FHIR server as it was: what changed later is replaced by its version of then, or left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay.core.errors import MeasurementError
from assay.formats.fhir.past import UNKNOWN, UNSEEN, PastFhir
from assay.formats.fhirpath.matches import Unsure

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
Resource = dict[str, Any]


def visit(identity: str, status: str, minutes: float | None) -> Resource:
    """A version of a visit that was made so many minutes after acceptance."""
    meta = {} if minutes is None else {"lastUpdated": (AT + timedelta(minutes=minutes)).isoformat()}
    return {"resourceType": "Appointment", "id": identity, "status": status, "meta": meta}


def deletion(identity: str, minutes: float) -> Resource:
    changed = (AT + timedelta(minutes=minutes)).isoformat()
    request = {"method": "DELETE", "url": f"Appointment/{identity}"}
    return {"request": request, "response": {"lastModified": changed}}


@dataclass
class Server:
    """Versions by id, the newest first. ``kept`` says which histories it has: of resources, of types."""

    versions: Mapping[str, Sequence[Resource]]
    kept: tuple[bool, bool] = (True, True)
    ahead: timedelta = timedelta()
    asked: list[str] = field(default_factory=list)

    def read(self, _type: str, identity: str) -> Resource | None:
        newest = self.versions.get(identity, [{"request": {}}])[0]
        return None if "request" in newest else newest

    def search(self, kind: str, parameters: Mapping[str, object]) -> Iterator[Resource]:
        now = [self.read(kind, one) for one in self.versions]
        wanted = parameters.get("status")
        return (one for one in now if one is not None and wanted in (None, one["status"]))

    def problems(self, *_: object) -> list[str]:
        return []

    def history(
        self, _type: str, identity: str | None = None, since: datetime | None = None
    ) -> Sequence[Resource] | None:
        self.asked.append(identity or "type")
        if not self.kept[identity is None]:
            return None
        wanted = self.versions if identity is None else [identity]
        found = [one for name in wanted for one in self.versions.get(name, ())]
        entries = [one if "request" in one else {"resource": one} for one in found]
        if since is None:
            return entries
        return [one for one in entries if "request" in one or _later(one["resource"], since)]


def _later(resource: Resource, since: datetime) -> bool:
    written = resource["meta"].get("lastUpdated")
    return written is not None and datetime.fromisoformat(written) >= since


def found(server: Server, **parameters: object) -> list[tuple[str, str, bool]]:
    past = PastFhir(server, AT)
    return [(one["id"], one["status"], isinstance(one, Unsure)) for one in past.search("Appointment", parameters)]


def test_what_did_not_change_is_what_it_is() -> None:
    server = Server({"a": [visit("a", "booked", -1)], "b": [visit("b", "booked", None)]})
    assert found(server, status="booked") == [("a", "booked", False), ("b", "booked", False)]
    assert server.asked == ["type"]


def test_what_was_made_later_is_left_out() -> None:
    server = Server({"a": [visit("a", "booked", 1)]})
    assert found(server, status="booked") == []
    assert PastFhir(server, AT).read("Appointment", "a") is None


def test_what_changed_later_is_as_it_was() -> None:
    server = Server({"a": [visit("a", "booked", 2), visit("a", "arrived", 1), visit("a", "pending", -1)]})
    assert found(server, status="booked") == [], "it didn't match then"
    assert found(server, status="pending") == [("a", "pending", False)], "it doesn't match now"
    read = PastFhir(server, AT).read("Appointment", "a")
    assert read is not None
    assert read["status"] == "pending"


def test_what_was_deleted_later_was_there() -> None:
    server = Server({"a": [deletion("a", 1), visit("a", "booked", -1)]})
    assert found(server, status="booked") == [("a", "booked", False)]
    assert PastFhir(server, AT).read("Appointment", "a") is not None


def test_what_was_deleted_before_was_not_there() -> None:
    server = Server({"a": [visit("a", "booked", 1), deletion("a", -1), visit("a", "booked", -2)]})
    assert found(server) == []


def test_a_server_without_versions_leaves_doubt() -> None:
    server = Server({"a": [visit("a", "booked", 1)]}, kept=(False, False))
    past = PastFhir(server, AT)
    [doubtful] = past.search("Appointment", {"status": "booked"})
    assert isinstance(doubtful, Unsure)
    assert doubtful.doubt == UNKNOWN
    assert isinstance(past.read("Appointment", "a"), Unsure)
    assert past.note("Appointment") == UNSEEN
    assert past.note("Patient") is None


def test_whether_an_old_version_matched_can_be_unknown() -> None:
    """Only simple parameters can be checked on a version that the server didn't search for."""
    server = Server({"a": [visit("a", "booked", 1), visit("a", "pending", -1)]})
    assert found(server, actor="Practitioner/1") == [("a", "pending", True)]
    assert found(server, _sort="date") == [("a", "pending", False)]


def test_the_type_is_asked_for_only_if_all_matches_are_wanted() -> None:
    server = Server({"a": [visit("a", "booked", -1)]})
    assert next(PastFhir(server, AT).search("Appointment", {}))["id"] == "a"
    assert server.asked == []


def test_a_server_that_breaks_at_the_history_of_a_type_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server({})
    past = PastFhir(server, AT)

    def broken(*_: object, **__: object) -> None:
        raise MeasurementError("the server answers 500")

    monkeypatch.setattr(server, "history", broken)
    assert list(past.search("Appointment", {})) == []
    assert past.note("Appointment") == UNSEEN


@pytest.mark.parametrize(("minutes", "there"), [(9, True), (11, False)])
def test_a_clock_that_is_wrong_is_no_fault_of_the_agent(minutes: float, there: bool) -> None:
    server = Server({"a": [visit("a", "booked", minutes)]}, ahead=timedelta(minutes=10))
    assert bool(found(server)) is there
