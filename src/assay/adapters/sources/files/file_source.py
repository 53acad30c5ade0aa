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
from collections.abc import Mapping
from importlib import import_module
from typing import Final, Protocol, cast
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.files.folder import LocalFolder
from assay.core.errors import InputError
from assay.evidence.playground import FileSource

Environment = Mapping[str, str]
# The modules of servers, imported for their URLs alone; each has a function that opens one.
_SERVERS: Final = {
    "sftp": ("sftp", "open_sftp"),
    "gs": ("object_stores", "open_gcs"),
    "s3": ("object_stores", "open_s3"),
}
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
    if (
        parts.scheme not in ("file", *_SERVERS)
        or "?" in url
        or "#" in url
        or ".." in unquote(parts.path).split("/")
    ):
        raise InputError(f"{WANTED}, without '?', '#' or '..'")
    if parts.password is not None:
        raise InputError("the URL of files must not contain a password; set it in the environment")
    if parts.scheme != "sftp" and (parts.username is not None or port is not None):
        raise InputError(f"only sftp:// can have a user and a port; {WANTED}")
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise InputError("a local folder must be file:///folder, with three slashes")
        return LocalFolder(unquote(parts.path))
    module, function = _SERVERS[parts.scheme]
    open_server = getattr(import_module(f"assay.adapters.sources.files.{module}"), function)
    return cast("OpenFileSource", open_server(parts, environment))
