"""Every provider gives a verdict by the settings in the docs, and tells its errors in its own words."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.models.judge_model import ChatModel
from assay.adapters.models.judge_setup import ConfiguredJudges, JudgeOptions
from assay.adapters.sources.bearer_tokens import fixed_token
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.report import JudgeVerdict
from assay.dialects.scorers.scenario import JudgeSection
from assay.judge.model import ModelQuestion, Reply, Sampling
from assay.judge.prompt import Prompt, PromptFile
from tests.fake_time import FakeTime
from tests.judge.cases import FAIL, RUN, said
from tests.servers import providers, scripted_server
from tests.servers.chat_server import Chat, chatting
from tests.servers.providers import PROVIDERS, Provider, provided

DOCS = Path(__file__).parents[2] / "docs" / "howto" / "judge-with-your-own-model.md"
SETTINGS = {"seed": "7"}


def judged(url: str, settings: Mapping[str, str] | None = None, model: str = "m") -> JudgeVerdict:
    options = JudgeOptions(url=url, models=(model,), settings=settings or {})
    with ConfiguredJudges(options, {"ASSAY_JUDGE_KEY": "secret-key"}) as judges:
        return judges.judge(None)(RUN)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.name)
def test_a_verdict_of_every_provider(provider: Provider) -> None:
    with provided(provider, said(FAIL)) as up:
        found = judged(up.url, SETTINGS if "seed left out" in provider.adapted else None)
    (answer,) = found.answers
    assert (found.state, found.opinion.failure_mode) == ("FAIL", "incomplete"), found.opinion.reason
    assert found.opinion.repaired == list(provider.repaired)
    assert answer.adapted == list(provider.adapted)
    assert answer.tries == 1


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.name)
def test_every_provider_has_its_row_in_the_docs(provider: Provider) -> None:
    rows = {row.split("|")[1].strip(): row for row in DOCS.read_text().splitlines() if row.startswith("| ")}
    assert provider.name in rows
    assert re.sub(r"/m\?", "/NAME?", provider.ends) in rows[provider.name]


def test_what_was_learnt_is_remembered_for_the_run_and_for_each_scenario() -> None:
    provider = next(one for one in PROVIDERS if one.name == "OpenAI reasoning models")
    with provided(provider, said()) as up:
        options = JudgeOptions(url=up.url, models=("m",))
        with ConfiguredJudges(options, {}) as judges:
            for section in (None, None, JudgeSection(canary=False)):
                assert judges.judge(section)(RUN).answers[0].adapted == list(provider.adapted)
    assert ["max_tokens" in one.body for one in up.asked] == [True, False, False, False, False]


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        (
            Chat(
                status=400,
                body=json.dumps({"error": {"message": "bad\nrequest", "type": "t", "code": "c"}}).encode(),
            ),
            "it answers 400 (t, c): bad",
        ),
        (
            Chat(status=402, body=b'{"error": {"message": "Insufficient credits", "code": 402}}'),
            "has no credit left",
        ),
        (
            Chat(status=404, body=b'{"error": {"message": "The model x does not exist"}}'),
            "it answers 404: The model x does not exist (is the model's name right",
        ),
        (Chat(status=404, body=b"<html>nginx</html>"), "such as with /v1?"),
        (
            Chat(status=413, body=b'{"detail": "too large"}'),
            "it answers 413: too large (a smaller --judge-characters",
        ),
        (
            Chat(status=400, body=b'{"error": {"message": "m", "code": "context_length_exceeded"}}'),
            "a smaller --judge-characters",
        ),
        (
            Chat(body=b'{"error": {"message": "No such key", "code": 403}}'),
            "does not allow this request: No such key",
        ),
        (
            Chat(body=b'[{"error": {"message": "Bad key", "status": "DENIED"}}]'),
            "it answers 200 (DENIED): Bad key",
        ),
        (
            Chat(
                body=b'{"choices": [{"error": {"message": "Too hot", "code": 400}, "message": {"content": ""}}]}'
            ),
            "it answers 400: Too hot",
        ),
        (
            Chat(status=401, body=b'{"error": {"message": "Incorrect key: secret-key-1"}}'),
            "does not accept the key: Incorrect key: …-1",
        ),
        (
            Chat(status=422, body=json.dumps({"detail": f"bad: {'the prompt of the question' * 2}"}).encode()),
            "it answers 422: bad: …",
        ),
        (Chat(status=418, body=("x" * 5_000).encode()), "x…"),
    ],
)
def test_the_endpoints_own_words(chat: Chat, words: str) -> None:
    with chatting(chat) as talk, pytest.raises(MeasurementError) as caught:
        reply(talk.url)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 500
    assert "the prompt of" not in str(caught.value)


PLAIN = Sampling()


def reply(url: str, sampling: Sampling = PLAIN, **how: Any) -> Reply:
    asked = ModelQuestion(Prompt("the prompt of the question", {}, PromptFile("p-1", ""), "0" * 64), sampling)
    with ChatModel(url, "m", fixed_token("secret-key"), **how) as model:
        return model.ask(asked)


@pytest.mark.parametrize("status", [520, 521, 522, 523, 524, 529])
def test_what_passes_is_tried_again(status: int) -> None:
    with chatting(Chat(status=status), Chat("at last")) as talk:
        assert reply(talk.url, pace=FakeTime().pace()).text == "at last"


def test_an_account_without_money_is_not_asked_again() -> None:
    body = json.dumps({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}).encode()
    with chatting(Chat(status=429, body=body)) as talk, pytest.raises(MeasurementError, match="no credit left"):
        reply(talk.url, pace=FakeTime().pace())
    assert len(talk.bodies) == 1


def test_a_name_that_is_refused_both_ways_is_left_out() -> None:
    def refuses(asked: providers.Asked, text: str, _before: int) -> scripted_server.Reply:
        for name, other in (("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")):
            if name in asked.body:
                return providers.error(400, f"{name} is unknown, use {other}")
        return providers.completion(text)

    with provided(Provider("odd", "/v1", refuses), "x") as up:
        assert reply(up.url).adapted == (
            "max_tokens sent as max_completion_tokens",
            "max_completion_tokens sent as max_tokens",
            "max_tokens left out",
        )


def test_an_endpoint_that_refuses_everything_ends_with_its_words() -> None:
    refuses = Provider(
        "no", "/v1", lambda asked, _text, _before: providers.error(400, f"not {sorted(asked.body)}")
    )
    with provided(refuses, "x") as up, pytest.raises(MeasurementError, match="it answers 400"):
        reply(up.url, Sampling(seed=1), stream=True)
    assert up.asked[-1].body.keys() == {"model", "messages"}


def cut(asked: providers.Asked, text: str, _before: int) -> scripted_server.Reply:
    return providers.completion(text, asked.prompt[:1000])


def test_a_prompt_that_the_server_cut_without_a_word_is_no_verdict() -> None:
    long = replace(RUN, instruction="Fix add in calc.py. " * 900)
    with provided(Provider("cutting", "/v1", cut), said()) as up:
        options = JudgeOptions(url=up.url, models=("m",))
        with ConfiguredJudges(options, {}) as judges:
            found = judges.judge(None)(long)
    assert found.state == "unparseable"
    assert "the endpoint cut the prompt: it read 250 tokens of" in (found.opinion.reason or "")
    assert len(up.asked) == 1


def test_a_long_wait_for_the_first_byte_of_a_model_on_this_machine_costs_nothing() -> None:
    limits = RequestLimits(deadline_sec=0.5, timeout_sec=0.5, first_pause_sec=0.01)
    with chatting(Chat("late", delay=1)) as talk:
        assert reply(talk.url, limits=limits, stream=True, first_byte_sec=30).text == "late"
    assert talk.bodies[0]["stream"] is True


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": "0.3", "max_tokens": "77", "seed": "5"},
        {"temperature": "none", "max_tokens": "none"},
    ],
)
def test_every_setting_is_an_option_and_a_variable(settings: dict[str, str]) -> None:
    variables = {f"ASSAY_JUDGE_{name.upper()}": value for name, value in settings.items()}
    wanted = {name: float(value) for name, value in settings.items() if value != "none"}
    for options, environment in ((settings, {}), ({}, variables)):
        with chatting(Chat(said())) as talk:
            asked = JudgeOptions(url=talk.url, models=("m",), settings=options)
            with ConfiguredJudges(asked, environment) as judges:
                judges.judge(JudgeSection(temperature=1, max_tokens=10))(RUN)
        sent = {
            name: talk.bodies[0][name] for name in ("temperature", "max_tokens", "seed") if name in talk.bodies[0]
        }
        assert sent == wanted


@pytest.mark.parametrize(
    ("name", "value"), [("characters", "5"), ("timeout_s", "soon"), ("at_once", "0"), ("timeout_s", "none")]
)
def test_a_setting_that_can_not_be_used_is_refused(name: str, value: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be .*, got {value}"):
        ConfiguredJudges(JudgeOptions(url="http://127.0.0.1:9/v1", models=("m",), settings={name: value}), {})
