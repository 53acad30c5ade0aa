"""Google Cloud Storage, against the emulator."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from assay.adapters.sources.bearer_tokens import google
from assay.adapters.sources.files.bucket import Bucket
from assay.adapters.sources.files.file_source import file_source
from assay.adapters.sources.files.object_stores import GcsApi
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import MeasurementError
from tests.adapters.files.servers import free_port
from tests.adapters.google_account import service_account, token
from tests.fake_time import FakeTime

PATIENT = RequestLimits(deadline_sec=60, timeout_sec=60, first_pause_sec=0.05, longest_pause_sec=0.2)


@pytest.fixture
def bucket(gcs: str, request: pytest.FixtureRequest) -> str:
    """A bucket of its own for each test."""
    name = "b" + hashlib.sha256(request.node.name.encode()).hexdigest()[:20]
    httpx.post(f"{gcs}/storage/v1/b", json={"name": name}, timeout=60).raise_for_status()
    return name


def put(gcs: str, bucket: str, key: str, content: bytes = b"x") -> None:
    asked = {"uploadType": "media", "name": key}
    httpx.post(
        f"{gcs}/upload/storage/v1/b/{bucket}/o", params=asked, content=content, timeout=60
    ).raise_for_status()


def paths(source: Bucket) -> list[str]:
    try:
        return sorted(one.path for one in source.files())
    finally:
        source.close()


def test_objects_with_their_sizes_times_and_content(gcs: str, bucket: str) -> None:
    put(gcs, bucket, "box/out/claim.csv", b"id\n1\n")
    source = file_source(f"gs://{bucket}/box", {"STORAGE_EMULATOR_HOST": gcs})
    (found,) = source.files()
    assert (found.path, found.size) == ("out/claim.csv", 5)
    assert abs((datetime.now(UTC) - found.modified).total_seconds()) < 300
    assert b"".join(source.chunks("out/claim.csv")) == b"id\n1\n"
    source.close()


def test_only_what_is_below_the_prefix(gcs: str, bucket: str) -> None:
    for key in ("box/a", "box2/b", "c"):
        put(gcs, bucket, key)
    source = Bucket(GcsApi(bucket, endpoint=gcs), "/box/", PATIENT)
    for name in ("../c", "/c", "none"):
        with pytest.raises(FileNotFoundError):
            list(source.chunks(name))
    assert paths(source) == ["a"]


def test_strange_names_are_names(gcs: str, bucket: str) -> None:
    put(gcs, bucket, "box/a b+c.txt", b"content")
    source = Bucket(GcsApi(bucket, endpoint=gcs), "box", PATIENT)
    assert b"".join(source.chunks("a b+c.txt")) == b"content"
    assert paths(source) == ["a b+c.txt"]


def test_no_bucket_breaks_the_measurement(gcs: str) -> None:
    with pytest.raises(MeasurementError, match="answers 404"):
        paths(Bucket(GcsApi("there-is-none", endpoint=gcs), "box", PATIENT))


def test_a_server_that_is_down_breaks_the_measurement_after_a_while() -> None:
    down = GcsApi("bucket", endpoint=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(MeasurementError, match="can't be reached"):
        paths(Bucket(down, "", PATIENT, FakeTime().pace()))


def test_objects_with_googles_application_credentials(
    gcs: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulator takes any token; that the token is sent is seen on the way."""
    put(gcs, bucket, "box/claim.csv", b"id\n")
    with service_account(tmp_path, monkeypatch, token("t-1")) as script:
        api = GcsApi(bucket, google(), gcs)
        source = Bucket(api, "box", PATIENT)
        assert api.headers(httpx.URL(gcs))["Authorization"] == "Bearer t-1"
        assert b"".join(source.chunks("claim.csv")) == b"id\n"
        assert paths(source) == ["claim.csv"]
    assert len(script.posted) == 1


def test_a_bucket_without_a_token_uses_application_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service_account(tmp_path, monkeypatch, token("t-2")):
        source = file_source("gs://bucket/box", {})
        assert isinstance(source, Bucket)
        source.close()
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(MeasurementError, match="no Google application credentials that can be used"):
        file_source("gs://bucket/box", {})
