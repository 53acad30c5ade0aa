"""The MLLP listener, with real sockets on loopback."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from assay.adapters.sources.mllp import MllpLimits, listening
from assay.formats.hl7.framing import frame_content

QUICK = MllpLimits(message_bytes=1000, idle=5, message=5, missing_end=0.1, answer=5)


def message(control_id: str) -> bytes:
    return f"MSH|^~\\&|S|SF|R|RF|20240101||ADT^A04|{control_id}|P|2.5\rPID|1||SECRET\r".encode()


@dataclass
class Memory:
    """A recorder that keeps what it gets, or fails."""

    fails: bool = False
    kept: list[tuple[bytes, datetime, str]] = field(default_factory=list)

    def record(self, message: bytes, received_at: datetime, peer: str) -> None:
        if self.fails:
            raise RuntimeError(f"can't store {message!r}")
        self.kept.append((message, received_at, peer))

    @property
    def messages(self) -> list[bytes]:
        return [message for message, _, _ in self.kept]


class Client:
    """A sender."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, *pieces: bytes, pause: float = 0.0) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def answer(self) -> str:
        """What MSA says in the next answer."""
        frame = await asyncio.wait_for(self.reader.readuntil(b"\x1c\r"), 10)
        assert frame.startswith(b"\x0bMSH|^~\\&|")
        return next(line for line in frame.decode().split("\r") if line.startswith("MSA"))

    async def is_hung_up(self) -> bool:
        return await asyncio.wait_for(self.reader.read(), 10) == b""


def talk(
    use: Callable[[Client], Awaitable[None]], recorder: Memory | None = None, limits: MllpLimits = QUICK
) -> Memory:
    """Let a client talk with a listener, and give what was recorded."""
    memory = recorder or Memory()

    async def conversation() -> None:
        async with listening(memory, limits=limits) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await use(Client(reader, writer))
            finally:
                writer.close()

    asyncio.run(conversation())
    return memory


def test_a_message_is_recorded_and_acknowledged() -> None:
    async def use(client: Client) -> None:
        await client.send(frame_content(message("1")))
        assert await client.answer() == "MSA|AA|1"

    begin = datetime.now(UTC)
    ((content, received_at, peer),) = talk(use).kept
    assert content == message("1")
    assert begin <= received_at <= datetime.now(UTC)
    assert peer.startswith("127.0.0.1:")


@pytest.mark.parametrize("size", [1, 7, 50])
def test_a_message_may_come_in_pieces(size: int) -> None:
    data = frame_content(message("1"))

    async def use(client: Client) -> None:
        await client.send(*(data[at : at + size] for at in range(0, len(data), size)), pause=0.001)
        assert await client.answer() == "MSA|AA|1"

    assert talk(use).messages == [message("1")]


def test_messages_may_come_in_one_packet_and_are_answered_in_order() -> None:
    async def use(client: Client) -> None:
        await client.send(b"".join(frame_content(message(str(number))) for number in range(20)))
        assert [await client.answer() for _ in range(20)] == [f"MSA|AA|{number}" for number in range(20)]

    assert talk(use).messages == [message(str(number)) for number in range(20)]


def test_a_connection_is_used_again() -> None:
    async def use(client: Client) -> None:
        for number in "123":
            await client.send(frame_content(message(number)))
            assert await client.answer() == f"MSA|AA|{number}"

    assert len(talk(use).kept) == 3


def test_the_last_byte_of_a_frame_may_be_missing() -> None:
    async def use(client: Client) -> None:
        for number in "12":
            await client.send(frame_content(message(number))[:-1])
            assert await client.answer() == f"MSA|AA|{number}"

    assert talk(use).messages == [message("1"), message("2")]


def test_the_last_byte_may_be_missing_where_the_sender_is_done() -> None:
    async def use(client: Client) -> None:
        await client.send(frame_content(message("1"))[:-1])
        client.writer.write_eof()
        assert await client.answer() == "MSA|AA|1"
        assert await client.is_hung_up()

    assert talk(use, limits=replace(QUICK, missing_end=60.0)).messages == [message("1")]


def test_what_cannot_be_read_is_recorded_and_rejected_and_the_connection_goes_on() -> None:
    async def use(client: Client) -> None:
        await client.send(frame_content(b"PID|1||SECRET"))
        answer = await client.answer()
        assert answer.startswith("MSA|AR||line 1: the text must begin with MSH")
        assert "SECRET" not in answer
        await client.send(frame_content(message("2")))
        assert await client.answer() == "MSA|AA|2"

    assert talk(use).messages == [b"PID|1||SECRET", message("2")]


def test_a_recorder_that_fails_is_an_error_for_the_sender_and_no_values_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def use(client: Client) -> None:
        await client.send(frame_content(message("1")))
        assert await client.answer() == "MSA|AE|1|the message could not be stored; send it again later"

    with caplog.at_level(logging.DEBUG, logger="assay"):
        talk(use, Memory(fails=True))
    assert "RuntimeError" in caplog.text
    assert "SECRET" not in caplog.text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (message("1"), "bytes outside of a frame: 0x0B must come before a message"),
        (b"GET / HTTP/1.1\r\n\r\n", "bytes outside of a frame: 0x0B must come before a message"),
        (b"\x0b" + b"x" * 1100, "the message is larger than 1000 bytes"),
        (frame_content(b"x" * 1001), "the message is larger than 1000 bytes"),
    ],
)
def test_bad_framing_is_rejected_and_the_connection_ends(data: bytes, reason: str) -> None:
    async def use(client: Client) -> None:
        await client.send(data)
        assert await client.answer() == f"MSA|AR||{reason}"
        assert await client.is_hung_up()

    assert talk(use).kept == []


def test_a_sender_that_sends_far_too_much_still_gets_its_answer() -> None:
    async def use(client: Client) -> None:
        await client.send(frame_content(b"x" * 5_000_000))
        assert await client.answer() == "MSA|AR||the message is larger than 1000 bytes"

    assert talk(use).kept == []


def test_a_message_that_the_next_one_cuts_off_is_rejected_and_the_next_one_taken() -> None:
    async def use(client: Client) -> None:
        await client.send(b"\x0b" + message("1"), frame_content(message("2")))
        assert await client.answer() == "MSA|AR||the frame was cut off by the next one"
        assert await client.answer() == "MSA|AA|2"

    assert talk(use).messages == [message("2")]


def test_a_message_that_does_not_end_in_time_is_rejected() -> None:
    async def use(client: Client) -> None:
        await client.send(b"\x0bMSH|")
        assert await client.answer() == "MSA|AR||the frame has no end"
        assert await client.is_hung_up()

    assert talk(use, limits=replace(QUICK, message=0.2)).kept == []


def test_dripping_bytes_do_not_lengthen_the_time_of_a_message() -> None:
    async def use(client: Client) -> None:
        async def drip() -> None:
            await client.send(b"\x0b", *[b"x"] * 100, pause=0.05)

        dripping = asyncio.create_task(drip())
        assert await client.answer() == "MSA|AR||the frame has no end"
        dripping.cancel()

    talk(use, limits=replace(QUICK, message=0.3))


def test_a_sender_that_hangs_up_within_a_message_is_told_so() -> None:
    async def use(client: Client) -> None:
        await client.send(b"\x0bMSH|")
        client.writer.write_eof()
        assert await client.answer() == "MSA|AR||the frame has no end"

    assert talk(use).kept == []


def test_an_idle_connection_ends_without_a_word() -> None:
    async def use(client: Client) -> None:
        assert await client.is_hung_up()

    talk(use, limits=replace(QUICK, idle=0.1))


def test_an_acknowledgement_is_recorded_and_not_answered() -> None:
    ack = b"MSH|^~\\&|S||||||ACK|7|P|2.5\rMSA|AA|1\r"

    async def use(client: Client) -> None:
        await client.send(frame_content(ack) + frame_content(message("2")))
        assert await client.answer() == "MSA|AA|2"

    assert talk(use).messages == [ack, message("2")]


def test_more_connections_than_allowed_are_refused() -> None:
    async def conversation() -> None:
        async with listening(Memory(), limits=replace(QUICK, connections=1)) as port:
            first = Client(*await asyncio.open_connection("127.0.0.1", port))
            await first.send(frame_content(message("1")))
            assert await first.answer() == "MSA|AA|1"
            second = Client(*await asyncio.open_connection("127.0.0.1", port))
            assert await second.is_hung_up()
            first.writer.close()
            second.writer.close()

    asyncio.run(conversation())


def test_senders_side_by_side_are_all_heard() -> None:
    memory = Memory()

    async def sender(port: int, number: int) -> None:
        client = Client(*await asyncio.open_connection("127.0.0.1", port))
        await client.send(frame_content(message(str(number))))
        assert await client.answer() == f"MSA|AA|{number}"
        client.writer.close()

    async def conversation() -> None:
        async with listening(memory, limits=QUICK) as port:
            await asyncio.gather(*(sender(port, number) for number in range(30)))

    asyncio.run(conversation())
    assert sorted(memory.messages) == sorted(message(str(number)) for number in range(30))


def test_a_listener_that_ends_hangs_up_and_frees_its_port() -> None:
    async def conversation() -> None:
        async with listening(Memory(), limits=QUICK) as port:
            client = Client(*await asyncio.open_connection("127.0.0.1", port))
            await client.send(b"\x0bMSH|")
            await asyncio.sleep(0.05)
        assert await client.is_hung_up()
        client.writer.close()
        with pytest.raises(OSError, match=r".*"):
            await asyncio.open_connection("127.0.0.1", port)

    asyncio.run(conversation())


def test_it_listens_on_loopback_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts: list[str] = []
    start = asyncio.start_server

    async def noting(serve: Callable[..., Awaitable[None]], host: str, port: int) -> asyncio.Server:
        hosts.append(host)
        return await start(serve, host, port)

    async def conversation() -> None:
        async with listening(Memory()):
            pass

    monkeypatch.setattr(asyncio, "start_server", noting)
    asyncio.run(conversation())
    assert hosts == ["127.0.0.1"]
