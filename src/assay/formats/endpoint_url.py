"""The base URL of an endpoint, as a file or an option names it."""

import re
from urllib.parse import urlsplit

# Azure's endpoints want their version in the query. Nothing else of a query is taken: it could be a secret.
_VERSION = re.compile(r"api-version=[\w.-]{1,40}")


def base_url(written: str, what: str, *, versioned: bool = False) -> str:
    """The URL without a slash at its end. Raises ``ValueError`` for a text that isn't one of ``what``.

    With ``versioned``, it may end with ``?api-version=`` and a version.
    """
    query = "no query but ?api-version=" if versioned else "no ?"
    wanted = f"the URL of {what} must be like https://models.example/v1, with {query}, no # and no password"
    try:
        parts = urlsplit(written)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        usable = usable and written.isprintable() and " " not in written
    except ValueError as error:
        raise ValueError(wanted) from error
    plain, mark, query = written.partition("?")
    if mark and versioned and _VERSION.fullmatch(query):
        return base_url(plain, what) + mark + query
    if not usable or parts.username is not None or mark or "#" in written:
        raise ValueError(wanted)
    return written.rstrip("/")
