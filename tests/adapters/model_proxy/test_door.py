"""The door to a model: what comes through to the endpoint, what is refused, and what is counted."""

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from assay.adapters.models.proxy import door, exchange
from assay.dialects.harbor.trial import Usage
from assay.engine.model_access import ModelDoor, ModelGrant, ModelLimits, ModelPrices, ModelUse, PriceList
from assay.engine.sandbox import CommandLimits, SandboxCommand
from tests.sandbox.backends import need
from tests.servers.chat_server import Chat, Talk, chatting
from tests.servers.scripted_server import Reply, scripted, send, serving

KEY = "sk-the-real-key"
USAGE = {"prompt_tokens": 90, "completion_tokens": 10}
BODY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
PLAIN = SandboxCommand(argv=("/bin/true",), workdir="/", limits=CommandLimits(timeout_sec=10))


class Way:
    """An open door, used from outside of a sandbox."""

    def __init__(self, opened: ModelDoor) -> None:
        self.door = opened
        self.folder = next(mount.source for mount in opened.through(PLAIN).mounts)

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(f"{self.folder}/socket")
        return connection

    def raw(self, data: bytes) -> bytes:
        """All that is answered to some bytes."""
        with self.connect() as connection, contextlib.suppress(ConnectionError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        return b""

    def ask(self, body: object = BODY, path: str = "/v1/chat/completions", **headers: str) -> tuple[int, bytes]:
        """The status and the body of the answer to a question."""
        answer = self.raw(request(body, path, **headers))
        head, _, content = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), content

    def use(self) -> ModelUse:
        return self.door.take_use()


def request(body: object = BODY, path: str = "/v1/chat/completions", **headers: str) -> bytes:
    content = json.dumps(body).encode()
    fields = {"Host": "127.0.0.1:47100", "Content-Type": "application/json", "Content-Length": str(len(content))}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in {**fields, **headers}.items()]
    return "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""]).encode() + content


@contextlib.contextmanager
def opened(
    url: str,
    key: str | None = KEY,
    limits: ModelLimits | None = None,
    prices: PriceList | None = None,
    models: tuple[str, ...] | None = None,
) -> Iterator[Way]:
    grant = ModelGrant(url, "KEY", limits or ModelLimits(), prices or PriceList(), models)
    with door.Doors(grant, key, need("bubblewrap").sandbox).open() as one:
        yield Way(one)


@pytest.fixture
def talk() -> Iterator[Talk]:
    with chatting(Chat("Hello", usage=USAGE)) as found:
        yield found


def lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def test_a_question_is_passed_on_with_the_key(talk: Talk) -> None:
    with opened(talk.url) as way:
        status, content = way.ask(Authorization="Bearer assay", Cookie="a=b", X_Forwarded_For="1.2.3.4")
        assert (status, b"Hello" in content) == (200, True)
        assert way.use() == ModelUse(requests=1, usage=way_usage(90, 10))
    seen = lower(talk.headers[0])
    assert (talk.paths, talk.bodies) == (["/v1/chat/completions"], [BODY])
    assert (seen["authorization"], seen["accept-encoding"]) == (f"Bearer {KEY}", "identity")
    assert seen["host"] in talk.url
    assert not {"cookie", "x-forwarded-for", "x-api-key"} & set(seen)


def way_usage(n_input: int, output: int, cost: float | None = None) -> Usage:
    return Usage(n_input, None, output, cost)


def test_anthropics_key_has_a_header_of_its_own(talk: Talk) -> None:
    with opened(talk.url) as way:
        way.ask(path="/v1/messages", anthropic_version="2023-06-01", x_api_key="assay")
    seen = lower(talk.headers[0])
    assert (seen["x-api-key"], seen["anthropic-version"]) == (KEY, "2023-06-01")
    assert "authorization" not in seen


def test_without_a_key_the_agents_own_is_passed_on(talk: Talk) -> None:
    with opened(talk.url, key=None) as way:
        way.ask(Authorization="Bearer mine")
    assert lower(talk.headers[0])["authorization"] == "Bearer mine"


def test_a_stream_is_passed_on_and_counted() -> None:
    chunks = [{"choices": [{"delta": {"content": "Hi"}}]}, {"choices": [], "usage": USAGE}]
    events = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks)
    with (
        chatting(Chat(body=events, headers={"Content-Type": "text/event-stream"})) as talk,
        opened(talk.url) as way,
    ):
        status, content = way.ask({**BODY, "stream": True})
        assert (status, b'"Hi"' in content, b'"usage"' in content) == (200, True, False)
        assert way.use().usage == way_usage(90, 10)
        assert talk.bodies[0]["stream_options"] == {"include_usage": True}


HOST = "Host: 127.0.0.1:47100\r\n"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (f"CONNECT other.example:443 HTTP/1.1\r\n{HOST}\r\n", 400),
        (f"POST http://other.example/v1/chat/completions HTTP/1.1\r\n{HOST}Content-Length: 2\r\n\r\n{{}}", 400),
        ("POST /v1/chat/completions HTTP/1.1\r\nHost: other.example\r\nContent-Length: 2\r\n\r\n{}", 421),
        (f"POST /v1/../v2/x HTTP/1.1\r\n{HOST}Content-Length: 2\r\n\r\n{{}}", 400),
        (f"POST /v1/files HTTP/1.1\r\n{HOST}Content-Length: 2\r\n\r\n{{}}", 404),
        (
            f"POST /v1/chat/completions HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n",
            411,
        ),
        (f"POST /v1/chat/completions HTTP/1.1\r\n{HOST}Content-Length: 999999999\r\n\r\n", 413),
        (f"POST /v1/chat/completions HTTP/1.1\r\n{HOST}X: {'x' * 40_000}\r\n\r\n", 431),
        (f"POST /v1/chat/completions HTTP/1.1\r\n{HOST}Content-Length: 2\r\n\r\n[]", 400),
        ("\x16\x03\x01\x02\x00\r\n\r\n", 400),
    ],
)
def test_games_are_refused_and_nothing_is_asked(talk: Talk, data: str, status: int) -> None:
    with opened(talk.url) as way:
        answer = way.raw(data.encode("latin-1"))
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        said = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]
        assert len(said) > 20
        use = way.use()
    assert (talk.paths, use.requests, use.refused) == ([], 0, 1)


def test_a_second_request_on_a_connection_is_never_read(talk: Talk) -> None:
    with opened(talk.url) as way:
        answer = way.raw(request() + request(path="/v1/responses"))
        assert answer.count(b"HTTP/1.1") == 1
        assert b"connection: close" in answer
        # A body that is longer than it says could hide another request.
        hidden = b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        assert way.raw(request() + hidden).count(b"HTTP/1.1") == 1
    assert talk.paths == ["/v1/chat/completions"] * 2


def test_a_redirect_is_not_followed() -> None:
    with chatting(Chat("elsewhere")) as other:
        moved = Reply(307, {}, {"Location": f"{other.url}/chat/completions"})
        with scripted(moved) as script, opened(script.url) as way:
            status, content = way.ask(path="/r4/chat/completions")
            assert (status, b"redirect" in content) == (502, True)
            assert way.use().outage is not None
    assert other.paths == []


def test_headers_of_the_endpoint_stay_outside() -> None:
    answer = Chat("Hi", headers={"Set-Cookie": "a=b", "X-Organization": "acme", "Retry-After": "1"})
    with chatting(answer) as talk, opened(talk.url) as way:
        head = way.raw(request()).partition(b"\r\n\r\n")[0].lower()
    assert b"retry-after: 1" in head
    assert b"acme" not in head
    assert b"cookie" not in head


PRICE = PriceList({}, ModelPrices(1_000.0, 1_000.0))


@pytest.mark.parametrize(
    ("limits", "prices", "answers", "said"),
    [
        (ModelLimits(requests=2), None, [200, 200, 429, 429], "this trial may ask its model 2 times, and it did"),
        (ModelLimits(tokens=150), None, [200, 200, 429], "this trial may use 150 tokens, and 200 are used"),
        (ModelLimits(cost_usd=0.1), PRICE, [200, 429], "this trial may spend $0.1, and $0.1000 is spent"),
        (ModelLimits(cost_usd=0.1), PriceList(), [429], "but the price of m isn't known"),
    ],
)
def test_a_limit_is_answered_with_a_sentence(
    talk: Talk, limits: ModelLimits, prices: PriceList | None, answers: list[int], said: str
) -> None:
    with opened(talk.url, limits=limits, prices=prices) as way:
        found = [way.ask() for _ in answers]
        assert [status for status, _ in found] == answers
        assert said in json.loads(found[-1][1])["error"]["message"]
        assert b"x-should-retry: false" in way.raw(request())
        use = way.use()
    assert said in (use.limit or "")
    assert (use.requests, use.refused) == (answers.count(200), answers.count(429) + 1)
    assert len(talk.paths) == answers.count(200)


@pytest.mark.parametrize("limits", [ModelLimits(tokens=250), ModelLimits(cost_usd=0.25)])
def test_many_requests_at_once_use_no_more_than_one_after_the_other(talk: Talk, limits: ModelLimits) -> None:
    with opened(talk.url, limits=limits, prices=PRICE) as way, ThreadPoolExecutor(30) as pool:
        found = list(pool.map(lambda _: way.ask()[0], range(30)))
        use = way.use()
    assert (found.count(200), found.count(429), len(talk.paths)) == (3, 27, 3)
    assert (use.usage.n_input_tokens, use.usage.n_output_tokens) == (270, 30)
    assert " 300 are used" in (use.limit or "") or "$0.3000 is spent" in (use.limit or "")


def test_models_asked_and_answering_are_recorded_and_others_refused(talk: Talk) -> None:
    with opened(talk.url, models=("m", "n")) as way:
        assert [way.ask({**BODY, "model": name})[0] for name in ("m", "expensive", "n", "m")] == [
            200,
            403,
            200,
            200,
        ]
        assert "may ask for m or n, but not for expensive" in way.ask({**BODY, "model": "expensive"})[1].decode()
        use = way.use()
    assert use.asked == {"m": 2, "expensive": 2, "n": 1}
    assert (len(talk.paths), use.as_json()["models_asked"]) == (3, use.asked)
    assert (use.requests, use.refused, use.limit) == (3, 2, None)


def test_a_cost_is_only_told_if_all_of_it_is_known(talk: Talk) -> None:
    prices = PriceList({"m": ModelPrices(10.0, 100.0)})
    with opened(talk.url, prices=prices) as way:
        way.ask()
        assert way.use().usage == way_usage(90, 10, (90 * 10.0 + 10 * 100.0) / 1e6)
        way.ask()
        way.ask({**BODY, "model": "another"})
        assert way.use().usage == way_usage(180, 20)


def test_an_answer_without_a_count_still_counts_against_a_limit() -> None:
    with chatting(Chat("x" * 3_000)) as talk, opened(talk.url, limits=ModelLimits(tokens=900)) as way:
        assert [way.ask()[0], way.ask()[0]] == [200, 429]
        use = way.use()
    assert (use.uncounted, use.usage.n_input_tokens) == (1, None)


def test_hanging_up_does_not_save_tokens(talk: Talk) -> None:
    with chatting(Chat("Hi", usage=USAGE, delay=0.3)) as slow, opened(slow.url) as way:
        with way.connect() as connection:
            connection.sendall(request())
        until(lambda: bool(slow.paths))
        assert way.use().usage == way_usage(90, 10)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_a_request_that_outlives_its_trial_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "GRACE_SEC", 0.3)
    slow = chatting(Chat("Hi", usage=USAGE, delay=8))
    with slow as talk, opened(talk.url) as way, way.connect() as connection:
        connection.sendall(request())
        until(lambda: bool(talk.paths))
        use = way.use()
        assert (use.uncounted, use.outage) == (1, None)
        left = [thread for thread in threading.enumerate() if "_attend" in thread.name]
        until(lambda: not any(thread.is_alive() for thread in left))


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_slow_request_is_given_up(talk: Talk, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setattr(exchange, f"{part.upper()}_SEC", 0.3)
    whole = request()
    sent = whole[:20] if part == "head" else whole[:-5]
    with opened(talk.url) as way, way.connect() as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert talk.paths == []


def test_many_connections_are_bounded(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "HEAD_SEC", 30)
    before = threading.active_count()
    with opened(talk.url) as way, contextlib.ExitStack() as idle:
        for _ in range(100):
            idle.enter_context(way.connect())
        time.sleep(0.1)
        assert threading.active_count() - before <= door.AT_ONCE + 1
        idle.close()
        assert way.ask()[0] == 200


def test_an_endpoint_that_is_down_is_an_outage() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with opened(f"http://127.0.0.1:{port}/v1") as way:
        status, content = way.ask()
        use = way.use()
    assert (status, b"can't be reached" in content) == (502, True)
    assert use.outage == "it can't be reached (ConnectionRefusedError)"


@pytest.mark.parametrize(
    ("answers", "outage"),
    [([500], True), ([401], True), ([429], True), ([400], False), ([404], False), ([500, 200], False)],
)
def test_only_the_endpoints_own_failures_are_an_outage(answers: list[int], outage: bool) -> None:
    with chatting(*(Chat("x", status=status) for status in answers)) as talk, opened(talk.url) as way:
        assert [way.ask()[0] for _ in answers] == answers
        assert (way.use().outage is not None) is outage


def test_an_answer_that_breaks_off_is_not_made_whole() -> None:
    class Broken(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            send(self, Reply(200, b'{"half":', {"Content-Length": "1000"}))
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Broken) as url, opened(f"{url}/v1") as way:
        answer = way.raw(request())
        assert b'{"half":' in answer
        assert not answer.endswith(b"0\r\n\r\n")
        assert way.use().uncounted == 1


def test_nobody_else_on_the_machine_gets_in(talk: Talk) -> None:
    with opened(talk.url) as way:
        modes = [oct(os.stat(path).st_mode & 0o777) for path in (way.folder, f"{way.folder}/socket")]
        assert modes == ["0o700", "0o600"]
        owner = need("bubblewrap").sandbox.owner
        assert owner is None or (os.stat(f"{way.folder}/socket").st_uid == owner[0])
    assert not Path(way.folder).exists()


def test_the_key_shows_in_no_repr(talk: Talk) -> None:
    with opened(talk.url) as way:
        assert KEY not in repr(way.door.through(PLAIN))
