"""``assay listen mllp``: a real listener that records in a real store, and ends when it is told to."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.store.opening import open_store
from assay.formats.hl7.framing import frame_content
from tests.cli.running import ASSAY, Cli

MESSAGE = b"MSH|^~\\&|S|SF|R|RF|20240101||ADT^A04|17|P|2.5\rPID|1||00412\r"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def playground(tmp_path: Path) -> Path:
    path = tmp_path / "playground.yaml"
    path.write_text("id: b\nstore: s.db\n")
    return path


@pytest.fixture
def listener(playground: Path) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    argv = [ASSAY, "listen", "mllp", "--playground", str(playground), "--port", "0"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening for HL7 v2 on 127.0.0.1:"), process.stderr
        yield process, int(line.split(":")[1].split(";")[0])
        process.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_is_sent_is_recorded_and_acknowledged(
    listener: tuple["subprocess.Popen[str]", int], store: Path, how: signal.Signals
) -> None:
    process, port = listener
    with socket.create_connection(("127.0.0.1", port), timeout=120) as sender:
        sender.sendall(frame_content(MESSAGE))
        answer = sender.recv(4096)
    assert b"MSA|AA|17" in answer
    process.send_signal(how)
    assert process.wait(120) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    with open_store(str(store)) as opened:
        assert [event.payload for event in opened.events("b", "hl7_outbound")] == [MESSAGE]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["mllp", "--playground", "none.yaml"], "none.yaml can't be read"),
        (["mllp", "--host", "256.0.0.1"], "can't listen on 256.0.0.1:2575"),
        (["mllp", "--port", "65536"], "must be a port from 0 to 65535, got '65536'"),
        (["mllp", "--port", "x"], "must be a port from 0 to 65535, got 'x'"),
        (["smtp"], "mllp"),
    ],
)
def test_mistakes_are_one_sentence(cli: Cli, playground: Path, argv: list[str], says: str) -> None:
    found = cli("listen", argv[0], "--playground", playground, *argv[1:])
    assert (found.code, found.out, len(found.err.splitlines())) == (2, "", 1)
    assert says in found.err


def test_a_port_that_is_taken(cli: Cli, playground: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = cli("listen", "mllp", "--playground", playground, "--port", port)
    assert found.code == 2
    assert f"can't listen on 127.0.0.1:{port}: " in found.err
