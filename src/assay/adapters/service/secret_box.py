"""Secrets of sources, encrypted before they get into a store.

What a secret belongs to is part of what is sealed, so that nobody can move one to another place by changing rows.
"""

import base64
import binascii
import json
import os
import secrets
from typing import Any, Final

from assay.core.errors import InputError, MeasurementError, install_hint

VARIABLE: Final = "ASSAY_SECRET_KEY"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class SecretBox:
    """Seals with AES-256-GCM. Without a key it refuses."""

    def __init__(self, key: bytes | None) -> None:
        self._key = key

    def seal(self, secret: dict[str, str], place: str) -> bytes:
        if self._key is None:
            raise InputError(f"the service has no key to encrypt secrets with; set {VARIABLE}")
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed: bytes = _cipher(self._key).encrypt(nonce, json.dumps(secret).encode(), place.encode())
        return nonce + sealed

    def open(self, sealed: bytes, place: str) -> dict[str, str]:
        """Raises ``MeasurementError`` if it was sealed with another key, or for another place."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - only who has secrets needs it

        if self._key is None:
            raise MeasurementError(f"the service has no key to decrypt secrets with; set {VARIABLE}")
        try:
            opened = _cipher(self._key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place.encode())
        except InvalidTag as error:
            raise MeasurementError("a secret of a source can't be decrypted; it has another key") from error
        found: dict[str, str] = json.loads(opened)
        return found


def key_from_text(text: str, what: str) -> bytes:
    """A key as it is written: 32 bytes in base64. Raises ``InputError``."""
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{what} must be {_KEY_BYTES} bytes in base64") from error
    if len(key) != _KEY_BYTES:
        raise InputError(f"{what} must be {_KEY_BYTES} bytes in base64, got {len(key)} bytes")
    return key


def key_beside(path: str) -> bytes:
    """The key in a file. It is made where there is none, and only its owner may read it."""
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        with open(path, encoding="ascii", errors="replace") as existing:
            return key_from_text(existing.read(), path)
    except OSError as error:
        raise InputError(f"the key file {path} can't be created: {error.strerror}") from error
    key = secrets.token_bytes(_KEY_BYTES)
    with os.fdopen(file, "wb") as made:
        made.write(base64.b64encode(key) + b"\n")
    return key


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only who has secrets
    except ImportError as error:
        raise InputError(f"secrets need more packages: {install_hint('service')}") from error
    return AESGCM(key)
