"""A FHIR server that fails in many ways, and one that does not. The real one is in test_fhir_server.py."""

import json
import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest

from assay.adapters.sources.bearer_tokens import fixed_token
from assay.adapters.sources.fhir import FhirServer
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import BoundsError, InputError, MeasurementError
from tests.fake_time import FakeTime
from tests.servers.scripted_server import Reply, Script, scripted

PATIENT = RequestLimits(
    deadline_sec=60, timeout_sec=60, answer_bytes=10_000, first_pause_sec=0.01, longest_pause_sec=0.05
)


def bundle(*ids: str, following: str | None = None, mode: str | None = None) -> dict[str, Any]:
    smith = [{"family": "Smith"}]
    entries: list[dict[str, Any]] = [
        {"resource": {"resourceType": "Patient", "id": one, "name": smith}} for one in ids
    ]
    for entry in entries if mode else ():
        entry["search"] = {"mode": mode}
    links = [{"relation": "next", "url": following}] if following is not None else []
    return {"resourceType": "Bundle", "type": "searchset", "entry": entries, "link": links}


def outcome(text: str, severity: str = "error") -> dict[str, Any]:
    return {"resourceType": "OperationOutcome", "issue": [{"severity": severity, "details": {"text": text}}]}


def linked(place: str, *ids: str) -> Callable[[str], Reply]:
    """A page whose next one is at a place; {base} and {port} are those of the server."""

    def page(base: str) -> Reply:
        port = base.removesuffix("/r4").rpartition(":")[2]
        return Reply(body=bundle(*ids, following=place.replace("{base}", base).replace("{port}", port)))

    return page


def ids(script: Script, **more: Any) -> list[object]:
    with FhirServer(script.url, **{"limits": PATIENT, **more}) as server:
        return [one["id"] for one in server.search("Patient", {"family": "Smith"})]


def test_a_search_goes_through_all_pages() -> None:
    with scripted(linked("{base}/Patient?page=2", "1", "2"), Reply(body=bundle("3"))) as script:
        assert ids(script) == ["1", "2", "3"]
    assert script.asked == ["/r4/Patient?family=Smith&_count=200", "/r4/Patient?page=2"]


def test_a_page_is_asked_for_only_when_it_is_needed() -> None:
    with (
        scripted(linked("{base}/Patient?page=2", "1")) as script,
        FhirServer(script.url, limits=PATIENT) as server,
    ):
        assert next(server.search("Patient", {}))["id"] == "1"
    assert len(script.asked) == 1


@pytest.mark.parametrize("place", ["Patient?page=2", "/r4/Patient?page=2", "?page=2", "{base}/Patient?page=2#x"])
def test_links_may_be_relative(place: str) -> None:
    with scripted(linked(place, "1"), Reply(body=bundle("2"))) as script:
        assert ids(script) == ["1", "2"]
    assert script.asked[1].startswith("/r4/Patient?page=2")


@pytest.mark.parametrize(
    "place",
    [
        "http://elsewhere.example/r4/Patient?page=2",
        "//elsewhere.example/r4/Patient",
        "https://127.0.0.1:{port}/r4/Patient",
        "http://127.0.0.1:1/r4/Patient",
        "http://127.0.0.1:{port}/other/Patient",
        "http://127.0.0.1:{port}/r4evil/Patient",
        "{base}/../admin",
        "{base}/%2e%2e/admin",
        "{base}/..%2fadmin",
        "http://user:word@127.0.0.1:{port}/r4/Patient",
        "http://127.0.0.1:{port}@elsewhere.example/r4/Patient",
        "/admin",
        "file:///etc/passwd",
    ],
)
def test_a_link_that_leads_away_is_not_followed(place: str) -> None:
    with (
        scripted(linked(place, "1")) as script,
        pytest.raises(MeasurementError, match="leads away from the base URL, to ") as caught,
    ):
        ids(script, token=fixed_token("secret"))
    assert len(script.asked) == 1
    assert "page=2" not in str(caught.value)
    assert "word" not in str(caught.value)


def test_the_server_that_a_link_leads_to_is_named() -> None:
    with (
        scripted(linked("https://other.example:8443/fhir/Patient?family=Smith", "1")) as script,
        pytest.raises(MeasurementError, match=r"to https://other\.example:8443/fhir$"),
    ):
        ids(script)


def test_a_link_that_is_no_address() -> None:
    with (
        scripted(linked("http://127.0.0.1:port/", "1")) as script,
        pytest.raises(MeasurementError, match="is not a URL"),
    ):
        ids(script)


def test_pages_in_a_circle() -> None:
    with (
        scripted(linked("{base}/Patient?family=Smith&_count=200", "1")) as script,
        pytest.raises(MeasurementError, match="go in a circle"),
    ):
        ids(script)


def test_pages_without_an_end() -> None:
    count = iter(range(1000))

    def page(base: str) -> Reply:
        number = next(count)
        return Reply(body=bundle(str(number), following=f"{base}/Patient?page={number}"))

    with scripted(page) as script, pytest.raises(BoundsError, match="more than 5 pages, which are not read"):
        ids(script, max_pages=5)
    assert len(script.asked) == 5


def test_only_matches_count_and_each_once() -> None:
    found = bundle("1", "1", "2", mode="match")
    found["entry"] += bundle("3", mode="include")["entry"]
    found["entry"] += [
        {"resource": outcome("a warning", "warning"), "search": {"mode": "outcome"}},
        {},
        None,
        {"resource": 5},
    ]
    found["entry"] += [{"resource": {"resourceType": "Practitioner", "id": "9"}}]
    with scripted(Reply(body=found)) as script:
        assert ids(script) == ["1", "2"]


def test_parameters_are_written_as_a_server_reads_them() -> None:
    asked = {"active": True, "date": ["ge2024", "lt2025"], "name": "a&b=c|d,e é", "n": 1.5}
    with scripted(Reply(body=bundle())) as script, FhirServer(script.url, limits=PATIENT) as server:
        list(server.search("Patient", asked))
    assert parse_qsl(script.asked[0].partition("?")[2]) == [
        ("active", "true"),
        ("date", "ge2024"),
        ("date", "lt2025"),
        ("name", "a&b=c|d,e é"),
        ("n", "1.5"),
        ("_count", "200"),
    ]


def test_the_author_says_how_many_to_a_page() -> None:
    with scripted(Reply(body=bundle())) as script, FhirServer(script.url, limits=PATIENT) as server:
        list(server.search("Patient", {"_count": 3}))
    assert script.asked == ["/r4/Patient?_count=3"]


def test_what_is_sent_along() -> None:
    with scripted(Reply(body=bundle())) as script:
        ids(script, token=fixed_token("abc"))
    assert script.headers[0]["Authorization"] == "Bearer abc"
    assert script.headers[0]["Prefer"] == "handling=strict"
    assert script.headers[0]["Accept"] == "application/fhir+json"


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_not_there_is_none(status: int) -> None:
    with scripted(Reply(status, outcome("gone"))) as script, FhirServer(script.url, limits=PATIENT) as server:
        assert server.read("Patient", "1") is None
    assert script.asked == ["/r4/Patient/1"]


def test_a_read() -> None:
    with (
        scripted(Reply(body={"resourceType": "Patient", "id": "1"})) as script,
        FhirServer(script.url + "/", limits=PATIENT) as server,
    ):
        assert server.read("Patient", "1") == {"resourceType": "Patient", "id": "1"}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(400, outcome("Unknown search parameter: famly")), "answers 400: Unknown search parameter: famly"),
        (Reply(401, outcome("no")), "does not accept the token"),
        (Reply(403, b"<html>"), "the token does not allow this request"),
        (Reply(404, b""), "the server answers 404"),
        (Reply(302, b"", {"Location": "http://elsewhere.example/"}), "the server answers 302"),
        (Reply(200, b"<html>log in</html>"), "the answer is not JSON"),
        (Reply(200, b'{"a": NaN}'), "the answer is not JSON"),
        (Reply(200, [1, 2]), "the answer is not a Bundle"),
        (Reply(200, {"resourceType": "Patient"}), "the answer is not a Bundle"),
        (Reply(200, b"xx", {"Content-Encoding": "gzip"}), "can't be decoded"),
    ],
)
def test_answers_that_break_a_measurement(reply: Reply, said: str) -> None:
    with scripted(reply) as script, pytest.raises(MeasurementError, match=said) as caught:
        ids(script, token=fixed_token("secret"))
    assert len(script.asked) == 1
    assert r"the search Patient?family=…" in str(caught.value)
    assert "Smith" not in str(caught.value)
    assert "secret" not in str(caught.value)


def sized(script: Script, size: int) -> Reply:
    """A server with five resources, of which each has so many bytes."""
    asked = dict(parse_qsl(script.asked[-1].partition("?")[2]))
    count, offset = int(asked["_count"]), int(asked.get("offset", 0))
    last = min(offset + count, 5)
    following = f"{script.url}/Patient?family=Smith&_count={count}&offset={last}" if last < 5 else None
    found = bundle(*map(str, range(offset, last)), following=following)
    for entry in found["entry"]:
        entry["resource"]["text"] = "x" * size
    return Reply(body=found)


def test_pages_that_are_too_large_are_asked_for_in_smaller_ones() -> None:
    with scripted(lambda _: sized(script, 3_000)) as script:
        assert ids(script) == ["0", "1", "2", "3", "4"]
    counts = [dict(parse_qsl(one.partition("?")[2]))["_count"] for one in script.asked]
    assert counts == ["200", "40", "8", "1", "1", "1", "1", "1"]


def test_a_resource_that_is_too_large_is_no_fault_of_the_server() -> None:
    with (
        scripted(lambda _: sized(script, 20_000)) as script,
        pytest.raises(BoundsError, match="the answer has more than 10000 bytes"),
    ):
        ids(script)


def test_an_answer_that_is_nested_too_deeply_is_no_fault_of_the_server() -> None:
    with scripted(Reply(200, b"[" * 9000)) as script, pytest.raises(BoundsError, match="nested too deeply"):
        ids(script)


def test_a_number_of_very_many_digits_does_not_hide_the_rest() -> None:
    number = f'"id": "1", "multipleBirthInteger": {"9" * 5000}'
    text = json.dumps(bundle("1", "2")).replace('"id": "1"', number)
    with scripted(Reply(200, text.encode())) as script:
        assert ids(script) == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "no patient Smith for Bearer secret-token-1",
        "SMITH? token=secret-token-1",
        'got "family=Smith" with {"authorization": "secret-token-1"}',
        "family Sm%20th, password: abcdefgh12345",
    ],
)
def test_what_a_server_says_is_redacted(text: str) -> None:
    value = "Sm th" if "%20" in text else "Smith"
    with (
        scripted(Reply(400, outcome(text))) as script,
        FhirServer(script.url, limits=PATIENT, token=fixed_token("secret-token-1")) as server,
        pytest.raises(MeasurementError, match="…") as caught,
    ):
        list(server.search("Patient", {"family": value}))
    for hidden in ("smith", "sm%20th", "secret-token-1", "abcdefgh12345"):
        assert hidden not in str(caught.value).lower()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_server_that_recovers(status: int) -> None:
    with scripted(Reply(status), Reply(status), Reply(body=bundle("1"))) as script:
        assert ids(script) == ["1"]
    assert len(script.asked) == 3


def test_a_server_that_is_slow_at_first() -> None:
    """The second answer comes at once, and is waited for longer than a busy machine takes."""
    limits = replace(PATIENT, timeout_sec=4)
    with scripted(Reply(delay=5), Reply(body=bundle("1"))) as script:
        assert ids(script, limits=limits) == ["1"]


def test_pauses_grow_until_the_deadline() -> None:
    time = FakeTime()
    limits = RequestLimits(deadline_sec=20, first_pause_sec=1, longest_pause_sec=8)
    with (
        scripted(Reply(503)) as script,
        FhirServer(script.url, limits=limits, pace=time.pace()) as server,
        pytest.raises(MeasurementError, match="the server answers 503, for 20 s"),
    ):
        server.read("Patient", "1")
    assert time.slept == [0.5, 1, 2, 4, 4, 4, 4]


@pytest.mark.parametrize(
    ("written", "slept"),
    [("7", [7]), ("0", [0.5]), ("soon", [0.5]), ("Wed, 21 Oct 2015 07:28:00 GMT", [0.5]), ("-5", [0.5])],
)
def test_a_server_that_says_when(written: str, slept: list[float]) -> None:
    time = FakeTime()
    busy = Reply(429, headers={"Retry-After": written})
    limits = RequestLimits(deadline_sec=20, first_pause_sec=1)
    with (
        scripted(busy, Reply(body={"resourceType": "Patient", "id": "1"})) as script,
        FhirServer(script.url, limits=limits, pace=time.pace()) as server,
    ):
        assert server.read("Patient", "1")
    assert time.slept == slept


def test_a_server_that_wants_to_be_left_alone_for_longer_than_there_is_time() -> None:
    time = FakeTime()
    with (
        scripted(Reply(429, headers={"Retry-After": "3600"})) as script,
        FhirServer(script.url, limits=RequestLimits(deadline_sec=20), pace=time.pace()) as server,
        pytest.raises(MeasurementError, match="answers 429"),
    ):
        server.read("Patient", "1")
    assert time.slept == []


def test_a_server_that_is_down() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/r4"
        time = FakeTime()
        with (
            FhirServer(url, limits=RequestLimits(deadline_sec=5), pace=time.pace()) as server,
            pytest.raises(MeasurementError, match=r"can't be reached \(ConnectError\), for 5 s"),
        ):
            server.read("Patient", "1")
        assert len(time.slept) > 2


def test_a_server_that_never_answers() -> None:
    limits = RequestLimits(deadline_sec=0.6, timeout_sec=0.2, first_pause_sec=0.01)
    with (
        scripted(Reply(delay=3)) as script,
        FhirServer(script.url, limits=limits) as server,
        pytest.raises(MeasurementError, match="does not answer in time"),
    ):
        server.read("Patient", "1")


def test_a_server_that_answers_a_byte_at_a_time() -> None:
    limits = RequestLimits(deadline_sec=1, timeout_sec=60)
    with (
        scripted(Reply(body=b"x " * 20, trickle=0.1)) as script,
        FhirServer(script.url, limits=limits) as server,
        pytest.raises(MeasurementError, match="takes longer than"),
    ):
        server.read("Patient", "1")


def test_an_answer_that_breaks_off() -> None:
    short = Reply(body=b"{}", headers={"Content-Length": "50"})
    with scripted(short, Reply(body=bundle("1"))) as script:
        assert ids(script) == ["1"]


@pytest.mark.parametrize(
    "url",
    ["", "fhir.example", "ftp://fhir.example/r4", "http://", "http://u:p@x/r4", "http://x/r4?a=1", "http://x/#y"],
)
def test_what_is_no_base_url(url: str) -> None:
    with pytest.raises(InputError, match="the URL of a FHIR server must be like"):
        FhirServer(url)


@pytest.mark.parametrize("identity", ["..", ".", "", "a/b", "a?b", "a b", "%2e%2e", "x" * 300])
def test_what_is_no_id(identity: str) -> None:
    with (
        FhirServer("http://127.0.0.1:1/r4") as server,
        pytest.raises(ValueError, match="can't be part of the address"),
    ):
        server.read("Patient", identity)


PROFILE = "http://hl7.example/StructureDefinition/p"
SMITH = {"resourceType": "Patient", "id": "1"}


@pytest.mark.parametrize(
    ("status", "issues", "problems"),
    [
        (200, [{"severity": "information", "diagnostics": "All OK"}], []),
        (200, [{"severity": "warning", "diagnostics": "no narrative"}], []),
        (
            200,
            [{"severity": "error", "expression": ["Patient.name"], "details": {"text": "minimum\n is 1"}}],
            ["Patient.name: minimum is 1"],
        ),
        (422, [{"severity": "fatal", "location": ["Patient"]}, {"severity": "error", "code": "required"}], None),
    ],
)
def test_a_profile_is_asked_of_the_server(status: int, issues: list[Any], problems: list[str] | None) -> None:
    reply = Reply(status, {"resourceType": "OperationOutcome", "issue": issues})
    with scripted(Reply(503), reply) as script, FhirServer(script.url, limits=PATIENT) as server:
        found = server.problems(SMITH, PROFILE)
    assert found == (["Patient: no reason given", "required"] if problems is None else problems)
    assert script.asked[1] == "/r4/Patient/$validate?profile=http%3A%2F%2Fhl7.example%2FStructureDefinition%2Fp"
    assert script.posted == [SMITH, SMITH]


@pytest.mark.parametrize(
    "reply", [Reply(404, b"<html>"), Reply(405, b""), Reply(200, {"resourceType": "Patient"})]
)
def test_a_server_without_validate_breaks_the_measurement(reply: Reply) -> None:
    with (
        scripted(reply) as script,
        FhirServer(script.url, limits=PATIENT) as server,
        pytest.raises(MeasurementError, match="it may not support"),
    ):
        server.problems(SMITH, PROFILE)


def history(*versions: dict[str, Any], following: str | None = None) -> dict[str, Any]:
    links = [{"relation": "next", "url": following}] if following is not None else []
    entries = [{"resource": {"resourceType": "Patient", "id": "1", **one}} for one in versions]
    return {"resourceType": "Bundle", "type": "history", "entry": entries, "link": links}


def test_a_history_goes_through_all_pages() -> None:
    first = Reply(body=history({"active": True}, following="Patient/1/_history?page=2"))
    last = Reply(body=history({"active": False}))
    with scripted(first, last) as script, FhirServer(script.url, limits=PATIENT) as server:
        entries = server.history("Patient", "1")
    assert entries is not None
    assert [one["resource"]["active"] for one in entries] == [True, False]
    assert script.asked[0] == "/r4/Patient/1/_history?_count=200"


def test_the_history_of_a_type_from_a_moment_on() -> None:
    with scripted(Reply(body=history())) as script, FhirServer(script.url, limits=PATIENT) as server:
        assert server.history("Patient", since=datetime(2026, 3, 1, 12, tzinfo=UTC)) == []
    assert script.asked == ["/r4/Patient/_history?_since=2026-03-01T12%3A00%3A00.000%2B00%3A00&_count=200"]


@pytest.mark.parametrize("status", [400, 403, 404, 405, 410, 501])
def test_a_server_without_histories(status: int) -> None:
    with scripted(Reply(status, outcome("no"))) as script, FhirServer(script.url, limits=PATIENT) as server:
        assert server.history("Patient", "1") is None


def test_a_token_that_is_not_accepted_says_nothing_about_histories() -> None:
    with (
        scripted(Reply(401, outcome("no"))) as script,
        FhirServer(script.url, limits=PATIENT) as server,
        pytest.raises(MeasurementError, match="does not accept the token"),
    ):
        server.history("Patient", "1")


@pytest.mark.parametrize(
    ("date", "ahead"),
    [
        ("Sun, 01 Mar 2026 12:00:00 GMT", 0),
        ("Sun, 01 Mar 2026 11:59:58 GMT", 0),
        ("Sun, 01 Mar 2026 12:05:00 GMT", 300),
        ("Sun, 01 Mar 2026 11:55:00 GMT", -300),
        ("soon", 0),
    ],
)
def test_a_server_tells_how_far_its_clock_is_ahead(date: str, ahead: float) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with (
        scripted(Reply(body=history(), headers={"Date": date})) as script,
        FhirServer(script.url, limits=PATIENT, now=lambda: noon) as server,
    ):
        server.history("Patient", "1")
        assert server.ahead.total_seconds() == ahead
