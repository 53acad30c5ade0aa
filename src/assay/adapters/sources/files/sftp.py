"""A folder on an SFTP server.

Links are not followed: each folder on the way is looked at before a file is opened. The protocol has no way to
open a file only if it is no link, so this holds for a playground that nobody changes any more.
"""

import asyncio
import errno
import importlib
import os
import posixpath
import stat
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import SplitResult, unquote

from assay.adapters.sources.files.folder import MAX_FILES, is_plain, missing, moment, plain_parts
from assay.adapters.sources.json_requests import Pace, Patience, RequestLimits, UnreachableError, patiently
from assay.core.errors import InputError, MeasurementError, install_hint
from assay.evidence.playground import StoredFile

if TYPE_CHECKING:
    import asyncssh

T = TypeVar("T")
DEFAULT_PORT: Final = 22


@dataclass(frozen=True, slots=True)
class SftpAccount:
    """Where and as whom: with a password, a private key, or what the user's SSH has by itself.

    The server must be one that ``known_hosts`` names (the user's own file if none is given), unless
    ``check_host_key`` is off, which leaves it open who answers.
    """

    host: str
    user: str | None = None
    port: int = DEFAULT_PORT
    password: str | None = None
    key_file: str | None = None
    key_passphrase: str | None = None
    known_hosts: str | None = None
    check_host_key: bool = True

    def __repr__(self) -> str:
        return f"SftpAccount({self.host!r}, {self.user!r}, {self.port})"

    def options(self) -> dict[str, Any]:
        """Options for asyncssh. It reads no configuration file, which could name another host or a command."""
        given = {"username": self.user, "password": self.password, "known_hosts": self.known_hosts}
        options: dict[str, Any] = {"port": self.port, "config": None}
        options |= {name: value for name, value in given.items() if value is not None}
        if not self.check_host_key:
            options["known_hosts"] = None
        if self.key_file is not None:
            options |= {"client_keys": [self.key_file], "passphrase": self.key_passphrase}
        if self.password is not None or self.key_file is not None:
            options["agent_path"] = None
        return options


class SftpSession:
    """May be asked from several threads, which take turns."""

    def __init__(self, account: SftpAccount, what: str, timeout_sec: float) -> None:
        self._account = account
        self._what = what
        self._timeout = timeout_sec
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._open: tuple[asyncssh.SSHClientConnection, asyncssh.SFTPClient] | None = None

    def ask(self, step: "Callable[[asyncssh.SFTPClient], Awaitable[T]]") -> T:
        """One step. Raises ``UnreachableError`` where another try may help, ``MeasurementError`` where none will.

        The server's own answers, such as a file that is not there, pass through as ``asyncssh.SFTPError``.
        """
        asyncssh = _asyncssh()
        with self._lock:
            if self._loop.is_closed():
                # A file that is closed only now has no server to be closed on.
                raise UnreachableError("the session was closed")
            try:
                return self._loop.run_until_complete(self._step(step))
            except (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as error:
                raise self._drop_connection("the connection was lost") from error
            except asyncssh.SFTPError:
                raise
            except (asyncssh.PermissionDenied, asyncssh.HostKeyNotVerifiable) as error:
                raise MeasurementError(f"{self._what}: {_refusal(error)}") from error
            except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
                raise MeasurementError(f"{self._what}: the private key can't be used") from error
            except (OSError, asyncssh.Error) as error:
                raise self._drop_connection(f"it can't be reached ({type(error).__name__})") from error

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            if not self._loop.is_closed():
                self._loop.run_until_complete(self._hang_up())
                self._loop.close()

    async def _step(self, step: "Callable[[asyncssh.SFTPClient], Awaitable[T]]") -> T:
        async with asyncio.timeout(self._timeout):
            if self._open is None:
                await self._connect()
            assert self._open is not None  # noqa: S101 - said to the type checker
            return await step(self._open[1])

    async def _connect(self) -> None:
        connection = await _asyncssh().connect(self._account.host, **self._account.options())
        try:
            # Names of any bytes must be listed and asked for again as they are.
            client = await connection.start_sftp_client(path_encoding="utf-8", path_errors="surrogateescape")
        except BaseException:
            connection.abort()
            raise
        self._open = (connection, client)

    async def _hang_up(self) -> None:
        if self._open is not None:
            connection, self._open = self._open[0], None
            connection.close()
            await connection.wait_closed()

    def _drop_connection(self, why: str) -> UnreachableError:
        if self._open is not None:
            self._open[0].abort()
            self._open = None
        return UnreachableError(why)


def _refusal(error: Exception) -> str:
    """Why a server, or we, would not go on."""
    if isinstance(error, _asyncssh().HostKeyNotVerifiable):
        return "the host key of the server is not among the known hosts"
    return "the server does not accept the user, the password or the key"


def _asyncssh() -> Any:
    try:
        return importlib.import_module("asyncssh")
    except ImportError as error:
        raise MeasurementError(f"SFTP needs asyncssh: {install_hint('sftp')}") from error


CHUNK: Final = 1 << 18


class SftpFolder:
    """``prefix`` is a folder as the server names it; without a ``/`` in front, from where the user begins."""

    def __init__(
        self,
        account: SftpAccount,
        prefix: str = ".",
        limits: RequestLimits | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._root = prefix or "."
        self._limits, self._pace = limits or RequestLimits(), pace or Pace()
        self._what = f"the SFTP server {account.host}:{account.port}"
        self._session = SftpSession(account, self._what, self._limits.timeout_sec)

    def close(self) -> None:
        """Hang up."""
        self._session.close()

    def files(self) -> Iterator[StoredFile]:
        """Everything below the prefix, which must be readable; a folder in it that is not has nothing in it."""
        count, pending = 0, [""]
        while pending:
            folder = pending.pop()
            for name, attrs in self._entries(folder):
                mode = attrs.permissions or 0
                if stat.S_ISDIR(mode):
                    pending.append(f"{folder}{name}/")
                elif stat.S_ISREG(mode):
                    count += 1
                    yield StoredFile(folder + name, attrs.size or 0, moment(attrs.mtime or 0))
            if count + len(pending) > MAX_FILES:
                raise MeasurementError(f"{self._what}: the folder has more than {MAX_FILES} files")

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content, as long as the file was at first. It goes on where a connection broke off."""
        size = self._size(plain_parts(path))
        at, patience = 0, Patience(self._what, self._limits, self._pace)
        while at < size:
            try:
                for chunk in self._read(path, at, size):
                    at += len(chunk)
                    patience.renew()
                    yield chunk
                return
            except UnreachableError as failure:
                patience.wait(failure)

    def _entries(self, folder: str) -> "list[tuple[str, asyncssh.SFTPAttrs]]":
        async def list_folder(client: "asyncssh.SFTPClient") -> "list[tuple[str, asyncssh.SFTPAttrs]]":
            if folder and not stat.S_ISDIR((await client.lstat(self._at(folder))).permissions or 0):
                return []
            entries = await client.readdir(self._at(folder))
            return [(str(one.filename), one.attrs) for one in entries if is_plain(str(one.filename))]

        try:
            return patiently(self._what, self._limits, self._pace, lambda: self._session.ask(list_folder))
        except _sftp_error() as error:
            if folder and self._of_file(error, folder) is not None:
                return []
            raise MeasurementError(f"{self._what}: the folder of files can't be listed") from error

    def _size(self, parts: list[str]) -> int:
        """How long a file is. Raises ``OSError`` if it isn't a file, or is behind a link."""

        async def look(client: "asyncssh.SFTPClient") -> int | None:
            for depth in range(1, len(parts)):
                folder = await client.lstat(self._at("/".join(parts[:depth])))
                if not stat.S_ISDIR(folder.permissions or 0):
                    return None
            return _size_of_file(await client.lstat(self._at("/".join(parts))))

        try:
            size = patiently(self._what, self._limits, self._pace, lambda: self._session.ask(look))
        except _sftp_error() as error:
            raise self._of_file(error, "/".join(parts)) from error
        if size is None:
            raise missing("/".join(parts))
        return size

    def _read(self, path: str, at: int, size: int) -> Iterator[bytes]:
        async def open_file(client: "asyncssh.SFTPClient") -> "tuple[_OpenFile, int | None]":
            file = await client.open(self._at(path), "rb", encoding=None)
            return _OpenFile(client, file), _size_of_file(await file.stat())

        try:
            file, now = self._session.ask(open_file)
        except _sftp_error() as error:
            raise self._of_file(error, path) from error
        with self._closing(file, path):
            if now != size:
                raise OSError("it changed while it was read")
            while at < size and (chunk := self._session.ask(file.reading(at, min(CHUNK, size - at)))):
                at += len(chunk)
                yield chunk

    @contextmanager
    def _closing(self, file: "_OpenFile", path: str) -> Iterator[None]:
        """Give the file back to the server, unless the connection is gone, and the file with it."""
        lost = False
        try:
            yield
        except UnreachableError:
            lost = True
            raise
        except _sftp_error() as error:
            raise self._of_file(error, path) from error
        finally:
            if not lost:
                with suppress(UnreachableError, _sftp_error()):
                    self._session.ask(file.close)

    def _of_file(self, error: Exception, path: str) -> OSError:
        """The server's answer as an error about a file. Raises ``MeasurementError`` if it isn't about that."""
        asyncssh = importlib.import_module("asyncssh")
        if isinstance(error, asyncssh.SFTPNoSuchFile | asyncssh.SFTPNoSuchPath | asyncssh.SFTPNotADirectory):
            return missing(path)
        if isinstance(error, asyncssh.SFTPPermissionDenied):
            return PermissionError(errno.EACCES, "the server refuses to send it", path)
        raise MeasurementError(f"{self._what}: a file can't be read ({type(error).__name__})") from error

    def _at(self, path: str) -> str:
        return posixpath.join(self._root, path.rstrip("/")) if path else self._root


@dataclass(frozen=True, slots=True)
class _OpenFile:
    """A file, and whom it was opened with: after a connection was lost, another thread may have made a new one."""

    client: "asyncssh.SFTPClient"
    file: "asyncssh.SFTPClientFile"

    def reading(self, at: int, size: int) -> "Callable[[asyncssh.SFTPClient], Awaitable[bytes]]":
        async def read(client: "asyncssh.SFTPClient") -> bytes:
            self._check(client)
            return bytes(await self.file.read(size, at))  # type: ignore[arg-type] # No encoding.

        return read

    async def close(self, client: "asyncssh.SFTPClient") -> None:
        self._check(client)
        await self.file.close()

    def _check(self, client: "asyncssh.SFTPClient") -> None:
        # To ask the file would fail as if the new connection were lost, too.
        if client is not self.client:
            raise UnreachableError("the connection was lost")


def _size_of_file(attrs: "asyncssh.SFTPAttrs") -> int | None:
    """None for anything but a regular file."""
    return (attrs.size or 0) if stat.S_ISREG(attrs.permissions or 0) else None


def _sftp_error() -> Any:
    return importlib.import_module("asyncssh").SFTPError


def open_sftp(parts: SplitResult, environment: Mapping[str, str]) -> SftpFolder:
    """The folder of an sftp:// URL. Raises ``InputError``."""
    if not parts.hostname:
        raise InputError("an SFTP server must be sftp://user@host:port/folder")
    account = SftpAccount(
        host=parts.hostname,
        user=unquote(parts.username) if parts.username else None,
        port=parts.port or DEFAULT_PORT,
        password=environment.get("ASSAY_SFTP_PASSWORD"),
        key_file=_file("ASSAY_SFTP_KEY", environment),
        key_passphrase=environment.get("ASSAY_SFTP_KEY_PASSPHRASE"),
        known_hosts=_file("ASSAY_SFTP_KNOWN_HOSTS", environment),
        check_host_key=_is_on("ASSAY_SFTP_CHECK_HOST_KEY", environment),
    )
    path = unquote(parts.path)
    return SftpFolder(account, path.removeprefix("/~/") if path.startswith("/~/") else path or ".")


def _file(name: str, environment: Mapping[str, str]) -> str | None:
    path = environment.get(name)
    if path is not None and not os.path.isfile(path):
        raise InputError(f"{name} must name a file, and that file doesn't exist")
    return path


def _is_on(name: str, environment: Mapping[str, str]) -> bool:
    written = environment.get(name, "yes").strip().lower()
    if written not in ("yes", "no"):
        raise InputError(f"{name} must be yes or no, got {written!r}")
    return written == "yes"
