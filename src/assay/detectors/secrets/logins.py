"""Passwords and keys in the ways that tools write them down: headers, connection strings, commands, key files."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import base64
import binascii
import re
from collections.abc import Iterator

from assay.detectors.secrets.model import Secret
from assay.detectors.secrets.placeholders import is_high_entropy, is_weak

_BEARER = re.compile(r"\bBearer[ ]{1,4}(?P<value>[A-Za-z0-9_.~+/-]{20,400}=*)")
_BASIC = re.compile(r"\bBasic[ ]{1,4}(?P<value>[A-Za-z0-9+/]{12,400}={0,2})")
_HEADER = re.compile(
    r"\b(?:x-[a-z-]{0,30}(?:key|token|secret)|api-key|private-token|deploy-token|job-token)[ ]{0,4}:[ ]{0,4}"
    r"(?P<value>[A-Za-z0-9_.~+/=-]{16,400})",
    re.IGNORECASE,
)
_CONNECTION = re.compile(
    r"(?<![A-Za-z])(?:password|pwd)[ ]{0,4}=[ ]{0,4}(?P<value>[^;\"'\s]{12,128})(?=[;\"'])", re.IGNORECASE
)
_CURL = re.compile(r"\s(?:-u|--user)[ =]{1,4}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{8,128})")
_COMMAND = re.compile(
    r"\bsshpass[ ]{1,4}-p[ ]{0,4}[\"']?(?P<value>[^\s\"']{8,128})|-pass(?:in|out)?[ ]{1,4}pass:(?P<pass>[^\s\"']{8,128})|"
    r"\bmysql\w{0,10}[ ][^\n]{0,120}?[ ]-p(?P<mysql>[^\s\"']{8,128})"
)
_PGPASS = re.compile(r"(?m)^[^\s:#]{1,200}:(?:\d{1,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?P<value>[^\s]{8,128})$")
_DOCKER = re.compile(r"\\?\"auth\\?\"[ \t]{0,8}:[ \t]{0,8}\\?\"(?P<value>[A-Za-z0-9+/]{12,400}={0,2})\\?\"")
_KEY_PART = re.compile(r"\"d\"\s{0,8}:\s{0,8}\"(?P<value>[A-Za-z0-9_-]{40,800})\"")


def written_logins(text: str) -> Iterator[Secret]:
    """Every login in a form of some tool. Each form is searched for only where its word is."""
    lowered = text.lower()
    if "bearer" in lowered:
        yield from _random("bearer_token", _BEARER, text)
    if "basic" in lowered:
        yield from _logins("basic_credentials", _BASIC, text)
    if "-key" in lowered or "-token" in lowered or "-secret" in lowered:
        yield from _random("header_with_key", _HEADER, text)
    if ";" in text and ("password" in lowered or "pwd" in lowered):
        yield from _random("connection_string", _CONNECTION, text)
    if "curl" in lowered:
        yield from _random("command_with_password", _CURL, text)
    if "sshpass" in lowered or "mysql" in lowered or " pass:" in lowered:
        for found in _COMMAND.finditer(text):
            group = next(name for name, value in found.groupdict().items() if value)
            if is_high_entropy(found[group]):
                yield Secret("command_with_password", found[group], found.start(group))
    if text.count(":") > 3:
        yield from _random("database_login", _PGPASS, text)
    if '"auth' in text or '"auth\\"' in text:
        yield from _logins("registry_login", _DOCKER, text)
    if '"kty"' in text:
        yield from _random("json_web_key", _KEY_PART, text)


def _random(rule: str, pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    for found in pattern.finditer(text):
        if is_high_entropy(found["value"]) and not found["value"].startswith("eyJ"):
            yield Secret(rule, found["value"], found.start("value"))


def _logins(rule: str, pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    for found in pattern.finditer(text):
        if _is_login(found["value"]):
            yield Secret(rule, found["value"], found.start("value"))


def _is_login(value: str) -> bool:
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        return False
    user, colon, password = login.partition(":")
    return (
        bool(colon) and login.isprintable() and len(password) >= 6 and user != password and not is_weak(password)
    )
