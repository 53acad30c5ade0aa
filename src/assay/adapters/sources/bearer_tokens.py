"""Bearer tokens for servers: one that is given, one from an environment variable, or Google's credentials.

A token is asked for with each request, as some of them end. None is ever part of a message.
"""

import importlib
import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from assay.core.errors import InputError, MeasurementError, install_hint

Token = Callable[[], str]
GOOGLE_SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)


class GoogleCredentials(Protocol):
    """The needed part of google-auth's credentials."""

    @property
    def valid(self) -> bool: ...

    @property
    def token(self) -> str: ...

    def refresh(self, request: Any) -> None: ...


def fixed_token(token: str) -> Token:
    """A token that stays the same. Raises ``InputError`` for what can't be one."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError("a bearer token must be printable ASCII characters without spaces")
    return lambda: token


def from_environment(name: str, environment: Mapping[str, str] = os.environ) -> Token:
    """The token in an environment variable. Raises ``InputError`` if it is not set."""
    token = environment.get(name, "").strip()
    if not token:
        raise InputError(f"the environment variable {name} must hold a bearer token, but is not set")
    try:
        return fixed_token(token)
    except InputError as error:
        raise InputError(f"the environment variable {name} can't be used: {error}") from error


def google(credentials: GoogleCredentials | None = None, request: Any = None) -> Token:
    """Google's application credentials, renewed when they end. Raises ``MeasurementError`` if there are none."""
    if credentials is None:
        credentials, request = _application_credentials()
    source, lock = credentials, threading.Lock()

    def token() -> str:
        with lock:
            try:
                if not source.valid:
                    source.refresh(request)
            except Exception as error:  # Whatever broke it, there is no token to ask the server with.
                raise MeasurementError(
                    f"Google's credentials can't be renewed ({type(error).__name__})"
                ) from error
            return source.token

    return token


def _application_credentials() -> tuple[GoogleCredentials, Any]:
    try:
        auth = importlib.import_module("google.auth")
        transport = importlib.import_module("google.auth.transport.requests")
    except ImportError as error:
        raise MeasurementError(f"Google's credentials need google-auth: {install_hint('google')}") from error
    try:
        credentials, _project = auth.default(scopes=GOOGLE_SCOPES)
    except Exception as error:  # A file that isn't one of credentials breaks the library in several ways.
        raise MeasurementError("this machine has no Google application credentials that can be used") from error
    return credentials, transport.Request()
