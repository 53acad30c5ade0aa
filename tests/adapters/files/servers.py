"""Real servers on loopback, each started for one run of the tests."""

import asyncio
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import NoReturn

import asyncssh
import pytest

SSHD = "/usr/sbin/sshd"
CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
Subsystem sftp internal-sftp
"""


@dataclass(frozen=True)
class SftpServer:
    """An OpenSSH server whose user's key and host key lie in ``folder``; ``files`` is what it shows."""

    port: int
    user: str
    folder: Path
    files: Path

    @property
    def url(self) -> str:
        return f"sftp://{self.user}@127.0.0.1:{self.port}{self.files}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "ASSAY_SFTP_KEY": str(self.folder / "user_key"),
            "ASSAY_SFTP_KNOWN_HOSTS": str(self.folder / "known_hosts"),
        }


def free_port() -> int:
    """Below those that the system gives away by itself, so that nobody else has it a moment later."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


@contextmanager
def sftp_server(folder: Path, port: int | None = None) -> Iterator[SftpServer]:
    """One with keys and settings of its own."""
    _need_sshd()
    port = port or free_port()
    user = subprocess.run(["id", "-un"], check=True, capture_output=True, text=True).stdout.strip()  # noqa: S607
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for name in ("host_key", "user_key"):
        if not (folder / name).exists():
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(command, check=True)
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    (folder / "config").write_text(CONFIG.format(port=port, folder=folder))
    # Few open files, so that those who forget to close theirs are found out.
    command = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", SSHD, "-D", "-e", "-f", str(folder / "config")]
    with _running(command, port):
        yield SftpServer(port, user, folder, files)


@contextmanager
def password_server(password: str) -> Iterator[int]:
    """The port of an SFTP server that takes a password."""

    class Server(asyncssh.SSHServer):
        def password_auth_supported(self) -> bool:
            return True

        def validate_password(self, username: str, password_: str) -> bool:  # noqa: ARG002
            return password_ == password

    loop = asyncio.new_event_loop()
    keys = [asyncssh.generate_private_key("ssh-ed25519")]
    listening = asyncssh.listen("127.0.0.1", 0, server_factory=Server, server_host_keys=keys, sftp_factory=True)
    acceptor = loop.run_until_complete(listening)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield acceptor.get_port()
    finally:
        loop.call_soon_threadsafe(acceptor.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(acceptor.wait_closed())
        loop.close()


def _need_sshd() -> None:
    if not os.path.exists(SSHD):
        pytest.skip("SFTP IS NOT TESTED: openssh-server is not installed; scripts/install-sshd does it")
    if os.geteuid() == 0:
        # Where no service of the system has made it, sshd says "Missing privilege separation directory" and ends.
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)


@contextmanager
def gcs_emulator() -> Iterator[str]:
    """The address of an emulator in memory."""
    server = pytest.importorskip(
        "gcp_storage_emulator.server", reason="GCS IS NOT TESTED: no gcp-storage-emulator"
    )
    port = free_port()
    running = server.create_server("127.0.0.1", port, in_memory=True)
    running.start()
    try:
        if not _answers(port, lambda: True):
            _did_not_start("the emulator does not answer")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.stop()


@contextmanager
def s3_server() -> Iterator[str]:
    """The address of moto's server."""
    moto = pytest.importorskip("moto.server", reason="S3 IS NOT TESTED: no moto[server]")
    port = free_port()
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


@contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        if not _answers(port, lambda: process.poll() is None):
            process.terminate()
            _did_not_start(process.communicate(timeout=60)[1])
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _answers(port: int, alive: Callable[[], bool]) -> bool:
    """Whether somebody listens there, as soon as somebody does."""
    end = time.monotonic() + 120
    while time.monotonic() < end and alive():
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False


def _did_not_start(said: str) -> NoReturn:
    if os.geteuid() != 0:
        pytest.skip(f"A SERVER IS NOT TESTED: it does not start for a user who is not root: {said}")
    raise RuntimeError(f"the server did not start: {said}")
