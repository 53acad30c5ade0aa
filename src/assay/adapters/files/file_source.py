"""A place for files by its URL.

=================================  ====================================================================
``file:///folder``                 a local folder
``sftp://user@host:port/folder``   an SFTP server; ``sftp://host/~/folder`` is below where the user begins
``gs://bucket/prefix``             Google Cloud Storage
``s3://bucket/prefix``             S3, or a store that speaks its protocol
=================================  ====================================================================

Passwords and keys come from the environment, never from a URL: that would show up in messages.
``ASSAY_SFTP_PASSWORD``, or ``ASSAY_SFTP_KEY`` (a file) with ``ASSAY_SFTP_KEY_PASSPHRASE``;
``ASSAY_SFTP_KNOWN_HOSTS`` (a file); ``ASSAY_SFTP_CHECK_HOST_KEY=no``. ``ASSAY_GCS_TOKEN``, or Google's
application credentials; ``STORAGE_EMULATOR_HOST`` is an emulator that wants neither. ``AWS_ACCESS_KEY_ID``,
``AWS_SECRET_ACCESS_KEY``, ``AWS_SESSION_TOKEN``, ``AWS_REGION`` (or ``AWS_DEFAULT_REGION``),
``AWS_ENDPOINT_URL_S3`` (or ``AWS_ENDPOINT_URL``).
"""

import os
from collections.abc import Callable, Mapping
from typing import Final, Protocol
from urllib.parse import SplitResult, unquote, urlsplit

from assay.adapters import bearer_tokens
from assay.adapters.files.bucket import Bucket
from assay.adapters.files.folder import LocalFolder
from assay.adapters.files.gcs import GcsApi
from assay.adapters.files.s3 import S3Account, S3Api
from assay.adapters.files.sftp import SftpFolder
from assay.adapters.files.sftp_session import DEFAULT_PORT, SftpAccount
from assay.adapters.files.sigv4 import Credentials
from assay.core.errors import InputError
from assay.evidence.playground import FileSource

Environment = Mapping[str, str]
WANTED: Final = "the URL of files must be file:///folder, sftp://user@host:port/folder, gs://bucket/prefix or s3://bucket/prefix"


class OpenFileSource(FileSource, Protocol):
    """A place that must be closed after use."""

    def close(self) -> None: ...


def file_source(url: str, environment: Environment = os.environ) -> OpenFileSource:
    """The place that a URL names. Raises ``InputError`` for one that names none; nothing is asked yet."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InputError(WANTED) from error
    open_place = _PLACES.get(parts.scheme)
    if open_place is None or "?" in url or "#" in url or ".." in unquote(parts.path).split("/"):
        raise InputError(f"{WANTED}, without '?', '#' or '..'")
    if parts.password is not None:
        raise InputError("the URL of files must not contain a password; set it in the environment")
    if parts.scheme != "sftp" and (parts.username is not None or port is not None):
        raise InputError(f"only sftp:// can have a user and a port; {WANTED}")
    return open_place(parts, environment)


def _folder(parts: SplitResult, _environment: Environment) -> OpenFileSource:
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
        raise InputError("a local folder must be file:///folder, with three slashes")
    return LocalFolder(unquote(parts.path))


def _sftp(parts: SplitResult, environment: Environment) -> OpenFileSource:
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


def _gcs(parts: SplitResult, environment: Environment) -> OpenFileSource:
    bucket, prefix = _bucket(parts)
    emulator = environment.get("STORAGE_EMULATOR_HOST")
    if emulator:
        endpoint = emulator if "://" in emulator else f"http://{emulator}"
        return Bucket(GcsApi(bucket, endpoint=endpoint), prefix)
    named = "ASSAY_GCS_TOKEN" in environment
    token = bearer_tokens.from_environment("ASSAY_GCS_TOKEN", environment) if named else bearer_tokens.google()
    return Bucket(GcsApi(bucket, token), prefix)


def _s3(parts: SplitResult, environment: Environment) -> OpenFileSource:
    bucket, prefix = _bucket(parts)
    key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if bool(key_id) != bool(secret):
        raise InputError("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together")
    token = environment.get("AWS_SESSION_TOKEN") or None
    account = S3Account(
        environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1",
        Credentials(key_id, secret, token) if key_id and secret else None,
        environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or None,
    )
    return Bucket(S3Api(bucket, account), prefix)


def _bucket(parts: SplitResult) -> tuple[str, str]:
    if not parts.netloc:
        raise InputError(f"{parts.scheme}:// must be followed by the name of a bucket")
    return parts.netloc, unquote(parts.path)


def _file(name: str, environment: Environment) -> str | None:
    path = environment.get(name)
    if path is not None and not os.path.isfile(path):
        raise InputError(f"{name} must name a file, and that file doesn't exist")
    return path


def _is_on(name: str, environment: Environment) -> bool:
    written = environment.get(name, "yes").strip().lower()
    if written not in ("yes", "no"):
        raise InputError(f"{name} must be yes or no, got {written!r}")
    return written == "yes"


_PLACES: Final[Mapping[str, Callable[[SplitResult, Environment], OpenFileSource]]] = {
    "file": _folder,
    "sftp": _sftp,
    "gs": _gcs,
    "s3": _s3,
}
