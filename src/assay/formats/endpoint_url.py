"""The base URL of an endpoint, as a file or an option names it."""

from urllib.parse import urlsplit


def base_url(written: str, what: str) -> str:
    """The URL without a slash at its end. Raises ``ValueError`` for a text that isn't one of ``what``."""
    wanted = f"the URL of {what} must be like https://models.example/v1, without ?, # or a password"
    try:
        parts = urlsplit(written)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        usable = usable and written.isprintable() and " " not in written
    except ValueError as error:
        raise ValueError(wanted) from error
    if not usable or parts.username is not None or "?" in written or "#" in written:
        raise ValueError(wanted)
    return written.rstrip("/")
