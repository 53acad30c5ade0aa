"""SFTP, against an OpenSSH server with internal-sftp."""

import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import asyncssh
import pytest

from assay.adapters.sources.files.file_source import file_source
from assay.adapters.sources.files.sftp import CHUNK, SftpAccount, SftpFolder
from assay.adapters.sources.json_requests import RequestLimits
from assay.core.errors import MeasurementError
from tests.adapters.files.servers import SftpServer, free_port, password_server, sftp_server

PATIENT = RequestLimits(deadline_sec=60, timeout_sec=60, first_pause_sec=0.05, longest_pause_sec=0.2)
QUICK = replace(PATIENT, deadline_sec=1.5)


def account(server: SftpServer) -> SftpAccount:
    return SftpAccount(
        "127.0.0.1",
        server.user,
        server.port,
        key_file=str(server.folder / "user_key"),
        known_hosts=str(server.folder / "known_hosts"),
    )


def opened(server: SftpServer, limits: RequestLimits = PATIENT) -> SftpFolder:
    return SftpFolder(account(server), str(server.files), limits)


def paths(server: SftpServer) -> list[str]:
    source = opened(server)
    try:
        return sorted(one.path for one in source.files())
    finally:
        source.close()


def test_files_with_their_sizes_times_and_content(sftp: SftpServer) -> None:
    (sftp.files / "out").mkdir()
    (sftp.files / "out/claim.csv").write_bytes(b"id\n1\n")
    os.utime(sftp.files / "out/claim.csv", (1000, 1000))
    source = file_source(sftp.url, sftp.environment)
    (found,) = source.files()
    assert (found.path, found.size, found.modified.timestamp()) == ("out/claim.csv", 5, 1000)
    assert b"".join(source.chunks("out/claim.csv")) == b"id\n1\n"
    source.close()


def test_a_large_file_comes_in_chunks(sftp: SftpServer) -> None:
    content = os.urandom(3 * CHUNK + 7)
    (sftp.files / "big").write_bytes(content)
    source = opened(sftp)
    chunks = list(source.chunks("big"))
    source.close()
    assert b"".join(chunks) == content
    assert max(map(len, chunks)) <= CHUNK


def test_links_are_not_followed(sftp: SftpServer) -> None:
    outside = sftp.folder / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    (sftp.files / "file").write_text("f")
    (sftp.files / "to_file").symlink_to(outside / "secret")
    (sftp.files / "to_folder").symlink_to(outside)
    os.mkfifo(sftp.files / "pipe")
    assert paths(sftp) == ["file"]
    source = opened(sftp)
    for name in ("to_file", "to_folder/secret", "pipe", "none", "../outside/secret", "/etc/passwd"):
        with pytest.raises(FileNotFoundError):
            list(source.chunks(name))
    source.close()


def test_strange_names_are_names(sftp: SftpServer) -> None:
    os.close(os.open(os.fsencode(sftp.files) + b"/\xff\n", os.O_CREAT | os.O_WRONLY))
    (sftp.files / "a\nb").write_text("x")
    assert paths(sftp) == sorted(["a\nb", os.fsdecode(b"\xff\n")])
    source = opened(sftp)
    assert list(source.chunks("a\nb")) == [b"x"]
    assert list(source.chunks(os.fsdecode(b"\xff\n"))) == []
    source.close()


def test_a_file_that_grows_is_read_as_long_as_it_was(sftp: SftpServer) -> None:
    (sftp.files / "log").write_bytes(b"x" * (CHUNK + 1))
    source, size = opened(sftp), 0
    for chunk in source.chunks("log"):
        size += len(chunk)
        with (sftp.files / "log").open("ab") as file:
            file.write(b"y" * CHUNK)
    source.close()
    assert size == CHUNK + 1


def test_thousands_of_files(sftp: SftpServer) -> None:
    for number in range(3_000):
        (sftp.files / f"{number}").touch()
    assert len(paths(sftp)) == 3_000


def test_an_unknown_host_key_is_refused_unless_that_is_switched_off(sftp: SftpServer) -> None:
    (sftp.folder / "known_hosts").write_text("")
    source = opened(sftp)
    with pytest.raises(MeasurementError, match="is not among the known hosts"):
        list(source.files())
    source.close()
    unchecked = SftpFolder(replace(account(sftp), check_host_key=False), str(sftp.files), PATIENT)
    assert list(unchecked.files()) == []
    unchecked.close()


def test_a_wrong_key_is_said_at_once(sftp: SftpServer) -> None:
    other = sftp.folder / "other_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True)  # noqa: S607
    source = SftpFolder(
        replace(account(sftp), key_file=str(other)), str(sftp.files), RequestLimits(deadline_sec=300)
    )
    begun = time.monotonic()
    with pytest.raises(MeasurementError, match="does not accept"):
        list(source.files())
    source.close()
    assert time.monotonic() - begun < 150


def test_a_folder_that_is_not_there_is_no_empty_folder(sftp: SftpServer) -> None:
    source = SftpFolder(account(sftp), str(sftp.files / "none"), PATIENT)
    with pytest.raises(MeasurementError, match="can't be listed"):
        list(source.files())
    source.close()


def test_a_server_that_is_down_breaks_the_measurement_after_a_while() -> None:
    source = SftpFolder(SftpAccount("127.0.0.1", "nobody", free_port(), password="x"), ".", QUICK)  # noqa: S106
    begun = time.monotonic()
    with pytest.raises(MeasurementError, match="can't be reached"):
        list(source.files())
    source.close()
    assert time.monotonic() - begun > 0.5


def test_a_server_that_comes_up_late_is_waited_for(tmp_path: Path) -> None:
    port = free_port()
    with sftp_server(tmp_path, port) as server:
        (server.files / "file").touch()
    source = opened(server)
    found: list[str] = []
    asking = threading.Thread(target=lambda: found.extend(one.path for one in source.files()))
    asking.start()
    time.sleep(0.5)
    with sftp_server(tmp_path, port):
        asking.join(timeout=60)
        source.close()
    assert found == ["file"]


def test_reading_goes_on_where_the_connection_broke_off(sftp: SftpServer) -> None:
    content = os.urandom(4 * CHUNK)
    (sftp.files / "big").write_bytes(content)
    source, received = opened(sftp), b""
    for number, chunk in enumerate(source.chunks("big")):
        received += chunk
        if number == 1:
            opened_session = source._session._open
            assert opened_session is not None
            opened_session[0].abort()
    source.close()
    assert received == content


def test_a_file_of_a_lost_connection_does_not_cost_the_next_one(sftp: SftpServer) -> None:
    """Two are read in turns. When their connection is gone, it is made anew once, not once for each."""
    content = os.urandom(4 * CHUNK)
    (sftp.files / "big").write_bytes(content)
    source = opened(sftp)
    first, second = source.chunks("big"), source.chunks("big")
    received = [next(first), next(second)]
    lost = source._session._open
    assert lost is not None
    lost[0].abort()
    received[0] += next(first)
    anew = source._session._open
    received[1] += b"".join(second)
    received[0] += b"".join(first)
    assert received == [content, content]
    assert source._session._open is anew is not lost
    source.close()


def test_a_file_may_be_let_go_after_the_end(sftp: SftpServer) -> None:
    (sftp.files / "big").write_bytes(b"x" * (CHUNK + 1))
    source = opened(sftp, QUICK)
    reading = source.chunks("big")
    next(reading)
    source.close()
    reading.close()  # type: ignore[attr-defined]
    with pytest.raises(MeasurementError, match="the session was closed"):
        list(source.chunks("big"))


def test_files_are_given_back_to_the_server(sftp: SftpServer) -> None:
    """A session may have only so many files open at once, and here are more, each read only in part."""
    (sftp.files / "big").write_bytes(b"x" * (CHUNK + 1))
    source = opened(sftp)
    for _ in range(100):
        reading = source.chunks("big")
        next(reading)
        reading.close()  # type: ignore[attr-defined]
    assert len(b"".join(source.chunks("big"))) == CHUNK + 1
    source.close()


def test_several_files_are_read_side_by_side(sftp: SftpServer) -> None:
    for name in "abcd":
        (sftp.files / name).write_bytes(name.encode() * (2 * CHUNK))
    source = opened(sftp)
    with ThreadPoolExecutor(4) as pool:
        contents = list(pool.map(lambda name: b"".join(source.chunks(name)), "abcd"))
    source.close()
    assert contents == [name.encode() * (2 * CHUNK) for name in "abcd"]


@pytest.mark.parametrize(("password", "accepted"), [("right", True), ("wrong", False)])
def test_a_password(tmp_path: Path, password: str, accepted: bool) -> None:
    """OpenSSH asks the machine for passwords, so this one is asked of asyncssh's own server."""
    (tmp_path / "file").touch()
    with password_server("right") as port:
        account = SftpAccount("127.0.0.1", "user", port, password=password, check_host_key=False)
        source = SftpFolder(account, str(tmp_path), PATIENT)
        if accepted:
            assert [one.path for one in source.files()] == ["file"]
        else:
            with pytest.raises(MeasurementError, match="does not accept") as raised:
                list(source.files())
            assert password not in f"{raised.value} {account!r}"
        source.close()


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (asyncssh.SFTPNoSuchFile("gone"), FileNotFoundError),
        (asyncssh.SFTPNotADirectory("a file"), FileNotFoundError),
        (asyncssh.SFTPPermissionDenied("no"), PermissionError),
        (asyncssh.SFTPFailure("the disk is broken"), MeasurementError),
        (asyncssh.SFTPOpUnsupported("what?"), MeasurementError),
    ],
)
def test_only_what_is_about_a_file_is_evidence(
    monkeypatch: pytest.MonkeyPatch, error: asyncssh.SFTPError, raised: type[Exception]
) -> None:
    source = SftpFolder(SftpAccount("127.0.0.1"))

    def answers(_step: object) -> None:
        raise error

    monkeypatch.setattr(source._session, "ask", answers)
    with pytest.raises(raised) as caught:
        list(source.chunks("a"))
    assert type(caught.value) is raised
