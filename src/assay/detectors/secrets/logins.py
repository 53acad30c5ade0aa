"""Passwords and keys in the ways that tools write them down: headers, connection strings, commands, key files."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of login. A text has none of it without one of the words, in upper or lower case, and the mark."""

    rule: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    is_real: Callable[[str], bool]
    mark: str = ""


def written_logins(text: str) -> Iterator[Secret]:
    """Every login in a form of some tool. Each form is searched for only where one of its words is."""
    lowered = text.lower()
    for form in _FORMS:
        if form.mark in text and any(word in lowered for word in form.words):
            yield from _of_form(form, text)


def _of_form(form: _Form, text: str) -> Iterator[Secret]:
    for login in form.pattern.finditer(text):
        group = next(name for name, value in login.groupdict().items() if value)
        if form.is_real(login[group]):
            yield Secret(form.rule, login[group], login.start(group))


def _is_random(value: str) -> bool:
    """A JSON web token has a rule of its own."""
    return is_high_entropy(value) and not value.startswith("eyJ")


def _is_login(value: str) -> bool:
    try:
        login = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        return False
    user, colon, password = login.partition(":")
    return (
        bool(colon) and login.isprintable() and len(password) >= 6 and user != password and not is_weak(password)
    )


_FORMS = (
    _Form("bearer_token", ("bearer",), _BEARER, _is_random),
    _Form("basic_credentials", ("basic",), _BASIC, _is_login),
    _Form("header_with_key", ("-key", "-token", "-secret"), _HEADER, _is_random),
    _Form("connection_string", ("password", "pwd"), _CONNECTION, _is_random, mark=";"),
    _Form("command_with_password", ("curl",), _CURL, _is_random),
    _Form("command_with_password", ("sshpass", "mysql", " pass:"), _COMMAND, is_high_entropy),
    _Form("database_login", (":",), _PGPASS, _is_random),
    _Form("registry_login", ('"auth',), _DOCKER, _is_login),
    _Form("json_web_key", ('"kty"',), _KEY_PART, _is_random, mark='"kty"'),
)
