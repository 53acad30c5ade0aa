"""A chat endpoint on loopback: what it is asked, and all the ways in which it fails."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.adapters.models.judge_model import ChatModel
from assay.adapters.sources.bearer_tokens import fixed_token
from assay.adapters.sources.json_requests import Pace, RequestLimits
from assay.core.errors import MeasurementError
from assay.dialects.scorers.report import JudgeUsage
from assay.judge.model import ModelQuestion, Reply, Sampling
from assay.judge.prompt import Prompt, PromptFile
from tests.fake_time import FakeTime
from tests.servers.chat_server import Chat, Talk, chatting

SCHEMA = {"type": "object"}
ASKED = ModelQuestion(Prompt("the prompt", SCHEMA, PromptFile("p-1", ""), "0" * 64))
PATIENT = RequestLimits(
    deadline_sec=60, timeout_sec=60, answer_bytes=10_000, first_pause_sec=0.01, longest_pause_sec=0.05
)


def reply(
    talk: Talk, limits: RequestLimits = PATIENT, json_schema: bool = True, pace: Pace | None = None
) -> Reply:
    with ChatModel(talk.url, "small-1", fixed_token("secret"), limits, pace, json_schema) as model:
        return model.ask(ASKED)


def answer(talk: Talk, limits: RequestLimits = PATIENT, json_schema: bool = True, pace: Pace | None = None) -> str:
    return reply(talk, limits, json_schema, pace).text


def test_what_is_asked() -> None:
    with chatting(Chat("the answer")) as talk:
        assert answer(talk) == "the answer"
    assert talk.paths == ["/v1/chat/completions"]
    assert talk.headers[0]["Authorization"] == "Bearer secret"
    assert talk.bodies[0] == {
        "model": "small-1",
        "temperature": 0,
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "the prompt"}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


def test_without_a_schema_and_without_a_key() -> None:
    with chatting(Chat("x")) as talk, ChatModel(talk.url, "m", limits=PATIENT, json_schema=False) as model:
        model.ask(ASKED)
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


@pytest.mark.parametrize(
    ("known", "tried"),
    [
        ({"json_schema"}, ["json_schema"]),
        ({"json_object"}, ["json_schema", "json_object"]),
        ({"text"}, ["json_schema", "json_object", "text"]),
    ],
)
def test_an_endpoint_without_schemas_is_asked_in_a_simpler_way(known: set[str], tried: list[str]) -> None:
    with (
        chatting(Chat("x"), modes=frozenset(known)) as talk,
        ChatModel(talk.url, "m", limits=PATIENT) as model,
    ):
        assert model.ask(ASKED).mode == tried[-1]
        assert talk.modes == tried
        model.ask(ASKED)
    # What was learnt is remembered.
    assert talk.modes == [*tried, tried[-1]]


def test_an_endpoint_that_takes_no_form_at_all() -> None:
    with (
        chatting(Chat("x"), modes=frozenset()) as talk,
        pytest.raises(
            MeasurementError, match=r"^the judge small-1: it answers 400: response_format is not supported$"
        ),
    ):
        answer(talk)
    assert talk.modes == ["json_schema", "json_object", "text"]


def test_an_endpoint_says_when_to_come_back() -> None:
    time = FakeTime()
    with chatting(Chat(status=429, headers={"Retry-After": "7"}), Chat("at last")) as talk:
        assert answer(talk, pace=time.pace()) == "at last"
    assert time.slept == [7]


def test_an_endpoint_that_wants_to_be_left_alone_for_too_long() -> None:
    time = FakeTime()
    with (
        chatting(Chat(status=429, headers={"Retry-After": "3600"})) as talk,
        pytest.raises(MeasurementError, match="it answers 429"),
    ):
        answer(talk, pace=time.pace())
    assert time.slept == []


def test_pauses_differ_so_that_not_all_come_back_at_once() -> None:
    long, short = FakeTime(), FakeTime()
    for fake, part in ((long, 1.0), (short, 0.5)):
        with chatting(Chat(status=503), Chat(status=503), Chat("x")) as talk:
            answer(talk, pace=fake.pace(part))
    assert long.slept == [2 * pause for pause in short.slept] == [0.01, 0.02]


def test_an_answer_that_breaks_off_on_the_wire_is_asked_for_again() -> None:
    with chatting(Chat("x", headers={"Content-Length": "9999"}), Chat("whole")) as talk:
        assert answer(talk) == "whole"


@pytest.mark.parametrize(
    ("said", "finish", "text"),
    [
        (Chat("x", finish="length"), "length", "x"),
        (Chat("x", finish="content_filter"), "refusal", "x"),
        (Chat("x", finish="tool_calls"), "stop", "x"),
        (Chat(body=b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}'), "refusal", "no"),
    ],
)
def test_how_an_answer_ended(said: Chat, finish: str, text: str) -> None:
    with chatting(said) as talk:
        found = reply(talk)
    assert (found.finish, found.text) == (finish, text)


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, JudgeUsage(tokens_in=12, tokens_out=3)),
        ({"prompt_tokens": -1, "completion_tokens": True}, JudgeUsage()),
        ({"prompt_tokens": "12"}, JudgeUsage()),
        (None, JudgeUsage()),
    ],
)
def test_tokens_are_counted_where_the_endpoint_counts_them(
    usage: dict[str, object] | None, told: JudgeUsage
) -> None:
    with chatting(Chat("x", usage=usage)) as talk:
        found = reply(talk)
    assert found.usage == told
    assert found.latency_sec is not None
    assert found.latency_sec >= 0


def test_sampling_settings_that_are_not_given_are_not_sent() -> None:
    with chatting(Chat("x")) as talk, ChatModel(talk.url, "m", limits=PATIENT) as model:
        model.ask(ModelQuestion(ASKED.prompt, Sampling(None, None)))
        model.ask(ModelQuestion(ASKED.prompt, Sampling(0.7, 100, seed=3)))
    assert talk.bodies[0].keys() == {"model", "messages", "response_format"}
    assert [talk.bodies[1][name] for name in ("temperature", "max_tokens", "seed")] == [0.7, 100, 3]


def test_only_so_many_questions_at_once() -> None:
    now, most, lock, full = 0, 0, threading.Lock(), threading.Event()

    def slow(_prompt: str) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
            if now >= 3:
                full.set()
        # Until there are as many as there may be, however slow the machine is. Then a moment for one too many.
        full.wait(60)
        time.sleep(0.05)
        with lock:
            now -= 1
        return "x"

    with (
        chatting(slow) as talk,
        ChatModel(talk.url, "m", limits=PATIENT, at_once=3) as model,
        ThreadPoolExecutor(12) as pool,
    ):
        list(pool.map(model.ask, [ASKED] * 12))
    assert most == 3


def test_no_log_has_a_word_of_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with chatting(Chat(status=500), Chat("the answer")) as talk:
        assert answer(talk) == "the answer"
    assert caplog.records
    assert not any(words in caplog.text for words in ("secret", "the prompt", "the answer"))


def test_an_endpoint_that_stays_busy() -> None:
    with chatting(Chat(status=503)) as talk, pytest.raises(MeasurementError, match="it answers 503, for 60 s"):
        answer(talk, RequestLimits(), pace=FakeTime().pace())
    assert len(talk.bodies) > 1


def test_an_endpoint_that_is_too_slow() -> None:
    short = RequestLimits(deadline_sec=0.2, timeout_sec=0.2, first_pause_sec=0.01)
    with chatting(Chat("late", delay=1)) as talk, pytest.raises(MeasurementError, match="the judge small-1"):
        answer(talk, short)


def test_an_endpoint_that_is_down() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        nowhere = Talk(f"http://127.0.0.1:{reserved.getsockname()[1]}/v1")
        with pytest.raises(MeasurementError, match=r"it can't be reached \(ConnectError\), for 60 s"):
            answer(nowhere, RequestLimits(), pace=FakeTime().pace())
