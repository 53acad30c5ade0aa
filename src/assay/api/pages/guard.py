"""Refuse requests that another site makes with somebody's browser."""

import ipaddress
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

LOCAL: Final = "localhost"


def known_host(written: str, names: Collection[str]) -> bool:
    """Whether a Host header names this server: by an address, as localhost, or by a name that it was given.

    Another site can make its own name lead here, but it can't make a browser send an address instead.
    """
    try:
        host = urlsplit(f"//{written}").hostname or ""
    except ValueError:
        return False
    if host == LOCAL or host in names:
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_own_form(headers: Mapping[str, str]) -> bool:
    """Whether a change was asked for by a page of this server, by what the browser says about it."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        return False
    if site is not None and site != "same-origin":
        return False
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether an address that a server listens on can be reached from this machine only."""
    try:
        return host == LOCAL or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
