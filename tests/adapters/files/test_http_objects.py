"""What a server of objects does only on a bad day."""

import json
from collections.abc import Callable, Iterator

import httpx
import pytest

from assay.adapters.sources.files.bucket import Bucket
from assay.adapters.sources.files.object_stores import GcsApi
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import MeasurementError
from tests.fake_time import FakeTime

Handler = Callable[[httpx.Request], httpx.Response]
CONTENT = bytes(range(256)) * 10


class BreaksOff(httpx.SyncByteStream):
    """A body that ends too early."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __iter__(self) -> Iterator[bytes]:
        yield self.content
        raise httpx.ReadError("reset")


def bucket(handler: Handler) -> Bucket:
    pace = FakeTime().pace(1.0)
    client = httpx.Client(transport=httpx.MockTransport(handler))
    return Bucket(
        GcsApi("b", lambda: "t", "https://gcs.example"), "box", RequestLimits(deadline_sec=30), pace, client
    )


def item(name: str) -> dict[str, str]:
    return {"name": name, "size": "1", "updated": "2026-03-01T12:00:00.000Z"}


def test_pages_and_the_token() -> None:
    asked: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == "Bearer t"
        asked.append(request.url.params.get("pageToken", ""))
        following = {"": "second", "second": ""}[asked[-1]]
        return httpx.Response(200, json={"items": [item(f"box/{len(asked)}")], "nextPageToken": following})

    assert [one.path for one in bucket(handler).files()] == ["1", "2"]
    assert asked == ["", "second"]


def test_pages_in_a_circle() -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"items": [item("box/a")], "nextPageToken": "same"})

    with pytest.raises(MeasurementError, match="repeats itself"):
        list(bucket(handler).files())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"no", "not JSON"),
        (b"[]", "not a listing"),
        (json.dumps({"items": [{"name": "box/a"}]}).encode(), "no name, size or time"),
    ],
)
def test_listings_that_are_none(body: bytes, why: str) -> None:
    with pytest.raises(MeasurementError, match=why):
        list(bucket(lambda _: httpx.Response(200, content=body)).files())


@pytest.mark.parametrize(
    ("status", "why"), [(401, "not accepted"), (403, "do not allow this request"), (302, "answers 302")]
)
def test_answers_that_another_try_would_not_change(status: int, why: str) -> None:
    with pytest.raises(MeasurementError, match=why):
        list(bucket(lambda _: httpx.Response(status)).files())
    with pytest.raises(MeasurementError, match=why):
        list(bucket(lambda _: httpx.Response(status)).chunks("a"))


def test_a_busy_server_is_asked_again() -> None:
    answers = iter(
        [httpx.Response(503), httpx.Response(429, headers={"retry-after": "3"}), httpx.Response(200, json={})]
    )
    assert list(bucket(lambda _: next(answers)).files()) == []


def test_a_server_that_stays_busy_breaks_the_measurement() -> None:
    with pytest.raises(MeasurementError, match="answers 503, for 30 s"):
        list(bucket(lambda _: httpx.Response(503)).files())
    with pytest.raises(MeasurementError, match="answers 503, for 30 s"):
        list(bucket(lambda _: httpx.Response(503)).chunks("a"))


def breaking(ranges: bool, version: Callable[[int], str]) -> Handler:
    """A server that breaks off after 1000 bytes of each answer."""
    asked: list[int] = []

    def handler(request: httpx.Request) -> httpx.Response:
        start = int(request.headers.get("range", "bytes=0-")[6:-1]) if ranges else 0
        asked.append(start)
        headers = {"etag": version(len(asked))}
        rest = CONTENT[start:]
        cut = 1000 * len(asked) if not ranges else 1000
        if len(rest) <= cut:
            return httpx.Response(206 if start else 200, headers=headers, stream=httpx.ByteStream(rest))
        return httpx.Response(206 if start else 200, headers=headers, stream=BreaksOff(rest[:cut]))

    return handler


@pytest.mark.parametrize("ranges", [True, False])
def test_an_object_goes_on_where_it_broke_off(ranges: bool) -> None:
    assert b"".join(bucket(breaking(ranges, lambda _: "v")).chunks("a")) == CONTENT


def test_an_object_that_was_replaced_meanwhile_is_not_mixed() -> None:
    with pytest.raises(OSError, match="changed"):
        list(bucket(breaking(True, str)).chunks("a"))
