"""One SFTP session, asked step by step by code that is not asynchronous. It is opened when it is needed."""

import asyncio
import importlib
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from assay.adapters.files.patience import UnreachableError
from assay.core.errors import MeasurementError

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
        """What asyncssh is told. It reads no configuration file, which could name another host or a command."""
        known = {"known_hosts": self.known_hosts} if self.known_hosts is not None else {}
        options: dict[str, Any] = {"port": self.port, "config": None, **(known if self.check_host_key else {})}
        if not self.check_host_key:
            options["known_hosts"] = None
        if self.user is not None:
            options["username"] = self.user
        if self.password is not None:
            options["password"] = self.password
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
                raise self._lost("the connection was lost") from error
            except asyncssh.SFTPError:
                raise
            except (asyncssh.PermissionDenied, asyncssh.HostKeyNotVerifiable) as error:
                raise MeasurementError(f"{self._what}: {_refusal(error)}") from error
            except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
                raise MeasurementError(f"{self._what}: the private key can't be used") from error
            except (OSError, asyncssh.Error) as error:
                raise self._lost(f"it can't be reached ({type(error).__name__})") from error

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

    def _lost(self, why: str) -> UnreachableError:
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
        raise MeasurementError("SFTP needs asyncssh: install assay[sftp]") from error
