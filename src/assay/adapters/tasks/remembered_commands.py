"""Results of commands in a folder of the user's, from one grading to the next.

The folder belongs to the user, and nobody else may write there; commands in a sandbox don't see it. Every entry
has a seal that only the key in the folder can make, for its name and its content. An entry with another seal, of
another shape or of another user counts as none. The oldest are removed when there are too many.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import string
import time
from dataclasses import dataclass

import msgspec

from assay.adapters.machine.atomic_write import PREFIX
from assay.core.errors import InputError
from assay.evidence.workspace import CommandResult, ResultMemory, may_be_kept

VARIABLE = "ASSAY_RUN_CACHE"
OFF = "off"
MAX_ENTRIES = 20_000
MAX_BYTES = 512 * 2**20
LARGEST = 8 * 2**20
MAX_AGE_SEC = 30 * 24 * 3600.0
# Looking through the folder takes a while: it is done once for so many new entries.
_EACH = 200
_KEY, _KEY_LENGTH = "key", 32
_WORD_LENGTH = 16
_SEAL_LENGTH = 64
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def runs_folder(given: str | None = None, below: str = "") -> "RunFolder | None":
    """The memory in the folder that is given, that the environment names, or in the user's cache; None for off.

    ``below`` is for a memory in a folder of its own inside of it.

    Raises ``InputError`` for a folder that somebody else could write to.
    """
    named = given or os.environ.get(VARIABLE)
    if named == OFF:
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    try:
        return RunFolder(f"{named or f'{base}/assay/runs'}/{below}".rstrip("/"))
    except (OSError, InputError) as error:
        if named is None:
            return None
        if isinstance(error, InputError):
            raise
        raise InputError(f"{VARIABLE} must be a folder or {OFF}, got {named}: {error.strerror}") from error


def runs_of_store(name: str) -> "RunFolder | None":
    """The memory of a service that grades for a store: a folder of its own, with bounds of its own.

    Raises ``InputError`` like ``runs_folder``.
    """
    return runs_folder(below=f"stores/{hashlib.sha256(name.encode()).hexdigest()[:32]}")


@dataclass(frozen=True, slots=True)
class RunsFor:
    """The part of a memory that belongs to somebody, such as a tenant. Nobody else finds what is in it.

    Fulfils ``ResultMemory``.
    """

    whole: ResultMemory
    whose: str

    def recall(self, key: str) -> CommandResult | None:
        return self.whole.recall(self._own(key))

    def keep(self, key: str, ran: CommandResult) -> bool:
        return self.whole.keep(self._own(key), ran)

    def forget(self, key: str) -> None:
        self.whole.forget(self._own(key))

    def word(self, of: str) -> str | None:
        return self.whole.word(f"{self.whose}\0{of}")

    def _own(self, key: str) -> str:
        return hashlib.sha256(f"{self.whose}\0{key}".encode()).hexdigest()


class RunFolder:
    """Fulfils ``ResultMemory``. Several processes may use the same folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._new = 0
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise InputError(f"the folder of remembered runs must be yours alone to write to, but {folder} isn't")
        self._key = self._own_key()

    def recall(self, key: str) -> CommandResult | None:
        data = self._read(key)
        if data is None:
            return None
        seal, content = data[:_SEAL_LENGTH], data[_SEAL_LENGTH:]
        if not hmac.compare_digest(seal, self._seal(key, content)):
            return None
        try:
            ran = msgspec.msgpack.decode(content, type=CommandResult)
        except (ValueError, msgspec.MsgspecError, RecursionError):
            return None
        return ran if may_be_kept(ran) else None

    def keep(self, key: str, ran: CommandResult) -> bool:
        content = msgspec.msgpack.encode(ran)
        if not may_be_kept(ran) or len(content) > LARGEST:
            return False
        try:
            self._write(key, self._seal(key, content) + content)
        except OSError:
            return False
        self._new += 1
        if self._new % _EACH == 1:
            self._forget_the_oldest()
        return True

    def forget(self, key: str) -> None:
        if len(key) == 64 and set(key) <= set(string.hexdigits):
            with contextlib.suppress(OSError):
                os.unlink(f"{self._folder}/{key}")

    def word(self, of: str) -> str | None:
        made = hmac.digest(self._key, b"word\0" + of.encode(errors="surrogateescape"), "sha512")
        return "".join(string.ascii_lowercase[byte % 26] for byte in made[:_WORD_LENGTH])

    def _seal(self, key: str, content: bytes) -> bytes:
        return hmac.new(self._key, b"run\0" + key.encode() + b"\0" + content, hashlib.sha256).hexdigest().encode()

    def _read(self, name: str) -> bytes | None:
        """A file of ours, which is no link and not too old."""
        try:
            fd = os.open(f"{self._folder}/{name}", _FLAGS)
        except OSError:
            return None
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
            old = name != _KEY and time.time() - found.st_mtime > MAX_AGE_SEC
            return file.read(LARGEST + _SEAL_LENGTH) if ours and not old else None

    def _write(self, name: str, data: bytes) -> None:
        temporary = f"{self._folder}/{PREFIX}{secrets.token_hex(8)}"
        try:
            with open(
                os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
            ) as file:
                file.write(data)
            os.replace(temporary, f"{self._folder}/{name}")
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)

    def _own_key(self) -> bytes:
        """The key of this folder. Two that begin at once agree: the one that is there first stays."""
        if self._read(_KEY) is None:
            temporary = f"{PREFIX}{secrets.token_hex(8)}"
            self._write(temporary, secrets.token_bytes(_KEY_LENGTH))
            try:
                with contextlib.suppress(FileExistsError):
                    os.link(f"{self._folder}/{temporary}", f"{self._folder}/{_KEY}")
            finally:
                os.unlink(f"{self._folder}/{temporary}")
        found = self._read(_KEY)
        if found is None or len(found) != _KEY_LENGTH:
            raise InputError(f"{self._folder}/{_KEY} must be a key of yours; remove it to begin with a new one")
        return found

    def _forget_the_oldest(self) -> None:
        with contextlib.suppress(OSError):
            with os.scandir(self._folder) as entries:
                # Folders below are other memories.
                ours = (one for one in entries if one.name != _KEY and not one.is_dir(follow_symlinks=False))
                found = [(one.stat(follow_symlinks=False), one.path) for one in ours]
            room, number = MAX_BYTES, 0
            for status, path in sorted(found, key=lambda one: -one[0].st_mtime):
                room, number = room - status.st_size, number + 1
                if room < 0 or number > MAX_ENTRIES:
                    os.unlink(path)
