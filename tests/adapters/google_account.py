"""A service account whose tokens come from a server on loopback, as google-auth finds it by the environment."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers.scripted_server import Reply, Script, scripted


@contextmanager
def service_account(folder: Path, monkeypatch: pytest.MonkeyPatch, *replies: Reply) -> Iterator[Script]:
    """Gives the server that is asked for tokens."""
    with scripted(*replies) as script:
        key = rsa.generate_private_key(65537, 2048).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        account = {
            "type": "service_account",
            "project_id": "clinic",
            "private_key_id": "1",
            "private_key": key.decode(),
            "client_email": "grader@clinic.example",
            "client_id": "7",
            "token_uri": f"{script.url}/token",
        }
        path = folder / "account.json"
        path.write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
        yield script


def token(name: str, seconds: int = 3600) -> Reply:
    """The answer of a server of tokens."""
    body = {"access_token": name, "expires_in": seconds, "token_type": "Bearer"}
    return Reply(200, body, {"Content-Type": "application/json"})
