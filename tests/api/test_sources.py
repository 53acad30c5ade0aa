"""Sources that tenants name: their secrets stay secret, and they can't make the service ask itself."""

import ipaddress
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from assay.adapters.service.secret_box import SecretBox, key_beside, key_from_text
from assay.adapters.service.sources import FilesUntil
from assay.adapters.sources.source_guard import METADATA, SourcePolicy, allowed_sources, guarded_client
from assay.core.errors import InputError, MeasurementError
from assay.evidence.playground import StoredFile
from tests.api.clinic import Clinic, clinic_of, serve_on
from tests.api.coding import worked
from tests.servers.fhir_server import TOKEN, CannotStartError, running

SECRET = "s3cret-token"  # noqa: S105 - of nobody
EVERYWHERE = "0.0.0.0"  # noqa: S104 - nothing listens there
PATIENT = {"resourceType": "Patient", "id": "1", "active": True}


class Fhir(BaseHTTPRequestHandler):
    """A FHIR server of a few lines. It notes the tokens that it gets."""

    tokens: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        self.tokens.append(self.headers.get("Authorization"))
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/secret")
            self.end_headers()
            return
        body = json.dumps(PATIENT).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/fhir+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def fhir_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Fhir)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    Fhir.tokens.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def allowing(where: str) -> Iterator[Clinic]:
    """A service whose operator allows sources on this machine."""
    policy = SourcePolicy(allowed_sources(["127.0.0.0/8"]))
    with serve_on(where, policy=policy) as served, httpx.Client(base_url=served.url, timeout=90) as client:
        yield clinic_of(served, client, "allowing")


def fhir_run(clinic: Clinic, url: str, **more: str) -> str:
    fields = [{"path": "active", "expected": True}]
    seen = {"assert": "fhir-resource-state", "resource_type": "Patient", "id": "1", "fields": fields}
    run = clinic.post("/v1/task-runs", {"task_id": clinic.task({"label": "seen", "assertion": seen})})
    source = f"/v1/playgrounds/{run['playground_id']}/sources/fhir"
    put = clinic.ask("PUT", source, json={"url": url, **more})
    assert put.status_code == 200, put.text
    clinic.post(f"/v1/task-runs/{run['id']}/start")
    return str(run["id"])


@pytest.mark.statement("criteria.fhir-source", "criteria.evidence-fhir")
def test_a_server_is_asked_with_the_tenants_own_token(allowing: Clinic, fhir_url: str) -> None:
    run = fhir_run(allowing, fhir_url, token=SECRET)
    done = allowing.post(f"/v1/task-runs/{run}/complete")
    assert done["verdict"] == "pass"
    [row] = done["criterion_runs"][0]["evidence"]["fieldResults"]
    assert (row["path"], row["expected"], row["actual"], row["passed"]) == ("active", True, True, True)
    assert Fhir.tokens == [f"Bearer {SECRET}"]


def test_a_real_server_is_graded(allowing: Clinic) -> None:
    """What an agent changed on a FHIR server that others wrote, with official examples on it."""
    try:
        with running() as server:
            found = {"resource_type": "Appointment", "search": {"_id": "example"}}
            fields = [{"path": "status", "expected": "cancelled"}]
            assertion = {"assert": "fhir-resource-state", **found, "fields": fields}
            told = []
            for status in ("booked", "cancelled"):
                server.put({**server.example("Appointment-example"), "status": status})
                run = allowing.run({"label": "it is cancelled", "assertion": assertion})
                box = allowing.get(f"/v1/task-runs/{run}")["playground_id"]
                source = {"url": server.base_url, "token": TOKEN}
                put = allowing.ask("PUT", f"/v1/playgrounds/{box}/sources/fhir", json=source)
                assert put.status_code == 200, put.text
                done = allowing.post(f"/v1/task-runs/{run}/complete")
                told.append((done["verdict"], done["criterion_runs"][0]["details"]))
            assert [verdict for verdict, _ in told] == ["fail", "pass"], told
    except CannotStartError as error:
        pytest.skip(str(error))


@pytest.mark.both_databases(False)
@pytest.mark.parametrize("then", ["booked", "cancelled"])
def test_a_real_server_is_graded_as_of_acceptance(allowing: Clinic, then: str) -> None:
    """By its own versions: what is written there after the completion was accepted doesn't count."""
    later = {"booked": "cancelled", "cancelled": "booked"}
    fields = [{"path": "status", "expected": "cancelled"}]
    assertion = {
        "assert": "fhir-resource-state",
        "resource_type": "Appointment",
        "id": "example",
        "fields": fields,
    }
    try:
        with running() as server:
            server.put({**server.example("Appointment-example"), "status": then})
            run = allowing.run({"label": "it is cancelled", "assertion": assertion})
            box = allowing.get(f"/v1/task-runs/{run}")["playground_id"]
            source = {"url": server.base_url, "token": TOKEN}
            assert allowing.ask("PUT", f"/v1/playgrounds/{box}/sources/fhir", json=source).status_code == 200
            way = {"Prefer": "respond-async"}
            assert allowing.ask("POST", f"/v1/task-runs/{run}/complete", headers=way).status_code == 202
            server.put({**server.example("Appointment-example"), "status": later[then]})
            worked(allowing)
            done = allowing.post(f"/v1/task-runs/{run}/complete")
            assert done["verdict"] == ("pass" if then == "cancelled" else "fail"), done
    except CannotStartError as error:
        pytest.skip(str(error))


def test_secrets_are_never_shown_and_encrypted_at_rest(allowing: Clinic, fhir_url: str) -> None:
    run = fhir_run(allowing, fhir_url, token=SECRET)
    playground = allowing.get(f"/v1/task-runs/{run}")["playground_id"]
    shown = allowing.ask("GET", f"/v1/playgrounds/{playground}/sources")
    assert shown.json() == [{"kind": "fhir", "settings": {"url": fhir_url}, "has_secret": True}]
    assert allowing.get(f"/v1/playgrounds/{playground}")["sources"] == ["fhir"]
    with allowing.service.store.writing() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM sources").all()
    assert b"s3cret" not in b"".join(
        bytes(part) for row in rows for part in row if isinstance(part, bytes | memoryview)
    )
    assert "s3cret" not in str(rows)
    assert allowing.ask("DELETE", f"/v1/playgrounds/{playground}/sources/fhir").status_code == 204
    for kind in ("fhir", "smell", "%00"):
        assert allowing.ask("DELETE", f"/v1/playgrounds/{playground}/sources/{kind}").status_code == 404


def test_a_redirect_is_not_followed(allowing: Clinic, fhir_url: str) -> None:
    run = fhir_run(allowing, f"{fhir_url}/away")
    assert allowing.ask("POST", f"/v1/task-runs/{run}/complete").status_code == 503
    assert len(Fhir.tokens) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", EVERYWHERE, "[::ffff:127.0.0.1]"]
)
def test_the_service_can_not_be_made_to_ask_itself(clinic: Clinic, fhir_url: str, host: str) -> None:
    run = fhir_run(clinic, fhir_url.replace("127.0.0.1", host))
    found = clinic.ask("POST", f"/v1/task-runs/{run}/complete")
    assert (found.status_code, Fhir.tokens) == (503, [])
    assert "can't be found, or has an address that sources must not have" in found.json()["error"]["message"]
    assert clinic.get(f"/v1/task-runs/{run}")["status"] == "active"


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("fhir", {"url": "ftp://x"}, "must be like https://"),
        ("fhir", {"url": "https://user:pass@x/"}, "with no ?, no # and no password"),
        ("fhir", {"url": "https://x", "tokens": "x"}, "got 'tokens'"),
        ("fhir", {"url": "x"}, "the URL of a FHIR server must be like"),
        ("files", {"url": "memory://x"}, "files must be at an sftp://, gs:// or s3:// URL"),
        ("files", {"url": "file:///etc"}, "files must be at an sftp://, gs:// or s3:// URL"),
        ("files", {"url": "gs://bucket"}, "must have the credential ASSAY_GCS_TOKEN"),
        ("files", {"url": "sftp://h/x", "credentials": {"ASSAY_SFTP_PASWORD": "x"}}, "unknown setting"),
        ("judge", {"url": "https://x"}, "model must be given"),
    ],
)
def test_sources_that_can_not_be(clinic: Clinic, kind: str, body: dict[str, Any], why: str) -> None:
    box = clinic.post("/v1/playgrounds", {})["id"]
    found = clinic.ask("PUT", f"/v1/playgrounds/{box}/sources/{kind}", json=body)
    assert found.status_code == 422
    assert why in found.json()["error"]["message"]


def test_files_of_the_service_can_not_be_named(clinic: Clinic) -> None:
    box = clinic.post("/v1/playgrounds", {})["id"]
    body = {"url": "sftp://192.0.2.1/x", "credentials": {"ASSAY_SFTP_KEY": "/root/.ssh/id_rsa"}}
    found = clinic.ask("PUT", f"/v1/playgrounds/{box}/sources/files", json=body)
    assert (found.status_code, "names a file of the service" in found.text) == (422, True)


@pytest.mark.parametrize(
    ("address", "permitted"),
    [
        ("8.8.8.8", True),
        ("168.63.129.16", False),
        ("192.0.0.192", False),
        ("100.100.100.200", False),
        ("2606:4700::1111", True),
        ("fd00:ec2::254", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("64:ff9b::808:808", True),
        ("::127.0.0.1", False),
        ("ff0e::1", False),
        *((address, False) for address in ("10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1")),
        ("127.0.0.1", False),
        ("127.8.8.8", False),
        ("169.254.169.254", False),
        (EVERYWHERE, False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:8.8.8.8", True),
        ("::", False),
    ],
)
def test_addresses(address: str, permitted: bool) -> None:
    assert SourcePolicy().permits(ipaddress.ip_address(address)) is permitted


def test_what_an_operator_allows() -> None:
    policy = SourcePolicy(
        allowed_sources(["127.0.0.1", "fe80::/10", "10.0.0.0/8:8080", "[fd01::1]:80", "FHIR.ward:443"])
    )
    loopback, private = map(ipaddress.ip_address, ("127.0.0.1", "10.0.0.1"))
    assert policy.permits(loopback)
    assert policy.permits(ipaddress.ip_address("fe80::1"))
    assert not policy.permits(ipaddress.ip_address("127.0.0.2"))
    assert [policy.permits(private, "x", port) for port in (8080, 80)] == [True, False]
    assert [policy.permits(ipaddress.ip_address("fd01::1"), "x", port) for port in (80, 81)] == [True, False]
    other = ipaddress.ip_address("192.168.0.9")
    asked = [("fhir.WARD.", 443), ("fhir.ward", 80), ("ward", 443)]
    assert [policy.permits(other, *one) for one in asked] == [True, False, False]


def test_addresses_of_metadata_can_not_be_allowed() -> None:
    everything = SourcePolicy(allowed_sources(["0.0.0.0/0", "::/0", "metadata.google.internal"]))
    for address in METADATA:
        assert not everything.permits(address, "metadata.google.internal", 80)
    assert not everything.permits(ipaddress.ip_address("::ffff:169.254.169.254"))


@pytest.mark.parametrize("written", ["", "10.0.0.0/99", "a b", "x:y", "x:0", "1.2.3", "http://x", "[x]:1:2"])
def test_sources_that_can_not_be_allowed(written: str) -> None:
    with pytest.raises(InputError, match="an allowed source must be like"):
        allowed_sources([written])


def test_refusals_have_one_wording() -> None:
    """Whether a name or an address is there can't be told from the answer, nor whether a port is open."""
    said = set()
    for host, port in (("127.0.0.1", 1), ("127.0.0.1", 22), ("10.9.9.9", 80), ("no-such.invalid", 80)):
        with pytest.raises(MeasurementError) as error:
            SourcePolicy().checked(host, port)
        said.add(str(error.value).replace(host, "HOST"))
    assert len(said) == 1


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, fhir_url: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with guarded_client(SourcePolicy(allowed_sources(["127.0.0.0/8"]))) as client:
        assert client.get(fhir_url).json() == PATIENT


def test_a_secret_belongs_to_its_place(tmp_path: Path) -> None:
    box = SecretBox(key_beside(str(tmp_path / "key")))
    sealed = box.seal({"token": "x"}, "play_1/fhir")
    assert SecretBox(key_beside(str(tmp_path / "key"))).open(sealed, "play_1/fhir") == {"token": "x"}
    for other, place in ((box, "play_2/fhir"), (SecretBox(b"o" * 32), "play_1/fhir")):
        with pytest.raises(MeasurementError, match="can't be decrypted"):
            other.open(sealed, place)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="no key to encrypt"):
        SecretBox(None).seal({}, "x")
    with pytest.raises(MeasurementError, match="no key to decrypt"):
        SecretBox(None).open(sealed, "x")


@pytest.mark.parametrize("written", ["", "x", "c2hvcnQ=", "ü"])
def test_keys_of_secrets_that_can_not_be(written: str) -> None:
    with pytest.raises(InputError, match="KEY must be 32 bytes in base64"):
        key_from_text(written, "KEY")


def test_an_agent_does_not_learn_which_source_is_broken(clinic: Clinic) -> None:
    there = {"label": "there", "assertion": {"assert": "sftp-file-present", "pattern": "*.txt"}}
    made = clinic.post("/v1/benchmark-runs", {"benchmark": clinic.benchmark(clinic.task(there))})
    [run] = made["task_runs"]
    source = f"/v1/playgrounds/{run['playground_id']}/sources/files"
    body = {"url": "sftp://127.0.0.1/secret-place", "credentials": {"ASSAY_SFTP_PASSWORD": "x"}}
    sealed = clinic.service.secrets.seal(body["credentials"], f"{run['playground_id']}/files")  # type: ignore[arg-type]
    assert clinic.ask("PUT", source, json=body).status_code == 503
    stored = {"url": body["url"]}
    clinic.service.playgrounds.set_source(clinic.organisation, run["playground_id"], "files", stored, sealed)
    clinic.post(f"/v1/task-runs/{run['id']}/start", key=made["token"])
    found = clinic.ask("POST", f"/v1/task-runs/{run['id']}/complete", key=made["token"])
    assert (found.status_code, "secret-place" in found.text, "127.0.0.1" in found.text) == (503, False, False)
    told = clinic.ask("POST", f"/v1/task-runs/{run['id']}/complete").json()["error"]["message"]
    assert "has an address that sources must not have" in told


def test_files_in_a_bucket_that_are_newer_are_left_out() -> None:
    """A bucket tells when an object was put there by its own clock."""
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)

    class Bucket:
        def files(self) -> list[StoredFile]:
            return [StoredFile(f"{n}.txt", 1, noon + timedelta(seconds=n)) for n in (-1, 0, 1)]

        def chunks(self, path: str) -> Iterator[bytes]:
            yield path.encode()

    seen = FilesUntil(Bucket(), noon)
    assert [one.path for one in seen.files()] == ["-1.txt", "0.txt"]
    assert b"".join(seen.chunks("0.txt")) == b"0.txt"
