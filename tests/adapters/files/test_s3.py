"""S3, against moto's server; botocore is the oracle of signatures."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sources.files.bucket import Bucket
from assay.adapters.sources.files.file_source import file_source
from assay.adapters.sources.files.object_stores import Credentials, S3Account, S3Api, signed_headers
from assay.adapters.sources.json_requests import Pace, RequestLimits
from assay.core.errors import MeasurementError
from tests.adapters.files.servers import free_port
from tests.fake_time import FakeTime

KEYS = Credentials("AKIDEXAMPLE", "secret/with+signs")
PATIENT = RequestLimits(deadline_sec=60, timeout_sec=60, first_pause_sec=0.05, longest_pause_sec=0.2)


@pytest.fixture
def bucket(s3: str, request: pytest.FixtureRequest) -> str:
    """A bucket of its own for each test."""
    name = "b" + hashlib.sha256(request.node.name.encode()).hexdigest()[:20]
    httpx.put(f"{s3}/{name}", timeout=60).raise_for_status()
    return name


def put(s3: str, bucket: str, key: str, content: bytes = b"x") -> None:
    httpx.put(f"{s3}/{bucket}/{quote(key)}", content=content, timeout=60).raise_for_status()


def opened(s3: str, bucket: str, prefix: str = "box", pace: Pace | None = None) -> Bucket:
    return Bucket(S3Api(bucket, S3Account("us-east-1", KEYS, s3)), prefix, PATIENT, pace)


def paths(source: Bucket) -> list[str]:
    try:
        return sorted(one.path for one in source.files())
    finally:
        source.close()


def test_one_bucket_is_asked_from_many_threads(s3: str, bucket: str) -> None:
    names = [f"{n}" for n in range(24)]
    for name in names:
        put(s3, bucket, f"box/{name}", name.encode() * 50_000)
    source = opened(s3, bucket)
    with ThreadPoolExecutor(12) as pool:
        listings = pool.map(lambda _: len(list(source.files())), names)
        contents = pool.map(lambda name: b"".join(source.chunks(name)), names)
        assert set(listings) == {24}
        assert list(contents) == [name.encode() * 50_000 for name in names]
    source.close()


def test_objects_with_their_sizes_times_and_content(s3: str, bucket: str) -> None:
    put(s3, bucket, "box/out/claim.csv", b"id\n1\n")
    environment = {"AWS_ENDPOINT_URL": s3, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    source = file_source(f"s3://{bucket}/box", environment)
    (found,) = source.files()
    assert (found.path, found.size) == ("out/claim.csv", 5)
    assert abs((datetime.now(UTC) - found.modified).total_seconds()) < 300
    assert b"".join(source.chunks("out/claim.csv")) == b"id\n1\n"
    source.close()


def test_only_what_is_below_the_prefix(s3: str, bucket: str) -> None:
    for key in ("box/a", "box2/b", "c", "box/../d", "box//e", "box/folder/"):
        put(s3, bucket, key)
    source = opened(s3, bucket)
    for name in ("../c", "folder/../a", "/c", "none"):
        with pytest.raises(FileNotFoundError):
            list(source.chunks(name))
    assert paths(source) == ["a"]


def test_strange_names_are_names(s3: str, bucket: str) -> None:
    names = ["a b+c%20d.txt", "ünïcode", "q?x=1&y#z"]
    for name in names:
        put(s3, bucket, f"box/{name}", name.encode())
    source = opened(s3, bucket)
    assert sorted(one.path for one in source.files()) == sorted(names)
    for name in names:
        assert b"".join(source.chunks(name)) == name.encode()
    source.close()


def test_a_listing_of_many_pages(s3: str, bucket: str) -> None:
    from moto.s3.models import s3_backends  # noqa: PLC0415 - only where there is moto

    # The server runs in this process, and takes objects faster without a request for each.
    backend = s3_backends["123456789012"]["aws"]
    for number in range(1005):
        backend.put_object(bucket, f"box/{number}", b"")
    assert len(paths(opened(s3, bucket))) == 1005


LISTING = """<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Contents><Key>{}</Key><Size>{}</Size>
<LastModified>2026-03-01T12:00:00.000Z</LastModified></Contents><IsTruncated>false</IsTruncated></ListBucketResult>"""


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ("box/line%0Abreak", ["line\nbreak"]),
        ("box/a+b%2Bc", ["a b+c"]),
        ("box/..%2Fx", []),
        ("box/%00", []),
        ("other/x", []),
    ],
)
def test_names_as_a_listing_writes_them(written: str, paths: list[str]) -> None:
    answer = httpx.Response(200, text=LISTING.format(written, 1))
    client = httpx.Client(transport=httpx.MockTransport(lambda _: answer))
    assert [one.path for one in Bucket(S3Api("b"), "box", client=client).files()] == paths


@pytest.mark.parametrize("body", ["", "<x/>", LISTING.format("box/a", "large")])
def test_listings_that_are_none(body: str) -> None:
    client = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, text=body)))
    with pytest.raises(MeasurementError, match=r"not XML|not a listing|no name, size or time"):
        list(Bucket(S3Api("b"), "box", client=client).files())


def test_no_bucket_breaks_the_measurement(s3: str) -> None:
    with pytest.raises(MeasurementError, match="answers 404"):
        paths(opened(s3, "there-is-none"))


def test_a_server_that_is_down_breaks_the_measurement_after_a_while() -> None:
    with pytest.raises(MeasurementError, match="can't be reached"):
        paths(opened(f"http://127.0.0.1:{free_port()}", "bucket", pace=FakeTime().pace()))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(), st.booleans())
def test_signatures_are_those_of_botocore(key: str, prefix: str, temporary: bool) -> None:
    """What botocore signs for the same request at the same time has the same signature."""
    auth = pytest.importorskip("botocore.auth")
    request_class = pytest.importorskip("botocore.awsrequest").AWSRequest
    known = pytest.importorskip("botocore.credentials").Credentials
    token = "token" if temporary else None
    query = f"list-type=2&prefix={quote(prefix.encode('utf-8', 'replace'), safe='')}"
    url = httpx.URL(f"https://s3.example/bucket/{quote(key)}?{query}")
    raw_path, _, raw_query = url.raw_path.decode().partition("?")
    ours = Credentials("AKID", "secret", token)
    headers = signed_headers("s3.example", raw_path, raw_query, ours, "eu-west-1", datetime.now(UTC))
    signer: Any = auth.S3SigV4Auth(known("AKID", "secret", token), "s3", "eu-west-1")
    request = request_class("GET", str(url), headers={"X-Amz-Content-SHA256": headers["x-amz-content-sha256"]})
    request.context["timestamp"] = headers["x-amz-date"]
    request.context["payload_signing_enabled"] = True
    request.headers["X-Amz-Date"] = headers["x-amz-date"]
    if token:
        request.headers["X-Amz-Security-Token"] = token
    string = signer.string_to_sign(request, signer.canonical_request(request))
    assert headers["Authorization"].endswith(f"Signature={signer.signature(string, request)}")


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(KEYS)
