"""A chat endpoint on loopback: what it is asked, and all the ways in which it fails."""

import socket

import pytest

from assay.adapters.bearer_tokens import given
from assay.adapters.json_requests import Limits, Pace
from assay.adapters.judge_model import ChatModel
from assay.core.errors import MeasurementError
from assay.judge.answer import SCHEMA
from tests.fake_time import FakeTime
from tests.servers.chat_server import Chat, Talk, chatting

PATIENT = Limits(
    deadline_sec=60, timeout_sec=60, answer_bytes=10_000, first_pause_sec=0.01, longest_pause_sec=0.05
)


def answer(talk: Talk, limits: Limits = PATIENT, json_schema: bool = True, pace: Pace | None = None) -> str:
    with ChatModel(talk.url, "small-1", given("secret"), limits, pace, json_schema) as model:
        return model.answer("the prompt", SCHEMA)


def test_what_is_asked() -> None:
    with chatting(Chat("the answer")) as talk:
        assert answer(talk) == "the answer"
    assert talk.paths == ["/v1/chat/completions"]
    assert talk.headers[0]["Authorization"] == "Bearer secret"
    assert talk.bodies[0] == {
        "model": "small-1",
        "temperature": 0,
        "messages": [{"role": "user", "content": "the prompt"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_without_a_schema_and_without_a_key() -> None:
    with chatting(Chat("x")) as talk, ChatModel(talk.url, "m", limits=PATIENT, json_schema=False) as model:
        model.answer("the prompt", SCHEMA)
    assert "response_format" not in talk.bodies[0]
    assert "Authorization" not in talk.headers[0]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_endpoint_is_asked_again(status: int) -> None:
    with chatting(Chat(status=status), Chat(status=status), Chat("at last")) as talk:
        assert answer(talk) == "at last"
    assert len(talk.bodies) == 3


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Chat(status=401, body=b"secret"), "does not accept the key"),
        (Chat(status=403), "the key does not allow this request"),
        (Chat(status=404), "it answers 404"),
        (Chat(status=400), "it answers 400; if it doesn't support response_format, set json_schema: false"),
        (Chat(status=302, headers={"Location": "http://127.0.0.1:9/"}), "it answers 302"),
        (Chat(body=b"<html>"), "is not a chat completion"),
        (Chat(body=b"{}"), "is not a chat completion"),
        (Chat(body=b"null"), "is not a chat completion"),
        (Chat(body=b"\xff"), "is not a chat completion"),
        (Chat(body=b'{"choices": []}'), "is not a chat completion"),
        (Chat(body=b'{"choices": {"0": 1}}'), "is not a chat completion"),
        (Chat(body=b"[" * 9000), "is not a chat completion"),
        (Chat(body=b'{"choices": [{"message": {"content": null}}]}'), "its answer has no text"),
        (Chat(body=b'{"choices": [{"message": {"content": ["a"]}}]}'), "its answer has no text"),
        (Chat("x" * 20_000), "more than 10000 bytes"),
        (Chat("x", headers={"Content-Encoding": "gzip"}), "DecodingError"),
    ],
)
def test_what_is_no_answer(reply: Chat, says: str) -> None:
    with chatting(reply) as talk, pytest.raises(MeasurementError, match=says) as caught:
        answer(talk)
    assert len(talk.bodies) == 1
    assert str(caught.value).startswith("the judge small-1: ")
    assert "secret" not in str(caught.value)
    assert "prompt" not in str(caught.value)


def test_the_hint_is_given_only_where_a_schema_was_sent() -> None:
    with chatting(Chat(status=400)) as talk, pytest.raises(MeasurementError, match=r"it answers 400$"):
        answer(talk, json_schema=False)


def test_an_endpoint_that_stays_busy() -> None:
    with chatting(Chat(status=503)) as talk, pytest.raises(MeasurementError, match="it answers 503, for 60 s"):
        answer(talk, pace=FakeTime().pace())
    assert len(talk.bodies) > 1


def test_an_endpoint_that_is_too_slow() -> None:
    short = Limits(deadline_sec=0.2, timeout_sec=0.2, first_pause_sec=0.01)
    with chatting(Chat("late", delay=1)) as talk, pytest.raises(MeasurementError, match="the judge small-1"):
        answer(talk, short)


def test_an_endpoint_that_is_down() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        nowhere = Talk(f"http://127.0.0.1:{reserved.getsockname()[1]}/v1")
        with pytest.raises(MeasurementError, match=r"it can't be reached \(ConnectError\), for 60 s"):
            answer(nowhere, pace=FakeTime().pace())
