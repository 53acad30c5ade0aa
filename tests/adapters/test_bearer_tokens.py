"""Where bearer tokens come from."""

import sys
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.sources.bearer_tokens import fixed_token, from_environment, google
from assay.core.errors import InputError, MeasurementError
from tests.adapters.google_account import service_account, token
from tests.servers.scripted_server import Reply


def test_a_token_that_is_given() -> None:
    assert fixed_token("abc.def")() == "abc.def"


@pytest.mark.parametrize("token", ["", "a b", "a\nX-Header: b", "é"])
def test_what_is_no_token(token: str) -> None:
    with pytest.raises(InputError, match="must be printable ASCII"):
        fixed_token(token)


def test_a_token_from_the_environment() -> None:
    assert from_environment("FHIR_TOKEN", {"FHIR_TOKEN": " abc\n"})() == "abc"


def test_a_token_that_is_not_set() -> None:
    with pytest.raises(InputError, match="FHIR_TOKEN must hold a bearer token, but is not set"):
        from_environment("FHIR_TOKEN", {})


def test_a_bad_token_is_not_shown() -> None:
    with pytest.raises(InputError, match="FHIR_TOKEN can't be used: a bearer token") as caught:
        from_environment("FHIR_TOKEN", {"FHIR_TOKEN": "my secret"})
    assert "secret" not in str(caught.value)


class FakeCredentials:
    """As google-auth has them: a token that ends."""

    def __init__(self) -> None:
        self.renewed_with: list[Any] = []
        self.left = 0

    @property
    def valid(self) -> bool:
        self.left -= 1
        return self.left >= 0

    @property
    def token(self) -> str:
        return f"token {len(self.renewed_with)}"

    def refresh(self, request: Any) -> None:
        self.renewed_with.append(request)
        self.left = 2


def test_googles_tokens_are_renewed_when_they_end() -> None:
    credentials = FakeCredentials()
    token = google(credentials, "transport")
    assert [token() for _ in range(4)] == ["token 1", "token 1", "token 1", "token 2"]
    assert credentials.renewed_with == ["transport", "transport"]


def test_googles_tokens_that_can_not_be_renewed() -> None:
    class Ended(FakeCredentials):
        def refresh(self, request: Any) -> None:  # noqa: ARG002 - the name is google-auth's
            raise OSError("a secret")

    with pytest.raises(MeasurementError, match=r"can't be renewed \(OSError\)") as caught:
        google(Ended(), None)()
    assert "secret" not in str(caught.value)


def test_google_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.auth", None)
    with pytest.raises(MeasurementError, match=r"pip install .assay-grading\[google\]"):
        google()


def test_googles_application_credentials_with_googles_own_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One token for many questions, and a new one when it is about to end."""
    with service_account(tmp_path, monkeypatch, token("short", 1), token("long")) as script:
        ask = google()
        assert [ask() for _ in range(4)] == ["short", "long", "long", "long"]
    assert len(script.posted) == 2
    assert all("assertion=" in one for one in script.posted)


def test_googles_server_of_tokens_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"error": "invalid_grant", "error_description": "a secret reason"}
    refusal = Reply(400, body, {"Content-Type": "application/json"})
    with (
        service_account(tmp_path, monkeypatch, refusal),
        pytest.raises(MeasurementError, match=r"can't be renewed \(RefreshError\)") as caught,
    ):
        google()()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"type": "service_account"}', None])
def test_application_credentials_that_can_not_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    path = tmp_path / "account.json"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    with pytest.raises(MeasurementError, match="no Google application credentials that can be used"):
        google()
