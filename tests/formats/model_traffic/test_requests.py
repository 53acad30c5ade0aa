"""Requests of agents: what is passed on, and what is refused because it could mean two things or reach further."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.model_traffic.requests import RefusedRequestError, RequestHead, parse_head, question, route

LINE = "POST /v1/chat/completions HTTP/1.1"


def head(line: str = LINE, *fields: str) -> RequestHead:
    return parse_head("\r\n".join((line, *fields)).encode("latin-1"))


def test_a_plain_request() -> None:
    found = head(LINE, "Host: 127.0.0.1:1", "Content-Length: 12", "X-Odd: caf\xe9")
    assert (found.method, found.path, found.query, found.length) == ("POST", "/v1/chat/completions", "", 12)
    assert found.headers["x-odd"] == "caf\xe9"


@pytest.mark.parametrize(
    "line",
    [
        "POST http://other.example/v1/chat/completions HTTP/1.1",
        "CONNECT other.example:443 HTTP/1.1",
        "POST //other.example/v1 HTTP/1.1",
        "POST /v1/../admin HTTP/1.1",
        "POST /v1/./chat HTTP/1.1",
        "POST /v1/%2e%2e/admin HTTP/1.1",
        "POST /v1\\..\\admin HTTP/1.1",
        "POST /v1/a b HTTP/1.1",
        "POST /v1#x HTTP/1.1",
        "PUT /v1/chat/completions HTTP/1.1",
        "POST /v1/chat/completions HTTP/1.0",
        "POST /v1/chat/completions",
        "POST  /v1/chat/completions HTTP/1.1",
        "GET * HTTP/1.1",
        "\x16\x03\x01",
        "",
    ],
)
def test_a_target_that_is_no_plain_path(line: str) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        head(line)
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (["Content-Length: 1", "Content-Length: 2"], 400),
        (["Content-Length: 1", "content-length: 1"], 400),
        (["Content-Length: 1, 2"], 400),
        (["Content-Length: +1"], 400),
        (["Content-Length: -1"], 400),
        (["Content-Length: 0x1"], 400),
        (["Content-Length: \xb2"], 400),
        (["Content-Length: 99999999999999999999"], 400),
        (["Transfer-Encoding: chunked"], 411),
        (["Content-Length: 5", "Transfer-Encoding: chunked"], 411),
        (["Transfer-Encoding : chunked"], 400),
        (["Transfer-Encoding:\x0bchunked"], 400),
        (["X: 1\nTransfer-Encoding: chunked"], 400),
        (["X: 1\rY: 2"], 400),
        (["X: 1", " folded"], 400),
        (["Host: a", "Host: b"], 400),
        (["Content-Encoding: gzip"], 415),
        (["no colon"], 400),
        ([": nothing"], 400),
        (["X: \0"], 400),
        ([f"X{number}: 1" for number in range(101)], 431),
    ],
)
def test_headers_that_could_be_read_in_two_ways(fields: list[str], status: int) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        head(LINE, *fields)
    assert refused.value.status == status


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    for written in (data, LINE.encode() + b"\r\n" + data):
        try:
            parse_head(written)
        except RefusedRequestError as refused:
            assert 400 <= refused.status < 500  # noqa: PT017


@pytest.mark.parametrize(
    ("base", "method", "path", "inner"),
    [
        ("/v1", "POST", "/v1/chat/completions", "/chat/completions"),
        ("/v1", "POST", "/v1/messages", "/messages"),
        ("/v1", "GET", "/v1/models", "/models"),
        ("/v1", "GET", "/v1/models/org/name", "/models/org/name"),
        ("", "POST", "/v1/messages", "/messages"),
        ("", "POST", "/chat/completions", "/chat/completions"),
        ("/api/x/v1", "POST", "/api/x/v1/responses", "/responses"),
        ("/v1", "POST", "/v1/files", None),
        ("/v1", "POST", "/v1/organization/admin_api_keys", None),
        ("/v1", "GET", "/v1/chat/completions", None),
        ("/v1", "POST", "/v1/models", None),
        ("/v1", "POST", "/v2/chat/completions", None),
        ("/v1", "POST", "/v1chat/completions", None),
        ("/v1", "POST", "/chat/completions", None),
        ("/v1", "POST", "/v1/chat/completions/", None),
    ],
)
def test_only_questions_to_a_model_are_passed_on(base: str, method: str, path: str, inner: str | None) -> None:
    asked = RequestHead(method, path, "", {}, 0)
    if inner is not None:
        assert route(asked, base) == inner
        return
    with pytest.raises(RefusedRequestError) as refused:
        route(asked, base)
    assert refused.value.status == 404


def ask(**body: Any) -> Any:
    found = question("/chat/completions", json.dumps(body).encode())
    return found, json.loads(found.body)


def test_a_stream_states_its_usage() -> None:
    found, sent = ask(model="m", stream=True, messages=[])
    assert (found.model, found.hide_usage, sent["stream_options"]) == ("m", True, {"include_usage": True})
    found, sent = ask(stream=True, stream_options={"include_usage": True, "more": 1})
    assert (found.hide_usage, sent["stream_options"]) == (False, {"include_usage": True, "more": 1})
    assert "stream_options" not in ask(model="m")[1]


PICTURE = "https://elsewhere.example/?secret=1"


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"type": "web_search"}]},
        {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        {"tools": [{"type": "mcp", "server_url": "https://elsewhere.example"}]},
        {"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]},
        {"tools": ["web_search"]},
        {"mcp_servers": [{"url": "https://elsewhere.example"}]},
        {"web_search_options": {"x": 1}},
        {"plugins": [{"id": "web"}]},
        {"background": True},
        {"prompt": {"id": "pmpt_1"}},
        {"model": "some/model:online"},
        {"messages": [{"content": [{"type": "image_url", "image_url": {"url": PICTURE}}]}]},
        {"messages": [{"content": [{"type": "image", "source": {"type": "url", "url": f" {PICTURE.upper()}"}}]}]},
        {"input": [{"content": [{"type": "input_image", "image_url": PICTURE}]}]},
        {"input": [{"content": [{"type": "input_file", "file_url": PICTURE}]}]},
    ],
)
def test_what_would_reach_further_than_the_model(body: dict[str, Any]) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        ask(**body)
    assert refused.value.status == 403


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"type": "function", "function": {"name": "bash"}}]},
        {"tools": [{"name": "bash", "input_schema": {}}, {"type": "bash_20250124", "name": "bash"}]},
        {"messages": [{"role": "user", "content": f"look at {PICTURE}"}]},
        {"messages": [{"content": [{"type": "tool_use", "input": {"url": PICTURE}}]}]},
        {"messages": [{"content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]}]},
        {"prompt": "a text, for completions"},
    ],
)
def test_what_stays_in_the_sandbox(body: dict[str, Any]) -> None:
    assert ask(**body)[1] == body


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b"\xff", b"1" * 5000])
def test_a_body_that_is_no_question(body: bytes) -> None:
    with pytest.raises(RefusedRequestError) as refused:
        question("/chat/completions", body)
    assert refused.value.status == 400


def test_what_is_sent_is_what_was_looked_at() -> None:
    """Of two fields with the same name, programs take either."""
    twice = b'{"tools": [{"type": "web_search"}], "tools": [{"type": "function"}]}'
    assert b"web_search" not in question("/responses", twice).body
