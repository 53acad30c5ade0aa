"""Tokens are counted from every shape of an answer, whole or as a stream, however it is cut into pieces."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.model_traffic.tokens import AnswerCounter, Tokens, tokens_of

CHAT = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}
RESPONSES = {"input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 60}}
MESSAGES = {
    "input_tokens": 10,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 30,
    "output_tokens": 20,
}
SSE = "text/event-stream; charset=utf-8"


def events(*values: Any, end: str = "\n") -> bytes:
    return "".join(f"data: {json.dumps(value)}{end}{end}" for value in values).encode()


CHAT_CHUNKS = (
    {"choices": [{"delta": {"content": "Hi"}}], "usage": None},
    {"choices": [], "usage": CHAT},
)
CHAT_STREAM = events(*CHAT_CHUNKS) + b"data: [DONE]\n\n"
RESPONSES_STREAM = events(
    {"type": "response.created"}, {"type": "response.completed", "response": {"usage": RESPONSES}}
)
MESSAGES_STREAM = events(
    {"type": "message_start", "message": {"usage": {**MESSAGES, "output_tokens": 1}}},
    {"type": "content_block_delta", "delta": {"text": '"usage"'}},
    {"type": "message_delta", "usage": {"output_tokens": 20}},
)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (CHAT, Tokens(100, 20, 60)),
        ({"prompt_tokens": 5, "completion_tokens": 1}, Tokens(5, 1)),
        (RESPONSES, Tokens(100, 20, 60)),
        (MESSAGES, Tokens(100, 20, 60, 30)),
        ({"input_tokens": 7, "output_tokens": 1}, Tokens(7, 1)),
        ({"prompt_tokens": "5"}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": -5}, None),
        ({"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None}, Tokens(5, 1)),
        ({}, None),
        (None, None),
    ],
)
def test_every_shape_of_usage(usage: object, tokens: Tokens | None) -> None:
    assert tokens_of(usage) == tokens


@pytest.mark.parametrize(
    ("kind", "answer", "tokens"),
    [
        ("application/json", json.dumps({"usage": CHAT}).encode(), Tokens(100, 20, 60)),
        ("application/json", b"{broken", None),
        ("application/json", b"[" * 100_000, None),
        ("application/json", b"", None),
        ("", json.dumps({"usage": RESPONSES}).encode(), Tokens(100, 20, 60)),
        (SSE, CHAT_STREAM, Tokens(100, 20, 60)),
        (SSE, RESPONSES_STREAM, Tokens(100, 20, 60)),
        (SSE, MESSAGES_STREAM, Tokens(100, 20, 60, 30)),
        (SSE, events(*CHAT_CHUNKS, end="\r\n"), Tokens(100, 20, 60)),
        (SSE, events(*CHAT_CHUNKS).rstrip(), Tokens(100, 20, 60)),
        (SSE, events(CHAT_CHUNKS[0]), None),
        (SSE, b'data: {"usage": broken\n\n', None),
    ],
)
@given(cuts=st.lists(st.integers(0, 400), max_size=6))
def test_an_answer_in_any_pieces(cuts: list[int], kind: str, answer: bytes, tokens: Tokens | None) -> None:
    counter = AnswerCounter(kind)
    marks = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    passed = b"".join(counter.feed(answer[a:b]) for a, b in itertools.pairwise(marks))
    rest, counted = counter.end()
    assert (passed + rest, counted) == (answer, tokens)


@given(cuts=st.lists(st.integers(0, 400), max_size=6))
def test_what_the_agent_did_not_ask_for_is_left_out(cuts: list[int]) -> None:
    counter = AnswerCounter(SSE, hide=True)
    marks = [0, *sorted(min(cut, len(CHAT_STREAM)) for cut in cuts), len(CHAT_STREAM)]
    passed = b"".join(counter.feed(CHAT_STREAM[a:b]) for a, b in itertools.pairwise(marks))
    rest, counted = counter.end()
    assert passed + rest == events(CHAT_CHUNKS[0]) + b"data: [DONE]\n\n"
    assert counted == Tokens(100, 20, 60)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("application/json", b'{"model": "m-1", "choices": []}'),
        (SSE, b'data: {"model": "m-1", "choices": []}\n\ndata: {"model": "other"}\n\n'),
        (SSE, b'data: {"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 1}}}\n\n'),
        (SSE, b'data: {"type": "response.created", "response": {"model": "m-1"}}\n\n'),
    ],
)
def test_the_model_that_answers(kind: str, answer: bytes) -> None:
    counter = AnswerCounter(kind)
    for at in range(0, len(answer), 7):
        counter.feed(answer[at : at + 7])
    counter.end()
    assert counter.model == "m-1"


@pytest.mark.parametrize("answer", [b"", b'{"model": 5}', b"[1]", b'{"response": {"model": null}}'])
def test_an_answer_that_names_no_model(answer: bytes) -> None:
    counter = AnswerCounter("application/json")
    counter.feed(answer)
    counter.end()
    assert counter.model is None
